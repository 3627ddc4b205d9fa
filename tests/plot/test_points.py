"""Points that do not cover each other."""

import numpy as np
import pytest

from heedful.plot._points import swarm


@pytest.mark.parametrize("n_points", [1, 7, 400])
def test_points_at_one_place_stand_side_by_side(n_points):
    moved = swarm(np.full(n_points, 3.0), 0.4)
    assert np.unique(moved).size == n_points
    assert np.abs(moved).max() <= 0.4
    assert abs(moved.sum()) <= 0.4


def test_points_far_from_each_other_stay_where_they_are():
    np.testing.assert_array_equal(swarm(np.arange(5.0), 0.4), np.zeros(5))
    assert swarm([], 0.4).size == 0
