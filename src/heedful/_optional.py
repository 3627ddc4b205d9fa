"""Packages that heedful can do without."""

import importlib
from types import ModuleType


def import_optional(package: str, extra: str | None, who: str) -> ModuleType:
    """Import an optional package or a module of one, or say which extra brings it; None is the package itself."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        what = name if extra is None else f"'heedful[{extra}]'"
        raise ImportError(f"`{who}` needs {name}, which is not installed. Get it by: pip install {what}") from error
