"""Indices of kernels are checked: with NUMBA_BOUNDSCHECK=1 negative ones are errors too, instead of wrapping around."""

from typing import Any

from numba import types
from numba.np import arrayobj


def take_as_given(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """Return an index as numba's own function does, but leave a negative one to be found out of bounds."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


arrayobj.fix_integer_index = take_as_given
