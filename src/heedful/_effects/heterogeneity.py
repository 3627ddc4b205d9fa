"""Whether effects differ from row to row, and whether held-out rows confirm where they are large."""

import numpy as np
import pandas as pd
from scipy.special import stdtr

from heedful._effects.average import LEAST_ROWS, average_effect, check_groups
from heedful._effects.ranking import rank_rows, rank_weighted, rank_within
from heedful._effects.scores import doubly_robust_scores
from heedful._effects.validation import EQUAL, Validation
from heedful.explain import LEVEL, MEANINGS, Heterogeneity

# Groups of like predicted effects: at most so many, of at least so many rows.
MOST_GROUPS, ROWS_PER_GROUP = 5, 20


def assess_heterogeneity(
    validation: Validation,
    *,
    smaller_is_better: bool = False,
    one_effect: bool = False,
    n_draws: int = 200,
    seed: int = 0,
) -> Heterogeneity:
    """Return the tests and the curve of a policy; ``one_effect`` says that the model has one effect for all rows."""
    rows, predicted, block = validation
    if smaller_is_better:
        # what the treatment takes off is what it adds to the outcome with its sign changed
        rows, predicted = rows._replace(y=-rows.y, outcome=-rows.outcome, effect=-rows.effect), -predicted
    n_groups = check_groups(rows, "Fit on more rows.", least=4)
    slope, error, freedom = best_linear_predictor(Validation(rows, predicted, block))
    scores = doubly_robust_scores(rows)
    ranked = rank_rows(rank_within(predicted, block, rows.weight), scores, rows.weight, rows.groups)
    rate = rank_weighted(ranked, n_draws, seed)
    areas = zip(rate.area, rate.area_error, strict=True)
    tests = [(slope, error, freedom), *((*pair, n_groups - 1) for pair in areas)]
    table = pd.DataFrame(
        {
            "estimate": [test[0] for test in tests],
            "standard_error": [test[1] for test in tests],
            "p_value": [one_sided(*test) for test in tests],
            "meaning": list(MEANINGS.values()),
        },
        index=pd.Index(list(MEANINGS), name="test"),
    )
    share, mean = rate.curve.index.to_numpy(), float(np.average(scores, weights=rows.weight))
    gain, half = share * (mean + rate.curve["toc"]), rate.width * share * rate.curve["standard_error"]
    return Heterogeneity(
        tests=table,
        groups=group_effects(Validation(rows, predicted, block)),
        curve=rate.curve.assign(gain=gain, low=gain - half, high=gain + half, random=share * mean),
        n_rows=rows.y.size,
        n_groups=n_groups if n_groups < rows.y.size else None,
        smaller_is_better=smaller_is_better,
        one_effect=one_effect,
    )


def effects_seem_to_differ(validation: Validation) -> bool:
    """Return whether the test that effects do not differ rejects."""
    return one_sided(*best_linear_predictor(validation)) < LEVEL


def group_effects(validation: Validation, coverage: float = 0.9) -> pd.DataFrame:
    """Return the average effect of held-out rows in groups of like predicted effects, from the smallest to the largest.

    Groups are of equal size: fifths, or fewer of few rows. ``up_to`` is the place among all rows at which one ends.
    """
    rows, predicted, block = validation
    place = rank_within(predicted, block, np.ones(predicted.size))
    most = int(np.clip(rows.n_groups // ROWS_PER_GROUP, 1, MOST_GROUPS))
    for n_groups in range(most, 0, -1):
        number = np.minimum((place * n_groups).astype(np.intp), n_groups - 1)
        if min(np.unique(rows.groups[number == k]).size for k in np.unique(number)) >= LEAST_ROWS:
            break
    averages = []
    for k in np.unique(number):
        average = average_effect(rows, number == k, coverage=coverage)
        cells = (average.effect, average.standard_error, average.low, average.high, average.n_rows)
        averages.append(((k + 1) / n_groups, *cells))
    names = ["up_to", "effect", "standard_error", "low", "high", "rows"]
    return pd.DataFrame(averages, columns=names).set_index("up_to")


def best_linear_predictor(validation: Validation) -> tuple[float, float, int]:
    """Return how much effects rise with a standard deviation of the predicted ones, its error and degrees of freedom.

    What is left of the outcome is regressed on what is left of the treatment, with one effect for each block, and on
    that times the predicted effect. Errors are HC3, by groups: a group is compared with the fit to all others. Without
    any difference between predicted effects there is no slope: NaN.
    """
    rows, predicted, block = validation
    freedom = rows.n_groups - int(block.max()) - 2
    if not (np.abs(predicted) > EQUAL).any() or freedom < 1:
        return np.nan, np.nan, max(freedom, 1)
    columns = np.column_stack([block[:, None] == np.arange(block.max() + 1), predicted]) * rows.treatment_left[:, None]
    slopes, errors = robust_slopes(columns, rows.y_left, rows.weight, rows.groups)
    return float(slopes[-1]), float(errors[-1]), freedom


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
