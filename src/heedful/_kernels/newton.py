"""Penalised fits of losses that are not squares: proximal Newton steps, each one a weighted lasso.

A step replaces the loss of one output by a quadratic with the present slope; descent on its covariances, or with many
columns ``path_row``, solves that lasso. Steps that do not go down are halved. Classes take turns. At convergence the
fit is exact: its slope is that of the loss. With few columns the quadratic's covariances are kept while the fit moves
little, along the path of penalties too: a step then costs a pass over the rows instead of their products. Classes that
can be separated take hundreds of rounds, each a little shorter than the one before: such rounds are stretched.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, many_rows, one_row
from heedful._kernels.absent import (
    ABSENT,
    settle_absent_row,
    settle_pure_row,
    settle_zeros_row,
    shares_row,
    unseen_rates,
)
from heedful._kernels.arrays import (
    copy_matrix,
    copy_row,
    fill_row,
    matrix,
    row_numbers,
    vector,
    zero_counts,
    zero_vector,
)
from heedful._kernels.descent import clip_row, descend_row, gradient_row
from heedful._kernels.groups import norm_row
from heedful._kernels.lasso import Space, everyone_row, path_row
from heedful._kernels.moments import dot_row, settle, square
from heedful._kernels.outcomes import State, level_row, loss_row, masses_row, working_row
from heedful._kernels.shapes import COX, MULTINOMIAL, POWER, Rule, Table
from heedful._kernels.weighting import pick_rows

# A mean loss below this is a perfect fit.
PERFECT = 1e-6
# Without a penalty, survival times in perfect order have no finite optimum: steps go on for ever, and are at least half
# as long when there were twice as many. Those that lead to an optimum shrink by a constant factor: from so many rounds
# on, whenever these have doubled, a step must be shorter than this part of the one before.
FIRST_CHECK, SHRUNK = 200, 0.45
# Up to this many columns covariances are kept, until the fit has moved so far or so often since.
KEPT_COLUMNS, FAR, OFTEN = 100, 0.2, 12
# A step this short goes down for certain; one that is cut to less than this part of itself leads nowhere.
SHORT, LEAST_STEP = 0.02, 1e-9
# A round of all classes this long beside the one before is slow; it is stretched at most so many times.
SLOW, MOST_STRETCHED = 0.9, 100.0


class Workspace(NamedTuple):
    """Working memory of one thread: as little as does, since each function that gets it takes the longer to compile.

    ``arrays`` are, for each row, its outcome, time, weight, sum of masses, level, curvature, offset and slope;
    ``vectors``, for each column, its covariance, gradient, penalty, coefficient before a step and scale; ``rooted``
    are rows times the root of their curvature; ``gram``, ``mean`` and ``total`` the kept covariances of each output,
    ``moved`` how far and how often it moved since. ``models`` are two models of all classes, coefficients before
    intercepts; ``shares`` the weight of each class and its level; ``line`` is a row of ``packed``.
    """

    packed: np.ndarray
    arrays: np.ndarray
    vectors: np.ndarray
    weight: np.ndarray
    rooted: np.ndarray
    gram: np.ndarray
    mean: np.ndarray
    total: np.ndarray
    moved: np.ndarray
    models: np.ndarray
    shares: np.ndarray
    line: np.ndarray


class Wide(NamedTuple):
    """What fits of many columns need: the table, memory to choose columns in, room for their means, a path of one."""

    table: Table
    space: Space
    mean: np.ndarray
    penalties: np.ndarray
    uses: np.ndarray
    wanted: np.ndarray


class Fit(NamedTuple):
    """One fit: copied rows of positive weight with their state, working memory, and the penalty's rule."""

    kind: int
    packed: np.ndarray
    y_column: int
    state: State
    work: Workspace
    rule: Rule
    n_features: int


@making_row
def make_workspace(table, n_output):
    """Return working memory for fits that may attend to every row."""
    (n, width), p = table.packed.shape, table.mean.size
    kept = p if p <= KEPT_COLUMNS else 0
    rows = matrix(n, width), matrix(8, n), matrix(5, p), vector(n)
    sums = np.empty((n_output, kept, kept)), matrix(n_output, p), vector(n_output), matrix(2, n_output)
    return Workspace(*rows, matrix(n, kept), *sums, np.empty((2, n_output, p + 1)), matrix(2, n_output), vector(width))


@making_row
def make_wide(table, mean):
    """Return what fits of many columns need, None for others, which it is not compiled with."""
    if mean is None:
        return None
    n, p = table.prior.size, mean.size
    space = Space(matrix(n, p), vector(n), vector(n), vector(n * p), vector(n), row_numbers(n))
    return Wide(table, space, mean, zero_vector(1), zero_counts(1), np.ones(1, np.bool_))


@one_row
def gather_row(table, outcome, work):
    """Copy the rows of positive weight side by side; return how many there are."""
    size = 0
    for i in outcome.order:
        if work.weight[i] > 0.0:
            copy_row(table.packed[i], work.packed[size])
            work.arrays[0, size] = outcome.value[i]
            work.arrays[1, size] = outcome.time[i] if outcome.kind == COX else 0.0
            work.arrays[2, size] = work.weight[i]
            work.arrays[6, size] = outcome.offset[i] if outcome.offset.size > 0 else 0.0
            size += 1
    return size


@one_row
def link_row(fit, intercept, coef, link):
    line = fit.work.line
    for j in range(line.size):
        line[j] = coef[j] if j < fit.n_features else 0.0
    dot_row(fit.packed, line, link)
    for i in range(link.size):
        link[i] += intercept


@one_row
def size_row(coef, scale, groups=None):
    """Return the scaled L1 norm, or with groups the sum of the scaled norms of theirs."""
    if groups is not None:
        return norm_row(coef, scale, groups)
    norm = 0.0
    for j in range(coef.size):
        norm += scale[j] * abs(coef[j])
    return norm


@one_row
def keep_gram_row(fit, k, curvature):
    """Keep the covariances of output ``k`` under curvatures that sum to one."""
    packed, work, n_features = fit.packed, fit.work, fit.n_features
    mean = work.mean[k]
    dot_row(curvature, packed, work.line)
    for j in range(mean.size):
        mean[j] = work.line[j] if j < n_features else 0.0
    rooted = work.rooted[: curvature.size]
    for i in range(curvature.size):
        root = np.sqrt(curvature[i])
        for j in range(n_features):
            rooted[i, j] = root * (packed[i, j] - mean[j])
        for j in range(n_features, mean.size):
            rooted[i, j] = 0.0
    gram = work.gram[k]
    for j in range(mean.size):
        fill_row(0.0, gram[j])
    square(rooted, gram)
    for j in range(mean.size):
        gram[j, j] = settle(gram[j, j], mean[j])


@one_row
def kept_gram_row(fit, k, curvature, now, alpha, coef, path):
    """Solve the lasso of output ``k`` with kept covariances and the present slope; write coefficients to ``path``.

    Returns how far the intercept at the kept means moves, under the present curvature ``now``, and whether the descent
    converged.
    """
    p, packed, work, rule = coef.size, fit.packed, fit.work, fit.rule
    total, gram, mean, line = work.total[k], work.gram[k], work.mean[k], work.line
    slope, share, level = work.arrays[7, : curvature.size], 1.0 / total, 0.0
    for i in range(curvature.size):
        slope[i] = curvature[i] * (packed[i, fit.y_column] - fit.state.link[k, i]) * share
        level += slope[i]
    dot_row(slope, packed, line)
    cov, grad, penalty, new = work.vectors[0], work.vectors[1], work.vectors[2], path[0]
    if alpha == np.inf:
        fill_row(0.0, new)
        return level * total / now, True
    fill_row(0.0, cov)
    gradient_row(gram, cov, coef, grad)
    for j in range(p):
        cov[j] = (line[j] - level * mean[j] if j < fit.n_features else 0.0) - grad[j]
        penalty[j] = alpha / total * rule.scale[j]
        new[j] = coef[j] if gram[j, j] > 0.0 else 0.0
    gradient_row(gram, cov, new, grad)
    sweeps = descend_row(gram, cov, penalty, new, grad, rule.tol, rule.max_iter, rule.limits, rule.groups)
    return level * total / now, sweeps >= 0


@one_row
def solve_output_row(fit, k, alpha, intercept, coef, wide, path):
    """Write the coefficients that minimise the quadratic of output ``k``; return its intercept and if it converged.

    ``wide`` is None for fits that keep covariances: neither is compiled with the other.
    """
    packed, work, rule, n_features, size = fit.packed, fit.work, fit.rule, fit.n_features, fit.state.value.size
    curvature = work.arrays[5, :size]
    total = working_row(fit.kind, fit.state, k, curvature, packed, fit.y_column)
    if wide is None:
        if work.moved[0, k] > FAR or work.moved[1, k] > OFTEN:
            for i in range(size):
                curvature[i] /= total
            keep_gram_row(fit, k, curvature)
            for i in range(size):
                curvature[i] *= total
            work.total[k], work.moved[0, k], work.moved[1, k] = total, 0.0, 0.0
        move, converged = kept_gram_row(fit, k, curvature, total, alpha, coef, path)
        work.moved[1, k] += 1.0
        for j in range(n_features):
            move -= work.mean[k, j] * (path[0, j] - coef[j])
        return intercept + move, converged
    for i in range(size):
        curvature[i] /= total
    # the copied rows are a table; fits to them have no background
    table, mean, space = wide.table, wide.mean, wide.space
    none, rows = table.prior[:0], space.everyone[:size]
    copied = Table(packed, fit.y_column, none, none, 1.0, table.mean, 0.0, table.scatter, none, 0.0, none, 1.0)
    started = Rule(rule.scale, False, coef, rule.tol, rule.max_iter, rule.max_range, rule.limits, rule.groups)
    wide.penalties[0], wide.uses[0] = alpha / total, n_features
    path_of_one = wide.penalties, wide.uses, wide.wanted
    y_mean, _, failed = path_row(copied, rows, curvature, 0.0, *path_of_one, started, mean, space, mean, path)
    for j in range(n_features):
        y_mean -= mean[j] * path[0, j]
    return y_mean, failed == 0


@one_row
def step_output_row(fit, k, alpha, loss, intercept, coef, wide, path):
    """Take one Newton step in output ``k``; return the new loss, the largest move and whether the lasso converged.

    A short step is not checked, and its loss is not worked out.
    """
    kind, state, work, rule = fit.kind, fit.state, fit.work, fit.rule
    old, step, old_coef = intercept[k], 1.0, work.vectors[3]
    copy_row(coef, old_coef)
    new, solved = solve_output_row(fit, k, alpha, old, coef, wide, path)
    strength = alpha if alpha < np.inf else 0.0
    before = loss + strength * size_row(coef, rule.scale, rule.groups)
    while True:
        largest = abs(step * (new - old)) if kind != COX else 0.0
        intercept[k] = old + step * (new - old)
        for j in range(coef.size):
            move = step * (path[0, j] - old_coef[j])
            coef[j] = old_coef[j] + move if step < 1.0 else path[0, j]
            largest = max(largest, abs(move))
        link_row(fit, intercept[k], coef, state.link[k])
        if largest <= SHORT and step == 1.0:
            masses_row(kind, state, k)
            break
        loss = loss_row(kind, state, k)
        after = loss + strength * size_row(coef, rule.scale, rule.groups)
        if after <= before + 1e-12 * (1.0 + abs(before)) or step < LEAST_STEP:
            break
        step *= 0.5
    for c in range(intercept.size):
        work.moved[0, c] += largest if step == 1.0 else np.inf
    return loss, largest, solved and (kind != COX or step >= LEAST_STEP)


@one_row
def copy_models_row(intercept, coef, kept):
    """Write coefficients, and after them the intercept, of each output into ``kept``."""
    for k in range(intercept.size):
        for j in range(coef.shape[1]):
            kept[k, j] = coef[k, j]
        kept[k, coef.shape[1]] = intercept[k]


@one_row
def move_models_row(fit, strength, here, there, by, intercept, coef):
    """Move models from ``there`` on by some times the way from ``here`` to it; return loss and penalty."""
    p, size = coef.shape[1], 0.0
    for k in range(intercept.size):
        for j in range(p):
            coef[k, j] = there[k, j] + by * (there[k, j] - here[k, j])
        intercept[k] = there[k, p] + by * (there[k, p] - here[k, p])
        link_row(fit, intercept[k], coef[k], fit.state.link[k])
        size += size_row(coef[k], fit.rule.scale, fit.rule.groups)
    return loss_row(MULTINOMIAL, fit.state, -1), strength * size


@one_row
def stretch_row(fit, alpha, here, there, by, intercept, coef):
    """Take the round from ``here`` once more, as far as all rounds to come would go; not if that does not go down.

    Rounds that shrink by a constant factor have a sum that is known from two of them.
    """
    strength = alpha if alpha < np.inf else 0.0
    copy_models_row(intercept, coef, there)
    before, penalty = move_models_row(fit, strength, here, there, 0.0, intercept, coef)
    after, new = move_models_row(fit, strength, here, there, by, intercept, coef)
    if not after + new < before + penalty:
        after, _ = move_models_row(fit, strength, here, there, 0.0, intercept, coef)
    else:
        fill_row(np.inf, fit.work.moved[0])
    return after


@one_row
def newton_row(fit, alpha, intercept, coef, wide, path):
    """Iterate from the given intercepts (n_output,) and coefficients (n_output, n_features) to the minimum.

    Returns whether it was reached. The coefficients of a Cox model have no intercept: its value is left at 0.
    """
    kind, state, rule, n_output, last = fit.kind, fit.state, fit.rule, intercept.size, np.inf
    share, here, there = fit.work.shares[0], fit.work.models[0], fit.work.models[1]
    n_eff = shares_row(kind, state, share)
    if settle_pure_row(kind, share, n_eff, intercept, coef):
        return True
    for i in range(state.value.size):
        # the trace of an absent class would push the others down for ever
        if kind == MULTINOMIAL and share[int(state.value[i])] < ABSENT:
            state.weight[i] = 0.0
    for k in range(n_output):
        absent = kind == MULTINOMIAL and share[k] < ABSENT
        alone = kind == MULTINOMIAL and share[k] > 1.0 - ABSENT
        intercept[k] = -1e3 if absent else intercept[k]
        if absent or alone or alpha == np.inf:
            fill_row(0.0, coef[k])
        link_row(fit, intercept[k], coef[k], state.link[k])
    if kind == POWER:
        # the level has a closed form, and a step from one that is far too low would go far too far
        intercept[0] += level_row(state)
    loss = loss_row(kind, state, -1)
    converged, next_check, before = False, FIRST_CHECK, np.inf
    for n_done in range(1, rule.max_iter + 1):
        largest, solved = 0.0, True
        if kind == MULTINOMIAL:
            copy_models_row(intercept, coef, here)
        for k in range(n_output):
            if kind == MULTINOMIAL and share[k] < ABSENT:
                continue
            loss, move, good = step_output_row(fit, k, alpha, loss, intercept, coef[k], wide, path)
            largest, solved = max(largest, move), solved and good
        if kind == MULTINOMIAL or largest > SHORT:
            loss = loss_row(kind, state, -1)
        if largest <= rule.tol or (kind != COX and kind != POWER and loss < PERFECT):
            converged = solved
            break
        if kind == MULTINOMIAL and SLOW * last < largest < last:
            by = min(largest / (last - largest), MOST_STRETCHED)
            loss = stretch_row(fit, alpha, here, there, by, intercept, coef)
            largest = np.inf
        last = largest
        if kind == COX and alpha == 0.0 and n_done == next_check:
            if largest > SHRUNK * before:
                break
            next_check, before = 2 * next_check, largest
    if kind == COX:
        intercept[0] = 0.0
    if kind == MULTINOMIAL:
        settle_absent_row(state, fit.work.shares, n_eff, fit.n_features, fit.packed, intercept, coef)
    return converged


@one_row
def weighted_scale_row(packed, state, n_features, scale):
    for j in range(scale.size):
        mean, square = 0.0, 0.0
        if j < n_features:
            for i in range(state.weight.size):
                mean += state.weight[i] * packed[i, j]
            for i in range(state.weight.size):
                away = packed[i, j] - mean
                square += state.weight[i] * away * away
        scale[j] *= np.sqrt(square)


@one_row
def fit_path_row(
    table, outcome, rule, unseen, penalties, work, link, mass, wide, path, intercept, coef, intercepts, coefs
):
    """Fit a path to the rows in ``work`` and write its models; return how many fits did not converge.

    ``intercept`` and ``coef`` are where it starts. Nothing here counts references to arrays: that takes long to compile
    where so many are passed on.
    """
    (n_output, p), size, arrays = coef.shape, link.shape[1], work.arrays
    known = arrays[0, :size], arrays[1, :size], arrays[2, :size]
    state = State(*known, link, mass, arrays[3, :size], arrays[4, :size], arrays[6, :size], outcome.power)
    scale, packed, n_features = work.vectors[4], work.packed[:size], min(table.y_column, p)
    # fits multiply the scale by weighted deviations themselves
    own = Rule(scale, False, rule.start, rule.tol, rule.max_iter, rule.max_range, rule.limits, rule.groups)
    fit = Fit(outcome.kind, packed, table.y_column, state, work, own, n_features)
    copy_row(rule.scale, scale)
    if rule.weighted_scale:
        weighted_scale_row(packed, state, n_features, scale)
    fill_row(np.inf, work.moved[0])
    for k in range(n_output):
        clip_row(coef[k], rule.limits)
    failed, zeros = 0, outcome.kind == POWER and settle_zeros_row(state, unseen, intercept, coef)
    for t in range(penalties.size):
        if not zeros and not newton_row(fit, penalties[t], intercept, coef, wide, path):
            failed += 1
        copy_row(intercept, intercepts[t])
        copy_matrix(coef, coefs[t])
    return failed


@many_rows
def newton_path_rows(indptr, indices, excess, backgrounds, table, outcome, penalties, rule, starts, start_coefs, mean):
    """Fit paths for the function below; ``mean`` is room for the means of columns if there are many, else None."""
    n_fit, n_output, p = indptr.size - 1, starts.shape[1], table.mean.size
    work, wide, everyone = make_workspace(table, n_output), make_wide(table, mean), row_numbers(table.prior.size)
    intercepts = np.empty((n_fit, penalties.size, n_output))
    coefs = np.empty((n_fit, penalties.size, n_output, p))
    failed = zero_counts(n_fit)
    path, intercept, coef, unseen = matrix(1, p), vector(n_output), matrix(n_output, p), unseen_rates(table, outcome)
    for q in range(n_fit):
        start, stop = indptr[q], indptr[q + 1]
        rows = pick_rows(indices, start, stop, everyone)
        everyone_row(table, rows, excess[start:stop], backgrounds[q], work.weight)
        for i in range(work.weight.size):
            if work.weight[i] < 1e-14 * table.prior[i] / table.total:
                work.weight[i] = 0.0
        copy_row(starts[q], intercept)
        copy_matrix(start_coefs[q], coef)
        size = gather_row(table, outcome, work)
        link, mass = matrix(n_output, size), matrix(n_output, size)
        fits = intercepts[q], coefs[q]
        failed[q] = fit_path_row(
            table, outcome, rule, unseen, penalties, work, link, mass, wide, path, intercept, coef, fits[0], fits[1]
        )
    return intercepts, coefs, failed


def newton_rows(
    indptr, indices, excess, backgrounds, table, outcome, penalties, rule, starts, start_coefs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit a path of penalties (descending) for every row of weights, each from a model of its own.

    Returns intercepts (n_fit, n_penalty, n_output), coefficients (n_fit, n_penalty, n_output, n_features) and the
    number of unconverged fits. Empty ``indices`` mean that every fit lists every row in order.
    """
    mean = np.empty(table.mean.size) if table.mean.size > KEPT_COLUMNS else None
    weights = (indptr, indices, excess, backgrounds)
    return newton_path_rows(*weights, table, outcome, penalties, rule, starts, start_coefs, mean)
