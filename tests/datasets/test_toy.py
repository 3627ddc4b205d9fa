"""The toy of figure 1: the values of the features decide the model."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from heedful.datasets import make_toy


def test_each_half_obeys_its_own_model():
    sim = make_toy(400, noise=0.1, random_state=0)
    for half, coef in enumerate(sim.components):
        rows = (sim.X[:, 0] >= 0) == half
        np.testing.assert_allclose(LinearRegression().fit(sim.X[rows], sim.y[rows]).coef_, coef, atol=0.1)
        np.testing.assert_array_equal(sim.coef[rows], np.tile(coef, (rows.sum(), 1)))


def test_one_model_for_both_halves_averages_the_slopes_away():
    sim = make_toy(2000, random_state=0)
    assert abs(LinearRegression().fit(sim.X, sim.y).coef_[1]) < 0.2


def test_without_noise_the_response_is_the_signal_and_a_seed_repeats_it():
    sim, again = (make_toy(30, noise=0, random_state=1) for _ in range(2))
    np.testing.assert_array_equal(sim.y, sim.signal)
    np.testing.assert_array_equal(sim.X, again.X)


@pytest.mark.parametrize(("settings", "words"), [({"n": 0}, "`n` must be >= 1"), ({"noise": -1.0}, "`noise` must be")])
def test_wrong_arguments_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        make_toy(**settings)
