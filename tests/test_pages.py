"""Pages of results: means with standard errors, and tables in markdown."""

import pandas as pd
import pytest

from benchmarks.pages import draw_table, format_mean, join, stamp


@pytest.mark.parametrize(
    ("values", "told"), [([1.0, 3.0], "2.0 (1.0)"), ([1.0, None], "1.0"), ([None], "not run"), ([], "not run")]
)
def test_a_mean_has_its_standard_error_where_there_is_one(values, told):
    assert format_mean(pd.Series(values, dtype=float)) == told


def test_digits_and_sign_are_chosen():
    assert format_mean(pd.Series([1.0, 1.0]), 2, "+") == "+1.00 (0.00)"


def test_a_table_has_a_line_below_its_head():
    assert draw_table(["a", "b"], [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |"


def test_parts_without_text_are_left_out_of_a_page():
    assert join("Title", "", "text") == "# Title\n\ntext\n"


def test_a_page_names_versions_of_python_and_of_what_all_studies_need_once_each():
    told = stamp("heedful", "pandas")
    names = [part.split()[0] for part in told.split(", ")[1:]]
    assert names == ["heedful", "numpy", "numba", "scikit-learn", "pandas", "Python"]
