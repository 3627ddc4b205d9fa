import numpy as np
import pytest
from scipy import sparse

from heedful._kernels import quantile_rows
from reference.intervals import weighted_quantile

LEVELS = (0.0, 0.03, 0.31, 0.5, 0.77, 0.98, 1.0)


def places(weight, prior, background, stored, level):
    """Run the kernel on weights (n_query, n_train) of rows in the order of their values."""
    bumps = sparse.csr_array(np.where(stored, weight - np.outer(background, prior), 0.0))
    below = np.append(0.0, np.cumsum(prior))[:-1]
    return quantile_rows(bumps.indptr, bumps.indices, bumps.data, background, below, level)


def case(rng, n_train, n_stored, background=0.4):
    """Return weights over a background, and which of them are stored."""
    prior = rng.uniform(0.5, 2.0, size=n_train)
    stored = rng.permuted(np.tile(np.arange(n_train) < n_stored, (5, 1)), axis=1)
    extra = stored * rng.uniform(0.1, 1.0, size=(5, n_train))
    extra *= (1 - background) / np.maximum(extra.sum(axis=1, keepdims=True), 1e-300)
    base = np.where(stored.any(axis=1), background, 1.0) / prior.sum()
    return extra + np.outer(base, prior), prior, base, stored


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n_train", "n_stored"), [(1, 0), (1, 1), (9, 0), (9, 4), (9, 9), (60, 20)])
def test_quantiles_equal_the_twin(rng, n_train, n_stored, level):
    weight, prior, background, stored = case(rng, n_train, n_stored)
    values = np.arange(n_train, dtype=float)
    twin = [weighted_quantile(row, values, level + 1e-12) for row in weight]
    np.testing.assert_array_equal(places(weight, prior, background, stored, level + 1e-12), twin)


@pytest.mark.parametrize("level", LEVELS[1:-1])
def test_rows_without_a_background_equal_the_twin(rng, level):
    weight, prior, background, stored = case(rng, 30, 12, background=0.0)
    twin = [weighted_quantile(row, np.arange(30.0), level) for row in weight]
    np.testing.assert_array_equal(places(weight, prior, background, stored, level), twin)


@pytest.mark.parametrize("level", LEVELS[1:-1])
def test_tied_values_equal_the_twin(rng, level):
    weight, prior, background, stored = case(rng, 30, 12)
    values = np.repeat(np.arange(6.0), 5)
    twin = [weighted_quantile(row, values, level) for row in weight]
    np.testing.assert_array_equal(values[places(weight, prior, background, stored, level)], twin)


def test_a_level_above_all_weight_gives_the_last_row(rng):
    np.testing.assert_array_equal(places(*case(rng, 7, 3), 1.5), 6)
