"""Which columns of a wide table local models use: those that one step from the global model would move the most."""

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from heedful._flow import ScoredRows
from heedful._folds import Split
from heedful._models.linear_fits import LinearProblem
from heedful._solver import Model
from heedful.attention import weigh

# Numbers held at once for a piece of the columns.
PIECE = 4_000_000


def narrow_problem(
    problem: LinearProblem, most: int, splits: list[Split], looks: Iterable[ScoredRows], rows: np.ndarray
) -> LinearProblem:
    """Return the problem with at most ``most`` columns: those with the largest local coefficients.

    Heads are tried on the rows of a fold with columns that were chosen without them: columns chosen by the very rows
    would look better than they are. ``rows`` are the numbers of those whose ``looks`` are given.
    """
    kept = [np.ones(problem.weight.size)]
    for split in splits:
        kept.append(np.zeros(problem.weight.size))
        kept[-1][split.train] = 1.0
    looks, starts = list(looks), (problem.start, *problem.folds)
    x = problem.tables[0].x
    # shapes, which come last, are not to choose from
    n_columns = problem.shapes[0] if problem.shaped.any() else x.shape[1]
    sizes = [local_sizes(x, problem, *pair, looks, rows)[:n_columns] for pair in zip(starts, kept, strict=True)]
    first, *others = [np.sort(np.argsort(-size, kind="stable")[:most]) for size in sizes]
    return problem.on_columns(first, tuple(others))


def local_sizes(
    x: np.ndarray,
    problem: LinearProblem,
    start: Model,
    kept: np.ndarray,
    looks: list[ScoredRows],
    rows: np.ndarray,
) -> np.ndarray:
    """Return how large the local coefficients of each column are: the mean square of one coordinate step.

    A step starts at a global model and goes by the weighted covariance of the column with what that model leaves, for
    each of the ``rows``. So a column counts that the global model uses, and one that matters to some queries only,
    whatever its sign there. Training rows that are not ``kept`` have no say.
    """
    family, weight = problem.family, problem.weight
    link = start.link(x)
    curve, left = family.hessian(link, weight), family.residual(link, weight)
    size, step = np.zeros(x.shape[1]), max(1, PIECE // weight.size)
    heed = weight[rows] * kept[rows]
    for k in range(left.shape[1]):
        bend = np.ones(weight.size) if curve is None else curve[:, k]
        prior = weight * kept * bend
        weights = [_weigh(look, prior) for look in looks]
        for first in range(0, x.shape[1], step):
            part = slice(first, first + step)
            products = _products(x[:, part], left[:, k] / bend)
            overall = prior @ products / prior.sum()
            for excess, background in weights:
                means = excess @ products + np.multiply.outer(background, overall)
                size[part] += heed @ _step(means, start.coef[k, part]) ** 2
    return size


def _weigh(look: ScoredRows, prior: np.ndarray) -> tuple[sparse.csr_array | np.ndarray, np.ndarray]:
    """Return excess weights, as a dense matrix if most of them are there: its products are several times as fast."""
    excess, background = weigh(look.scores, look.weighting, prior)
    return (excess.toarray() if 5 * excess.nnz > prior.size * background.size else excess), background


def _products(x: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return what means are taken of: what is left of the response, the columns, their squares and products with it."""
    return np.hstack([left[:, None], x, x**2, x * left[:, None]])


def _step(means: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the coefficients (n_query, n_columns) after one coordinate step from ``start``, times the variance."""
    level, (center, square, cross) = means[:, :1], np.hsplit(means[:, 1:], 3)
    return cross - center * level + np.maximum(square - center**2, 0.0) * start
