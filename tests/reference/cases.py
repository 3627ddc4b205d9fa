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


def small_outcome(rng, kind, case):
    """Return what happened to the rows of a small table (see ``reference.losses``), and weights that sum to one."""
    n = 1 if case == "single" else 12
    weight = rng.dirichlet(np.ones(n))
    if kind == "cox":
        time = {"tied": rng.integers(1, 5, size=n), "constant": np.ones(n)}.get(case, rng.exponential(size=n))
        return ((np.arange(n) % 3 != 1).astype(float), np.asarray(time, dtype=float)), weight
    n_classes = 2 if kind == "binomial" else 3
    what = np.full(n, 1) if case in ("constant", "single") else rng.permutation(np.arange(n) % n_classes)
    return what, weight


def survival(event, time):
    """Return events and times as a structured array, the way users have them."""
    y = np.empty(len(time), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


def family_table(rng, kind, n=40, p=5, n_query=3, *, tied=False):
    """Return rows, the response as users have it and as ``reference.losses`` takes it, and rows of weights."""
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3.0, size=p) + 2.0
    X = np.round(X) if tied else X
    signal, weights = (X[:, 0] - X[:, 1]) / 2.0, rng.uniform(size=(n_query, n)) ** 2
    if kind == "cox":
        time, event = rng.exponential(np.exp(-signal)), rng.uniform(size=n) < 0.7
        time = np.ceil(3.0 * time) if tied else time
        return X, survival(event, time), (event.astype(float), time), weights
    scores = np.column_stack([np.zeros(n), signal, -signal][: 2 if kind == "binomial" else 3])
    what = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    return X, np.array(["a", "b", "c"])[what], what, weights
