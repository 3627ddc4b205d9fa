"""Penalised fits of losses that are not squares: proximal Newton steps, each one a weighted lasso.

A step replaces the loss of one output by a quadratic with the present slope; descent on its covariances, or with many
columns ``path_row``, solves that lasso. Steps that do not go down are halved. Classes take turns. At convergence the
fit is exact: its slope is that of the loss. With few columns the quadratic's covariances are kept while the fit moves
little, along the path of penalties too: a step then costs a pass over the rows instead of their products. Classes that
can be told apart take hundreds of rounds, each a little shorter than the one before: such rounds are stretched.
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
from heedful._kernels.arrays import matrix, row_numbers, vector, zero_counts, zero_matrix, zero_vector
from heedful._kernels.descent import clip_row, descend_row, gradient_row
from heedful._kernels.groups import norm_row
from heedful._kernels.lasso import Space, everyone_row, path_row
from heedful._kernels.moments import settle, square
from heedful._kernels.outcomes import State, level_row, loss_row, masses_row, working_row
from heedful._kernels.shapes import COX, MULTINOMIAL, POWER, Rule, Table
from heedful._kernels.weighting import pick_rows

# A mean loss below this is a perfect fit.
PERFECT = 1e-6
# Without a penalty, survival times in perfect order have no finite optimum: steps go on for ever, and are at least half
# as long when there were twice as many. Those that lead to an optimum shrink by a constant factor: from so many rounds
# on, whenever these have doubled, a step must be shorter than this part of the one before.
LOOK, SHRUNK = 200, 0.45
# Up to this many columns covariances are kept, until the fit has moved so far or so often since.
KEPT_COLUMNS, FAR, OFTEN = 100, 0.2, 12
# A step this short goes down for certain; one that is cut to less than this part of itself leads nowhere.
SHORT, LEAST_STEP = 0.02, 1e-9
# A round of all classes this long beside the one before is slow; it is stretched at most so many times.
SLOW, MOST_STRETCHED = 0.9, 100.0


class Workspace(NamedTuple):
    """Working memory of one thread."""

    space: Space
    packed: np.ndarray
    flat: np.ndarray
    arrays: np.ndarray
    weight: np.ndarray
    everyone: np.ndarray
    gram: np.ndarray
    mean: np.ndarray
    total: np.ndarray
    moved: np.ndarray
    wide: np.ndarray


@making_row
def make_workspace(table, n_output):
    """Return working memory for fits that may attend to every row."""
    n, p = table.prior.size, table.mean.size
    picked = n * p if p > KEPT_COLUMNS else 0
    kept = p if p <= KEPT_COLUMNS else 0
    everyone = row_numbers(n)
    space = Space(matrix(n, p), vector(n), vector(n), vector(picked), vector(picked), vector(n), everyone)
    width = table.packed.shape[1]
    return Workspace(
        space,
        matrix(n, width),
        vector(2 * n_output * n),
        matrix(7, n),
        vector(n),
        everyone,
        np.empty((n_output, kept, kept)),
        matrix(n_output, p),
        vector(n_output),
        matrix(2, n_output),
        vector(width),
    )


@making_row
def gather_row(table, outcome, n_output, work):
    """Copy the rows of positive weight side by side; return them and their state."""
    size = 0
    for i in outcome.order:
        if work.weight[i] > 0.0:
            for j in range(table.packed.shape[1]):
                work.packed[size, j] = table.packed[i, j]
            work.arrays[0, size] = outcome.value[i]
            work.arrays[1, size] = outcome.time[i] if outcome.kind == COX else 0.0
            work.arrays[2, size] = work.weight[i]
            work.arrays[6, size] = outcome.offset[i] if outcome.offset.size > 0 else 0.0
            size += 1
    half = n_output * size
    state = State(
        work.arrays[0, :size],
        work.arrays[1, :size],
        work.arrays[2, :size],
        work.flat[:half].reshape((n_output, size)),
        work.flat[half : 2 * half].reshape((n_output, size)),
        work.arrays[3, :size],
        work.arrays[4, :size],
        work.arrays[6, :size],
        outcome.power,
    )
    return work.packed[:size], state


@making_row
def link_row(packed, intercept, coef, n_features, wide, link):
    """Write the linear predictor of every row; ``wide`` has room for a value per packed column."""
    for j in range(wide.size):
        wide[j] = coef[j] if j < n_features else 0.0
    np.dot(packed, wide, link)
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


@making_row
def own_table(table, packed):
    """Return the copied rows as a table; fits to them have no background."""
    nothing = table.prior[:0]
    return Table(
        packed, table.y_column, nothing, nothing, 1.0, table.mean, 0.0, table.scatter, nothing, 0.0, nothing, 1.0
    )


@making_row
def keep_gram_row(k, table, packed, bump, work):
    """Keep the covariances of output ``k`` under curvatures ``bump`` that sum to one."""
    mean, n_features = work.mean[k], min(table.y_column, work.mean.shape[1])
    np.dot(bump, packed, work.wide)
    for j in range(mean.size):
        mean[j] = work.wide[j] if j < n_features else 0.0
    rooted = work.space.x[: bump.size]
    for i in range(bump.size):
        root = np.sqrt(bump[i])
        for j in range(n_features):
            rooted[i, j] = root * (packed[i, j] - mean[j])
        for j in range(n_features, mean.size):
            rooted[i, j] = 0.0
    gram = zero_matrix(mean.size, mean.size)
    square(rooted, gram)
    for j in range(mean.size):
        gram[j, j] = settle(gram[j, j], mean[j])
        for h in range(mean.size):
            work.gram[k, j, h] = gram[j, h]


@making_row
def near_row(k, table, packed, state, bump, now, work, rule, alpha, coef, path):
    """Solve the lasso of output ``k`` with kept covariances and the present slope; write coefficients to ``path``.

    Returns how far the intercept at the kept means moves, under the present curvature ``now``, and whether the descent
    converged.
    """
    p, n_features = coef.size, min(table.y_column, coef.size)
    total, mean = work.total[k], work.mean[k]
    pull, share, level = work.space.d[: bump.size], 1.0 / total, 0.0
    for i in range(bump.size):
        pull[i] = bump[i] * (packed[i, table.y_column] - state.link[k, i]) * share
        level += pull[i]
    np.dot(pull, packed, work.wide)
    cov, grad, penalty, new = zero_vector(p), vector(p), vector(p), path[0]
    if alpha == np.inf:
        for j in range(p):
            new[j] = 0.0
        return level * total / now, True
    gradient_row(work.gram[k], cov, coef, grad)
    for j in range(p):
        cov[j] = (work.wide[j] - level * mean[j] if j < n_features else 0.0) - grad[j]
        penalty[j] = alpha / total * rule.scale[j]
        new[j] = coef[j] if work.gram[k, j, j] > 0.0 else 0.0
    gradient_row(work.gram[k], cov, new, grad)
    sweeps = descend_row(work.gram[k], cov, penalty, new, grad, rule.tol, rule.max_iter, rule.limits, rule.groups)
    return level * total / now, sweeps >= 0


@making_row
def solve_output_row(kind, k, table, packed, state, work, rule, alpha, intercept, coef, mean, path):
    """Write the coefficients that minimise the quadratic of output ``k``; return its intercept and if it converged.

    ``mean`` is room for the means of columns, None for fits that keep covariances: those compile without ``path_row``.
    """
    size, n_features = state.value.size, min(table.y_column, coef.size)
    bump = work.arrays[5, :size]
    total = working_row(kind, state, k, bump, packed, table.y_column)
    if mean is None or work.gram.shape[1] > 0:
        if work.moved[0, k] > FAR or work.moved[1, k] > OFTEN:
            for i in range(size):
                bump[i] /= total
            keep_gram_row(k, table, packed, bump, work)
            for i in range(size):
                bump[i] *= total
            work.total[k], work.moved[0, k], work.moved[1, k] = total, 0.0, 0.0
        move, converged = near_row(k, table, packed, state, bump, total, work, rule, alpha, coef, path)
        work.moved[1, k] += 1.0
        for j in range(n_features):
            move -= work.mean[k, j] * (path[0, j] - coef[j])
        return intercept + move, converged
    for i in range(size):
        bump[i] /= total
    penalties, uses, wanted = zero_vector(1), zero_counts(1), np.ones(1, np.bool_)
    penalties[0], uses[0] = alpha / total, n_features
    started = Rule(rule.scale, False, coef, rule.tol, rule.max_iter, rule.reach, rule.limits, rule.groups)
    rows = work.everyone[:size]
    y_mean, _, failed = path_row(
        own_table(table, packed), rows, bump, 0.0, penalties, uses, wanted, started, mean, work.space, mean, path
    )
    for j in range(n_features):
        y_mean -= mean[j] * path[0, j]
    return y_mean, failed == 0


@making_row
def step_output_row(kind, k, table, packed, state, work, rule, alpha, loss, intercept, coef, mean, path):
    """Take one Newton step in output ``k``; return the new loss, the largest move and whether the lasso converged.

    A short step is not checked, and its loss is not worked out.
    """
    old, step, old_coef = intercept[k], 1.0, coef.copy()
    new, solved = solve_output_row(kind, k, table, packed, state, work, rule, alpha, old, coef, mean, path)
    strength = alpha if alpha < np.inf else 0.0
    before = loss + strength * size_row(coef, rule.scale, rule.groups)
    while True:
        largest = abs(step * (new - old)) if kind != COX else 0.0
        intercept[k] = old + step * (new - old)
        for j in range(coef.size):
            move = step * (path[0, j] - old_coef[j])
            coef[j] = old_coef[j] + move if step < 1.0 else path[0, j]
            largest = max(largest, abs(move))
        link_row(packed, intercept[k], coef, min(table.y_column, coef.size), work.wide, state.link[k])
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


@making_row
def copy_models_row(intercept, coef, kept):
    """Write coefficients, and after them the intercept, of each output into ``kept``."""
    for k in range(intercept.size):
        for j in range(coef.shape[1]):
            kept[k, j] = coef[k, j]
        kept[k, coef.shape[1]] = intercept[k]


@making_row
def move_models_row(table, packed, state, work, rule, strength, here, there, by, intercept, coef):
    """Move models from ``there`` on by some times the way from ``here`` to it; return loss and penalty."""
    p, size = coef.shape[1], 0.0
    for k in range(intercept.size):
        for j in range(p):
            coef[k, j] = there[k, j] + by * (there[k, j] - here[k, j])
        intercept[k] = there[k, p] + by * (there[k, p] - here[k, p])
        link_row(packed, intercept[k], coef[k], min(table.y_column, p), work.wide, state.link[k])
        size += size_row(coef[k], rule.scale, rule.groups)
    return loss_row(MULTINOMIAL, state, -1), strength * size


@making_row
def stretch_row(table, packed, state, work, rule, alpha, here, there, by, intercept, coef):
    """Take the round from ``here`` once more, as far as all rounds to come would go; not if that does not go down.

    Rounds that shrink by a constant factor have a sum that is known from two of them.
    """
    strength = alpha if alpha < np.inf else 0.0
    copy_models_row(intercept, coef, there)
    parts = (table, packed, state, work, rule, strength, here, there)
    before, penalty = move_models_row(*parts, 0.0, intercept, coef)
    after, new = move_models_row(*parts, by, intercept, coef)
    if not after + new < before + penalty:
        after, _ = move_models_row(*parts, 0.0, intercept, coef)
    else:
        for k in range(intercept.size):
            work.moved[0, k] = np.inf
    return after


@making_row
def newton_row(kind, table, packed, state, work, rule, alpha, intercept, coef, mean, path):
    """Iterate from the given intercepts (n_output,) and coefficients (n_output, n_features) to the minimum.

    Returns whether it was reached. The coefficients of a Cox model have no intercept: its value is left at 0.
    """
    n_output, n_features = intercept.size, min(table.y_column, coef.shape[1])
    share, n_models = vector(n_output), n_output if kind == MULTINOMIAL else 0
    here, there, last = matrix(n_models, coef.shape[1] + 1), matrix(n_models, coef.shape[1] + 1), np.inf
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
            for j in range(coef.shape[1]):
                coef[k, j] = 0.0
        link_row(packed, intercept[k], coef[k], n_features, work.wide, state.link[k])
    if kind == POWER:
        # the level has a closed form, and a step from one that is far too low would go far too far
        intercept[0] += level_row(state, state.power)
    loss = loss_row(kind, state, -1)
    converged, look, before = False, LOOK, np.inf
    for n_done in range(1, rule.max_iter + 1):
        largest, solved = 0.0, True
        if kind == MULTINOMIAL:
            copy_models_row(intercept, coef, here)
        for k in range(n_output):
            if kind == MULTINOMIAL and share[k] < ABSENT:
                continue
            loss, move, good = step_output_row(
                kind, k, table, packed, state, work, rule, alpha, loss, intercept, coef[k], mean, path
            )
            largest, solved = max(largest, move), solved and good
        if kind == MULTINOMIAL or largest > SHORT:
            loss = loss_row(kind, state, -1)
        if largest <= rule.tol or (kind != COX and kind != POWER and loss < PERFECT):
            converged = solved
            break
        if kind == MULTINOMIAL and SLOW * last < largest < last:
            by = min(largest / (last - largest), MOST_STRETCHED)
            loss = stretch_row(table, packed, state, work, rule, alpha, here, there, by, intercept, coef)
            largest = np.inf
        last = largest
        if kind == COX and alpha == 0.0 and n_done == look:
            if largest > SHRUNK * before:
                break
            look, before = 2 * look, largest
    if kind == COX:
        intercept[0] = 0.0
    if kind == MULTINOMIAL:
        settle_absent_row(state, share, n_eff, n_features, packed, intercept, coef)
    return converged


@one_row
def weighted_scale_row(packed, state, n_features, scale):
    """Multiply ``scale`` by the weighted standard deviation of every column."""
    for j in range(scale.size):
        mean, square = 0.0, 0.0
        if j < n_features:
            for i in range(state.weight.size):
                mean += state.weight[i] * packed[i, j]
            for i in range(state.weight.size):
                away = packed[i, j] - mean
                square += state.weight[i] * away * away
        scale[j] *= np.sqrt(square)


@many_rows
def newton_path_rows(indptr, indices, bumps, backgrounds, table, outcome, penalties, rule, starts, start_coefs, mean):
    """Fit paths for the function below; ``mean`` is room for the means of columns if there are many, else None."""
    n_fit, n_output, p = indptr.size - 1, starts.shape[1], table.mean.size
    work = make_workspace(table, n_output)
    intercepts = np.zeros((n_fit, penalties.size, n_output))
    coefs = np.zeros((n_fit, penalties.size, n_output, p))
    failed = zero_counts(n_fit)
    path, scale, unseen = matrix(1, p), vector(p), unseen_rates(table, outcome, outcome.power)
    for q in range(n_fit):
        start, stop = indptr[q], indptr[q + 1]
        everyone_row(
            table, pick_rows(indices, start, stop, work.everyone), bumps[start:stop], backgrounds[q], work.weight
        )
        for i in range(work.weight.size):
            if work.weight[i] < 1e-14 * table.prior[i] / table.total:
                work.weight[i] = 0.0
        packed, state = gather_row(table, outcome, n_output, work)
        for j in range(p):
            scale[j] = rule.scale[j]
        if rule.weighted_scale:
            weighted_scale_row(packed, state, min(table.y_column, p), scale)
        ruled = Rule(scale, False, rule.start, rule.tol, rule.max_iter, rule.reach, rule.limits, rule.groups)
        intercept, coef = starts[q].copy(), start_coefs[q].copy()
        for k in range(n_output):
            work.moved[0, k] = np.inf
            clip_row(coef[k], rule.limits)
        zeros = settle_zeros_row(state, state.power, unseen, intercept, coef)
        for t in range(penalties.size):
            if not zeros and not newton_row(
                outcome.kind, table, packed, state, work, ruled, penalties[t], intercept, coef, mean, path
            ):
                failed[q] += 1
            for k in range(n_output):
                intercepts[q, t, k] = intercept[k]
                for j in range(p):
                    coefs[q, t, k, j] = coef[k, j]
    return intercepts, coefs, failed


def newton_rows(
    indptr, indices, bumps, backgrounds, table, outcome, penalties, rule, starts, start_coefs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit a path of penalties (descending) for every row of weights, each from a model of its own.

    Returns intercepts (n_fit, n_penalty, n_output), coefficients (n_fit, n_penalty, n_output, n_features) and the
    number of unconverged fits. Empty ``indices`` mean that every fit lists every row in order.
    """
    mean = np.empty(table.mean.size) if table.mean.size > KEPT_COLUMNS else None
    weights = (indptr, indices, bumps, backgrounds)
    return newton_path_rows(*weights, table, outcome, penalties, rule, starts, start_coefs, mean)
