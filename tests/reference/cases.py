"""Small tables of the kinds every kernel must stand: random, tied, constant, a single row."""

import numpy as np

CASES = ("random", "tied", "constant", "single")


def small_table(rng, case, p=4):
    """Return rows and response."""
    n = 1 if case == "single" else 12
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    if case == "tied":
        X, y = np.round(X), np.round(y)
    if case == "constant":
        X[:, 1], y = 3.0, np.full(n, 2.0)
    return X, y
