"""Tables of any library, read and checked: pandas, polars, pyarrow, or any with named columns.

Whoever brought it, a table becomes a pandas frame with columns of NumPy and pandas' own kinds, so that everything after
this is written once. Frames of pandas without arrow-backed columns are passed on as they are.
"""

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array, validate_data

from heedful._checks import check_text


def is_frame(X: Any) -> bool:
    """Return whether ``X`` is a data frame: of pandas, polars, pyarrow, or another kind with named columns."""
    return hasattr(X, "shape") and hasattr(X, "columns") and not isinstance(X, np.ndarray)


def as_table(X: Any, name: str = "X") -> pd.DataFrame | np.ndarray:
    """Return any kind of frame as that of pandas, anything else as an array; ``name`` is the argument it came as."""
    if isinstance(X, pd.DataFrame):
        return _without_arrow(X)
    if not is_frame(X):
        return np.asarray(X)
    # pyarrow has arrays where others have names
    names = list(getattr(X, "column_names", X.columns))
    check_distinct(names, name)
    frame = read_eager(X)
    if frame is None:
        return pd.DataFrame({column: np.asarray(X[column]) for column in names})
    return pd.DataFrame({column: _values(frame.get_column(column)) for column in names})


def as_column(values: Any) -> pd.Series:
    """Return a column of any library, or a list, as that of pandas."""
    if isinstance(values, pd.Series):
        return pd.Series(_of_arrow(values)) if isinstance(values.dtype, pd.ArrowDtype) else values
    column = nw.from_native(values, series_only=True, pass_through=True)
    return pd.Series(_values(column) if isinstance(column, nw.Series) else values)


def read_eager(X: Any) -> nw.DataFrame | None:
    """Return a frame as narwhals sees it; None if it is of no library that narwhals knows, or lazy."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def check_distinct(names: Any, name: str) -> None:
    """Raise if two columns of the table that came as argument ``name`` are called the same."""
    columns = pd.Index(names)
    if columns.has_duplicates:
        twice = columns[columns.duplicated()][0]
        raise ValueError(f"`{name}` must have distinct column names, got {twice!r} more than once. Rename one of them.")


def _without_arrow(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with arrow-backed columns as they are read from a table of pyarrow."""
    arrow = [j for j, dtype in enumerate(frame.dtypes) if isinstance(dtype, pd.ArrowDtype)]
    if not arrow:
        return frame
    plain = frame.copy(deep=False)
    for j in arrow:
        plain.isetitem(j, _of_arrow(frame.iloc[:, j]))
    return plain


def _of_arrow(column: pd.Series) -> Any:
    """Return an arrow-backed column as NumPy and pandas have it."""
    cells: Any = column.array
    return _values(nw.from_native(cells.__arrow_array__(), series_only=True))


def _values(column: nw.Series) -> Any:
    """Return a column of any library as NumPy and pandas have it; ordered categories keep their order."""
    dtype = column.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return _categories(column)
    if dtype == nw.Unknown or dtype.is_nested():  # nothing but nulls, or several values in a cell
        return np.array([*column.to_list(), None], dtype=object)[:-1]
    return (column.cast(nw.Float64) if dtype == nw.Decimal else column).to_numpy()


def _categories(column: nw.Series) -> Any:
    if column.implementation.is_pyarrow():
        # narwhals does not tell whether a dictionary is ordered, and its nulls are lost on the way to NumPy
        return column.to_native().to_pandas().array
    levels = list(column.dtype.categories) if isinstance(column.dtype, nw.Enum) else None
    return pd.Categorical(column.to_list(), categories=levels, ordered=levels is not None)


def one_row(X: Any, names: list[str], *, named: bool) -> Any:
    """Return a series of pandas as a table of one row; anything else as it is.

    ``names`` are those of the columns that were learned from: x0, x1, ... where these were not ``named``.
    """
    if not isinstance(X, pd.Series):
        return X
    if not named and names == [f"x{j}" for j in range(len(X))]:
        return X.to_numpy()[None]
    check_distinct(X.index, "X")
    given = [str(label) for label in X.index]
    missing, unknown = (pd.Index(a).difference(b, sort=False) for a, b in ((names, given), (given, names)))
    if len(missing) or len(unknown):
        some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        what = f"none for {missing[0]!r}" if len(missing) else f"one for {unknown[0]!r} too"
        raise ValueError(
            f"`X` must have an entry for each of the {len(names)} columns of `fit` ({some}) if it is a series, which "
            f"is one row, got {what}. Use X.iloc[0] of such a table, or X.to_frame() for a table of one column."
        )
    row = X.iloc[[given.index(name) for name in names]]
    return row.to_frame().T.infer_objects()


def read_table(estimator: Any, X: Any, *, reset: bool) -> pd.DataFrame | np.ndarray:
    """Check the user's table against the estimator; return a pandas frame, or an array if it had no columns names.

    An array of booleans to predict stays one, to be refused where other numbers were learned from.
    """
    if not is_frame(X):
        _refuse_times(X)
        dtype = [np.float64] if reset else [np.float64, np.bool_]
        return validate_data(
            estimator, X, reset=reset, dtype=dtype, ensure_all_finite=False, ensure_min_samples=2 if reset else 1
        )
    table: Any = as_table(X)
    check_distinct(table.columns, "X")
    check_text(table.columns, "The names of columns")
    check_array(np.empty(table.shape, dtype=np.int8), ensure_min_samples=2 if reset else 1, estimator=estimator)
    validate_data(estimator, table, reset=reset, skip_check_array=True)
    return table


def _refuse_times(X: Any) -> None:
    """Raise if an array holds dates or durations: as numbers they would depend on the unit that they are kept in."""
    dtype = getattr(X, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        raise TypeError(
            f"`X` must be numeric if it is an array, got {dtype}. Use a frame for dates and durations: "
            "pandas.DataFrame(X)."
        )


def select(X: pd.DataFrame | np.ndarray, columns: Any, name: str) -> np.ndarray:
    """Return the positions of ``columns``: None for all, names, positions, a mask, or a function of the frame."""
    n_columns = X.shape[1]
    if columns is None:
        return np.arange(n_columns)
    if callable(columns):
        columns = columns(X)
    if not hasattr(columns, "__iter__"):
        raise TypeError(f"`{name}` must be column names, positions, a mask or a function of `X`, got {columns!r}.")
    columns = [columns] if isinstance(columns, str) else list(columns)
    mask = all(isinstance(entry, bool | np.bool_) for entry in columns)
    if not columns or (mask and not any(columns)):
        raise ValueError(f"`{name}` must select at least one column, got none. Use None for all of them.")
    if mask:
        if len(columns) != n_columns:
            raise ValueError(f"`{name}` is a mask of {len(columns)} entries for {n_columns} columns.")
        return np.flatnonzero(columns)
    names = list(X.columns) if isinstance(X, pd.DataFrame) else []
    positions = [_position(entry, names, n_columns, name) for entry in columns]
    twice = next((entry for entry, at in zip(columns, positions, strict=True) if positions.count(at) > 1), None)
    if twice is not None:
        raise ValueError(f"`{name}` must name each column once, got {twice!r} more than once. Leave out the others.")
    return np.array(positions)


def _position(entry: Any, names: list, n_columns: int, name: str) -> int:
    if entry in names:
        return names.index(entry)
    if isinstance(entry, int | np.integer) and -n_columns <= entry < n_columns:
        return int(entry) % n_columns
    raise ValueError(f"`{name}` names {entry!r}, which is not a column of `X`. Its columns are {names or n_columns}.")
