"""From `fit` and from a prediction it is few functions to a block of local fits, each passed once."""

import sys

import numpy as np
import pytest

from heedful import AttentionGLM, AttentionLasso, AttentionLassoClassifier, AttentionRegressor, LeafAttentionRegressor
from heedful._models.learners import LearnerProblem
from heedful._models.leaves import LeafProblem
from heedful._models.linear_fits import LinearProblem

DEEPEST = {"fit": 9, "predict": 8}


def walk_here():
    """Return the functions of ours that lead to whoever asks, from the outermost."""
    names, frame = [], sys._getframe(2)
    while frame is not None:
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        # cutting into blocks and comprehensions are no steps of the walk
        if module.startswith("heedful.") and module != "heedful._blocks" and not code.co_name.startswith("<"):
            names.append(f"{module}.{code.co_qualname}")
        frame = frame.f_back
    return names[::-1]


@pytest.fixture(params=["oob", 3])
def table(rng, request):
    X = rng.normal(size=(60, 2))
    return X, X[:, 0] * np.sign(X[:, 1]) > 0, request.param


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("estimator", "problem", "methods"),
    [
        (AttentionLasso, LinearProblem, ["predict", "predict_interval"]),
        (AttentionLassoClassifier, LinearProblem, ["predict", "predict_proba"]),
        (AttentionGLM, LinearProblem, ["predict"]),
        (AttentionRegressor, LearnerProblem, ["predict"]),
        (LeafAttentionRegressor, LeafProblem, ["predict"]),
    ],
)
def test_a_block_of_local_fits_is_few_functions_below_fit_and_predict(table, monkeypatch, estimator, problem, methods):
    walks, fit, (X, y, cv) = [], problem.fit, table

    def spy(self, *args, **kwargs):
        # with the local fit itself
        walks.append([*walk_here(), f"{problem.__module__}.{problem.__name__}.fit"])
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(problem, "fit", spy)
    learned = y if estimator is AttentionLassoClassifier else y.astype(float)
    model = estimator(cv=cv, mixing=0.5, random_state=0).fit(X, learned, sample_weight=1.0 + (X[:, 0] > 0))
    assert walks
    for method in methods:
        n_before = len(walks)
        getattr(model, method)(X[:3])
        assert len(walks) > n_before
    for walk in walks:
        assert len(walk) <= DEEPEST["fit" if "fit" in walk[0] else "predict"], " > ".join(walk)
        assert len(set(walk)) == len(walk), " > ".join(walk)
