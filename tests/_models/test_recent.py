"""Recent rows: which lie in a window, and how far a model was off for them."""

import numpy as np
import pandas as pd
import pytest

from heedful._models.recent import Recent, rows_within, shown


def recent_of(y, base):
    nothing = np.empty((len(y), 0))
    return Recent(
        nothing, pd.DataFrame({"y": y}), np.asarray(y, float), np.ones(len(y)), np.ones(len(y)), base, nothing
    )


@pytest.mark.parametrize("window", [2, 3, 99])
def test_a_window_of_rows_keeps_the_last_ones(window):
    assert rows_within(window, np.full(5, np.nan), 5).tolist() == list(range(5))[-window:]


def test_a_window_of_time_keeps_rows_less_than_its_length_before_the_latest():
    time = np.array([7.0, 10.0, 4.0, 9.9, 7.1])
    assert rows_within(3.0, time, 5).tolist() == [1, 3, 4]
    dates = np.array(["2024-01-01", "2024-01-31", "2024-01-02"], dtype="datetime64[us]")
    assert rows_within(pd.Timedelta("29D"), dates, 3).tolist() == [1]
    assert rows_within(pd.Timedelta("29.5D"), dates, 3).tolist() == [1, 2]
    assert rows_within(None, dates, 3).tolist() == [0, 1, 2]


def test_residuals_are_what_happened_less_what_was_predicted():
    np.testing.assert_allclose(recent_of([5.0, 1.0], np.array([[3.0], [4.0]])).residuals(), [2.0, -3.0])
    two = np.array([[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_allclose(recent_of([1, 1], two).residuals(), [0.9, 0.2])
    # of several classes the one that the model finds likeliest is shown
    three = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    np.testing.assert_allclose(recent_of([1, 2], three).residuals(), [-0.5, 0.4])
    np.testing.assert_array_equal(shown(np.arange(6.0).reshape(2, 3), three), [0.0, 5.0])
