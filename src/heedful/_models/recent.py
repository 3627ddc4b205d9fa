"""Recent rows with their response, and the window that they must lie in."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_number
from heedful._frames import DATES, NUMBERS, TEXT, as_column, as_floats, cell_kinds, freeze, take, thaw, utc_times

FEWEST = 2


class Recent(NamedTuple):
    """Rows as they were given (``table``), with ``response`` as given and encoded (``y``), weight and time.

    ``base`` is what the model predicts of them; ``leaves`` where its trees put them, empty if nobody asks.
    """

    table: pd.DataFrame | np.ndarray
    response: pd.DataFrame
    y: np.ndarray
    weight: np.ndarray
    time: np.ndarray
    base: np.ndarray
    leaves: np.ndarray

    def residuals(self) -> np.ndarray:
        """Return the response less what the model predicts of it: of classes, 0 or 1 less a probability."""
        width = self.base.shape[1]
        observed = self.y[:, None] if width == 1 else np.eye(width)[self.y.astype(np.int64)]
        return shown(observed - self.base, self.base)

    def frozen(self) -> "Recent":
        """Return the same with frames as arrays: skops cannot save a frame."""
        table = freeze(self.table) if isinstance(self.table, pd.DataFrame) else self.table
        return self._replace(table=table, response=freeze(self.response))

    def thawed(self) -> "Recent":
        """Return the same with frames as they were."""
        return self._replace(table=thaw(self.table), response=thaw(self.response))

    def add(self, other: "Recent") -> "Recent":
        time = _join_times(self.time, other.time)
        pairs = zip(self._replace(time=time), other._replace(time=time[:0]), strict=True)
        return Recent(*(_join(old, new) for old, new in pairs))

    def part(self, rows: np.ndarray) -> "Recent":
        return Recent(*(take(part, rows) for part in self))

    def within(self, window: Any) -> "Recent":
        """Return the rows in the window, numbered anew if they have no labels; raise if they are too few."""
        kept = self.part(rows_within(window, self.time, self.y.size))
        if isinstance(kept.table, np.ndarray):
            kept = kept._replace(response=kept.response.reset_index(drop=True))
        n_rows = np.count_nonzero(kept.weight)
        if n_rows < FEWEST:
            within, longer = ("", "") if window is None else (f" within window={window!r}", ", or a longer window")
            raise ValueError(
                f"At least {FEWEST} recent rows with a positive weight are needed, got {n_rows} sample"
                f"{'' if n_rows == 1 else 's'}{within}. Give more rows{longer}."
            )
        return kept


def shown(values: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return predictions, probabilities of the second of two classes, or of the one that the model finds likeliest."""
    if values.shape[1] < 3:
        return values[:, -1]
    return values[np.arange(len(values)), base.argmax(axis=1)]


def beside(response: pd.DataFrame, **columns: np.ndarray) -> pd.DataFrame:
    """Return a response with columns beside it; one that has the name of such a column gets another."""
    return response.rename(columns={name: f"{name}_given" for name in columns}).assign(**columns)


def _join(old: Any, new: Any) -> Any:
    """Return one below the other; rows without names take those of earlier ones."""
    if isinstance(old, pd.DataFrame):
        return pd.concat([old, new if isinstance(new, pd.DataFrame) else pd.DataFrame(new, columns=old.columns)])
    return np.concatenate([old, new])


def _join_times(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return times one below the other; none are known if those of a part are not."""
    if old.dtype == new.dtype:
        return np.concatenate([old, new])
    if pd.isna(old).all() or pd.isna(new).all():
        return np.full(old.size + new.size, np.nan)
    raise ValueError(f"`time` must be of one kind, got {old.dtype} before and {new.dtype} now. Convert it first.")


def check_window(window: Any) -> Any:
    """Return a window: None, a number of rows, or a length of time (a number, or a Timedelta for dates)."""
    if window is None:
        return None
    if isinstance(window, int | np.integer) and not isinstance(window, bool):
        return int(check_number("window", window, FEWEST, np.inf, hint="A whole number counts rows."))
    if isinstance(window, float):
        return check_number("window", window, 0.0, np.inf, open_low=True, hint="A length of time.")
    try:
        length = pd.Timedelta(window)
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"`window` must be None, a number of rows (200), or a length of time (30.0, '30D', a Timedelta), got "
            f"{window!r}."
        ) from error
    if not length > pd.Timedelta(0):
        raise ValueError(f"`window` must be a length of time > 0, got {window!r}. Try '30D'.")
    return length


def read_time(time: Any, window: Any, table: pd.DataFrame | np.ndarray) -> np.ndarray:
    """Return the times of rows; without any the index of a frame if it holds dates, else nothing."""
    n_rows, needed = len(table), isinstance(window, float | pd.Timedelta)
    if time is None and isinstance(table, pd.DataFrame) and isinstance(table.index, pd.DatetimeIndex | pd.PeriodIndex):
        time = table.index
    if time is None:
        if needed:
            raise ValueError(
                f"`time` is required for window={window!r}: one value per row, or a frame indexed by dates."
            )
        return np.full(n_rows, np.nan)
    column = _one_per_row(time, n_rows)
    dates = cell_kinds(column) == (DATES,)
    if needed and dates != isinstance(window, pd.Timedelta):
        raise ValueError(f"`time` holds {column.dtype} and window={window!r}: dates take a window like '30D'.")
    return utc_times(column) if dates else as_floats(column, NUMBERS)


def _one_per_row(time: Any, n_rows: int) -> pd.Series:
    """Return dates or numbers, one per row, none missing; text is read as dates."""
    shape = np.shape(time)
    column = as_column(time) if len(shape) == 1 else pd.Series(dtype=object)
    if cell_kinds(column) == (TEXT,):
        try:
            column = pd.to_datetime(column, utc=True)
        except ValueError as error:
            raise ValueError(f"`time` must hold dates or numbers, got text that is no date: {error}.") from error
    if cell_kinds(column) not in ((DATES,), (NUMBERS,)) or len(column) != n_rows or column.isna().any():
        raise ValueError(
            f"`time` must hold one date or number per row of `X` ({n_rows}), none missing, got {column.dtype} of shape "
            f"{shape}."
        )
    return column


def rows_within(window: Any, time: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the numbers of the rows in a window: the last ones, or those less than its length before the latest."""
    if window is None:
        return np.arange(n_rows)
    if isinstance(window, int):
        return np.arange(max(0, n_rows - window), n_rows)
    # in the unit of the times: the year 9999 is out of reach of nanoseconds
    length = window.to_timedelta64().astype("timedelta64[us]") if isinstance(window, pd.Timedelta) else window
    return np.flatnonzero(time > time.max() - length)
