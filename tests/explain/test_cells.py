"""Cells of one column as places along an axis."""

import numpy as np
import pandas as pd

from heedful.explain._cells import rank_cells, read_cells


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


def test_ranks_go_from_0_to_1_and_only_what_is_measured_has_one():
    found = rank_cells(read_cells(pd.Series([5.0, -1.0, np.nan, 5.0, 70.0]), 3))
    np.testing.assert_allclose(found, [0.5, 0.0, np.nan, 0.5, 1.0])
    np.testing.assert_allclose(rank_cells(read_cells(pd.Series([2.0, 2.0]), 3)), 0.5)
    assert np.isnan(rank_cells(read_cells(pd.Series(["a", "b", None]), 3))).all()
    assert np.isnan(rank_cells(read_cells(pd.Series([np.nan, np.nan]), 3))).all()
