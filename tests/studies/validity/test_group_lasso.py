"""The group penalty of numbers is that of skglm, which takes its time to compile."""

import numpy as np
import pytest
import skglm

from heedful import local_lasso


@pytest.mark.parametrize("alpha", [0.05, 0.2, 1.0])
def test_groups_of_numbers_are_those_of_skglm(rng, alpha):
    X = (rng.normal(size=(60, 7)) + rng.normal(size=(60, 1))) * rng.uniform(0.5, 3.0, size=7)
    y, labels = X[:, 0] - X[:, 1] + rng.normal(size=60), np.array(["a", "b", "a", "c", "b", "b", "d"])
    fits = local_lasso(X, y, np.ones((1, 60)), alpha=alpha, groups=labels, tol=1e-10)
    parts = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    size = np.sqrt([len(part) for part in parts])
    model = skglm.GroupLasso(parts, alpha=alpha, weights=size, tol=1e-11, max_iter=1000)
    model.fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    np.testing.assert_allclose(fits.coef_[0], model.coef_ / X.std(axis=0), atol=1e-6)
