"""Predictions of rows by the lasso of all others."""

import numpy as np
import pytest

from heedful.baseline import LassoBaseline
from heedful.local import local_lasso


@pytest.mark.parametrize("shape", [(30, 4), (15, 40)])
def test_each_row_is_predicted_by_a_lasso_that_leaves_it_out(rng, shape):
    X, weight = rng.normal(size=shape), rng.uniform(0.5, 2.0, size=shape[0])
    y = X[:, 0] + rng.normal(size=shape[0])
    baseline = LassoBaseline(alpha=0.1).fit(X, y, sample_weight=weight)
    scale = np.sqrt(np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight))
    weights = weight * (1 - np.eye(shape[0]))
    fits = local_lasso(X / scale, y, weights, alpha=0.1, standardize=False)
    expected = fits.intercept_ + (fits.coef_ * X / scale).sum(axis=1)
    np.testing.assert_allclose(np.sort(baseline.predict_left_out()), np.sort(expected), atol=1e-6)


def test_a_single_distinct_row_is_predicted_by_itself():
    X, y = np.ones((4, 2)), np.full(4, 3.0)
    np.testing.assert_allclose(LassoBaseline().fit(X, y).predict_left_out(), 3.0)
