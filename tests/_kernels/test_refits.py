import numpy as np
import pytest

from heedful._kernels import refit_rows


def lassos(rng, n_columns=6, n_fits=4, copies=False):
    """Return a Gram matrix, covariances, penalties and the lassos of these."""
    x = rng.normal(size=(30, n_columns))
    if copies:
        x[:, 1] = x[:, 0]
    gram, covs = x.T @ x / 30, rng.normal(size=(n_fits, 30)) @ x / 30
    penalty = rng.uniform(0.02, 0.2, size=n_columns)
    return gram, covs, penalty, refit_rows(gram, covs, penalty, np.zeros(n_columns), 1e-10, 1000)


@pytest.mark.parametrize("copies", [False, True])
def test_every_lasso_meets_its_conditions(rng, copies):
    gram, covs, penalty, coefs = lassos(rng, copies=copies)
    grad = covs - coefs @ gram
    assert (coefs != 0).any()
    assert (coefs == 0).any()
    np.testing.assert_allclose(np.where(coefs != 0, grad, 0.0), np.sign(coefs) * penalty, atol=1e-8)
    assert (np.abs(grad) <= penalty + 1e-8).all()


def test_fits_do_not_know_of_each_other(rng):
    gram, covs, penalty, coefs = lassos(rng)
    alone = [refit_rows(gram, covs[[d]], penalty, np.zeros(len(penalty)), 1e-10, 1000)[0] for d in range(len(covs))]
    np.testing.assert_array_equal(coefs, alone)


def test_the_start_does_not_matter(rng):
    gram, covs, penalty, coefs = lassos(rng)
    other = refit_rows(gram, covs, penalty, rng.normal(size=len(penalty)), 1e-10, 1000)
    np.testing.assert_allclose(coefs, other, atol=1e-8)
