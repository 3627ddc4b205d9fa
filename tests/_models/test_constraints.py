"""Every local head keeps to what its baseline was asked to keep to."""

import numpy as np
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._solver import Constraints
from heedful.baseline import _model
from heedful.similarity import ForestProximity

SIGNS = Constraints(low=np.array([0.0, -np.inf, 0.0, -np.inf]), high=np.array([np.inf, 0.0, np.inf, np.inf]))


def table(rng):
    X = rng.normal(size=(150, 4))
    return X, X[:, 0] - X[:, 1] * (X[:, 3] > 0) - 0.7 * X[:, 2] + 0.5 * rng.normal(size=150)


def fitted(monkeypatch, asked, X, y, **local):
    monkeypatch.setattr(_model, "read_constraints", lambda *_: asked)
    kind = AttentionLassoClassifier if y.dtype == bool else AttentionLasso
    return kind(similarity=ForestProximity(8), local=LocalLasso(**local), random_state=0).fit(X, y)


def coefs(model, X):
    """Return the blended coefficients of every query, those of the shapes last."""
    problem = model.model_.problem if hasattr(model, "model_") else None
    return problem, np.asarray(model.local_models(X).coef_)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("local", [{}, {"max_features": 2}, {"exact": True}, {"shapes": False}])
def test_signs_hold_in_local_models(rng, monkeypatch, classes, local):
    X, y = table(rng)
    model = fitted(monkeypatch, SIGNS, X, y > 0 if classes else y, **local)
    found = np.asarray(model.local_models(X[:40]).coef_).reshape(40, -1)
    assert (found[:, [0, 2]] >= 0).all()
    assert (found[:, 1] <= 0).all()
    assert (found[:, 0] > 0).any()
