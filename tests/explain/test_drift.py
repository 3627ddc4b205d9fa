import numpy as np
import pandas as pd
import pytest
from tests.report.cases import make_columns

from heedful.explain import DriftReport
from heedful.explain._drift_measures import is_corrected, order_columns, separate, summarise, tabulate_tests

TUNED = {"temperature": 0.1, "mixing": 1.0, "guard": 1.0}


def rows(loss, corrected_loss, weight=None, residual=0.0):
    n = len(loss)
    weight = np.ones(n) if weight is None else weight
    return pd.DataFrame({"weight": weight, "loss": loss, "corrected_loss": corrected_loss, "residual": residual})


def moves(correction, standard_error=1.0, n_eff=5.0):
    return pd.DataFrame({"correction": correction, "standard_error": standard_error, "n_eff": n_eff})


def test_errors_of_numbers_are_roots_of_weighted_means():
    told = summarise(rows([4.0, 16.0], [1.0, 1.0], [3.0, 1.0]), moves([1.0, -1.0]), TUNED, squared=True)["value"]
    assert told["error before"] == pytest.approx(7.0**0.5)
    assert told["error after"] == 1.0
    assert told["error change (%)"] == pytest.approx(100 * (1 / 7.0**0.5 - 1))


def test_rows_count_by_their_weight():
    found = rows([4.0, 16.0], [5.0, 1.0], [3.0, 1.0], [2.0, -2.0])
    told = summarise(found, moves([1.0, -1.0]), TUNED, squared=False)["value"]
    assert told["mean residual"] == pytest.approx(1.0)
    assert told["rows explained"] == pytest.approx(0.25)


def test_rows_explained_are_those_that_come_closer():
    told = summarise(rows([4.0, 1.0, 2.0], [1.0, 2.0, 2.0]), moves([0.0]), TUNED, squared=False)["value"]
    assert told["rows explained"] == pytest.approx(1 / 3)
    assert told["error before"] == pytest.approx(7 / 3)


def test_no_error_at_all_is_no_change():
    assert summarise(rows([0.0], [0.0]), moves([0.0]), TUNED, squared=True)["value"]["error change (%)"] == 0.0


def test_corrections_beyond_two_standard_errors_count():
    np.testing.assert_array_equal(is_corrected(moves([2.1, -2.1, 1.9, 0.0])), [True, True, False, False])


def test_the_column_that_separates_comes_first_with_its_means():
    table = pd.DataFrame({"same": [1.0, 2.0, 1.0, 2.0], "apart": [5.0, 7.0, 1.0, 1.0]})
    found = separate(table, np.array([True, True, False, False]))
    assert list(found.index) == ["apart", "same"]
    assert found.loc["apart", ["separation", "corrected", "others"]].tolist() == [1.0, 6.0, 1.0]
    assert found.loc["same", "separation"] == 0.0


def test_categories_are_compared_by_their_frequencies():
    table = pd.DataFrame({"kind": ["a", "a", "b", "b", "b", None], "flag": [True, True, True, False, False, False]})
    found = separate(table, np.array([True, True, False, False, False, True]))
    assert found.loc["kind", ["separation", "kind", "corrected", "others"]].tolist() == [1.0, "category", "a", "b"]
    assert found.loc["flag", "corrected"] == "True"


@pytest.mark.parametrize("everyone", [True, False])
def test_nothing_separates_queries_that_are_all_alike(everyone):
    assert separate(pd.DataFrame({"x": [1.0, 2.0]}), np.full(2, everyone)).empty


def test_a_column_without_values_on_one_side_is_left_out():
    assert separate(pd.DataFrame({"x": [np.nan, 2.0]}), np.array([True, False])).empty


def test_the_frame_holds_summary_and_features():
    queries = moves([3.0, 0.0])
    summary = summarise(rows([1.0, 1.0], [0.5, 0.5]), queries, TUNED, squared=True)
    features = separate(pd.DataFrame({"x": [1.0, 2.0], "kind": ["a", "b"]}), is_corrected(queries))
    report = DriftReport(
        summary=summary,
        features=features,
        rows=rows([1.0], [1.0]),
        queries=queries,
        heads=pd.DataFrame(),
        error="log loss",
        tests=tabulate_tests({}),
        columns=pd.DataFrame(),
    )
    assert report.frame.loc[("feature", "x"), "value"] == 1.0
    assert report.frame.loc[("feature", "kind"), "meaning"] == "mostly a where corrected, b elsewhere"
    assert list(report.frame.index.unique("part")) == ["drift", "feature"]
    assert "error before" in str(report)


def test_the_error_on_the_reference_is_weighed_as_that_on_recent_rows():
    known = rows([4.0, 16.0], [4.0, 16.0], [3.0, 1.0], [2.0, -2.0])
    told = summarise(rows([1.0], [1.0]), moves([0.0]), TUNED, squared=True, reference=known)["value"]
    assert told["error on the reference"] == pytest.approx(7.0**0.5)
    assert told["mean residual of the reference"] == pytest.approx(1.0)
    assert told["reference rows"] == 2


def test_columns_come_by_their_effects_if_the_relation_moved_and_by_their_values_else():
    columns = make_columns(["a", "b"]).assign(change=[0.1, -1.0], separation=[0.5, 0.2])
    assert list(order_columns(columns, "relation moved").index) == ["b", "a"]
    assert list(order_columns(columns, "rows moved").index) == ["a", "b"]
    assert order_columns(pd.DataFrame(), "not known").empty
