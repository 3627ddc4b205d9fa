"""The average effect in each group of training rows, as a table."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._effects.average import average_effect, check_subset
from heedful._effects.inputs import one_column
from heedful._effects.scores import EffectRows
from heedful._flow import TrainingTable

COLUMNS = ("effect", "standard_error", "low", "high", "p_value", "n_rows")
# More groups than this are hardly meant: a column of numbers, or of names.
MOST_GROUPS = 30


def average_by_group(rows: EffectRows, labels: pd.Series, subset: Any = None, **how: Any) -> pd.DataFrame:
    """Return the average effect over the rows of each label; rows without one are a group of their own, the last."""
    inside = check_subset(subset, rows.y.size) & (rows.weight > 0)
    groups = find_groups(labels, inside)
    averages = [_average(rows, inside & mask, label, how) for label, mask in groups.items()]
    index = pd.Index(list(groups), name="group" if labels.name is None else labels.name)
    return pd.DataFrame(averages, columns=list(COLUMNS), index=index)


def find_groups(labels: pd.Series, inside: np.ndarray) -> dict[Any, np.ndarray]:
    """Return the rows of each label found inside, in the order of labels."""
    codes, levels = pd.factorize(labels[inside])
    n_groups = len(levels) + int((codes < 0).any())
    if n_groups > MOST_GROUPS:
        raise ValueError(
            f"`by` must have at most {MOST_GROUPS} groups, got {n_groups}. Cut numeric labels into ranges, such as "
            "by=pd.qcut(X['age'], 4), and merge rare labels."
        )
    groups = {level: (labels == level).fillna(False).to_numpy(dtype=bool) for level in _in_order(labels, levels)}
    missing = labels.isna().to_numpy()
    return groups | ({np.nan: missing} if (missing & inside).any() else {})


def _in_order(labels: pd.Series, levels: Any) -> list[Any]:
    """Return levels in the order of categories; else sorted, those of several kinds by their text."""
    if isinstance(labels.dtype, pd.CategoricalDtype):
        return [level for level in labels.cat.categories if level in levels]
    try:
        return sorted(levels)
    except TypeError:
        return sorted(levels, key=str)


def _average(rows: EffectRows, inside: np.ndarray, label: Any, how: dict[str, Any]) -> list[float]:
    try:
        average = average_effect(rows, inside, **how)
    except ValueError as error:
        raise ValueError(
            f"No average effect in group {label!r} of `by`, which has {int(inside.sum())} rows: {error} Merge groups "
            "that are too small, or leave them out by `subset`."
        ) from error
    return [getattr(average, name) for name in COLUMNS]


def read_labels(by: Any, table: TrainingTable, weight: np.ndarray) -> pd.Series:
    """Return the labels of training rows: a column of the table by its name, or labels as given."""
    if isinstance(by, bool) or not isinstance(by, str | int):
        return one_column("by", by, weight.size)
    cells = table.given_values()
    if cells is None or by not in cells.columns:
        known = "" if cells is None else f" such as {', '.join(map(repr, cells.columns[:5]))}"
        raise ValueError(f"`by` must name a column of `X`{known}, or hold labels of the training rows, got {by!r}.")
    gone = int(((table.observations.place < 0) & (weight > 0)).sum())
    if gone:
        raise ValueError(
            f"`by` must hold labels here: the cells of {gone} rows, whose treatment residual is 0, are not stored. "
            f"Give the column itself, by=X[{by!r}]."
        )
    return cells[by].reset_index(drop=True)
