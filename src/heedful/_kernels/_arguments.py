"""Arguments of kernels as one kind: writable arrays in C order.

numba compiles a kernel anew for arrays of another layout, and for read-only ones. Rows of a fitted model that joblib
maps from disk are read-only: kernels get a view that only looks writable. Only ``linkage_rows`` writes to
what it is given.
"""

from typing import Any

import numpy as np


class Memory:
    """Memory of a read-only array, described as writable; keeps the array alive."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        address = array.__array_interface__["data"][0]
        self.__array_interface__ = array.__array_interface__ | {"data": (address, False)}


def one_kind(arguments: tuple) -> tuple:
    """Return arguments with all arrays of one kind, those in tuples too; whatever is so already stays as it is."""
    changed = {at: new for at, old in enumerate(arguments) if (new := _one(old)) is not old}
    if not changed:
        return arguments
    made = [changed.get(at, argument) for at, argument in enumerate(arguments)]
    return tuple(made) if type(arguments) is tuple else type(arguments)(*made)


def _one(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return one_kind(argument)
    if not isinstance(argument, np.ndarray):
        return argument
    flags = argument.flags
    if flags.carray:
        return argument
    if not flags.c_contiguous or not flags.aligned:
        return np.array(argument, order="C")
    return np.asarray(Memory(argument))
