"""Which columns of a wide table local models use: those that one step from the global model would move the most."""

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from heedful._flow import ScoredRows
from heedful._folds import Split
from heedful._models.linear_fits import LinearProblem
from heedful._solver.paths import Model
from heedful.attention import weigh

# Numbers held at once for a piece of the columns.
PIECE = 4_000_000


def narrow_problem(
    problem: LinearProblem, most: int, splits: list[Split], scored: Iterable[ScoredRows], rows: np.ndarray
) -> LinearProblem:
    """Return the problem with at most ``most`` columns: those with the largest local coefficients.

    Heads are tried on the rows of a fold with columns that were chosen without them: columns chosen by the very rows
    would look better than they are. ``rows`` are the numbers of those whose scores are given.
    """
    kept = [np.ones(problem.weight.size)]
    for split in splits:
        kept.append(np.zeros(problem.weight.size))
        kept[-1][split.train] = 1.0
    scored, starts, x = list(scored), (problem.start, *problem.folds), problem.tables[0].x
    # shapes, which come last, are not to choose from
    n_columns = problem.shapes[0] if problem.shaped.any() else x.shape[1]
    sizes = [local_sizes(x, problem, *pair, scored, rows)[:n_columns] for pair in zip(starts, kept, strict=True)]
    first, *others = [np.sort(np.argsort(-size, kind="stable")[:most]) for size in sizes]
    return problem.on_columns(first, tuple(others))


def local_sizes(
    x: np.ndarray,
    problem: LinearProblem,
    start: Model,
    kept: np.ndarray,
    scored: list[ScoredRows],
    rows: np.ndarray,
) -> np.ndarray:
    """Return how large the local coefficients of each column are: the mean square of one coordinate step.

    A step starts at a global model and goes by the weighted covariance of the column with what that model leaves, for
    each of the ``rows``. So a column counts that the global model uses, and one that matters to some queries only,
    whatever its sign there. Training rows that are not ``kept`` have no say.
    """
    family, weight = problem.family, problem.weight
    link = start.link(x)
    curve, residual = family.hessian(link, weight), family.residual(link, weight)
    size, width = np.zeros(x.shape[1]), max(1, PIECE // weight.size)
    row_weight = weight[rows] * kept[rows]
    for k in range(residual.shape[1]):
        bend = np.ones(weight.size) if curve is None else curve[:, k]
        prior = weight * kept * bend
        weights = [_weigh(entry, prior) for entry in scored]
        for first in range(0, x.shape[1], width):
            part = slice(first, first + width)
            columns, response = x[:, part], residual[:, [k]] / bend[:, None]
            products = np.hstack([response, columns, columns**2, columns * response])
            overall = prior @ products / prior.sum()
            for excess, background in weights:
                means = excess @ products + np.multiply.outer(background, overall)
                size[part] += row_weight @ _step(means, start.coef[k, part]) ** 2
    return size


def _weigh(entry: ScoredRows, prior: np.ndarray) -> tuple[sparse.csr_array | np.ndarray, np.ndarray]:
    """Return excess weights, dense if most of them are there: its products are several times as fast."""
    excess, background = weigh(entry.scores, entry.weighting, prior)
    return (excess.toarray() if 5 * excess.nnz > prior.size * background.size else excess), background


def _step(means: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the coefficients (n_query, n_columns) after one coordinate step from ``start``, times the variance."""
    level, (center, square, cross) = means[:, :1], np.hsplit(means[:, 1:], 3)
    return cross - center * level + np.maximum(square - center**2, 0.0) * start
