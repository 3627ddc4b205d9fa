"""Whether effects differ from row to row, and whether the model knows which are large: as grf tests and ranks them."""

import numpy as np
import pandas as pd
from scipy.special import stdtr

from heedful._effects.average import check_groups
from heedful._effects.ranking import rank_rows, rank_weighted
from heedful._effects.scores import EffectRows, doubly_robust_scores
from heedful.explain._heterogeneity import MEANINGS, Heterogeneity

# Values of a column that differ by less, relative to their size, are taken for equal.
EQUAL = 1e-10


def assess_heterogeneity(
    rows: EffectRows, *, smaller_is_better: bool = False, n_draws: int = 200, seed: int = 0
) -> Heterogeneity:
    """Return both tests and the curve of a policy; effects must be of models that did not see their rows."""
    rows = rows.among(np.ones(rows.y.size, dtype=bool))
    if smaller_is_better:
        # what the treatment takes off is what it adds to the outcome with its sign changed
        rows = rows._replace(y=-rows.y, outcome=-rows.outcome, effect=-rows.effect)
    n_groups = check_groups(rows, "Fit on more rows.", least=4)
    slopes, errors = best_linear_predictor(rows)
    ranked = rank_rows(rows.effect, doubly_robust_scores(rows), rows.weight, rows.groups)
    found = rank_weighted(ranked, n_draws, seed)
    table = pd.DataFrame(
        {
            "estimate": [*slopes, *found.area],
            "standard_error": [*errors, *found.area_error],
            # degrees of freedom of both coefficients; of scores of all groups
            "p_value": [
                *(one_sided(*pair, n_groups - 2) for pair in zip(slopes, errors, strict=True)),
                *(one_sided(*pair, n_groups - 1) for pair in zip(found.area, found.area_error, strict=True)),
            ],
            "meaning": list(MEANINGS.values()),
        },
        index=pd.Index(list(MEANINGS), name="test"),
    )
    mean = float(np.average(doubly_robust_scores(rows), weights=rows.weight))
    return Heterogeneity(
        tests=table,
        curve=found.curve.assign(gain=found.curve.index * (mean + found.curve["toc"]), random=found.curve.index * mean),
        n_rows=rows.y.size,
        n_groups=n_groups if n_groups < rows.y.size else None,
        smaller_is_better=smaller_is_better,
    )


def best_linear_predictor(rows: EffectRows) -> tuple[np.ndarray, np.ndarray]:
    """Return two coefficients and their standard errors: of the mean effect and of what differs from it.

    What is left of the response is regressed on what is left of the treatment times each of them. Both coefficients are
    1 if effects are right, the second is 0 if they say nothing of who has a large one. Errors are HC3, by groups: the
    response of a group is compared with the fit to all others. A part that is 0 for all rows has no coefficient: NaN.
    """
    mean = np.average(rows.effect, weights=rows.weight)
    parts = np.stack([np.full(rows.y.size, mean), rows.effect - mean])
    size = np.abs(rows.effect).max(initial=0.0)
    there = np.abs(parts).max(axis=1) > EQUAL * size
    slopes, errors = np.full(2, np.nan), np.full(2, np.nan)
    if there.any():
        columns = (parts[there] * rows.treatment_left).T
        slopes[there], errors[there] = robust_slopes(columns, rows.y_left, rows.weight, rows.groups)
    return slopes, errors


def robust_slopes(
    columns: np.ndarray, target: np.ndarray, weight: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted least squares without intercept, with HC3 standard errors by groups.

    With rows as groups HC3 is the sum of squares of what leaving each row out does to the coefficients; groups are left
    out in the same way. What only one group tells of is 0 without it, so that nothing is claimed by that group alone.
    """
    root = np.sqrt(weight)
    scale = np.abs(columns).max(axis=0)
    columns, target = columns * root[:, None] / scale, target * root
    n_groups, n_columns = int(groups.max()) + 1, columns.shape[1]
    gram, cross = np.zeros((n_groups, n_columns, n_columns)), np.zeros((n_groups, n_columns))
    np.add.at(gram, groups, columns[:, :, None] * columns[:, None, :])
    np.add.at(cross, groups, columns * target[:, None])
    slopes = _solve(gram.sum(axis=0)[None], cross.sum(axis=0)[None])[0]
    moved = _solve(gram.sum(axis=0) - gram, cross.sum(axis=0) - cross) - slopes
    return slopes / scale, np.sqrt((moved**2).sum(axis=0)) / scale


def _solve(gram: np.ndarray, cross: np.ndarray) -> np.ndarray:
    """Return the smallest solution of each system."""
    return (np.linalg.pinv(gram, rcond=EQUAL, hermitian=True) @ cross[:, :, None])[:, :, 0]


def one_sided(estimate: float, error: float, freedom: int) -> float:
    """Return how often an estimate would be at least as large if the truth were 0; 1 if there is nothing to test."""
    if not error > 0:
        return 1.0
    return float(stdtr(freedom, -estimate / error))
