"""What every tree of a file must be, whoever wrote it."""

import numpy as np

from heedful._file_checks import in_range, require


def reached(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return which nodes of a tree are reached from node 0; -1 for both children is a leaf."""
    seen = np.zeros(left.size, dtype=bool)
    nodes = np.zeros(1, dtype=np.int64)
    while nodes.size:
        require(
            in_range(nodes, left.size) and np.unique(nodes).size == nodes.size, "a child is missing or has two parents"
        )
        require(not seen[nodes].any(), "a tree has a circle")
        seen[nodes] = True
        nodes = nodes[(left[nodes] != -1) | (right[nodes] != -1)]
        nodes = np.concatenate([left[nodes], right[nodes]])
    return seen


def sized(values: np.ndarray, size: int | None) -> np.ndarray:
    """Return a list of values, if they are as many as they should be."""
    require(values.ndim == 1 and size in (None, values.size), "values are missing")
    return values
