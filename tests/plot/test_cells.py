"""Cells of one column as places along an axis."""

import numpy as np
import pandas as pd
import pytest

from heedful.plot._cells import read_cells, swarm


def test_numbers_dates_and_durations_are_measured():
    np.testing.assert_array_equal(read_cells(pd.Series([2, None, 4], dtype="Int64"), 3).place, [2, np.nan, 4])
    np.testing.assert_array_equal(read_cells(pd.Series([2.5, None], dtype=object), 3).place, [2.5, np.nan])
    days = read_cells(pd.Series(pd.to_datetime(["1970-01-03", None])), 3)
    np.testing.assert_array_equal(days.place, [2, np.nan])
    assert days.dates
    zoned = pd.Series(pd.to_datetime(["1970-01-03"]).tz_localize("Etc/GMT+12"))
    assert read_cells(zoned, 3).place == [2.5]
    assert read_cells(pd.Series(pd.to_timedelta(["36h"])), 3).place == [1.5]


def test_levels_are_the_most_frequent_then_by_name():
    cells = read_cells(pd.Series(["b", "c", "a", "c", None, "b", "d"]), 3)
    assert cells.levels == ["b", "c", "a"]
    assert cells.n_levels == 4
    np.testing.assert_array_equal(cells.place, [0, 1, 2, 1, np.nan, 0, np.nan])
    np.testing.assert_array_equal(cells.missing, [0, 0, 0, 0, 1, 0, 0])
    assert read_cells(pd.Series([True, False, True]), 3).levels == ["true", "false"]
    assert read_cells(pd.Series(["u", "u"], dtype="category"), 3).levels == ["u"]


@pytest.mark.parametrize("n_points", [1, 7, 400])
def test_points_at_one_place_stand_side_by_side(n_points):
    moved = swarm(np.full(n_points, 3.0), 0.4)
    assert np.unique(moved).size == n_points
    assert np.abs(moved).max() <= 0.4
    assert abs(moved.sum()) <= 0.4


def test_points_far_from_each_other_stay_where_they_are():
    np.testing.assert_array_equal(swarm(np.arange(5.0), 0.4), np.zeros(5))
    assert swarm([], 0.4).size == 0
