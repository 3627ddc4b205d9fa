"""Nodes of trees in a third of their memory, as they are written to files."""

import numpy as np

TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)


def pack_nodes(nodes: np.ndarray) -> dict[str, np.ndarray]:
    """Return splits and leaves apart, in the smallest types that hold them; numbers that mostly grow as their steps."""
    splits = nodes[:, 2] >= 0
    column, cut, left, shift = nodes.take(np.flatnonzero(splits), axis=0).T
    leaf = nodes[:, 3].take(np.flatnonzero(~splits))
    parts = {"column": column, "cut": cut, "left": np.diff(left, prepend=0), "shift": shift}
    parts |= {"leaf": np.diff(leaf, prepend=0)}
    return {"splits": np.packbits(splits)} | {name: smallest(part) for name, part in parts.items()}


def unpack_nodes(parts: dict[str, np.ndarray]) -> np.ndarray:
    """Return nodes as ``pack_nodes`` was given them; what a file says of them may be wrong and is checked later."""
    n_splits, n_leaves = len(parts["column"]), len(parts["leaf"])
    splits = np.unpackbits(parts["splits"], count=n_splits + n_leaves)
    nodes, split, leaf = np.zeros((splits.size, 4), np.int32), np.flatnonzero(splits), np.flatnonzero(splits == 0)
    for place, name in enumerate(("column", "cut", "left", "shift")):
        nodes[split, place] = np.cumsum(parts[name], dtype=np.int64) if name == "left" else parts[name]
    nodes[leaf, 2] = -1
    nodes[leaf, 3] = np.cumsum(parts["leaf"], dtype=np.int64)
    return nodes


def smallest(values: np.ndarray) -> np.ndarray:
    """Return whole numbers in the smallest type that holds them."""
    low, high = values.min(initial=0), values.max(initial=0)
    return values.astype(next(kind for kind in TYPES if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max))
