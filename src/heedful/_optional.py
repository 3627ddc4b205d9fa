"""Packages that heedful can do without."""

import importlib
from types import ModuleType


def need(package: str, extra: str, who: str) -> ModuleType:
    """Import an optional package or a module of one, or say which extra brings it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise ImportError(
            f"`{who}` needs {name}, which is not installed. Get it by: pip install 'heedful[{extra}]'"
        ) from error
