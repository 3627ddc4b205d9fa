"""Block descent for a lasso whose columns enter and leave by groups, given by its covariances.

Minimises ``b'Gb/2 - c'b + sum_g |penalty_g * b_g|``, with the Euclidean norm of a group's coefficients, each times the
penalty of its column. ``grad`` is kept equal to ``c - G b``. A group's own problem is solved exactly: with ``u`` its
penalised coefficients, ``H`` and ``q`` their covariances, ``u = t (t H + 1)^-1 q`` where ``t`` is the norm of ``u``.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import making_row, one_row
from heedful._kernels.arrays import fill_row, matrix, numbers, vector, zero_counts, zero_vector
from heedful._kernels.cholesky import factor_row, solve_row

# The norm of a group is found by Newton steps, of which few are needed.
NORM_STEPS, NORM_TOL = 60, 1e-14


class GroupWork(NamedTuple):
    """Columns by group, where groups begin, the columns of a group that count, and room for its problem."""

    members: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    kept: np.ndarray
    system: np.ndarray
    factor: np.ndarray
    cov: np.ndarray
    solved: np.ndarray
    moved: np.ndarray


@making_row
def norm_row(coef, scale, groups):
    """Return the sum over groups of the norm of their scaled coefficients; groups have the numbers from 0 on."""
    squares, total = zero_vector(coef.size), 0.0
    for j in range(coef.size):
        squares[groups[j]] += (scale[j] * coef[j]) ** 2
    for g in range(coef.size):
        total += np.sqrt(squares[g])
    return total


@making_row
def pick_groups(grad, penalty, coef, slack, columns, size, groups):
    """Append to ``columns`` those of groups that are active or break their condition; return how many there are."""
    chosen, squares, least = zero_counts(coef.size), zero_vector(coef.size), vector(coef.size)
    fill_row(np.inf, least)
    for a in range(size):
        chosen[columns[a]] = 1
    for j in range(coef.size):
        g = groups[j]
        if coef[j] != 0.0 or (penalty[j] == 0.0 and abs(grad[j]) > slack):
            squares[g], least[g] = np.inf, 1.0
        elif penalty[j] > 0.0:
            squares[g] += (grad[j] / penalty[j]) ** 2
            least[g] = min(least[g], penalty[j])
    for j in range(coef.size):
        g = groups[j]
        if chosen[j] == 0 and squares[g] > 1.0 and (np.sqrt(squares[g]) - 1.0) * least[g] > slack:
            columns[size] = j
            size += 1
    return size


@making_row
def group_work(groups):
    """Return columns in the order of their groups, with room for the problem of the largest."""
    members, starts, placed = zero_counts(groups.size), zero_counts(groups.size + 1), zero_counts(groups.size)
    size, n_group, largest = 0, 0, 0
    for a in range(groups.size):
        if placed[a] == 1:
            continue
        for c in range(a, groups.size):
            if groups[c] == groups[a]:
                members[size], placed[c] = c, 1
                size += 1
        n_group += 1
        starts[n_group] = size
        largest = max(largest, size - starts[n_group - 1])
    kept, system, factor = numbers(largest), matrix(largest, largest), matrix(largest, largest)
    space = vector(largest), vector(largest), vector(largest)
    return GroupWork(members, starts[: n_group + 1], numbers(largest), kept, system, factor, *space)


@one_row
def shrink_row(gram, penalty, kept, size, norm, work):
    """Write ``(t H + 1)^-1 q`` for the norm ``t`` to ``solved``; return whether that could be done."""
    for a in range(size):
        for c in range(size):
            system = norm * gram[kept[a], kept[c]] / (penalty[kept[a]] * penalty[kept[c]])
            work.system[a, c] = system + 1.0 if a == c else system
        work.solved[a] = work.cov[a]
    if factor_row(work.system, work.numbers, 0, size, work.factor) < size:
        return False
    solve_row(work.factor, size, work.solved)
    return True


@one_row
def solve_group_row(gram, penalty, kept, size, norm, work):
    """Minimise over the columns ``kept`` of one group, from a guess of its norm; write ``u`` to ``solved``.

    One over the length of ``solved`` is concave in the norm, so that Newton steps come from below after the first.
    Returns whether the penalty counts beside the covariances: otherwise nothing is written.
    """
    length = 0.0
    for a in range(size):
        length += work.cov[a] ** 2
    if length <= 1.0:
        fill_row(0.0, work.solved)
        return True
    for _ in range(NORM_STEPS):
        if not shrink_row(gram, penalty, kept, size, norm, work):
            return False
        square, decline = 0.0, 0.0
        for a in range(size):
            square += work.solved[a] ** 2
            work.moved[a] = 0.0
            for c in range(size):
                curve = gram[kept[a], kept[c]] / (penalty[kept[a]] * penalty[kept[c]])
                work.moved[a] += curve * work.solved[c]
        solve_row(work.factor, size, work.moved)
        for a in range(size):
            decline += work.solved[a] * work.moved[a]
        length = np.sqrt(square)
        step = (1.0 - 1.0 / length) * length**3 / decline
        norm = max(norm + step, 0.0)
        if abs(step) <= NORM_TOL * norm:
            break
    for a in range(size):
        work.solved[a] *= norm
    return True


@one_row
def move_column(gram, j, step, coef, grad):
    """Change one coefficient; return the change in units of the response."""
    if step != 0.0:
        coef[j] += step
        for h in range(coef.size):
            grad[h] -= step * gram[j, h]
    return abs(step) * np.sqrt(gram[j, j])


@one_row
def move_group(gram, penalty, coef, grad, g, work):
    """Minimise over one group; return the largest change in units of the response."""
    size, square, penalised, largest = 0, 0.0, True, 0.0
    for a in range(work.starts[g], work.starts[g + 1]):
        j = work.members[a]
        if gram[j, j] > 0.0:
            work.kept[size] = j
            penalised = penalised and penalty[j] > 0.0
            size += 1
    for a in range(size if penalised else 0):
        j = work.kept[a]
        cov = grad[j]
        for c in range(size):
            cov += gram[j, work.kept[c]] * coef[work.kept[c]]
        work.cov[a] = cov / penalty[j]
        square += (penalty[j] * coef[j]) ** 2 if coef[j] != 0.0 and penalty[j] < np.inf else 0.0
    if penalised and solve_group_row(gram, penalty, work.kept, size, np.sqrt(square), work):
        for a in range(size):
            j = work.kept[a]
            largest = max(largest, move_column(gram, j, work.solved[a] / penalty[j] - coef[j], coef, grad))
        return largest
    for a in range(size):
        j = work.kept[a]
        largest = max(largest, move_column(gram, j, grad[j] / gram[j, j], coef, grad))
    return largest


@making_row
def descend_groups_row(gram, penalty, coef, grad, tol, max_iter, groups):
    """Minimise as ``descend_row`` does.

    Sweeps over the groups that are in alternate with sweeps over all of them, the last of which changes nothing by more
    than ``tol``.
    """
    work, whole = group_work(groups), True
    for sweeps in range(max_iter):
        change = 0.0
        for g in range(work.starts.size - 1):
            if whole or coef[work.members[work.starts[g]]] != 0.0:
                change = max(change, move_group(gram, penalty, coef, grad, g, work))
        if whole and change <= tol:
            return sweeps + 1
        whole = change <= tol
    return -1
