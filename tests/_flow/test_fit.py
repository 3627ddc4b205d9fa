"""From a table to a fitted model: what each part is handed."""

from types import SimpleNamespace

import numpy as np
import pytest

from heedful import AttentionLasso, AttentionRegressor, LocalLearner
from heedful._flow.fit import shrink
from heedful._flow.tune import Tuned
from heedful.similarity import GaussianSimilarity

HANDED = []


class Recording(GaussianSimilarity):
    """A similarity that keeps the weights it was fitted under."""

    def fit(self, X, y=None, sample_weight=None):
        HANDED.append((len(X), np.asarray(sample_weight)))
        return super().fit(X, y, sample_weight)


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 3))
    return X, X[:, 0] * np.sign(X[:, 1]), rng.uniform(0.5, 3.0, 60)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
@pytest.mark.parametrize("kind", [AttentionLasso, AttentionRegressor])
def test_similarities_are_fitted_under_the_sample_weights_in_folds_too(rows, kind, cv):
    X, y, weight = rows
    HANDED.clear()
    settings = {"local": LocalLearner(tuning_rows=10)} if kind is AttentionRegressor else {}
    model = kind(similarity=Recording(), cv=cv, random_state=0, **settings).fit(X, y, sample_weight=weight)
    fitted = model._model
    expected = weight[np.argsort(fitted.rows.observations.place)] / weight.mean()
    np.testing.assert_allclose(HANDED[0][1], expected)
    folds = [] if cv == "oob" else [expected[split.train] for split in fitted.splits]
    assert len(HANDED) == 1 + len(folds)
    for (_, found), fold in zip(HANDED[1:], folds, strict=True):
        np.testing.assert_allclose(found, fold)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("guard", [0.5, 0.1])
def test_the_guard_holds_for_the_mixing_of_each_query_as_for_all(rows, guard):
    X, y, _ = rows
    model = AttentionLasso(similarity=GaussianSimilarity(), mixing="adaptive", random_state=0).fit(X, y)
    fitted = model._model
    fitted.tuned = fitted.tuned._replace(guard=1.0)
    whole = model.explain(X[:20]).mixing
    fitted.tuned = fitted.tuned._replace(guard=guard)
    np.testing.assert_allclose(model.explain(X[:20]).mixing, guard * whole)
    assert whole.std() > 0


def test_the_heads_part_is_a_mean_of_the_heads_whatever_their_share_is(rows):
    X, y, _ = rows
    model = AttentionLasso(similarity=GaussianSimilarity(), mixing=0.8, random_state=0).fit(X, y)
    fitted = model._model
    local = model.local_models(X[:9])
    fitted.tuned = fitted.tuned._replace(share=fitted.tuned.share / 4)
    less = model.local_models(X[:9])
    np.testing.assert_allclose(less.local_coef, local.local_coef)
    np.testing.assert_allclose(less.local_intercept, local.local_intercept)
    np.testing.assert_allclose(less.mixing, local.mixing / 4)


def test_shares_that_are_taken_back_take_the_blend_back_to_the_baseline(rng):
    share, blend, baseline = np.array([0.3, 0.0, 0.6]), rng.normal(size=7), rng.normal(size=7)
    models = SimpleNamespace(shrink=lambda share: share / 3)
    less = shrink(models, Tuned(share, np.zeros(3), 0.9, blend), baseline)
    np.testing.assert_allclose(less.share, share / 3)
    np.testing.assert_allclose(less.blend, (2 * baseline + blend) / 3)


def test_residuals_to_learn_from_are_those_of_folds_that_left_a_row_out(rows):
    X, y, weight = rows
    model = AttentionLasso(similarity=GaussianSimilarity(), random_state=0).fit(X, y, sample_weight=weight)
    models = model._model.models
    left = models.rows.y - models.baseline.predict_fold()[:, 0]
    left -= np.average(left, weights=models.rows.weight)
    np.testing.assert_allclose(
        models.residuals(), left / np.sqrt(np.average(left**2, weights=models.rows.weight)), atol=1e-7
    )
