"""Values of pandas that skops cannot write: dates, lengths of time, periods and intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd


class Scalar:
    """Stands for a value of pandas in a file; made from its parts it is that value."""

    def __new__(cls, kind: str, *parts: Any) -> Any:
        """Return the value."""
        return MAKE[kind](*parts)


def _moment(value: int, unit: str, zone: str | None) -> pd.Timestamp:
    moment = pd.Timestamp(np.array(value, f"M8[{unit}]")[()])
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


MAKE: dict[str, Callable[..., Any]] = {
    "Timestamp": _moment,
    "Timedelta": lambda value, unit: pd.Timedelta(np.array(value, f"m8[{unit}]")[()]),
    "Period": lambda ordinal, unit: pd.Period(ordinal=ordinal, freq=unit),
    "Interval": pd.Interval,
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
}
PARTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    pd.Timestamp: lambda value: ("Timestamp", int(value.asm8.view("i8")), value.unit, _zone(value)),
    pd.Timedelta: lambda value: ("Timedelta", int(value.asm8.view("i8")), value.unit),
    pd.Period: lambda value: ("Period", value.ordinal, value.freqstr),
    pd.Interval: lambda value: ("Interval", value.left, value.right, value.closed),
    type(pd.NaT): lambda _: ("NaT",),
    type(pd.NA): lambda _: ("NA",),
}


def _zone(value: pd.Timestamp) -> str | None:
    return None if value.tz is None else str(value.tz)


def parts_of(value: Any) -> tuple[Any, ...]:
    """Return what :class:`Scalar` makes a value from; raise ValueError if it would be another."""
    parts = PARTS[type(value)](value)
    try:
        same = value is (again := Scalar(*parts)) or bool(again == value and str(again) == str(value))
    except (KeyError, TypeError, ValueError):
        same = False
    if not same:
        raise ValueError(f"{value!r} cannot be written to a file. Convert it, a date to a zone with a name")
    return parts
