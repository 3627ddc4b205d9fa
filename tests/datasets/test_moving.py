import numpy as np
import pytest

from heedful.datasets import make_moving


@pytest.mark.parametrize(("over", "n_places"), [("time", 1), ("place", 2)])
def test_the_signal_is_that_of_each_rows_coefficients(over, n_places):
    sim = make_moving(60, 8, over=over, random_state=0)
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1))
    assert sim.X.shape == (60, 8 + n_places)
    assert not sim.coef[:, :n_places].any()
    assert not sim.coef[:, n_places + 4 :].any()


def test_coefficients_turn_round_with_time():
    sim = make_moving(101, turns=0.5, random_state=0)
    np.testing.assert_allclose(sim.coef[[0, 50, 100], 1:3], [[1, 0], [0, 1], [-1, 0]], atol=1e-12)
    np.testing.assert_allclose(np.hypot(sim.coef[:, 1], sim.coef[:, 2]), 1.0)


@pytest.mark.parametrize("over", ["time", "place"])
def test_without_turns_the_groups_have_the_coefficients_of_the_components(over):
    still, moving = (make_moving(80, over=over, turns=turns, random_state=1) for turns in (0.0, 1.0))
    np.testing.assert_array_equal(still.X, moving.X)
    np.testing.assert_allclose(still.y - still.signal, moving.y - moving.signal)
    group = (still.X[:, -2] > 0).astype(int)
    np.testing.assert_array_equal(still.coef, still.components[group])


def test_what_cannot_be_is_named():
    with pytest.raises(ValueError, match="`over` must be"):
        make_moving(over="space")
    with pytest.raises(ValueError, match="`turns` must be >= 0"):
        make_moving(turns=-1.0)
    with pytest.raises(ValueError, match="`p` must be >= 5"):
        make_moving(p=4)
