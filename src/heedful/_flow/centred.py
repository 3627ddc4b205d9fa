"""Linear predictors of classes: softmax knows them up to a constant of each row, so they sum to zero over classes."""

import numpy as np


def centre_outputs(values: np.ndarray, axis: int) -> np.ndarray:
    """Return coefficients or intercepts less their mean over the outputs; those of a single output as they are."""
    return values if values.shape[axis] == 1 else values - values.mean(axis=axis, keepdims=True)
