import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from heedful._frames import as_table, warn_of_suspicious_columns

NUMBERS = [str(number) for number in range(19)]
DOUBTS = {
    "all are numbers": (
        NUMBERS,
        r"'a' is read as categories, but 19 of 19 cells look like numbers\. Try pd.to_numeric",
    ),
    "one is not": (
        [*NUMBERS, "?"],
        r"19 of 20 cells look like numbers\. Not written as such: '\?'\. Correct those, or",
    ),
    "one has a comma": ([*NUMBERS, "1,234"], r"20 of 20 cells look like numbers\. Not written as such: '1,234'\."),
    "all have commas": (["1,234", "5,678.5"] * 3, "6 of 6 cells look like numbers"),
    "numbers and text": ([*range(9), "?", None], "9 of 10 cells look like numbers.*'?'"),
    "dates as text": (["2024-01-02", "2024-02-03T04:05", "never"] + ["2024-01-04"] * 5, "7 of 8 .*dates.*'never'"),
    "dates among text": ([dt.date(2024, 1, 1)] * 4 + ["never"], "4 of 5 cells look like dates.*'never'"),
    "numbers and dates": ([dt.date(2024, 1, 1), 1.5], "it holds dates and numbers. Convert it to one of them"),
    "text and durations": (["a", "b", dt.timedelta(1)], "it holds durations and text"),
    "ids": ([f"user {number}" for number in range(20)], "20 of 20 cells are distinct, as ids are: 'user 0'.*drop it"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_a_column_that_does_not_look_like_categories_is_named(name):
    cells, words = DOUBTS[name]
    with pytest.warns(UserWarning, match=words) as said:
        warn_of_suspicious_columns(pd.DataFrame({"a": pd.Series(cells, dtype=object), "b": "x"}))
    assert len(said) == 1
    assert "If categories are meant: X['a'].astype('category')" in str(said[0].message)


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "b", "1"] * 9,
        [None, None],
        [f"user {number}" for number in range(19)],
        [f"user {number % 15}" for number in range(30)],
        ["nan", "inf", "1", "1_000"],
        [1.5, 2.5],
        [(1, 2), (3, 4)],
    ],
)
def test_columns_beyond_doubt_are_passed_in_silence(cells):
    warn_of_suspicious_columns(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))


@pytest.mark.parametrize("cells", [NUMBERS, DOUBTS["ids"][0], DOUBTS["one is not"][0]])
def test_who_says_category_is_believed(cells):
    warn_of_suspicious_columns(pd.DataFrame({"a": pd.Categorical(cells)}))
    warn_of_suspicious_columns(as_table(pl.DataFrame({"a": pl.Series(cells, dtype=pl.Categorical)})))


def test_each_column_in_doubt_is_named_once():
    table = pd.DataFrame({"a": NUMBERS, "b": [f"user {number}" for number in range(19)], "c": NUMBERS})
    with pytest.warns(UserWarning, match="Column") as said:
        warn_of_suspicious_columns(table)
    assert [str(warning.message).split("'")[1] for warning in said] == ["a", "c"]


def test_an_array_holds_numbers():
    warn_of_suspicious_columns(np.ones((3, 2)))
