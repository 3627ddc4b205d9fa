"""Whether similar rows get different treatments: effective rows, balance of columns, propensities near 0 and 1."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._effects.scores import EffectRows, is_binary
from heedful.explain import MANY, Overlap

NEAR = 0.05


def assess_overlap(
    table: pd.DataFrame, rows: EffectRows, labels: tuple[Any, Any] = ("control", "treated"), *, near: float = NEAR
) -> Overlap:
    """Return arms, balance of the columns of a table and propensities; ``labels`` names treatments 0 and 1."""
    near = check_number("near", near, 0.0, 0.5, open_high=True, hint=f"{NEAR} is usual.")
    columns = spread_columns(table)
    propensity = pd.Series(rows.propensity, table.index, name="propensity")
    treatment = pd.Series(rows.treatment, table.index, name="treatment")
    if is_binary(rows.treatment):
        arms, balance = weigh_arms(rows, labels), compare_arms(columns, rows, labels)
    else:
        arms, balance = weigh_amounts(rows), correlate(columns, rows)
    low, high = shares_near_ends(rows, near)
    return Overlap(arms=arms, balance=balance, propensity=propensity, treatment=treatment,
                   share_low=low, share_high=high, near=near)  # fmt: skip


def has_poor_overlap(rows: EffectRows) -> bool:
    """Return whether many rows have a propensity near 0 or 1: an average over all rows then depends on few of them."""
    return sum(shares_near_ends(rows, NEAR)) > MANY


def shares_near_ends(rows: EffectRows, near: float) -> tuple[float, float]:
    """Return the shares of rows with a propensity near 0 and near 1; none for an amount."""
    if not is_binary(rows.treatment):
        return 0.0, 0.0
    e, weight = rows.propensity, rows.weight
    return float(np.average(e < near, weights=weight)), float(np.average(e > 1 - near, weights=weight))


def inverse_weights(rows: EffectRows) -> np.ndarray:
    """Return inverse probability weights."""
    chance = np.where(rows.treatment == 1, rows.propensity, 1.0 - rows.propensity)
    return rows.weight / chance


def effective_rows(weight: np.ndarray) -> float:
    """Return the effective sample size."""
    return float(weight.sum() ** 2 / (weight @ weight)) if (weight > 0).any() else 0.0


def weigh_arms(rows: EffectRows, labels: tuple[Any, Any]) -> pd.DataFrame:
    """Return rows and effective rows of each arm, before and after weighting."""
    weighted = inverse_weights(rows)
    arms = [rows.treatment == arm for arm in (0, 1)]
    return _tabulate([(rows.weight[arm], weighted[arm]) for arm in arms], labels)


def weigh_amounts(rows: EffectRows) -> pd.DataFrame:
    """Return rows and effective rows of a continuous treatment: rows far from its propensity count more."""
    weighted = rows.weight * rows.treatment_left**2
    return _tabulate([(rows.weight, weighted)], ["all"])


def _tabulate(weights: list[tuple[np.ndarray, np.ndarray]], labels: Any) -> pd.DataFrame:
    """Return how many rows there are, and effective ones by their weights before and after weighting."""
    cells = [(int((before > 0).sum()), effective_rows(before), effective_rows(after)) for before, after in weights]
    return pd.DataFrame(cells, columns=["rows", "before", "after"], index=pd.Index(labels, name="treatment"))


def spread_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return numbers: columns as they are, each level of another, and whether a cell is missing where some are."""
    numbers = dict[str, np.ndarray]()
    for name, column in table.items():
        missing = column.isna().to_numpy()
        if pd.api.types.is_numeric_dtype(column.dtype):
            numbers[str(name)] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            text = column.astype(str).to_numpy()
            for level in np.unique(text[~missing]):
                numbers[f"{name} = {level}"] = np.where(missing, np.nan, text == level)
        if missing.any():
            numbers[f"{name} is missing"] = missing.astype(np.float64)
    return pd.DataFrame(numbers, index=table.index)


def compare_arms(columns: pd.DataFrame, rows: EffectRows, labels: tuple[Any, Any]) -> pd.DataFrame:
    """Return means of columns in both arms and their differences, in standard deviations, before and after weighting.

    Standard deviations are those before, the root of the mean variance of both arms. The largest difference after
    weighting comes first; ``chance`` is the standard error of such a difference if there were none.
    """
    inverse, differences = inverse_weights(rows), []
    for column in columns.to_numpy().T:
        known = ~np.isnan(column)
        arms = [known & (rows.treatment == arm) & (rows.weight > 0) for arm in (0, 1)]
        if not all(arm.any() for arm in arms):
            differences.append((np.nan,) * 5)
            continue
        means = [np.average(column[arm], weights=rows.weight[arm]) for arm in arms]
        pairs = zip(arms, means, strict=True)
        scale = np.sqrt(
            np.mean([np.average((column[arm] - mean) ** 2, weights=rows.weight[arm]) for arm, mean in pairs])
        )
        after = [np.average(column[arm], weights=inverse[arm]) for arm in arms]
        chance = np.sqrt(sum(1.0 / effective_rows(inverse[arm]) for arm in arms))
        differences.append((*means, *(_over(part[1] - part[0], scale) for part in (means, after)), chance))
    names = [f"mean, {label}" for label in labels]
    return _sorted(pd.DataFrame(differences, columns=[*names, "before", "after", "chance"], index=columns.columns))


def correlate(columns: pd.DataFrame, rows: EffectRows) -> pd.DataFrame:
    """Return correlations of columns with a continuous treatment, and with its residual."""
    correlations = []
    for column in columns.to_numpy().T:
        known = ~np.isnan(column) & (rows.weight > 0)
        weight = rows.weight[known]
        both = [_correlation(column[known], part[known], weight) for part in (rows.treatment, rows.treatment_left)]
        correlations.append((*both, effective_rows(weight) ** -0.5 if weight.size else np.nan))
    return _sorted(pd.DataFrame(correlations, columns=["before", "after", "chance"], index=columns.columns))


def _correlation(a: np.ndarray, b: np.ndarray, weight: np.ndarray) -> float:
    if not weight.size:
        return np.nan
    a, b = (part - np.average(part, weights=weight) for part in (a, b))
    return _over(weight @ (a * b), float(np.sqrt((weight @ a**2) * (weight @ b**2))))


def _over(difference: float, scale: float) -> float:
    """Return a difference in units of a scale; a column that is constant in both arms differs by 0 or infinity."""
    return (
        float(difference / scale) if scale > 0 else 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
    )


def _sorted(balance: pd.DataFrame) -> pd.DataFrame:
    """Return columns by their difference after weighting, the largest first."""
    return balance.sort_values("after", key=lambda after: -after.abs(), kind="stable").rename_axis("column")
