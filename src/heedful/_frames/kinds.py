"""What the cells of a column are, and those that can be measured as floats.

Numbers are those of Python and NumPy, ``Decimal`` and ``Fraction``; booleans are read as 0 and 1. Dates are read as
days since 1970, in UTC, a period as its start; durations and times of day as days. Any cell that is neither these nor
text goes by the name of its type.
"""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from numbers import Complex, Real
from typing import Any

import numpy as np
import pandas as pd

MICROSECONDS_OF_DAY = 86_400_000_000
NUMBERS, BOOLEANS, DATES, DURATIONS = "numbers", "booleans", "dates", "durations"
TIMES, TEXT = "times of day", "text"
# NumPy has its durations among the whole numbers, and Python its booleans, so they are asked for first.
KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    (DURATIONS, (dt.timedelta, np.timedelta64)),
    (BOOLEANS, (bool, np.bool_)),
    (NUMBERS, (Real, Decimal)),
    (DATES, (dt.date, np.datetime64, pd.Period)),
    (TIMES, (dt.time,)),
    (TEXT, (str,)),
)
DAY = np.timedelta64(1, "D")
MOST_SHOWN = 3
# What cells are given back in that became days.
UNITS: dict[tuple[str, ...], str] = {(DATES,): "datetime64[us]", (DURATIONS,): "timedelta64[us]"}


def cell_kinds(column: pd.Series) -> tuple[str, ...]:
    """Return the kinds of the cells that are not missing, sorted; raise if one has no place in a table."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = pd.Series(column.cat.remove_unused_categories().cat.categories)
    kind = _kind_of_dtype(column.dtype)
    if kind is not None:
        return (kind,) if column.notna().any() else ()
    kinds = {_checked_kind(of, column.name) for of in set(map(type, column.dropna()))}
    return tuple(sorted(kinds - {BOOLEANS} if NUMBERS in kinds else kinds))


def first_of_kind(column: pd.Series, kind: str) -> Any:
    """Return the first cell of a kind."""
    return next(cell for cell in column.dropna().astype(object) if kind_of_type(type(cell)) == kind)


def show_some(cells: list) -> str:
    """Return the first distinct cells to be read in a message."""
    distinct = list(dict.fromkeys(cells))
    return ", ".join(map(repr, distinct[:MOST_SHOWN])) + (" and others" if len(distinct) > MOST_SHOWN else "")


def is_measured(kinds: tuple[str, ...]) -> bool:
    """Return whether cells are all of one kind that can be measured."""
    return len(kinds) == 1 and kinds[0] in MEASURES


def is_binary(column: pd.Series) -> bool:
    """Return whether cells are all 0 or 1, as booleans and as the numbers that stand for them."""
    return bool(column.dropna().isin((0, 1)).all())


def as_floats(column: pd.Series, kind: str) -> np.ndarray:
    """Return cells of a kind that can be measured as floats, NaN for missing."""
    of_dtype = _kind_of_dtype(column.dtype)
    if {of_dtype, kind} <= {NUMBERS, BOOLEANS}:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if of_dtype == kind and not isinstance(column.dtype, pd.PeriodDtype):
        return _in_days(_without_zone(column).to_numpy())
    present, cells = column.notna().to_numpy(), column.to_numpy(dtype=object)
    measured = {cell: MEASURES[kind](cell) for cell in set(cells[present])}
    values = np.full(cells.size, np.nan)
    values[present] = [measured[cell] for cell in cells[present]]
    return values


def as_given(values: np.ndarray, kinds: tuple[str, ...]) -> np.ndarray:
    """Return floats of cells as the cells were: dates (of UTC) and durations instead of days."""
    unit = UNITS.get(kinds)
    if unit is None:
        return values
    cells, known = np.full(values.shape, "NaT", dtype=unit), np.isfinite(values)
    cells[known] = np.round(values[known] * MICROSECONDS_OF_DAY).astype(np.int64).astype(unit)
    return cells


def utc_times(column: pd.Series) -> np.ndarray:
    """Return dates, none of them missing, as microseconds of UTC."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _without_zone(column).to_numpy().astype("datetime64[us]")
    return np.array([_utc(cell) for cell in column], dtype="datetime64[us]")


def _without_zone(column: pd.Series) -> pd.Series:
    return column.dt.tz_convert(None) if isinstance(column.dtype, pd.DatetimeTZDtype) else column


def parse_number(cell: Any) -> float:
    """Return the number that a cell is written as, NaN for none; Python would also take 1_000 for one."""
    text = str(cell)
    try:
        return float(text) if text.isascii() and "_" not in text else np.nan
    except ValueError:
        return np.nan


def _kind_of_dtype(dtype: Any) -> str | None:
    """Return the kind of all cells of a dtype; None if each cell has to be asked."""
    kinds = pd.api.types
    if kinds.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return DATES
    if kinds.is_timedelta64_dtype(dtype):
        return DURATIONS
    if kinds.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
        return BOOLEANS
    if kinds.is_numeric_dtype(dtype) and not kinds.is_complex_dtype(dtype):
        return NUMBERS
    return TEXT if isinstance(dtype, pd.StringDtype) else None


def kind_of_type(of: type) -> str:
    """Return the kind of the cells of a type."""
    return next((kind for kind, types in KINDS if issubclass(of, types)), of.__name__)


def _checked_kind(of: type, name: Any) -> str:
    """Return the kind of the cells of a type in a column; raise if they are no single value."""
    kind = kind_of_type(of)
    if kind == of.__name__ and (of.__hash__ is None or issubclass(of, Complex)):
        raise unreadable(name, of)
    return kind


def unreadable(name: Any, of: type) -> TypeError:
    """Return the error for cells that are no single value."""
    return TypeError(
        f"Column {name!r} must hold numbers, dates, text or categories, got a cell of type {of.__name__}. Split it "
        "into several columns, or drop it."
    )


def _in_days(times: np.ndarray) -> np.ndarray:
    """Return dates since 1970, or durations, of any unit as days.

    Whole days and the rest of one are divided apart: both are exact, so that the unit makes no difference.
    """
    unit, _ = np.datetime_data(times.dtype)
    if unit in ("Y", "M", "W"):
        unit = "D"
    ticks = times.astype(f"{times.dtype.kind}8[{unit}]").view(np.int64)
    per_day = int(DAY.astype(f"m8[{unit}]").astype(np.int64))
    days, rest = np.divmod(ticks, per_day)
    return np.where(np.isnat(times), np.nan, days + rest / per_day)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def _utc(cell: Any) -> np.datetime64:
    """Return any kind of date; those without a zone are taken as UTC."""
    if isinstance(cell, np.datetime64):
        return cell
    if isinstance(cell, pd.Timestamp):
        return cell.to_datetime64()
    if isinstance(cell, pd.Period):
        return np.datetime64(cell.asfreq("us", how="start").ordinal, "us")
    if isinstance(cell, dt.datetime):
        offset = cell.utcoffset() or dt.timedelta(0)
        return np.datetime64(cell.replace(tzinfo=None), "us") - np.timedelta64(offset, "us")
    return np.datetime64(cell, "D")


def _date(cell: Any) -> float:
    return float(_in_days(np.array([_utc(cell)]))[0])


def _duration(cell: Any) -> float:
    if isinstance(cell, dt.timedelta) and not isinstance(cell, pd.Timedelta):
        # those of Python reach further than NumPy's microseconds, which would start again from below
        return cell.days + dt.timedelta(seconds=cell.seconds, microseconds=cell.microseconds) / dt.timedelta(days=1)
    return float(_in_days(np.array([cell.to_timedelta64() if isinstance(cell, pd.Timedelta) else cell]))[0])


def _time(cell: dt.time) -> float:
    since = dt.timedelta(hours=cell.hour, minutes=cell.minute, seconds=cell.second, microseconds=cell.microsecond)
    return since / dt.timedelta(days=1)


MEASURES: dict[str, Callable[[Any], float]] = {
    NUMBERS: _number,
    BOOLEANS: _number,
    DATES: _date,
    DURATIONS: _duration,
    TIMES: _time,
}
