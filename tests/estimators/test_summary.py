"""``summary()``: the figures of an estimator, in words, and what they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeRegressor

from heedful import (
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    TreeAttentionRegressor,
)
from heedful.explain import describe_error
from heedful.similarity import ForestProximity
from test_show import read_html

N_ROWS = 60
HOSTILE = "<script>alert(1)</script>\n" + "long " * 30
HOW = {"similarity": ForestProximity(20), "random_state": 0}
FOREST = {"n_estimators": 8, "max_depth": 3, "random_state": 0}


def make_rows(n_rows=N_ROWS):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=["a", "b", "c", HOSTILE])
    return X, (np.where(X["c"] > 0, 2.0, -2.0) * X["a"] + X["b"]).rename(HOSTILE)


def labels(y, n_classes):
    return pd.qcut(y, n_classes, labels=["low", "<b>mid", "top"][:n_classes]).astype(str)


def correct(**settings):
    X, y = make_rows()
    return DriftCorrector(GradientBoostingRegressor(random_state=0).fit(X, y), **settings)


def times(y):
    return np.column_stack([np.ones(len(y)), np.exp(-y)])


KINDS = {
    "numbers": (lambda: AttentionLasso(**HOW), lambda y: y, "one lasso for all rows"),
    "two classes": (lambda: AttentionLassoClassifier(**HOW), lambda y: labels(y, 2), "one lasso for all rows"),
    "classes": (lambda: AttentionLassoClassifier(**HOW), lambda y: labels(y, 3), "one lasso for all rows"),
    "survival": (lambda: AttentionCox(**HOW), times, "one Cox lasso for all rows"),
    "learners": (
        lambda: AttentionRegressor(DecisionTreeRegressor(max_depth=3, random_state=0), temperature=0.1, **HOW),
        lambda y: y,
        "one model for all rows",
    ),
    "leaves": (
        lambda: LeafAttentionClassifier(RandomForestClassifier(**FOREST), random_state=0),
        lambda y: labels(y, 3),
        "one model for all rows",
    ),
    "trees": (
        lambda: TreeAttentionRegressor(RandomForestRegressor(**FOREST), random_state=0),
        lambda y: y,
        "one model for all rows",
    ),
    "drift": (correct, lambda y: y + 3, "the model as it is"),
    "drift by similarity": (lambda: correct(similarity=HOW["similarity"]), lambda y: y + 3, "the model as it is"),
}


@pytest.fixture(scope="module", params=KINDS)
def every(request):
    make, respond, rival = KINDS[request.param]
    X, y = make_rows()
    weight = np.random.default_rng(2).integers(1, 4, N_ROWS).astype(float)
    model = make().fit(X, respond(y), sample_weight=weight)
    return model, model.summary(), X, weight, rival


@pytest.mark.one_value
def test_its_figures_are_the_attributes_they_come_from(every):
    model, summary, _, _, rival = every
    pd.testing.assert_series_equal(summary.held_out_error, model.held_out_error_)
    assert (summary.mixing, summary.rival) == (model.mixing_, rival)
    assert (summary.n_heads, summary.n_used) == (len(model.heads_), (model.heads_["share"] > 0).sum())
    assert (summary.n_rows, summary.n_missing, summary.columns.to_dict()) == (
        *(N_ROWS, 0),
        {"numbers": 4, "dates": 0, "categories": 0},
    )
    said = " ".join(str(summary).split())
    assert describe_error(model.held_out_error_, model.mixing_, rival) in said
    assert (f"{100 * model.mixing_:.0f} %" if model.mixing_ else "mixing is 0") in said
    assert np.isnan(summary.n_eff) if model.mixing_ == 0 else 1 <= summary.n_eff <= N_ROWS


@pytest.mark.one_value
def test_rows_attended_to_are_a_weighted_median_of_rows_left_out(every):
    model, summary, _, weight, _ = every
    rows = model._model.rows
    n_eff = rows.give_back(model._model.attend_left_out(np.arange(N_ROWS))).n_eff
    repeated = np.sort(np.repeat(n_eff, rows.mass.astype(int)))
    assert repeated.size == weight.sum()
    assert model.mixing_ == 0 or summary.n_eff == pytest.approx(repeated[(repeated.size - 1) // 2])


@pytest.mark.one_value
def test_columns_matter_as_much_as_they_contribute_to_training_rows(every):
    model, summary, X, weight, _ = every
    added = model.explain(X).contributions().abs()
    mean = pd.Series(np.average(added, axis=0, weights=weight), added.columns)
    pd.testing.assert_series_equal(summary.importances, mean.loc[summary.importances.index], check_names=False)
    assert summary.importances.is_monotonic_decreasing


def test_it_is_short_and_names_stay_text(every):
    _, summary, _, _, _ = every
    assert repr(summary) == str(summary)
    assert len(str(summary).splitlines()) < 20
    page = summary._repr_html_()
    read_html(page)
    assert len(page) < 3000


def test_five_columns_are_named():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 8))).add_prefix("column")
    summary = AttentionLasso(**HOW).fit(X, X @ 2.0 ** np.arange(8)).summary()
    assert list(summary.importances.index[:3]) == ["column7", "column6", "column5"]
    assert [name in str(summary) for name in summary.importances.index] == [True] * 5 + [False] * 3


def test_rows_without_weight_are_not_there():
    X, y = make_rows()
    kept = np.arange(N_ROWS) >= 10
    whole = AttentionLasso(**HOW).fit(X, y, sample_weight=kept.astype(float)).summary()
    part = AttentionLasso(**HOW).fit(X[kept], y[kept]).summary()
    assert str(whole) == str(part)


def test_a_row_of_weight_two_is_two_rows():
    X, y = make_rows()
    twice = np.append(np.arange(N_ROWS), [0, 1])
    double = AttentionLasso(**HOW).fit(X.iloc[twice].reset_index(drop=True), y.iloc[twice].to_numpy()).summary()
    weight = 1.0 + (np.arange(N_ROWS) < 2)
    weighed = AttentionLasso(**HOW).fit(X, y, sample_weight=weight).summary()
    assert (double.n_rows, weighed.n_rows) == (N_ROWS + 2, N_ROWS)
    pd.testing.assert_series_equal(double.importances, weighed.importances)


def test_the_table_is_told_by_kinds_and_missing_cells():
    X, y = make_rows()
    X = X.assign(kind=np.where(X["a"] > 0, "u", "v"), day=pd.date_range("2024-01-01", periods=N_ROWS))
    X.loc[3:5, "a"], X.loc[7, "kind"] = np.nan, None
    X.loc[3] = X.loc[4]
    y[3] = y[4]
    summary = AttentionLasso(**HOW).fit(X, y).summary()
    # rows that are equal are counted as they were given
    assert (summary.n_rows, summary.n_missing) == (N_ROWS, 4)
    assert "60 rows, 6 columns (4 numeric, 1 date, 1 categorical), 4 missing cells." in str(summary)


def test_equal_attention_is_to_all_rows():
    X, y = make_rows()
    model = AttentionLasso(heads="single", temperature=1e9, mixing=0.5, **HOW).fit(X, y)
    assert model.summary().n_eff == pytest.approx(N_ROWS, abs=1.01)


def test_many_rows_are_told_by_some_of_them():
    X, y = make_rows(450)
    model = AttentionLasso(heads="single", **HOW).fit(X, y)
    every = model.explain(X).contributions().abs().mean()
    np.testing.assert_allclose(model.summary().importances, every.loc[model.summary().importances.index], rtol=0.2)


def test_a_constant_response_is_moved_by_nothing():
    X, _ = make_rows()
    summary = AttentionLasso(**HOW).fit(X, np.ones(N_ROWS)).summary()
    assert "no column contributes" in str(summary)
    assert "mixing is 0" in str(summary)


def test_there_is_none_before_a_fit():
    with pytest.raises(NotFittedError):
        AttentionLasso().summary()
