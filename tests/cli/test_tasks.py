"""The rule of --task auto, and responses as models take them."""

from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heedful.cli._errors import UserError
from heedful.cli._tasks import choose_task, read_exposure, read_response, response_if_known

T = Path("t.csv")


def options(task="auto", **named):
    return Namespace(**dict.fromkeys(("target", "event", "time", "exposure")) | {"task": task} | named)


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (["a", "b"] * 10, "classification"),
        ([True, False] * 10, "classification"),
        ([0, 1] * 5, "classification"),
        ([0.0, 1.0] * 5, "classification"),
        (list(range(10)) * 5, "classification"),
        (list(range(11)) * 5, "regression"),
        ([0, 1, 2], "regression"),
        ([0.5, 1.0] * 10, "regression"),
    ],
)
def test_text_booleans_and_few_whole_numbers_are_classes(cells, task):
    assert choose_task(Path("t.csv"), pd.Series(cells, name="y"))[0] == task


def test_dates_are_no_target():
    with pytest.raises(UserError, match=r"'y' .* dates"):
        choose_task(Path("t.csv"), pd.Series(pd.to_datetime(["2024-01-01"] * 3), name="y"))


@pytest.mark.parametrize(("n_values", "n_rows"), [(10, 12), (11, 22), (30, 60)])
def test_text_is_a_class_unless_most_of_its_values_differ(n_values, n_rows):
    cells = [f"c{row % n_values}" for row in range(n_rows)]
    assert choose_task(T, pd.Series(cells, name="y")) == ("classification", "text")
    if n_values > 10:
        with pytest.raises(UserError, match=f"{n_values} different values in {n_rows - 1} rows"):
            choose_task(T, pd.Series(cells[:-1], name="y"))


@pytest.mark.parametrize("dtype", ["object", "str", "category"])
@pytest.mark.parametrize("cells", [["b", "a", "b", "c"], ["10", "9", "10", "9"]])
def test_labels_of_text_are_plain_text_however_they_are_stored(cells, dtype):
    table = pd.DataFrame({"y": pd.Series(cells).astype(dtype)})
    found = read_response(T, table, options(target="y"))
    known = response_if_known(T, table, found.task, found.columns)
    for y in (found.y, known):
        assert y.dtype == object
        assert [type(label) for label in y] == [str] * len(cells)
        assert list(y) == cells


@pytest.mark.parametrize("words", [(True, False), (1, 0), ("true", "false"), ("True", "False")])
def test_an_event_is_what_happened_in_whatever_words(words):
    happened, time = np.array([True, False, False, True]), np.array([2.0, 0.5, 1.0, 3.0])
    table = pd.DataFrame({"died": [words[0] if one else words[1] for one in happened], "years": time})
    found = read_response(T, table, options(event="died", time="years"))
    known = response_if_known(T, table, found.task, found.columns)
    for y in (found.y, known):
        np.testing.assert_array_equal(y["event"], happened)
        np.testing.assert_array_equal(y["time"], time)


def test_a_response_is_known_whatever_the_exposures_are():
    table = pd.DataFrame({"claims": [0, 2, 1], "years": [1.0, 0.5, 2.0]})
    found = read_response(T, table, options("poisson", target="claims", exposure="years"))
    assert (list(found.y), list(found.exposure)) == ([0, 2, 1], [1.0, 0.5, 2.0])
    for other in (table[["claims"]], table.assign(years=[1.0, None, 2.0])):
        assert list(response_if_known(T, other, found.task, found.columns)) == [0, 2, 1]
    assert response_if_known(T, table.assign(claims=[0, None, 1]), found.task, found.columns) is None


def test_the_row_of_a_bad_exposure_is_counted_through_all_blocks():
    block = pd.DataFrame({"claims": 1, "years": [1.0, -2.0, 0.0]}, index=[40, 41, 42])
    with pytest.raises(UserError, match="got -2 in row 42"):
        read_exposure(T, block, {"target": "claims", "exposure": "years"})
