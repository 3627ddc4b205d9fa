"""Counts and costs as responses: rates and exposures, residuals, and how far numbers of such residuals reach."""

import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

from heedful._responses.counts_costs import CountsOrCosts

POWERS = [1.0, 1.5, 2.0]


def made_up(rng, power, n_rows=20):
    """Return a response of rows with exposures, and linear predictors."""
    exposure, values = rng.uniform(0.2, 5.0, n_rows), rng.normal(size=n_rows)
    y = rng.gamma(1.0, exposure * np.exp(values)) + (0.1 if power == 2.0 else 0.0)
    y = np.where(np.arange(n_rows) % 4 == 0, 0.0, y) if power < 2.0 else y
    return CountsOrCosts(power), np.column_stack([y, np.log(exposure)]), values


@pytest.mark.parametrize("power", POWERS)
def test_residuals_are_signed_roots_of_deviances_at_the_exposure(rng, power):
    response, encoded, values = made_up(rng, power)
    y, mean = encoded[:, 0], np.exp(values + encoded[:, 1])
    found = response.conformity(encoded, values)
    unit = [mean_tweedie_deviance([a], [b], power=power) for a, b in zip(y, mean, strict=True)]
    np.testing.assert_allclose(found**2, unit, atol=1e-10)
    np.testing.assert_array_equal(np.sign(found), np.sign(y - mean))


@pytest.mark.parametrize("power", POWERS)
def test_an_interval_ends_where_residuals_have_its_size_or_at_zero(rng, power):
    response, encoded, values = made_up(rng, power)
    offset, size = encoded[:, 1], rng.uniform(0.1, 4.0, 20)
    low, high = response.interval(values, offset, size).T
    mean = np.exp(values + offset)
    assert (low <= mean).all()
    assert (mean <= high).all()
    np.testing.assert_allclose(response.conformity(np.column_stack([high, offset]), values), size, rtol=1e-6)
    at_zero = np.full(20, -np.inf)
    if power < 2.0:
        at_zero = response.conformity(np.column_stack([np.zeros(20), offset]), values)
        np.testing.assert_array_equal(low == 0, at_zero >= -size)
    inside = low > 0
    ends = response.conformity(np.column_stack([np.where(inside, low, 1.0), offset]), values)
    np.testing.assert_allclose(ends[inside], -size[inside], rtol=1e-6)


@pytest.mark.parametrize("power", POWERS)
def test_learners_and_folds_see_rates_and_which_rows_are_above_zero(rng, power):
    response, encoded, _ = made_up(rng, power)
    np.testing.assert_allclose(response.learner_target(None, encoded), encoded[:, 0] / np.exp(encoded[:, 1]))
    np.testing.assert_array_equal(response.strata(encoded), encoded[:, 0] > 0)


@pytest.mark.parametrize("power", POWERS)
def test_one_rate_for_all_rows_explains_nothing_and_weights_are_numbers_of_rows(rng, power):
    response, encoded, values = made_up(rng, power)
    weight = rng.integers(1, 5, 20)
    twice = np.repeat(np.arange(20), weight)
    null = np.full((20, 1), response.with_rows(encoded).null_link(weight.astype(float)))
    assert response.score(encoded, null, weight) == pytest.approx(0.0, abs=1e-12)
    often = response.score(encoded[twice], values[twice, None], None)
    assert response.score(encoded, values[:, None], weight) == pytest.approx(often)
