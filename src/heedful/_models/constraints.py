"""What users ask of the coefficients of columns of their table, as the columns of the models have it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_choice, check_number
from heedful._flow import TrainingTable

PENALTIES = ("lasso", "group")
SIGNS = {"+": (0.0, np.inf), "-": (-np.inf, 0.0)}


class ColumnConstraints(NamedTuple):
    """What is asked of each column of the models, as baselines take it, and of the curve of each column of the table.

    ``signs`` are 1 for curves that must not fall, -1 for those that must not rise, 0 for others.
    """

    penalty_factor: np.ndarray | None
    limits: np.ndarray | None
    groups: np.ndarray | None
    signs: np.ndarray | None

    @property
    def needs_all(self) -> bool:
        """Return whether no column may be left out of local models: whole categories, or columns without penalty."""
        return self.groups is not None or (self.penalty_factor is not None and not self.penalty_factor.all())


def check_coefficient_settings(local: Any) -> None:
    """Raise for settings of a ``LocalLasso`` that no table could have."""
    check_choice("penalty", local.penalty, PENALTIES)
    for name, values in (("penalty_factor", local.penalty_factor), ("limits", local.limits)):
        if values is not None and not isinstance(values, Mapping):
            raise TypeError(
                f"`{name}` must be a dict by column of the table, got {values!r}. Columns that are not named keep "
                "the default."
            )
    for column, factor in (local.penalty_factor or {}).items():
        hint = "0 leaves the column without penalty, 1 is the default."
        check_number(f"penalty_factor[{column!r}]", factor, 0.0, np.inf, open_high=True, hint=hint)
    for column, limit in (local.limits or {}).items():
        read_limit(column, limit)
    if local.limits and local.penalty == "group":
        raise ValueError(
            "`limits` need penalty='lasso', got 'group': the norm of a group has no sign. Use only one of them."
        )


def read_limit(column: Any, limit: Any) -> tuple[float, float]:
    """Return the lowest and the highest coefficient of a column."""
    if isinstance(limit, str):
        return SIGNS[check_choice(f"limits[{column!r}]", limit, tuple(SIGNS))]
    pair = tuple(limit) if isinstance(limit, tuple | list) else ()
    if len(pair) != 2:
        raise ValueError(f"`limits[{column!r}]` must be '+', '-' or a pair of numbers (low, high), got {limit!r}.")
    low = check_number(f"limits[{column!r}][0]", pair[0], -np.inf, 0.0, hint="The penalty must be able to reach 0.")
    high = check_number(f"limits[{column!r}][1]", pair[1], 0.0, np.inf, hint="The penalty must be able to reach 0.")
    if low == high:
        raise ValueError(
            f"`limits[{column!r}]` must allow coefficients other than 0, got {limit!r}. Leave the column out of "
            "the table, or of `features`."
        )
    return low, high


def constrain_columns(local: Any, rows: TrainingTable) -> ColumnConstraints | None:
    """Return what is asked of the columns of the models; None if nothing is."""
    if not local.penalty_factor and not local.limits and local.penalty == "lasso":
        return None
    sources = rows.model_sources
    factor = limits = signs = None
    if local.penalty_factor:
        factor = np.ones(len(rows.names))
        for column, value in local.penalty_factor.items():
            factor[sources == _place("penalty_factor", column, rows)] = value
    if local.limits:
        limits, signs = np.tile([[-np.inf], [np.inf]], len(rows.names)), np.zeros(len(rows.plain_names))
        for column, limit in local.limits.items():
            place, (low, high) = _place("limits", column, rows), read_limit(column, limit)
            if rows.model_levels()[place] is not None:
                raise ValueError(
                    f"`limits` need numeric columns, got {column!r}, which is categorical: its levels have no order. "
                    "Convert it to numbers, or leave it out."
                )
            # where cells are missing, a second column says so: its coefficient has no order to keep
            columns = np.flatnonzero((sources == place) & (np.asarray(rows.names) == rows.plain_names[place]))
            limits[:, columns] = [[low], [high]]
            signs[place] = 1.0 if low == 0 else -1.0 if high == 0 else 0.0
    return ColumnConstraints(factor, limits, sources if local.penalty == "group" else None, signs)


def _place(name: str, column: Any, rows: TrainingTable) -> int:
    """Return which of the columns that the models use is meant by a name, or a position in the table."""
    if isinstance(column, str) and column in rows.plain_names:
        return rows.plain_names.index(column)
    places = np.flatnonzero(rows.model_columns == column) if isinstance(column, int | np.integer) else np.empty(0)
    if places.size != 1:
        raise ValueError(
            f"`{name}` must name columns that the models use, got {column!r}. Known: "
            f"{', '.join(map(repr, rows.plain_names[:20]))}."
        )
    return int(places[0])
