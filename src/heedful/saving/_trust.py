"""Which types a file of a model may hold: none whose code is not ours, or was not named."""

import importlib
from collections.abc import Collection
from types import ModuleType

SPLITTERS = (
    *("KFold", "GroupKFold", "StratifiedKFold", "StratifiedGroupKFold", "TimeSeriesSplit", "PredefinedSplit"),
    *("LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "LeavePGroupsOut"),
    *("ShuffleSplit", "GroupShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold", "RepeatedStratifiedKFold"),
)
# Nothing of these does more than to hold what it was made from.
HARMLESS = (
    *("datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta", "datetime.timezone"),
    *("zoneinfo.ZoneInfo", "decimal.Decimal", "numpy.dtype", "collections.OrderedDict"),
    *(f"sklearn.model_selection._split.{name}" for name in SPLITTERS),
)


def is_ours(name: str) -> bool:
    """Return whether a type is a class that heedful itself defines, or harmless.

    Being found under a module of heedful is not enough: functions, and what a module has imported, are refused.
    """
    module, _, word = name.rpartition(".")
    if name in HARMLESS:
        return True
    kind = getattr(_module(module), word, None)
    return isinstance(kind, type) and kind.__module__ == module


def _module(name: str) -> ModuleType | None:
    """Return a module of heedful, loaded if nobody has asked for it before; no program is one."""
    parts = name.split(".")
    if parts[0] != "heedful" or "cli" in parts or not all(part.isidentifier() for part in parts) or "__main__" in parts:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def foreign_types(names: Collection[str], trusted: Collection[str]) -> list[str]:
    """Return the types that are neither ours nor named as trusted."""
    return [name for name in names if name not in trusted and not is_ours(name)]
