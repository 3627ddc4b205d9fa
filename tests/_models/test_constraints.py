"""Every local head keeps to what its baseline was asked to keep to."""

import numpy as np
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._models.constraints import ColumnConstraints
from heedful._solver.constraints import Constraints
from heedful.baseline import _model
from heedful.similarity import ForestProximity

SIGNS = Constraints(limits=np.array([[0.0, -np.inf, 0.0, -np.inf], [np.inf, 0.0, np.inf, np.inf]]))


def table(rng):
    X = rng.normal(size=(150, 4))
    return X, X[:, 0] - X[:, 1] * (X[:, 3] > 0) - 0.7 * X[:, 2] + 0.5 * rng.normal(size=150)


def fitted(monkeypatch, asked, X, y, **local):
    monkeypatch.setattr(_model, "read_constraints", lambda *_: asked)
    kind = AttentionLassoClassifier if y.dtype == bool else AttentionLasso
    return kind(similarity=ForestProximity(8), local=LocalLasso(**local), random_state=0).fit(X, y)


@pytest.mark.one_value
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("local", [{}, {"n_screened": 2}, {"exact": True}, {"shapes": False}])
def test_signs_hold_in_local_models(rng, monkeypatch, classes, local):
    X, y = table(rng)
    model = fitted(monkeypatch, SIGNS, X, y > 0 if classes else y, **local)
    models = model.local_models(X[:40])
    for found in (models.lasso_coef.to_numpy(), models.local_coef.to_numpy()):
        assert (found[:, [0, 2]] >= 0).all()
        assert (found[:, 1] <= 0).all()
        assert (found[:, 0] > 0).any()
    assert (models.multiple >= 0).all()


def test_groups_enter_and_leave_local_models_together(rng, monkeypatch):
    X, y = table(rng)
    asked = Constraints(groups=np.array([0, 1, 1, 0]))
    models = fitted(monkeypatch, asked, X, y, shapes=False, alpha_ratio=8.0).local_models(X[:40])
    zero = models.local_coef.to_numpy() == 0
    np.testing.assert_array_equal(zero[:, [0, 1]], zero[:, [3, 2]])


@pytest.mark.one_value
@pytest.mark.parametrize("local", [{}, {"n_screened": 2}])
def test_groups_are_taken_over_by_problems_of_some_columns(rng, monkeypatch, local):
    X, y = table(rng)
    models = fitted(monkeypatch, Constraints(groups=np.array([0, 1, 1, 0])), X, y, **local).local_models(X[:9])
    assert np.isfinite(models.local_coef.to_numpy()).all()


def test_columns_without_penalty_and_whole_categories_are_in_every_local_model_of_a_wide_table(rng):
    ones, groups = np.ones(4), np.array([0, 0, 1, 2])
    assert not ColumnConstraints(2 * ones, np.tile([[-1.0], [1.0]], 4), None, None).needs_all
    assert ColumnConstraints(None, None, groups, None).needs_all
    assert ColumnConstraints(np.array([1.0, 0.0, 1.0, 1.0]), None, None, None).needs_all
    X, y = table(rng)
    X = np.column_stack([X, rng.normal(size=(150, 5))])
    local = LocalLasso(penalty_factor={8: 0.0}, n_screened=2, shapes=False)
    models = AttentionLasso(similarity=ForestProximity(8), local=local, random_state=0).fit(X, y).local_models(X[:9])
    # one that says nothing of the response, of which the lasso would take no notice
    assert (models.local_coef["x8"] != 0).all()
