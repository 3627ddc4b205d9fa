"""Derivatives by central differences."""

import numpy as np


def differences(function, at, step=1e-5):
    """Return the derivatives of ``function`` by each entry of ``at``; the axes of its value come last."""
    values = []
    for index in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[index], down[index] = at[index] + step, at[index] - step
        values.append((function(up) - function(down)) / (2 * step))
    return np.reshape(values, (*at.shape, *np.shape(values[0])))
