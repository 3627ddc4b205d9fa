from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heedful.report._collect import collect
from report.cases import make_explanation

TASKS = ["regression", "binary", "multiclass", "survival"]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("known", [True, False])
def test_the_response_is_recognised(task, known):
    data = collect(make_explanation(task=task, known=known), None, None)
    assert data["words"]["probability"] == (task in ("binary", "multiclass"))
    assert data["words"]["numeric"] == (task == "regression")
    assert data["words"]["seen"]
    assert (data["observed"] is not None) == known
    assert any("error" in card["name"] for card in data["cards"]) == known


@pytest.mark.one_value
@pytest.mark.parametrize("shapes", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_contributions_add_up_to_the_link_of_every_class(task, shapes):
    data = collect(make_explanation(n_features=20, task=task, shapes=shapes), None, None)["drivers"]
    for output, link in enumerate(data["link"]):
        parts = np.reshape(data["part"][output], (30, data["k"])).sum(axis=1) + data["rest"][output]
        np.testing.assert_allclose(data["start"][output] + parts, link, atol=5e-3)


@pytest.mark.one_value
@pytest.mark.parametrize("task", TASKS)
def test_a_contribution_is_the_sum_of_its_two_parts(task):
    data = collect(make_explanation(task=task), None, None)["drivers"]
    for output, part in enumerate(data["part"]):
        np.testing.assert_allclose(np.add(data["attention"][output], data["model"][output]), part, atol=5e-3)


def test_values_are_texts_as_the_user_wrote_them():
    explanation = make_explanation(n_features=3)
    cells = explanation.values.astype(object)
    cells.iloc[:, 0], cells.iloc[:, 1] = pd.Timestamp("2024-02-29"), None
    data = collect(replace(explanation, values=cells), None, None)["drivers"]
    shown = {data["names"][j]: value for j, value in zip(data["feature"][0], data["value"][0], strict=True)}
    assert (shown["x0"], shown["x1"]) == ("2024-02-29", "missing")


def test_without_shapes_there_are_no_curves():
    data = collect(make_explanation(), None, None)
    assert data["curves"] is None


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_the_widest_curves_are_shown_at_their_heights(task):
    explanation = make_explanation(n_features=9, task=task, shapes=True)
    found = collect(explanation, None, None)["curves"]
    assert (found["n_columns"], found["n_bent"], len(found["columns"])) == (9, 8, 6)
    column = next(column for column in found["columns"] if column["name"] == "x1")
    table = explanation.curves[explanation.curves["feature"] == "x1"]
    for output, heights in enumerate(column["effect"]):
        own = table if task == "regression" else table[table["class"] == explanation.outputs[output]]
        np.testing.assert_allclose([*heights, column["missing"][output]], own["curve"], rtol=1e-3)
    assert (column["rows"], column["missing_rows"]) == ([20, 60, 30], 10)
    assert column["edges"][1:3] == [-1, 0.5]


def test_the_most_frequent_levels_of_a_curve_are_shown():
    found = collect(make_explanation(shapes=True), None, None)["curves"]["columns"]
    (column,) = (column for column in found if column["levels"])
    assert (column["n_levels"], column["rows"]) == (20, list(range(8, 20)))
    assert column["edges"] is None


def test_rows_that_share_a_label_stay_apart():
    explanation = make_explanation(labels=["same"] * 30)
    explanation.train.index = ["same"] * len(explanation.train)
    data = collect(explanation, None, 4)
    train = data["attended"]["train"]
    shown = [train["columns"][0][row] for row in data["attended"]["row"][:8]]
    expected = explanation.train["amount"].iloc[explanation.attention.top(0, 8)[0]]
    np.testing.assert_allclose(shown, expected, rtol=1e-5)
    assert len(set(data["clusters"]["prototype"])) == 4


def test_every_prototype_is_in_its_own_cluster():
    clusters = collect(make_explanation(), None, 4)["clusters"]
    assert [clusters["label"][query] for query in clusters["prototype"]] == [1, 2, 3, 4]


def test_the_map_shows_whole_rows_of_scaled_coefficients():
    explanation = make_explanation(task="multiclass")
    found = collect(explanation, None, None)["map"]
    scaled = explanation.scaled_coef().to_numpy().reshape(30, 3, 6)[found["row"]]
    for output in range(3):
        np.testing.assert_allclose(np.reshape(found["value"][output], (30, 6)), scaled[:, output], rtol=6e-3)


@pytest.mark.more
def test_a_map_of_many_queries_is_thinned_and_keeps_the_prototypes():
    data = collect(make_explanation(n_query=1000, n_features=80), None, 7)
    assert len(data["map"]["row"]) <= 407
    assert set(data["clusters"]["prototype"]) <= set(data["map"]["row"])
    assert (len(data["map"]["feature"]), data["map"]["n_used"]) == (60, 80)


def test_equal_models_are_one_cluster():
    explanation = make_explanation()
    explanation.lasso_coef.iloc[:] = explanation.lasso_coef.iloc[0].to_numpy()
    explanation.lasso_intercept.iloc[:] = explanation.lasso_intercept.iloc[0]
    assert collect(explanation, None, None)["clusters"]["size"] == [30]


def test_the_others_come_last_and_have_no_prototype():
    explanation = make_explanation(n_query=60)
    explanation.lasso_coef.iloc[:] = 0.0
    explanation.lasso_intercept.iloc[:] = np.repeat([0.0, 10.0, 100.0, -90.0], (28, 30, 1, 1))
    data = collect(explanation, None, None)["clusters"]
    assert data["name"] == ["1", "2", "others"]
    assert sorted(data["size"]) == [2, 28, 30]
    assert data["prototype"][-1] is None
    assert [data["label"].count(k) for k in (1, 2, 3)] == data["size"]
    assert len(data["rows"]) == len(data["coefficients"]) == 3


def test_a_single_query_has_no_clusters():
    data = collect(make_explanation(n_query=1), None, None)
    assert data["clusters"] is None
    assert data["map"] is None


def test_models_without_coefficients_have_an_empty_map():
    explanation = make_explanation()
    explanation.lasso_coef.iloc[:] = 0.0
    data = collect(explanation, None, None)
    assert data["map"]["feature"] == []
    assert data["map"]["limit"] > 0


def test_missing_errors_of_heads_become_null():
    explanation = make_explanation()
    explanation.heads["error"] = np.nan
    tuning = collect(explanation, None, None)["tuning"]
    assert tuning["curve"]["lines"][0]["error"] == [None] * 3


def test_the_curve_shows_the_best_penalty_and_the_whole_share():
    explanation = make_explanation()
    explanation.heads.loc[0, ["error", "share"]] = [0.2, 0.1]
    curve = collect(explanation, None, None)["tuning"]["curve"]
    assert curve["ways"] == ["0.1", "0.3", "leaf"]
    assert (curve["lines"][0]["error"][0], curve["lines"][0]["share"][0]) == (0.2, 0.1)


@pytest.mark.parametrize("task", TASKS)
def test_the_first_sentence_is_about_the_error(task):
    explanation = make_explanation(task=task)
    said = collect(explanation, None, None)["verdict"]
    error = (explanation.loss.mean() ** 0.5) if task == "regression" else explanation.loss.mean()
    assert f"is {error:.3g};" in said
    assert explanation.words.error in said
    assert "unknown" in collect(make_explanation(task=task, known=False), None, None)["verdict"]
