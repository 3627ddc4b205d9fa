"""Predictions of unseen rows are what a fit without the row would give."""

import numpy as np
import pytest

from heedful import AttentionLasso
from heedful.local import local_lasso
from heedful.similarity import ForestProximity, GaussianSimilarity


def predictions(model):
    return model._predict_unseen(model._training)[0]


@pytest.fixture
def table(rng):
    X = rng.normal(size=(40, 3))
    return X[np.argsort(X[:, 0])], np.sort(rng.normal(size=40))


def test_out_of_bag_is_a_local_lasso_that_leaves_the_row_out(table):
    X, y = table
    settings = {"temperature": 0.5, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.1, "similarity": GaussianSimilarity()}
    model = AttentionLasso(**settings).fit(X, y)
    scores = model.similarity_[0].scores(X)
    np.fill_diagonal(scores, -np.inf)
    weights = np.exp((scores - scores.max(axis=1, keepdims=True)) / 0.5)
    fits = local_lasso(X, y, weights, alpha=0.1)
    expected = fits.intercept_ + (fits.coef_ * X).sum(axis=1)
    np.testing.assert_allclose(predictions(model)[:, 0], expected, atol=1e-6)


def test_a_rows_own_response_has_no_say_in_its_out_of_bag_mean(table):
    X, y = table
    settings = {"alpha_ratio": np.inf, "temperature": [0.1, 1.0], "alpha": 0.1, "random_state": 0}
    forest = ForestProximity(50, random_state=0)
    before = AttentionLasso(similarity=forest, **settings).fit(X, y)
    other = y.copy()
    other[39] += 1000.0
    same_trees = ForestProximity(forest=before.similarity_[0].forest_)
    plain, changed = (AttentionLasso(similarity=same_trees, **settings).fit(X, z) for z in (y, other))
    np.testing.assert_allclose(predictions(plain)[39], predictions(changed)[39], atol=1e-8)
    assert np.abs(predictions(plain)[38] - predictions(changed)[38]).max() > 1


def test_folds_predict_by_models_of_their_training_part(table):
    X, y = table
    settings = {"temperature": 0.5, "alpha_ratio": 1.0, "mixing": 1.0, "alpha": 0.1}
    split = [(np.arange(30), np.arange(30, 40))]
    model = AttentionLasso(similarity=GaussianSimilarity(standardize=False), cv=split, **settings).fit(X, y)
    found = predictions(model)[:, 0]
    scores = GaussianSimilarity(standardize=False).fit(X[:30]).scores(X[30:])
    weights = np.exp((scores - scores.max(axis=1, keepdims=True)) / 0.5)
    unit = X.std(axis=0)
    fits = local_lasso(X[:30] / unit, y[:30], weights, alpha=0.1, standardize=False)
    expected = fits.intercept_ + (fits.coef_ * X[30:] / unit).sum(axis=1)
    np.testing.assert_allclose(np.sort(found[np.isfinite(found)]), np.sort(expected), atol=1e-6)
    assert np.isnan(found).sum() == 30
