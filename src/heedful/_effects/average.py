"""The average effect: the weighted mean of scores, its standard error by groups of rows, over everyone or a subset."""

from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from heedful._checks import check_number
from heedful._effects.scores import EffectRows, doubly_robust_scores
from heedful.explain._average_effect import AverageEffect


def average_effect(rows: EffectRows, subset: Any = None, *, coverage: float = 0.9) -> AverageEffect:
    """Return the average effect over rows, or over a subset of them: a mask, or None for all."""
    coverage = check_number("coverage", coverage, 0.0, 1.0, open_low=True, open_high=True, hint="0.9 is usual.")
    rows = rows.among(check_subset(subset, rows.y.size))
    n_groups = check_groups(rows, "Widen `subset`.")
    score, weight = doubly_robust_scores(rows), rows.weight
    effect = float(np.average(score, weights=weight))
    error = standard_error(score, weight, rows.groups)
    freedom = n_groups - 1
    half = float(stdtrit(freedom, 0.5 + coverage / 2)) * error
    p_value = 2.0 * float(stdtr(freedom, -abs(effect) / error)) if error > 0 else float(effect == 0.0)
    return AverageEffect(
        effect=effect,
        standard_error=error,
        low=effect - half,
        high=effect + half,
        coverage=coverage,
        p_value=p_value,
        n_rows=rows.y.size,
        n_groups=n_groups if n_groups < rows.y.size else None,
    )


def standard_error(score: np.ndarray, weight: np.ndarray, groups: np.ndarray) -> float:
    """Return the standard error of a weighted mean of rows that are independent between groups."""
    away = weight * (score - np.average(score, weights=weight))
    sums = np.bincount(groups, away)
    n_groups = sums.size
    return float(np.sqrt((sums @ sums) * n_groups / (n_groups - 1.0)) / weight.sum())


def check_subset(subset: Any, n_rows: int) -> np.ndarray:
    """Return a mask of rows."""
    inside = np.ones(n_rows, dtype=bool) if subset is None else np.asarray(subset)
    if inside.dtype != bool or inside.shape != (n_rows,):
        raise ValueError(
            f"`subset` must hold True or False for each of the {n_rows} training rows, got shape {inside.shape} of "
            f"{inside.dtype}. Use a comparison, such as X['age'] > 50."
        )
    return inside


def check_groups(rows: EffectRows, remedy: str, least: int = 2) -> int:
    """Return how many groups of rows there are: enough for a standard error."""
    if rows.n_groups < least:
        what = "rows" if rows.n_groups == rows.y.size else "groups"
        raise ValueError(f"A standard error needs at least {least} {what}, got {rows.n_groups}. {remedy}")
    return rows.n_groups
