"""Treatments and outcomes as given: binary or continuous treatments, binary or numeric outcomes."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from heedful._checks import check_response
from heedful._frames import as_column

# Whole numbers of so few levels may be names of arms rather than amounts.
FEW_LEVELS = 10


class Column(NamedTuple):
    """Numbers, one per row; 0 and 1 stand for the two ``labels`` if there are any."""

    values: np.ndarray
    labels: np.ndarray | None

    @property
    def binary(self) -> bool:
        """Whether there are two labels."""
        return self.labels is not None


def read_treatment(treatment: Any, n_rows: int, weight: np.ndarray) -> Column:
    """Return a binary or continuous treatment, checked."""
    if treatment is None:
        raise ValueError("`treatment` must be given, got None. Use fit(X, y, treatment=w).")
    column = one_column("treatment", treatment, n_rows)
    missing = int(column.isna().sum())
    if missing:
        raise ValueError(
            f"`treatment` must be known for every row, got {missing} missing or NaN. Drop those rows: what a row got "
            "cannot be guessed."
        )
    levels = _levels("treatment", column)
    present = _levels("treatment", column[weight > 0])
    if len(present) < 2:
        raise ValueError(
            f"`treatment` must differ between rows of positive weight, got {present[0]!r} only. Add rows that got "
            "another treatment to compare with."
        )
    if len(levels) == 2:
        return Column((column == levels[1]).to_numpy().astype(np.float64), np.asarray(levels))
    if not is_numeric_dtype(column.dtype):
        raise ValueError(
            f"`treatment` must have two levels or be numeric, got {len(levels)} levels: "
            f"{', '.join(map(repr, levels[:5]))}. Keep the rows of two of them, one model for each pair."
        )
    values = column.to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("`treatment` must be finite, got infinity (inf). Drop those rows.")
    if len(levels) < FEW_LEVELS and np.array_equal(values, np.rint(values)):
        warnings.warn(
            f"`treatment` has {len(levels)} levels, {', '.join(f'{level:g}' for level in levels)}, and is treated as "
            "continuous: effects are per unit. If these are codes of arms, fit one model for each pair, with the rows "
            "of these two arms.",
            stacklevel=4,
        )
    return Column(values, None)


def read_outcome(y: Any, n_rows: int) -> Column:
    """Return a binary outcome (text, booleans, 0 and 1) or a numeric one, checked."""
    if y is None:
        raise ValueError("AttentionEffect requires y to be passed, but the target y is None.")
    _refuse_times(y)
    column = one_column("y", y, n_rows)
    if column.isna().any():
        raise ValueError(
            f"`y` must not hold NaN or missing values, got {int(column.isna().sum())}. Drop those rows before fitting."
        )
    levels = _levels("y", column)
    labels = not is_numeric_dtype(column.dtype) or column.dtype == bool or set(levels) == {0, 1}
    if labels and len(levels) == 2:
        return Column((column == levels[1]).to_numpy().astype(np.float64), np.asarray(levels))
    if labels:
        raise ValueError(
            f"`y` must be numeric or have two labels, got {len(levels)}: {', '.join(map(repr, levels[:5]))}. Compare "
            "with one label: y == label."
        )
    return Column(check_response(column.to_numpy()), None)


def _refuse_times(y: Any) -> None:
    """Raise if outcomes look like censored times, and no horizon was given."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    if names or (len(shape) == 2 and shape[1] == 2):
        raise ValueError(
            f"`y` must have one value per row of `X`, got shape {shape}{f' with {names}' if names else ''}. If these "
            "are events and times, give the time up to which effects are estimated: fit(..., horizon=...)."
        )


def one_column(name: str, values: Any, n_rows: int) -> pd.Series:
    """Return a column with one value per row."""
    if hasattr(values, "__array__") and not hasattr(values, "shape"):
        values = np.asarray(values)
    shape = values.shape if hasattr(values, "shape") else np.asarray(values).shape
    if len(shape) == 2 and shape[1] == 1:
        values = np.asarray(values).ravel()
    elif len(shape) != 1:
        raise ValueError(f"`{name}` must have one value per row of `X`, in one dimension, got shape {shape}.")
    column = as_column(values).infer_objects()
    if len(column) != n_rows:
        raise ValueError(f"`{name}` must have one value per row of `X`: {n_rows}, got {len(column)}.")
    return column.reset_index(drop=True)


def _levels(name: str, column: pd.Series) -> list[Any]:
    """Return the distinct values: sorted, or in the order of categories that have one."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        return column.cat.remove_unused_categories().cat.categories.tolist()
    try:
        return sorted(column.unique().tolist())
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in column})
        raise TypeError(
            f"`{name}` must hold values of one kind, got {', '.join(kinds)}. Convert them first."
        ) from error
