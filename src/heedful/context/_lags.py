"""The past of a row as columns: lags, differences, rolling means and standard deviations."""

import logging
from numbers import Integral
from typing import Any

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

    New columns use earlier rows and, in differences, the row itself, but never later rows. Use
    ``features={"similarity": ..., "model": ...}`` to give them to the similarity and not to the models.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Table of pyarrow
        Rows in order of time; they are not sorted.
    columns : name or list of names
        Columns whose past is added.
    lags : int or list of int
        Lags in rows: ``n`` means 1 to n, a list means the lags in it.
    by : name, default=None
        Column of groups (stations, persons), each with its own past. Rows of groups may be interleaved.
    time : name, default=None
        Column that must increase from row to row within each group; None means that rows are in order.
    differences : bool, default=False
        Add the change from lag k to lag k - 1 for each k in ``lags``; lag 0 is the row itself.
    rolling : int, list of int or None, default=None
        Window sizes >= 2: add mean and standard deviation of that many rows before the row.
    decay : float or None, default=None
        Multiply lag k by ``decay ** (k - 1)``, with 0 < ``decay`` <= 1; see Notes.
    first : {"drop", "keep"}, default="drop"
        Drop the first rows of each group, whose past is too short, or keep them with missing values.

    Returns
    -------
    DataFrame
        Same kind as ``frame``, with columns ``x_lag1``, ``x_diff1``, ``x_mean4``, ``x_sd4`` added to those of a
        column ``x``. In pandas the index stays and ``attrs["heedful_lags"]`` holds columns, lags and rows dropped.

    Raises
    ------
    ValueError
        If the past of all rows is too short, or ``time`` does not increase.
    TypeError
        If ``differences``, ``rolling`` or ``decay`` is used with a column that is not numeric.

    Notes
    -----
    A row needs as many earlier rows as the largest of ``lags`` and ``rolling``. Groups without such a row are removed
    by ``first="drop"``; the number of rows and groups left out is logged at level INFO of the logger ``heedful``.

    A missing value is missing in every column that uses it. Standard deviations divide by the number of rows.
    Integers become floats where values are missing. In polars and pyarrow, nulls and NaN are both read as missing and
    new columns hold null for them; dates come back as datetimes, in UTC without time zone, and categories as text.

    ``decay`` weights distances: squared differences of lag k count ``decay ** (2 * (k - 1))`` times. It affects
    ``GaussianSimilarity(standardize=False)`` and custom functions (bring columns to one scale first). It has no effect
    where columns are standardised (``GaussianSimilarity``, ``RidgeSimilarity``), nor on forests and boosters, which do
    not depend on the scale of a column.

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
    table = as_pandas(frame)
    names, steps = find_columns(table, "columns", columns), _check_steps("lags", lags, 1)
    lags = list(range(1, steps[0] + 1)) if isinstance(lags, Integral) else steps
    windows = [] if rolling is None else _check_steps("rolling", rolling, 2)
    if decay is not None:
        decay = check_number("decay", decay, 0.0, 1.0, open_low=True, hint="Try 0.8.")
    keep = check_choice("first", first, ("drop", "keep")) == "keep"
    groups = pd.Series(np.arange(len(table))).groupby(_read_groups(table, by))
    age, furthest = groups.cumcount().to_numpy(), max(lags + windows)
    if time is not None:
        _check_time(find_column(table, "time", time), groups)
    _check_length(age, furthest, keep)
    rows = np.arange(len(table)) if keep else np.flatnonzero(age >= furthest)
    # the row that comes k rows before each in its group; -1 if there is none
    before = [groups.shift(k, fill_value=-1).to_numpy()[rows] for k in range(furthest + 1)]
    arithmetic = {"differences": differences, "rolling": rolling is not None, "decay": decay is not None}
    reason = next((argument for argument, asked in arithmetic.items() if asked), None)
    added: dict[str, Any] = {}
    for name in names:
        column = table[name].set_axis(pd.RangeIndex(len(table)))
        added |= {f"{name}_lag{k}": column.reindex(before[k]).array for k in lags}
        if reason is None:
            continue
        numbers = np.append(read_numbers(table, name, reason), np.nan)
        past = numbers[np.array(before)]
        if decay is not None:
            added |= {f"{name}_lag{k}": past[k] * decay ** (k - 1) for k in lags}
        if differences:
            added |= {f"{name}_diff{k}": past[k - 1] - past[k] for k in lags}
        for width in windows:
            window = past[1 : width + 1]
            added |= {f"{name}_mean{width}": window.mean(axis=0), f"{name}_sd{width}": window.std(axis=0)}
    result = extend(frame, pd.DataFrame(added), rows)
    if isinstance(result, pd.DataFrame):
        result.attrs["heedful_lags"] = {"columns": names, "lags": lags, "dropped": len(table) - rows.size}
    return result


def _read_groups(table: pd.DataFrame, by: Any) -> np.ndarray:
    if by is None:
        return np.zeros(len(table), dtype=np.int64)
    group = pd.factorize(find_column(table, "by", by))[0]
    if (group < 0).any():
        raise ValueError(
            f"`by` must name a group for every row, got none in row {int(np.argmin(group))}. Drop or fill it."
        )
    return group


def _check_steps(name: str, value: Any, least: int) -> list[int]:
    """Return one or several whole numbers >= ``least`` as a list without repeats."""
    steps = list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
    whole = all(isinstance(step, Integral) and not isinstance(step, bool) for step in steps)
    if not steps or not whole or min(steps) < least:
        raise ValueError(f"`{name}` must be a whole number >= {least} or a list of such, got {value!r}. Try 4.")
    return list(dict.fromkeys(int(step) for step in steps))


def _check_time(times: pd.Series, groups: Any) -> None:
    """Raise at the first row that does not come after the row before it in its group."""
    if times.isna().any():
        raise ValueError(f"`time` must be known, got none in row {int(np.argmax(times.isna()))}. Drop or fill it.")
    before = groups.shift(1, fill_value=-1).to_numpy()
    rows = np.flatnonzero(before >= 0)
    wrong = rows[~np.asarray(times.array[rows] > times.array[before[rows]], dtype=bool)]
    if wrong.size:
        late, early = times.iloc[before[wrong[0]]], times.iloc[wrong[0]]
        raise ValueError(
            f"`time` must increase from row to row of a group, got {early} after {late} in row {wrong[0]}, counted "
            f"from 0. {'Merge or drop rows of equal time.' if late == early else 'Sort the frame by time.'}"
        )


def _check_length(age: np.ndarray, furthest: int, keep: bool) -> None:
    """Raise if no row has enough rows of its group before it, and log how many have not."""
    longest = int(age.max(initial=-1)) + 1
    if longest <= furthest:
        raise ValueError(
            f"`lags` and `rolling` look back {furthest} rows, but the longest group has only {longest}. Use fewer lags."
        )
    short, n_groups = int((age < furthest).sum()), int((age == 0).sum())
    LOG.info(
        "lag_features: %d of %d rows do not reach back %d rows, among them all of %d of %d groups; %s",
        *(short, age.size, furthest, n_groups - int((age == furthest).sum()), n_groups),
        "they are kept with missing values" if keep else "they are left out",
    )
