"""Checks of arrays that come from a file: nothing of it may make a kernel read beyond an array.

Checks raise ValueError, TypeError or AttributeError; whoever calls them says which file it was.
"""

from typing import Any

import numpy as np


class Compact:
    """Base of classes whose state in a file is smaller than in memory: it takes a while to make, and is made once."""


def require(condition: Any, problem: str) -> None:
    """Raise ValueError unless a condition holds."""
    if not condition:
        raise ValueError(problem)


def require_numbers(values: Any, *shape: int) -> None:
    """Raise unless something is an array of finite numbers of a shape."""
    right = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.shape == shape
    require(right and np.isfinite(values).all(), f"an array of shape {shape} holds something else than finite numbers")


def require_indices(values: Any, size: int, *shape: int) -> None:
    """Raise unless something is an array of a shape whose values are indices of an array of ``size``."""
    right = isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.shape == shape
    require(
        right and in_range(values, size), f"an array of shape {shape} holds something else than indices below {size}"
    )


def require_trees(nodes: np.ndarray, roots: np.ndarray, children: np.ndarray, n_features: int) -> int:
    """Raise unless trees can be descended; return how many leaves they have.

    Nodes (feature, -, left, -) are one tree after the other, from their roots on, with two ``children`` each. A leaf
    has left = -1 and its number as the last entry; numbers must be each of 0, 1, ... once. A feature may be given as
    its complement.
    """
    right = nodes.dtype == np.int32 and nodes.ndim == 2 and nodes.shape[1:] == (4,) and nodes.flags.c_contiguous
    require(right and roots.dtype == np.int32 and roots.ndim == 1, "nodes are something else")
    require(roots.size > 0 and in_range(roots, len(nodes)), "a tree has no root")
    leaf = nodes[:, 2] < 0
    n_leaves = int(leaf.sum())
    number, numbered = nodes[leaf, 3], np.zeros(n_leaves, bool)
    numbered[number[(number >= 0) & (number < n_leaves)]] = True
    require(numbered.all(), "a leaf has no number of its own")
    inner = np.flatnonzero(~leaf)
    children = children[inner]
    require(in_range(children, len(nodes)), "a child is missing")
    # a child that comes after its parent can never lead back to it
    require((children > inner[:, None]).all(), "a tree has a circle")
    feature = nodes[inner, 0]
    require(in_range(np.where(feature < 0, ~feature, feature), n_features), "a tree splits a column that is not there")
    return n_leaves


def in_range(values: np.ndarray, size: int) -> bool:
    """Return whether integers are at least 0 and below ``size``."""
    return bool(((values >= 0) & (values < size)).all())


def are_offsets(values: np.ndarray, last: int) -> bool:
    """Return whether numbers cut 0 to ``last`` into parts, as ``indptr`` of a sparse matrix does."""
    return values.size > 0 and values[0] == 0 and values[-1] == last and bool((np.diff(values) >= 0).all())
