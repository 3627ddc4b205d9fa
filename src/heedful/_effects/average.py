"""The average effect over everyone, a subset, an arm or where arms overlap, with its standard error by groups."""

from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from heedful._checks import check_choice, check_coverage
from heedful._effects.scores import EffectRows, doubly_robust_scores, is_binary
from heedful.explain import AverageEffect

# The fewest rows, or groups of them, that have a spread.
LEAST_ROWS = 2
TARGETS = ("all", "treated", "control", "overlap")


def average_effect(
    rows: EffectRows, subset: Any = None, *, target: str = "all", coverage: float = 0.9
) -> AverageEffect:
    """Return the average effect over rows, or over a subset of them: a mask, or None for all."""
    coverage = check_coverage(coverage, "averages")
    target = check_target(target, rows)
    rows = rows.among(check_subset(subset, rows.y.size))
    n_groups = check_groups(rows, "Widen `subset`.")
    score, weight = target_scores(rows, target), rows.weight
    effect = float(np.average(score, weights=weight))
    error = standard_error(score, weight, rows.groups)
    freedom = n_groups - 1
    half = float(stdtrit(freedom, 0.5 + coverage / 2)) * error
    p_value = 2.0 * float(stdtr(freedom, -abs(effect) / error)) if error > 0 else float(effect == 0.0)
    averaged = rows.among(in_target(rows, target))
    return AverageEffect(
        effect=effect,
        standard_error=error,
        low=effect - half,
        high=effect + half,
        coverage=coverage,
        p_value=p_value,
        n_rows=averaged.y.size,
        n_groups=averaged.n_groups if n_groups < rows.y.size else None,
        target=target,
        row_mean=float(np.average(averaged.effect, weights=averaged.weight * target_weight(averaged, target))),
    )


def target_weight(rows: EffectRows, target: str) -> np.ndarray:
    """Return how much rows that are averaged over count beside their weight."""
    return rows.variance if target == "overlap" else np.ones(rows.y.size)


def constant_effect(rows: EffectRows, target: str) -> float:
    """Return the one effect of all rows that is its own average over a target."""
    if target == "overlap":
        return float(np.average(overlap_scores(rows), weights=rows.weight))
    left = rows.weight * rows.treatment_left / rows.variance
    return float(left @ rows.y_left / (left @ rows.treatment_left))


def target_scores(rows: EffectRows, target: str) -> np.ndarray:
    """Return one score per row: their weighted mean is the average over a target, their spread that of its estimate."""
    if target == "all":
        return doubly_robust_scores(rows)
    return overlap_scores(rows) if target == "overlap" else arm_scores(rows, target)


def arm_scores(rows: EffectRows, target: str) -> np.ndarray:
    """Return scores of the effect on one arm, as grf averages: what its rows have over what they would have had.

    That is what the model of the other arm leaves of both arms, with rows of the other arm weighed to look like this
    one; both means are over weights of their own sum.
    """
    check_arms(rows, target)
    sign, in_arm = (1.0, rows.treatment) if target == "treated" else (-1.0, 1.0 - rows.treatment)
    chance = rows.propensity if target == "treated" else 1.0 - rows.propensity
    left = rows.y - rows.outcome + sign * chance * rows.effect
    score = np.zeros(left.size)
    for weight, side in ((in_arm, sign), ((1.0 - in_arm) * chance / (1.0 - chance), -sign)):
        mean = np.average(left, weights=weight * rows.weight)
        score += side * (mean + weight * (left - mean) / np.average(weight, weights=rows.weight))
    return score


def overlap_scores(rows: EffectRows) -> np.ndarray:
    """Return scores of the slope of what is left of the response on what is left of the treatment.

    Rows count by the variance of their treatment: most where both arms are found, hardly where one is.
    """
    x, y = (part - np.average(part, weights=rows.weight) for part in (rows.treatment_left, rows.y_left))
    spread = np.average(x**2, weights=rows.weight)
    if not spread > 0:
        raise ValueError(
            "`target='overlap'` needs treatments that differ from their propensities by varying amounts, "
            "got none among these rows. Widen `subset`."
        )
    slope = np.average(x * y, weights=rows.weight) / spread
    return slope + x * (y - slope * x) / spread


def in_target(rows: EffectRows, target: str) -> np.ndarray:
    """Return the rows that are averaged over."""
    if target in ("all", "overlap"):
        return np.ones(rows.y.size, dtype=bool)
    return rows.treatment == (target == "treated")


def check_arms(rows: EffectRows, target: str) -> None:
    """Raise unless both arms have rows enough to compare."""
    for arm, name in ((1.0, "treated"), (0.0, "control")):
        n_rows = rows.among(rows.treatment == arm).n_groups
        if n_rows < LEAST_ROWS:
            raise ValueError(
                f"`target={target!r}` needs at least {LEAST_ROWS} {name} rows (or groups) to compare with, got "
                f"{n_rows}. Widen `subset`, or use `target='all'`."
            )


def check_target(target: Any, rows: EffectRows) -> str:
    """Return whose effect is averaged; a continuous treatment has no arms."""
    target = check_choice("target", target, TARGETS)
    if target in ("treated", "control") and not is_binary(rows.treatment):
        raise ValueError(
            f"`target` must be 'all' or 'overlap' for a continuous treatment, got {target!r}. Use "
            "`subset` for a range of the treatment."
        )
    return target


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
