"""Argument checks: what is required, what was given, and a remedy. They run before any work."""

import warnings
from collections.abc import Collection, Iterable
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

Settings = TypeVar("Settings")

# Responses whose fourth powers are numbers.
SMALLEST, LARGEST = 1e-60, 1e60
# So many classes need so many rows each, on the mean: with fewer they are numbers, or names of rows.
MANY_CLASSES, ROWS_EACH = 30, 3
# How times become numbers.
IN_DAYS = {"dates": "(y - y.min())", "durations": "y"}


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        options = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"`{name}` must be one of {options}, got {value!r}.")
    return value


def is_word(value: Any, word: str) -> bool:
    """Return whether a value that may be an array is this word."""
    return isinstance(value, str) and value == word


def check_number(
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
    hint: str = "",
) -> float:
    """Return ``value`` as a float if it lies between ``low`` and ``high``."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"`{name}` must be a number, got {value!r}. {hint}".rstrip())
    number = float(value)
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (above and below):
        sign = ">" if open_low else ">="
        upper = "" if high == np.inf else f" and {'<' if open_high else '<='} {high:g}"
        raise ValueError(f"`{name}` must be {sign} {low:g}{upper}, got {value!r}. {hint}".rstrip())
    return number


def check_count(name: str, value: Any, least: int, hint: str = "", most: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number from ``least`` to ``most``."""
    number = check_number(name, value, least, np.inf if most is None else most, hint=hint)
    if not number.is_integer():
        raise ValueError(f"`{name}` must be a whole number, got {value!r}. {hint}".rstrip())
    return int(value)


def check_positive(name: str, value: Any, hint: str = "Try a value near 1.0.") -> float:
    """Return ``value`` as a float if it is > 0."""
    return check_number(name, value, 0.0, np.inf, open_low=True, hint=hint)


def check_like(name: str, value: Any, example: Settings) -> Settings:
    """Return settings of the kind of an example; None stands for those that it has by default."""
    kind = type(example)
    if not isinstance(value, kind | None):
        raise TypeError(f"`{name}` must be a {kind.__name__}, such as {example!r}, got {value!r}.")
    return kind() if value is None else value


def check_coverage(value: Any, of: str) -> float:
    """Return the coverage that intervals are meant to have."""
    hint = f"0.9 means nine of ten {of}."
    return check_number("coverage", value, 0.0, 1.0, open_low=True, open_high=True, hint=hint)


def check_tuning_rows(value: Any) -> None:
    """Raise unless heads can be tried on so many rows; None stands for all."""
    if value is not None:
        check_number("tuning_rows", value, 10, np.inf, hint="None tries heads on all rows.")


def check_grid(name: str, value: Any, hint: str) -> tuple[float, ...]:
    """Return one positive number or a list of them as a tuple without repeats."""
    values = [value] if isinstance(value, Real) else value
    if not isinstance(values, list | tuple | np.ndarray) or np.ndim(values) == 0 or len(values) == 0:
        raise ValueError(f"`{name}` must be a number > 0, a list of them or 'auto', got {value!r}. {hint}")
    return tuple(dict.fromkeys(check_positive(name, entry, hint) for entry in values))


def check_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Return sample weights as floats: one per row, finite, not negative, not all zero."""
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Real):
        return np.full(n_rows, check_positive("sample_weight", sample_weight))
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"`sample_weight` must be a number or have one value per row of `X`: {n_rows}, got shape {weight.shape}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("`sample_weight` must be finite and >= 0; set the weight of rows to leave out to 0.")
    if not (weight > 0).any():
        raise ValueError("`sample_weight` must not be all zero: give at least two rows a positive weight.")
    return weight


def check_response(y: Any) -> np.ndarray:
    """Return the response as finite floats of one dimension."""
    values = _as_array(y)
    if values.dtype.kind == "c":
        raise ValueError(f"Unknown label type: `y` must be numeric, got dtype {values.dtype}.")
    _refuse_times(values)
    try:
        values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Unknown label type: `y` must be numeric, got dtype {values.dtype}. For labels use a classifier, such "
            "as AttentionLassoClassifier."
        ) from error
    _refuse_missing("y", values)
    for what, size in (
        ("values", np.abs(values).max(initial=0.0)),
        ("differences", np.ptp(values) if values.size else 0.0),
    ):
        if size > LARGEST or 0.0 < size < SMALLEST:
            raise ValueError(
                f"`y` must hold numbers whose {what} lie between {SMALLEST:g} and {LARGEST:g}, got {size:g}: their "
                f"squares would be 0 or infinite. Divide `y` by {size:.0e}."
            )
    return values


def _refuse_times(values: np.ndarray) -> None:
    """Raise if a response comes as dates or durations: numbers would depend on the unit that these are kept in."""
    kind = pd.api.types.infer_dtype(values.ravel(), skipna=True) if values.dtype.kind in "OmM" else "number"
    if kind.startswith(("date", "period", "timedelta")):
        what = "durations" if kind.startswith("timedelta") else "dates"
        raise TypeError(f"`y` must be numeric, got {what}. Give days: {IN_DAYS[what]} / pd.Timedelta(days=1)")


def check_amounts(y: Any, power: float) -> np.ndarray:
    """Return counts (of power 1) or costs of one dimension as floats: >= 0, of power 2, Gamma's, > 0."""
    values = check_response(y)
    if values.ndim != 1:
        raise ValueError(f"`y` must have one dimension, got shape {values.shape}. Use y.ravel() for one column.")
    if power == 2.0 and (values <= 0).any():
        raise ValueError(
            f"`y` must hold costs > 0 for family='gamma', got {int((values <= 0).sum())} that are not; the smallest is "
            f"{values.min():g}. Drop those rows, or use family='tweedie', which allows zeros."
        )
    if (values < 0).any():
        raise ValueError(
            f"`y` must hold {'counts' if power == 1.0 else 'costs'} >= 0, got {int((values < 0).sum())} below; the "
            f"smallest is {values.min():g}. Drop those rows, or use a regression model."
        )
    return values


def check_offset(values: Any, n_rows: int, name: str = "offset") -> np.ndarray | None:
    """Return offsets or exposures as finite floats; None if there are none."""
    if values is None:
        return None
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must hold one number per row of `X`, got {type(values).__name__}.") from error
    if column.shape != (n_rows,):
        raise ValueError(f"`{name}` must hold one number per row of `X`: {n_rows}, got shape {column.shape}.")
    _refuse_missing(name, column)
    return column


def _refuse_missing(name: str, values: np.ndarray) -> None:
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise ValueError(f"`{name}` must not hold NaN or infinity, got {bad} such values. Drop those rows.")


def check_classes(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted labels of a response of one dimension, at least two of them, and the number of each row's."""
    values = _as_array(column_or_1d(y, warn=True))
    check_text({value for value in values.tolist() if isinstance(value, str)}, "`y`")
    if pd.isna(values).any() or (values.dtype.kind == "f" and np.isinf(values).any()):
        raise ValueError("`y` must not hold NaN, infinity (inf) or missing labels. Drop those rows before fitting.")
    kinds = {"str" if isinstance(value, str) else type(value).__name__ for value in values.tolist()}
    if len(kinds) > 1:
        raise TypeError(
            f"`y` must hold labels of one kind, got {' and '.join(sorted(kinds))}. Convert them first: "
            "pd.Series(y).astype(str)"
        )
    classes, codes = np.unique(values, return_inverse=True)
    try:
        with warnings.catch_warnings():
            # that there are many classes is for estimators to say, of rows as they were given
            warnings.simplefilter("ignore")
            check_classification_targets(values)
    except ValueError as error:
        raise ValueError(f"{error} For regression use AttentionLasso.") from error
    if classes.size < 2:
        raise ValueError(f"`y` must have rows of at least 2 classes, got one class: {classes.tolist()}.")
    return classes, codes.ravel()


def refuse_many_classes(n_classes: int, n_rows: int) -> None:
    """Raise if there are so many classes of so few rows that they seem to be numbers, or names of rows."""
    if n_classes > MANY_CLASSES and n_rows < ROWS_EACH * n_classes:
        raise ValueError(
            f"`y` must have at least {ROWS_EACH} rows per class on average with more than {MANY_CLASSES} "
            f"classes, got {n_classes} in {n_rows} rows. For regression use AttentionLasso; or "
            "merge rare labels."
        )


def check_text(cells: Iterable, what: str) -> None:
    """Raise if one of these cells is text that cannot be written: half of a pair that stands for one character."""
    for cell in cells:
        try:
            str(cell).encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{what} must hold text that can be written as UTF-8, got {cell!r}. Replace such characters: "
                "text.encode('utf-8', 'replace').decode()"
            ) from error


def check_survival(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return events (0 or 1) and times (> 0) as floats, from a structured array or a frame or array of two columns."""
    event, time = (_as_array(column) for column in _event_and_time(y))
    if not _are_events(event):
        hint = " Times seem to come first and events second: swap the columns." if _are_events(time) else ""
        raise ValueError(
            "`y` must hold events as True and False (or 1 and 0) first, then times: True where the event was observed."
            f"{hint}"
        )
    if time.dtype.kind not in "iuf" or not np.isfinite(time).all():
        days = " Give durations in days: time / pd.Timedelta(days=1)" if time.dtype.kind == "m" else ""
        raise ValueError(f"`y` must hold times as finite numbers without NaN. Drop rows with unknown times.{days}")
    if (time <= 0).any():
        raise ValueError(
            f"`y` must hold times > 0, got {int((time <= 0).sum())} that are not; the smallest is {time.min():g}. "
            "Drop those rows, or shift all times."
        )
    if not event.any():
        raise ValueError("`y` must hold at least one event, got censored rows only. Are True and False swapped?")
    return event.astype(np.float64), time.astype(np.float64)


def _as_array(column: Any) -> np.ndarray:
    """Return a column as an array; of nullable columns pandas before 2.2 makes objects."""
    values = np.asarray(column)
    if values.dtype.kind != "O" or values.ndim != 1 or any(isinstance(value, str) for value in values):
        return values
    return np.asarray(pd.Series(values).infer_objects())


def _are_events(column: np.ndarray) -> bool:
    known = column.dtype.kind in "biuf" and not pd.isna(column).any()
    return known and bool(np.isin(column, (0, 1)).all())


def _event_and_time(y: Any) -> tuple[Any, Any]:
    """Find the two columns: by the names event and time, else the boolean one is the event, else the first."""
    required = "`y` must be a structured array, a frame or an array with two columns, first event, then time"
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        columns = {name: y[name] for name in y.dtype.names}
    elif hasattr(y, "columns"):
        columns = {str(name): np.asarray(y[name]) for name in y.columns}
    else:
        values = np.asarray(y)
        if values.ndim != 2 or values.shape[1] != 2:
            raise ValueError(f"{required}, got {type(y).__name__} of shape {values.shape}.")
        columns = {"event": values[:, 0], "time": values[:, 1]}
    if len(columns) != 2:
        raise ValueError(f"{required}, got {len(columns)}: {list(columns)}.")
    if set(columns) == {"event", "time"}:
        return columns["event"], columns["time"]
    first, second = columns.values()
    return (second, first) if second.dtype == bool and first.dtype != bool else (first, second)
