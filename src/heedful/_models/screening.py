"""Which columns of a wide table local models use: those that one step from the global model would move the most."""

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from heedful._models.linear_fits import LinearProblem
from heedful._models.protocol import Look
from heedful._solver import Model
from heedful.attention._weighting import weigh
from heedful.baseline._folds import Split

# Numbers held at once for a piece of the columns.
PIECE = 4_000_000


def narrow_problem(
    problem: LinearProblem, looks: Iterable[Look], splits: list[Split], rows: np.ndarray, most: int
) -> LinearProblem:
    """Return the problem with at most ``most`` columns: those with the largest local coefficients.

    Heads are tried on the rows of a fold with columns that were chosen without them: columns chosen by the very rows
    would look better than they are. ``rows`` are the numbers of those whose ``looks`` are given.
    """
    looks, everyone = list(looks), np.ones(problem.weight.size)
    chosen = [_choose(problem, problem.start, everyone, looks, rows, most)]
    for split, start in zip(splits, problem.folds, strict=True):
        kept = np.zeros(problem.weight.size)
        kept[split.train] = 1.0
        chosen.append(_choose(problem, start, kept, looks, rows, most))
    return problem.on_columns(chosen[0], tuple(chosen[1:]))


def _choose(problem: LinearProblem, start: Model, kept: np.ndarray, looks, rows: np.ndarray, most: int) -> np.ndarray:
    """Return the chosen columns; rows that are not ``kept`` have no say."""
    size = local_sizes(problem, start, kept, looks, rows)
    return np.sort(np.argsort(-size, kind="stable")[:most])


def local_sizes(
    problem: LinearProblem, start: Model, kept: np.ndarray, looks: Iterable[Look], rows: np.ndarray
) -> np.ndarray:
    """Return how large the local coefficients of each column are: the mean square of one coordinate step.

    A step starts at the global model, goes by the weighted covariance of the column with what that model leaves, and is
    softened by the smallest penalty. So a column counts that the global model uses, and one that matters to some
    queries only, whatever its sign there.
    """
    x, family, weight = problem.tables[0].x, problem.family, problem.weight
    link = start.link(x)
    curve, left = family.hessian(link, weight), family.residual(link, weight)
    penalty = float(problem.penalties[np.isfinite(problem.penalties)].min(initial=np.inf))
    size, step = np.zeros(x.shape[1]), max(1, PIECE // weight.size)
    share = weight[rows] * kept[rows]
    for look in looks:
        for k in range(left.shape[1]):
            bend = np.ones(weight.size) if curve is None else curve[:, k]
            prior = weight * kept * bend
            bumps, background = weigh(look.scores, look.weighting, prior)
            means = _Means(bumps, background, prior / prior.sum())
            ease = penalty * means.of(1.0 / bend)
            for first in range(0, x.shape[1], step):
                part = slice(first, first + step)
                move = _steps(means, x[:, part], left[:, k] / bend, start.coef[k, part], ease)
                size[part] += share @ move**2
    return size


class _Means:
    """Weighted means under the weights of some queries."""

    def __init__(self, bumps: sparse.csr_array, background: np.ndarray, share: np.ndarray):
        self.bumps, self.background, self.share = bumps, background, share

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of each column of values for each query."""
        return self.bumps @ values + np.multiply.outer(self.background, self.share @ values)


def _steps(means: _Means, x: np.ndarray, left: np.ndarray, start: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Return the coefficients (n_query, n_columns) after one coordinate step from ``start``, times the variance."""
    center, level = means.of(x), means.of(left)
    spread = np.maximum(means.of(x**2) - center**2, 0.0)
    target = means.of(x * left[:, None]) - center * level[:, None] + spread * start
    return np.sign(target) * np.maximum(np.abs(target) - penalty[:, None], 0.0)
