"""Ctrl-C at a random moment is KeyboardInterrupt, and leaves the estimator as it was."""

import pytest
from tests.studies.running import run_python

N_TRIALS = 126
KINDS = ["numbers", "classes", "times", "trees"]
# The longest that a kind may take, in seconds: far more than it does. A process that hangs says where.
PATIENCE = 200
# In a process of its own: an interrupt that meets a callback of the garbage collector is lost in Python itself, with a
# word on stderr, which is no failure here and would be one in a process of tests.
PROGRAM = """
import faulthandler, signal, sys, time
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor
from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, AttentionRegressor
from heedful.similarity import ForestProximity

kind, n_jobs, n_trials, patience = sys.argv[1], *map(int, sys.argv[2:])
faulthandler.dump_traceback_later(patience, exit=True)
estimators = {"numbers": AttentionLasso, "classes": AttentionLassoClassifier, "times": AttentionCox}
rng = np.random.default_rng(0)
X = rng.normal(size=(50, 3))
y = X[:, 0] * (X[:, 1] > 0) + 0.1 * rng.normal(size=50)
y = {"classes": y > 0, "times": pd.DataFrame({"event": y > -1, "time": np.exp(y)})}.get(kind, y)
learner = (DecisionTreeRegressor(max_depth=2, random_state=0),) if kind == "trees" else ()
estimator = estimators.get(kind, AttentionRegressor)
model = estimator(*learner, similarity=ForestProximity(8), random_state=0, n_jobs=n_jobs)
queries = rng.normal(size=(100 if learner else 300, 3))
signal.signal(signal.SIGALRM, signal.default_int_handler)


def interrupted(work, seconds):
    done = False
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        work()
        done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return not done
    return False


n_interrupted = 0
expected = model.fit(X, y).predict(queries)
works = {"fit": lambda: model.fit(X, y), "predict": lambda: model.predict(queries)}
for name, work in works.items():
    start = time.perf_counter()
    work()
    longest, before = time.perf_counter() - start, dict(vars(model))
    for _ in range(n_trials // 2):
        done = not interrupted(work, rng.uniform(1e-5, longest))
        n_interrupted += not done
        if name == "fit" and done:
            before = dict(vars(model))
        assert vars(model).keys() == before.keys(), name
        assert all(value is before[key] for key, value in vars(model).items()), name
    np.testing.assert_array_equal(model.predict(queries), expected)
print(n_interrupted)
"""


@pytest.mark.one_value
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_at_any_moment_leaves_the_estimator_as_it_was(kind, n_jobs):
    numbers = map(str, (n_jobs, N_TRIALS, PATIENCE))
    assert int(run_python("-c", PROGRAM, kind, *numbers)) > N_TRIALS // 2
