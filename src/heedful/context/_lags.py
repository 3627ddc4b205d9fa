"""The past of a row as columns of it: lags, differences, rolling means and standard deviations."""

import logging
from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_choice, check_number
from heedful.context._frames import as_pandas, extend, find_column, find_columns, read_numbers

LOG = logging.getLogger("heedful")


def lag_features(
    frame: Any,
    columns: Any,
    lags: Any,
    *,
    by: Any = None,
    time: Any = None,
    differences: bool = False,
    rolling: Any = None,
    decay: float | None = None,
    first: str = "drop",
) -> Any:
    """Add the past of each row, in the order of the frame, as columns.

    A row's new columns are made of rows before it and, in differences, of itself; never of a later one. Let a
    similarity see them, and the models only what they should, by ``features={"similarity": ..., "model": ...}``.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Table of pyarrow
        Rows in the order of time. They are never sorted here.
    columns : name or list of names
        Columns to look back at.
    lags : int or list of int
        How many rows to look back: ``n`` means 1 to n, a list just those in it.
    by : name, default=None
        Column of groups (stations, persons): each has a past of its own. Rows of groups may be interleaved.
    time : name, default=None
        Column that must increase from row to row within each group; None trusts the order of the rows.
    differences : bool, default=False
        Add the change from lag k to lag k - 1 for each k in ``lags``; lag 0 is the row itself.
    rolling : int, list of int or None, default=None
        Window sizes >= 2: add mean and standard deviation of that many rows before the row.
    decay : float or None, default=None
        Multiply lag k by ``decay ** (k - 1)``, with 0 < ``decay`` <= 1; see Notes for where that matters.
    first : {"drop", "keep"}, default="drop"
        Leave out the first rows of each group, which do not reach back far enough, or keep them with missing values.

    Returns
    -------
    DataFrame
        Of the kind that came in, with columns ``x_lag1``, ``x_diff1``, ``x_mean4``, ``x_sd4`` added to those of a
        column ``x``. In pandas the index stays and ``attrs["heedful_lags"]`` holds columns, lags and rows dropped.

    Raises
    ------
    ValueError
        If no group has a row that reaches back far enough, or ``time`` does not increase.
    TypeError
        If ``differences``, ``rolling`` or ``decay`` is asked of a column that does not hold numbers.

    Notes
    -----
    A row reaches back as far as the largest of ``lags`` and ``rolling``. A group that is not longer vanishes with
    ``first="drop"``; the number of rows and groups left out is logged at level INFO of the logger ``heedful``.

    A missing value stays missing in every column that looks at it. Standard deviations divide by the number of rows.
    Integers become floats where values are missing. In polars and pyarrow, nulls and NaN are both read as missing and
    new columns hold null for them; dates come back as datetimes, in UTC without time zone, and categories as text.

    ``decay`` weights distances: squared differences of lag k count ``decay ** (2 * (k - 1))`` times. It changes
    ``GaussianSimilarity(standardize=False)`` and functions of your own (bring columns to one scale first). It changes
    nothing where columns are standardised (``GaussianSimilarity``, ``RidgeSimilarity``) or cut by trees: forests and
    boosters do not see the scale of a column.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"day": [1, 2, 3, 4], "rain": [0.0, 2.0, 6.0, 3.0]})
    >>> lag_features(frame, "rain", 2, time="day")
       day  rain  rain_lag1  rain_lag2
    2    3   6.0        2.0        0.0
    3    4   3.0        6.0        2.0
    >>> lag_features(frame, "rain", [1], rolling=2, first="keep")
       day  rain  rain_lag1  rain_mean2  rain_sd2
    0    1   0.0        NaN         NaN       NaN
    1    2   2.0        0.0         NaN       NaN
    2    3   6.0        2.0         1.0       1.0
    3    4   3.0        6.0         4.0       2.0
    """
    table, look = as_pandas(frame), _check_look(lags, rolling, differences, decay)
    names = find_columns(table, "columns", columns)
    keep = check_choice("first", first, ("drop", "keep")) == "keep"
    past = _read_past(table, by)
    if time is not None:
        _check_time(find_column(table, "time", time), past)
    _check_reach(past, look.reach, keep)
    rows = np.arange(len(table)) if keep else np.flatnonzero(past.age >= look.reach)
    parts = [_look_back(table, name, past._replace(rows=rows), look) for name in names]
    result = extend(frame, pd.DataFrame({name: values for part in parts for name, values in part}), rows)
    if isinstance(result, pd.DataFrame):
        result.attrs["heedful_lags"] = {"columns": names, "lags": look.lags, "dropped": len(table) - rows.size}
    return result


class Look(NamedTuple):
    """How to look back: at which lags and windows, with differences or not, shrinking older lags by ``decay``."""

    lags: list[int]
    windows: list[int]
    differences: bool
    decay: float | None

    @property
    def reach(self) -> int:
        """The number of rows that a row must have before it."""
        return max(self.lags + self.windows)

    @property
    def arithmetic(self) -> str | None:
        """The argument that asks for numbers, if one does."""
        asked = {"differences": self.differences, "rolling": self.windows, "decay": self.decay is not None}
        return next((name for name, value in asked.items() if value), None)


class Past(NamedTuple):
    """Rows ordered group after group, how many of its group come before each row, and the rows to look back from."""

    order: np.ndarray
    age: np.ndarray
    rows: np.ndarray

    def back(self, k: int) -> np.ndarray:
        """Return the row ``k`` rows before each row in its group; -1 if there is none."""
        source = np.full(self.order.size, -1)
        source[self.order[k:]] = self.order[: self.order.size - k]
        return np.where(self.age >= k, source, -1)[self.rows]


def _read_past(table: pd.DataFrame, by: Any) -> Past:
    """Order the rows by group, keeping the order inside each."""
    group = np.zeros(len(table), dtype=np.int64)
    if by is not None:
        group = pd.factorize(find_column(table, "by", by))[0]
    if (group < 0).any():
        raise ValueError(
            f"`by` must name a group for every row, got none in row {int(np.argmin(group))}. Drop or fill it."
        )
    order = np.argsort(group, kind="stable")
    age = np.empty_like(order)
    age[order] = np.arange(group.size) - np.searchsorted(group[order], group[order])
    return Past(order, age, np.arange(group.size))


def _look_back(table: pd.DataFrame, name: Any, past: Past, look: Look) -> Iterator[tuple[str, Any]]:
    """Yield names and values of what a column gives."""
    column = table[name].set_axis(pd.RangeIndex(len(table)))
    numbers = np.empty(0) if look.arithmetic is None else read_numbers(table, name, look.arithmetic)
    known = np.append(numbers, np.nan)
    for k in look.lags:
        back = past.back(k)
        yield (
            f"{name}_lag{k}",
            column.reindex(back).array if look.decay is None else known[back] * look.decay ** (k - 1),
        )
    for k in look.lags if look.differences else []:
        yield f"{name}_diff{k}", known[past.back(k - 1)] - known[past.back(k)]
    for width in look.windows:
        mean = sum(known[past.back(k)] for k in range(1, width + 1)) / width
        square = sum((known[past.back(k)] - mean) ** 2 for k in range(1, width + 1))
        yield f"{name}_mean{width}", mean
        yield f"{name}_sd{width}", np.sqrt(square / width)


def _check_look(lags: Any, rolling: Any, differences: bool, decay: Any) -> Look:
    """Return the checked arguments that say how to look back."""
    steps = _check_steps("lags", lags, 1)
    if isinstance(lags, Integral):
        steps = list(range(1, steps[0] + 1))
    windows = [] if rolling is None else _check_steps("rolling", rolling, 2)
    shrink = None if decay is None else check_number("decay", decay, 0.0, 1.0, open_low=True, hint="Try 0.8.")
    return Look(steps, windows, differences, shrink)


def _check_steps(name: str, value: Any, least: int) -> list[int]:
    """Return a whole number >= ``least``, or several, as a list without repeats."""
    steps = list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
    whole = all(isinstance(step, Integral) and not isinstance(step, bool) for step in steps)
    if not steps or not whole or min(steps) < least:
        raise ValueError(f"`{name}` must be a whole number >= {least} or a list of such, got {value!r}. Try 4.")
    return list(dict.fromkeys(int(step) for step in steps))


def _check_time(times: pd.Series, past: Past) -> None:
    """Raise at the first row that does not come after the row before it in its group."""
    if times.isna().any():
        raise ValueError(f"`time` must be known, got none in row {int(np.argmax(times.isna()))}. Drop or fill it.")
    before, now = past.order[:-1], past.order[1:]
    wrong = ~np.asarray(times.array[now] > times.array[before], dtype=bool) & (past.age[now] > 0)
    if not wrong.any():
        return
    at = np.flatnonzero(wrong)[np.argmin(now[wrong])]
    late, early = times.iloc[before[at]], times.iloc[now[at]]
    mend = "Merge or drop rows of equal time." if late == early else "Sort the frame by time."
    where = f"in row {now[at]}, counted from 0"
    raise ValueError(f"`time` must increase from row to row of a group, got {early} after {late} {where}. {mend}")


def _check_reach(past: Past, reach: int, keep: bool) -> None:
    """Raise if no row reaches back far enough, and log how many do not."""
    longest = int(past.age.max(initial=-1)) + 1
    if longest <= reach:
        raise ValueError(
            f"`lags` and `rolling` look back {reach} rows, but the longest group has only {longest}. "
            "Look back less far."
        )
    short, n_groups = int((past.age < reach).sum()), int((past.age == 0).sum())
    lost = n_groups - int((past.age == reach).sum())
    LOG.info(
        "lag_features: %d of %d rows do not reach back %d rows, among them all of %d of %d groups; %s",
        *(short, past.age.size, reach, lost, n_groups),
        "they are kept with missing values" if keep else "they are left out",
    )
