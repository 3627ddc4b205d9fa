"""Ctrl-C at a random moment is KeyboardInterrupt, and leaves the estimator as it was."""

import signal
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, AttentionRegressor
from heedful.similarity import ForestProximity

N_TRIALS = 125
FOREST = ForestProximity(8)
KINDS = {
    "numbers": AttentionLasso,
    "classes": AttentionLassoClassifier,
    "times": AttentionCox,
    "trees": AttentionRegressor,
}


def make(kind, n_jobs):
    """Return an unfitted estimator, a table of its kind of response, and queries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = X[:, 0] * (X[:, 1] > 0) + 0.1 * rng.normal(size=50)
    response = {"classes": y > 0, "times": pd.DataFrame({"event": y > -1, "time": np.exp(y)})}.get(kind, y)
    learner = (DecisionTreeRegressor(max_depth=2, random_state=0),) if kind == "trees" else ()
    model = KINDS[kind](*learner, similarity=FOREST, random_state=0, n_jobs=n_jobs)
    return model, X, response, rng.normal(size=(100 if learner else 300, 3))


@pytest.fixture
def interrupt():
    """Return a function that lets Ctrl-C come after some seconds, and not at all after 0."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def interrupted(work, interrupt, seconds):
    """Run work that is interrupted after some seconds; return whether it was: nothing else may be raised."""
    done = False
    try:
        interrupt(seconds)
        work()
        done = True
        interrupt(0)
    except KeyboardInterrupt:
        return not done
    return False


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_at_any_moment_leaves_the_estimator_as_it_was(kind, n_jobs, interrupt):
    model, X, y, queries = make(kind, n_jobs)
    rng, n_interrupted = np.random.default_rng(1), 0
    expected = model.fit(X, y).predict(queries)
    works = {"fit": lambda: model.fit(X, y), "predict": lambda: model.predict(queries)}
    for name, work in works.items():
        start = time.perf_counter()
        work()
        longest, before = time.perf_counter() - start, dict(vars(model))
        for _ in range(N_TRIALS // 2):
            done = not interrupted(work, interrupt, rng.uniform(1e-5, longest))
            n_interrupted += not done
            if name == "fit" and done:
                before = dict(vars(model))
            assert vars(model).keys() == before.keys()
            assert all(value is before[key] for key, value in vars(model).items())
        np.testing.assert_array_equal(model.predict(queries), expected)
    assert n_interrupted > N_TRIALS // 2
