"""Encoded responses and their offsets, which are the last column."""

import numpy as np


def with_offset(encoded: np.ndarray, offset: np.ndarray | None) -> np.ndarray:
    """Return an encoded response with its offsets as one more column, if there are any."""
    return encoded if offset is None else np.column_stack([encoded, offset])


def split_offset(encoded: np.ndarray, n_encoded: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return an encoded response as it is without offsets, and these, None if there are none."""
    if encoded.ndim == 1 or encoded.shape[1] == n_encoded:
        return encoded, None
    response = encoded[:, :n_encoded]
    return response[:, 0] if n_encoded == 1 else response, encoded[:, n_encoded]


def no_offset(values: np.ndarray, offset: np.ndarray | None) -> np.ndarray:
    """Return values as they are; raise for offsets where a response has none."""
    if offset is not None:
        raise ValueError("`offset` must be None: this response has no offsets.")
    return values
