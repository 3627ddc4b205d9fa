"""Small models and what-if curves on the page."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.explain.test_lift import explained  # noqa: F401 - a fixture

from heedful import AttentionLasso, AttentionLassoClassifier
from heedful.report import _what_if
from heedful.report._collect import collect
from heedful.report._small import collect_small_models, per_column, say_near, shown_columns
from heedful.report._what_if import collect_what_if
from heedful.similarity import ForestProximity
from report.cases import make_explanation

TASKS = ["regression", "binary", "multiclass", "survival"]


def draw_table(n=90):
    """Return numbers, some missing, truths, dates, few values and levels; and a response of all of them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "flag": rng.random(n) < 0.5, "few": rng.integers(0, 3, n)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    X["kind"] = rng.choice(["u", "v", "w"], n)
    y = X["a"] * np.where(X["kind"] == "u", 1, -1) + 2 * X["flag"] + X["few"] + (X["day"].dt.month / 4)
    X.loc[X.index % 7 == 1, "a"] = np.nan
    return X, y


@pytest.fixture(scope="module", params=["regression", "multiclass"])
def fitted(request):
    X, y = draw_table()
    settings = {"similarity": ForestProximity(9), "alpha": 0.02, "random_state": 0}
    if request.param == "regression":
        model = AttentionLasso(heads="single", **settings).fit(X[12:], y[12:])
    else:
        model = AttentionLassoClassifier(heads="single", **settings).fit(X[12:], np.digitize(y, [2, 4])[12:])
    return model, X[:12], model.explain(X[:12])


def predict(model, X):
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)[:, None]


def entries(data, query):
    return range(*data["first"][query : query + 2])


def check_terms(explanation):
    shown, n_query = shown_columns(explanation), len(explanation.index)
    total = explanation.start.to_numpy().reshape(n_query, -1).T.copy()
    for part, terms in zip(total, shown.of(per_column(explanation, explanation.terms)), strict=True):
        np.add.at(part, shown.query, terms)
    np.testing.assert_allclose(total.T, explanation.link.to_numpy().reshape(n_query, -1), atol=1e-8)


@pytest.mark.parametrize("task", TASKS)
def test_start_and_the_terms_shown_add_up_to_the_link(task):
    check_terms(make_explanation(n_features=20, task=task))


@pytest.mark.one_value
def test_the_terms_of_a_fitted_model_add_up_to_its_link(fitted):
    check_terms(fitted[2])


@pytest.mark.one_value
@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_columns_of_each_small_model_come_by_their_terms(task):
    explanation = make_explanation(n_features=12, task=task)
    data, terms = collect_small_models(explanation), per_column(explanation, explanation.terms)
    slopes = per_column(explanation, explanation.coef)
    for q in range(30):
        own = [data["column"][at] for at in entries(data, q)]
        assert sorted(own) == list(np.flatnonzero(slopes[q].any(axis=0)))
        sizes = np.abs(terms[q][:, own]).max(axis=0)
        assert (np.diff(sizes) <= 0).all()
        for output in range(slopes.shape[1]):
            for name, table in (("slope", slopes), ("term", terms)):
                shown = [data[name][output][at] for at in entries(data, q)]
                np.testing.assert_allclose(shown, table[q, output, own], rtol=5e-3)


@pytest.mark.one_value
@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_effects_are_those_of_the_whole_move_with_their_ends(task):
    explanation = make_explanation(n_features=12, task=task)
    data, table = collect_small_models(explanation), explanation.effects()
    for at in entries(data, 4):
        name = explanation.features[data["column"][at]]
        for output, label in enumerate(explanation.outputs or [None]):
            own = table.loc[("row 4", name) if label is None else ("row 4", label, name)]
            for part in ("effect", "low", "high"):
                shown = data["effects"][part][output][at]
                assert shown == pytest.approx(own[part] * (own["to"] - own["from"]), rel=6e-3)


def test_ends_that_are_not_known_are_left_out():
    explanation = make_explanation()
    table = explanation.effects().assign(low=np.nan, high=np.nan)
    data = collect_small_models(replace(explanation, compute_effects=lambda coverage: table))
    assert sorted(data["effects"]) == ["effect", "from", "to"]


@pytest.mark.one_value
def test_cells_are_said_as_the_column_has_them(fitted):
    small, asked = collect_small_models(fitted[2]), collect_what_if(fitted[2])
    said = {}
    for at, j in enumerate(small["column"]):
        effects = small["effects"]
        said.setdefault(fitted[2].features[j], set()).update(
            [small["value"][at], effects["from"][at], effects["to"][at], *asked["grids"][str(j)]["text"]]
        )
    assert said["flag"] == {"false", "true"}
    assert said["kind"] == {"u", "v", "w"}
    assert all(len(day) == len("2024-01-01") for day in said.get("day", ()))


@pytest.mark.parametrize(
    ("cell", "kind", "said"),
    [
        (12345.678, "", "12346"),
        (np.inf, "", "inf"),
        (0.25, "truths", "0.25"),
        (1.0, "truths", "true"),
        (pd.NA, "truths", "missing"),
        (pd.Timestamp("2024-02-28 13:00"), "days", "2024-02-29"),
        (pd.NaT, "days", "missing"),
    ],
)
def test_cells_between_others_are_said_in_few_digits(cell, kind, said):
    assert say_near(cell, kind) == said


@pytest.mark.one_value
def test_curves_are_what_the_model_predicts_of_changed_rows(fitted):
    model, X, explanation = fitted
    small, asked = collect_small_models(explanation), collect_what_if(explanation)
    for q in range(len(X)):
        for at in entries(small, q):
            j = small["column"][at]
            grid, name = asked["grids"][str(j)], X.columns[j]
            changed = X.iloc[[q] * len(grid["text"])].reset_index(drop=True)
            place = grid["text"] if grid["place"] is None else grid["place"]
            changed[name] = pd.to_datetime(place, unit="ms") if grid["dates"] else pd.array(place).astype(X[name].dtype)
            expected = predict(model, changed)
            for output, curve in enumerate(asked["curve"]):
                np.testing.assert_allclose(curve[at], expected[:, output], atol=2e-3)


@pytest.mark.one_value
def test_at_the_own_value_a_curve_has_the_prediction(fitted):
    explanation = fitted[2]
    data, n_found = collect(explanation, None, None), 0
    small, asked = data["small"], data["what_if"]
    for q in range(len(explanation.index)):
        for at in entries(small, q):
            grid = asked["grids"][str(small["column"][at])]
            own, places = asked["place"][at], grid["place"]
            if places is None:
                own, places = small["value"][at], grid["text"]
            if own in places:
                n_found += 1
                for output, curve in enumerate(asked["curve"]):
                    shown = curve[at][places.index(own)]
                    assert shown == pytest.approx(data["prediction"][output][q], abs=1e-3)
    assert n_found > 12


@pytest.mark.one_value
def test_missing_numbers_have_no_place(fitted):
    small, asked = collect_small_models(fitted[2]), collect_what_if(fitted[2])
    for at, place in enumerate(asked["place"]):
        levels = asked["grids"][str(small["column"][at])]["place"] is None
        assert (place is None) == (levels or small["value"][at] == "missing")


@pytest.mark.one_value
@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_means_are_over_queries_evenly_spread(task):
    explanation = make_explanation(n_query=88, n_features=8, task=task)
    found = collect_what_if(explanation)
    kept = np.linspace(0, 87, 30).round().astype(int)
    assert found["n_mean"] == 30
    for j, means in found["mean"].items():
        table = explanation.what_if([f"x{j}"], queries=kept)
        table["at"] = table.groupby("query").cumcount()
        expected = table.groupby("at")[explanation.outputs or ["prediction"]].mean().to_numpy()
        np.testing.assert_allclose(np.transpose(means), expected, rtol=2e-3)


def test_means_of_counts_are_per_unit_of_exposure(explained):  # noqa: F811 - the fixture of another file
    found, n_values = collect_what_if(explained), _what_if.N_VALUES
    kept = np.linspace(0, 79, found["n_mean"]).round().astype(int)
    for j, (mean,) in found["mean"].items():
        table = explained.what_if([explained.features[int(j)]], n_values=n_values, queries=kept)
        table = table[table["usual"]]
        rate = table["prediction"] / np.exp(explained.offset).to_numpy()[table["query"]]
        np.testing.assert_allclose(mean, rate.to_numpy().reshape(len(kept), -1).mean(axis=0), rtol=2e-3)


def test_many_queries_have_fewer_values(monkeypatch):
    explanation = make_explanation()
    n_shown = len(collect_small_models(explanation)["column"])
    for most, n_values in ((1e6, 10), (7 * n_shown, 7), (1, 4)):
        monkeypatch.setattr(_what_if, "MOST_CELLS", most)
        found = collect_what_if(explanation)
        assert {len(curve) for curve in found["curve"][0]} == {n_values}
        assert {len(grid["text"]) for grid in found["grids"].values()} == {n_values}


def test_predictions_far_from_zero_are_told_apart():
    explanation = make_explanation()
    far = replace(
        explanation, ask=lambda *asked: explanation.ask(*asked).assign(prediction=lambda t: t.prediction + 1e4)
    )
    near, found = (collect_what_if(one)["curve"][0] for one in (explanation, far))
    for one, other in zip(near, found, strict=True):
        np.testing.assert_allclose(np.subtract(other, 1e4), one, atol=5e-3)


def test_without_slopes_or_a_model_to_ask_nothing_is_shown():
    explanation = make_explanation()
    assert collect_what_if(replace(explanation, ask=None)) is None
    assert collect_small_models(replace(explanation, compute_effects=None))["effects"] is None
    without = replace(explanation, terms=None, ask=None)
    assert collect_small_models(without) is collect_what_if(without) is None
    empty = replace(explanation, coef=0.0 * explanation.coef, terms=0.0 * explanation.terms, start=explanation.link)
    assert collect_what_if(empty) is None
    assert collect_small_models(empty)["column"] == []
