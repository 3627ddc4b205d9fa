"""What is loaded is checked object by object before anybody uses it."""

from collections.abc import Iterator
from typing import Any

import numpy as np


def check_objects(model: Any) -> None:
    """Raise if an array of an object of heedful would make a kernel read beyond another.

    An object says itself what must hold of it, in ``check_loaded``.
    """
    for part in _walk(model):
        if hasattr(type(part), "check_loaded"):
            part.check_loaded()


def _walk(model: Any) -> Iterator[Any]:
    """Yield every object once, as far as it is made of attributes, lists, tuples and dicts."""
    seen: dict[int, Any] = {}
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, type | str | bytes | int | float | type(None)):
            continue
        seen[id(part)] = part
        yield part
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple | set) or (isinstance(part, np.ndarray) and part.dtype == object):
            waiting += list(part.ravel() if isinstance(part, np.ndarray) else part)
        elif type(part).__module__.startswith(("heedful.", "sklearn.")) and hasattr(part, "__dict__"):
            waiting += vars(part).values()
