"""Cells in the words of whoever made the table."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from heedful.explain import format_cell, format_value


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("no", "no"),
        (3.0, "3"),
        (np.float64(0.123456), "0.1235"),
        (np.int64(7), "7"),
        (12345678.0, "1.235e+07"),
        (np.inf, "inf"),
        (True, "true"),
        (np.bool_(False), "false"),
        (None, "missing"),
        (np.nan, "missing"),
        (pd.NaT, "missing"),
        (pd.Timestamp("2024-02-29"), "2024-02-29"),
        (np.datetime64("2024-02-29"), "2024-02-29"),
        (pd.Timestamp("2024-02-29 13:30"), "2024-02-29 13:30:00"),
        (dt.date(2024, 2, 29), "2024-02-29"),
        (pd.Timedelta("2 days"), "2 days 00:00:00"),
        (np.timedelta64(1, "D"), "1 days 00:00:00"),
        (("a", 1), "('a', 1)"),
    ],
)
def test_a_cell_is_told_as_it_is_read(cell, text):
    assert format_cell(cell) == text


def test_a_column_is_told_with_its_cell():
    assert (format_value("member", "no"), format_value("pressure", np.nan)) == ("member = no", "pressure missing")
