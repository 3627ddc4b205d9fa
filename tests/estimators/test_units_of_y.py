"""Responses of any unit: the same model, or a refusal that says what to divide by."""

import numpy as np
import pytest

from heedful import AttentionLasso, AttentionRegressor, LeafAttentionRegressor
from heedful.similarity import ForestProximity

FOREST = ForestProximity(8)


def draw(rng):
    X = rng.normal(size=(50, 3))
    return X, X[:, 0] * (X[:, 1] > 0) + 0.1 * rng.normal(size=50)


@pytest.mark.one_value
@pytest.mark.parametrize("power", [-190, -60, 60, 190])
def test_the_unit_of_the_response_changes_nothing(rng, power):
    X, y = draw(rng)
    plain, scaled = (AttentionLasso(similarity=FOREST, random_state=0).fit(X, y * unit) for unit in (1.0, 2.0**power))
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X) * 2.0**power)


@pytest.mark.parametrize("model", [AttentionLasso, AttentionRegressor, LeafAttentionRegressor])
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_a_response_whose_squares_are_no_numbers_is_refused(rng, model, unit):
    X, y = draw(rng)
    with pytest.raises(
        ValueError, match=r"`y` must hold numbers whose values lie between 1e-60 and 1e\+60, got .*Divide"
    ):
        model(similarity=FOREST).fit(X, y * unit)


def test_differences_that_are_too_small_are_refused(rng):
    X, y = draw(rng)
    with pytest.raises(ValueError, match="whose differences lie between"):
        AttentionLasso(similarity=FOREST).fit(X, np.where(y > 0, 1e-59, 1e-59 * (1 + 1e-14)))
