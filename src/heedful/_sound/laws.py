"""What every tree of a file must be, whoever wrote it."""

from typing import Any

import numpy as np


def need(right: Any, what: str) -> None:
    """Raise unless something is right."""
    if not right:
        raise ValueError(what)


def reached(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return which nodes of a tree are reached from node 0; -1 for both children is a leaf."""
    seen = np.zeros(left.size, dtype=bool)
    nodes = np.zeros(1, dtype=np.int64)
    while nodes.size:
        need(within(nodes, left.size) and np.unique(nodes).size == nodes.size, "a child is missing or has two parents")
        need(not seen[nodes].any(), "a tree has a circle")
        seen[nodes] = True
        nodes = nodes[(left[nodes] != -1) | (right[nodes] != -1)]
        nodes = np.concatenate([left[nodes], right[nodes]])
    return seen


def within(values: np.ndarray, count: int) -> bool:
    """Return whether whole numbers are at least 0 and below a count."""
    return bool(((values >= 0) & (values < count)).all())


def are_bounds(values: np.ndarray, last: int) -> bool:
    """Return whether numbers cut 0 to ``last`` into parts."""
    return values.size > 0 and values[0] == 0 and values[-1] == last and bool((np.diff(values) >= 0).all())


def sized(values: np.ndarray, size: int | None) -> np.ndarray:
    """Return a list of values, if they are as many as they should be."""
    need(values.ndim == 1 and size in (None, values.size), "values are missing")
    return values


def numbers(values: Any, *shape: int) -> None:
    """Raise unless something is an array of finite numbers of a shape."""
    right = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == shape
    need(right and np.isfinite(values).all(), f"an array of shape {shape} holds something else than finite numbers")


def places(values: Any, count: int, *shape: int) -> None:
    """Raise unless something is an array of a shape whose whole numbers are places in an array of ``count``."""
    right = isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.shape == shape
    need(right and within(values, count), f"an array of shape {shape} holds something else than places below {count}")
