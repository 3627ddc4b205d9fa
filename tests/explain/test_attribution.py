"""Laws of contributions: they are complete, belong to the user's columns, and are Shapley values of the model."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor
from tests.reference.shapley import shapley_values

from heedful import (
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LocalLasso,
    saving,
)
from heedful._explaining import value_function as attribution
from heedful._explaining.value_function import value_function_of
from heedful.similarity import ForestProximity

FOREST = ForestProximity(20)
SETTINGS = {
    "default": {},
    "adaptive": {"mixing": "adaptive"},
    "baseline alone": {"mixing": 0.0},
    "one head": {"heads": "single", "temperature": 0.1},
    "few columns": {"local": LocalLasso(n_screened=2)},
    "context": {"features": {"model": ["a", "day"]}},
}
ESTIMATORS = {"numbers": AttentionLasso, "two": AttentionLassoClassifier, "three": AttentionLassoClassifier}
ESTIMATORS["survival"] = AttentionCox


def make_table(n_rows=110):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=list("abc"), index=[f"r{i}" for i in range(n_rows)])
    X["member"] = rng.choice(["yes", "no", "ask"], n_rows)
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n_rows), "D")
    X.loc[rng.random(n_rows) < 0.15, "b"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "member"] = None
    signal = np.where(X["member"] == "yes", 2.0, -1.0) * X["a"] + X["b"].fillna(1.0) + 0.2 * rng.normal(size=n_rows)
    return X, signal.to_numpy()


def response(kind, signal):
    if kind == "numbers":
        return signal
    if kind == "survival":
        return np.column_stack([np.arange(signal.size) % 3 > 0, np.exp(-signal)])
    return pd.qcut(signal, 2 if kind == "two" else 3, labels=False).astype(str)


def fit(kind, X, y, **how):
    return ESTIMATORS[kind](similarity=FOREST, random_state=0, **how).fit(X, y)


@pytest.fixture(scope="module")
def mixed():
    X, signal = make_table()
    return fit("numbers", X[:90], signal[:90]), X[90:]


def check_adds_up(e):
    for output in e.outputs or [None]:
        link, base = (e.link, e.base_value) if output is None else (e.link[output], e.base_value[output])
        total = e.contributions(output)
        np.testing.assert_allclose(base + total.sum(axis=1), link, rtol=0, atol=1e-8)
        parts = e.contributions(output, "attention") + e.contributions(output, "model")
        np.testing.assert_allclose(parts, total, rtol=0, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("how", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_contributions_lead_from_the_base_value_to_the_link(kind, how):
    X, signal = make_table()
    e = fit(kind, X[:90], response(kind, signal)[:90], **how).explain(X[90:])
    assert list(e.contributions()) == list(X)
    check_adds_up(e)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_base_value_is_the_mean_link_of_the_training_rows(kind):
    X, signal = make_table()
    twice = np.r_[np.arange(90), np.arange(15)]
    model = fit(kind, X.iloc[twice], response(kind, signal)[twice])
    expected = np.asarray(model.explain(X.iloc[twice]).link).reshape(105, -1).mean(axis=0)
    np.testing.assert_allclose(np.atleast_1d(model.explain(X[:2]).base_value), expected, rtol=0, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("method", ["fast", "shapley"])
def test_a_row_is_explained_alike_in_any_batch(mixed, method):
    model, X = mixed
    whole = model.explain(X[:4], method=method).contributions()
    alone = model.explain(X[2:3], method=method).contributions()
    np.testing.assert_allclose(alone.iloc[0], whole.iloc[2], rtol=0, atol=1e-9)


def test_values_and_sources_are_those_of_the_table_as_given(mixed):
    model, X = mixed
    e = model.explain(X)
    pd.testing.assert_frame_equal(e.values, X)
    assert set(e.sources) == set(X)
    assert set(e.sources.index[e.sources == "member"]) == {
        *("member=(missing)", "member=ask", "member=no", "member=yes")
    }
    top = e.top_features(5).reset_index()
    cells = [X.loc[q, name] for q, name in zip(top["query"], top["feature"], strict=True)]
    assert all(a == b or (pd.isna(a) and pd.isna(b)) for a, b in zip(top["value"], cells, strict=True))
    assert top["effect"].tolist() == [
        e.effect.loc[q, name] for q, name in zip(top["query"], top["feature"], strict=True)
    ]


def test_what_columns_add_by_slopes_and_curves_is_nothing_on_average(mixed):
    model, _ = mixed
    function = value_function_of(model._fitted, model._run)
    view, share = function.fitted.read_rows(function.compared.rows).view, function.compared.share
    slopes, curves = np.ones((1, 1, len(function.fitted.models.names))), np.ones((1, 1, 1))
    for coef, multiple in ((slopes, 0 * curves), (0 * slopes, curves), (slopes, curves)):
        terms = function.terms(view, coef, multiple)
        assert np.ptp(terms.columns, axis=0).max() > 0.1
        for part in terms:
            np.testing.assert_allclose(np.tensordot(share, part, 1).sum(), 0.0, atol=1e-10)
        np.testing.assert_allclose(np.tensordot(share, terms.columns, 1), 0.0, atol=1e-10)


def test_columns_are_relied_on_by_the_size_of_their_values_and_categories_have_no_order(mixed):
    model, X = mixed
    function = value_function_of(model._fitted, model._run)
    assert function.bins.categories.tolist() == [name == "member" for name in X]
    values = function.tables[0].values(function.binned(function.compared.rows.codes))
    # values of the rows themselves have mean 0: what a column does is their size
    np.testing.assert_allclose(function.compared.share @ values, 0.0, atol=1e-10)
    np.testing.assert_allclose(function.reliance[0], np.abs(values).mean(axis=0))


def test_a_category_of_one_level_has_no_effect():
    X, signal = make_table()
    X = X[["a", "c"]].assign(site="north")
    e = fit("numbers", X[:90], signal[:90]).explain(X[90:])
    assert not e.coef["site"].any()
    assert not e.effect["site"].fillna(0.0).any()


def test_levels_add_up_to_the_part_of_the_model(mixed):
    model, X = mixed
    e = model.explain(X)
    levels = e.contributions(part="model", levels=True)
    assert list(levels) == e.lasso_features
    by_column = levels.T.groupby(e.sources).sum().T[list(X)]
    np.testing.assert_allclose(by_column, e.contributions(part="model"), atol=1e-10)


@pytest.mark.one_value
@pytest.mark.parametrize("mixing", ["auto", 0.5])
def test_the_part_of_the_model_is_the_mean_of_both_slopes_times_the_way_from_the_mean(mixing):
    X, signal = make_table()
    numbers = X[["a", "c"]]
    y = signal + 2.0 * numbers["c"].to_numpy()
    model = fit("numbers", numbers[:90], y[:90], local=LocalLasso(shapes=False, smooth=False), mixing=mixing)
    assert (model.baseline_.coef_ != 0).any()
    e, own = model.explain(numbers[90:]), model.explain(numbers[:90])
    slope = (e.lasso_coef + own.lasso_coef.mean()) / 2
    np.testing.assert_allclose(e.contributions(part="model"), slope * (numbers[90:] - numbers[:90].mean()), atol=1e-10)


def test_the_slow_method_is_the_definition_where_all_can_be_asked(rng):
    X = rng.normal(size=(14, 3))
    model = AttentionLasso(similarity=FOREST, random_state=0, mixing=0.7).fit(X, X[:, 0] * np.sign(X[:, 1]))
    e = model.explain(X[:3] + 0.1, method="shapley")
    for q in range(3):
        expected = shapley_values(model.predict, X[q] + 0.1, X, np.ones(14))
        np.testing.assert_allclose(e.contributions().iloc[q], expected, atol=1e-8)
    np.testing.assert_array_equal(e.standard_error, 0.0)


@pytest.mark.more
def test_both_methods_agree_and_errors_say_how_far(mixed):
    model, X = mixed
    wide = X.assign(**{f"z{j}": np.sin(np.arange(20) + j) for j in range(7)})
    train = make_table()[0][:90].assign(**{f"z{j}": np.cos(np.arange(90) * (j + 1)) for j in range(7)})
    model = fit("numbers", train, make_table()[1][:90])
    fast, slow = (model.explain(wide, method=method) for method in ("fast", "shapley"))
    assert fast.standard_error is None
    error = slow.standard_error
    assert list(error) == list(wide)
    away = (fast.contributions() - slow.contributions()).abs()
    assert away.to_numpy().mean() < 0.1 * slow.contributions().abs().to_numpy().mean() + 2 * error.to_numpy().mean()
    pair = zip(fast.contributions().to_numpy(), slow.contributions().to_numpy(), strict=True)
    assert np.mean([np.corrcoef(a, b)[0, 1] for a, b in pair]) > 0.9


def test_a_linear_truth_has_the_contributions_of_the_lasso(rng):
    X = rng.normal(size=(200, 5))
    y = X @ [3.0, -2.0, 1.0, 0.0, 0.0] + 0.5 * rng.normal(size=200)
    model = AttentionLasso(random_state=0).fit(X[:150], y[:150])
    expected = model.baseline_.coef_ * (X[150:] - X[:150].mean(axis=0))
    away = np.abs(model.explain(X[150:]).contributions().to_numpy() - expected)
    assert away.sum() < 0.05 * np.abs(expected).sum()


@pytest.mark.more
def test_a_switch_that_only_attention_sees_gets_the_credit(rng):
    X = rng.normal(size=(500, 5))
    y = np.where(np.abs(X[:, 2]) < 0.7, 3.0, -3.0) + 0.2 * rng.normal(size=500)
    model = AttentionLasso(random_state=0, local=LocalLasso(shapes=False)).fit(X[:400], y[:400])
    e = model.explain(X[400:])
    size = e.contributions().abs().sum()
    assert size["x2"] >= 0.95 * size.sum()
    assert e.contributions(part="attention").abs().sum()["x2"] >= 0.9 * size.sum()


def test_a_column_that_nothing_uses_gets_nothing():
    X, signal = make_table()
    X["idle"] = 1.0
    e = fit("numbers", X[:90], signal[:90]).explain(X[90:])
    np.testing.assert_allclose(e.contributions()["idle"], 0.0, atol=1e-8)


@pytest.mark.more
def test_the_order_of_columns_makes_little_difference():
    X, signal = make_table()
    turned = X[X.columns[::-1]]
    found, other = (fit("numbers", T[:90], signal[:90]).explain(T[90:]).contributions() for T in (X, turned))
    assert np.corrcoef(found.to_numpy().ravel(), other[list(X)].to_numpy().ravel())[0, 1] > 0.95


@pytest.mark.one_value
@pytest.mark.parametrize("way", ["file", "pickle"])
def test_a_loaded_model_explains_alike(mixed, tmp_path, way):
    model, X = mixed
    if way == "file":
        saving.save_model(model, tmp_path / "model.skops")
        other = saving.load_model(tmp_path / "model.skops")
    else:
        other = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(model.explain(X).contributions(), other.explain(X).contributions())


def test_an_explanation_can_be_pickled(mixed):
    model, X = mixed
    e = model.explain(X)
    other = pickle.loads(pickle.dumps(e))
    pd.testing.assert_frame_equal(e.contributions(), other.contributions())


def test_what_becomes_of_the_table_later_makes_no_difference(mixed):
    model, X = mixed
    queries = X.copy()
    e = model.explain(queries)
    queries["a"] = 0.0
    pd.testing.assert_frame_equal(e.contributions(), model.explain(X).contributions())
    pd.testing.assert_frame_equal(e.values, X)


@pytest.mark.more
def test_learners_that_read_the_table_themselves_are_asked_with_cells_as_given(monkeypatch):
    monkeypatch.setattr(attribution, "SLOW_MIXED", 40)
    monkeypatch.setattr(attribution, "SLOW_COMPARED", 10)
    X, signal = make_table()
    X = X[["a", "member"]].fillna("ask").astype({"member": "category"})
    reads = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["member"]), remainder="passthrough"),
        DecisionTreeRegressor(max_depth=3, random_state=0),
    )
    model = AttentionRegressor(reads, temperature=0.1, mixing=0.5, random_state=0).fit(X[:90], signal[:90])
    for method, queries in (("shapley", X[90:91]), ("fast", X[90:93])):
        e = model.explain(queries, method=method)
        np.testing.assert_allclose(e.base_value + e.contributions().sum(axis=1), e.link, atol=1e-8)
    assert (e.contributions().abs().sum() > 0).all()


def test_a_corrected_model_is_explained_with_its_correction(rng):
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    served = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X[:60], X["a"][:60])
    model = DriftCorrector(served, random_state=0).fit(X[60:130], X["a"][60:130] + 2.0 * (X["b"][60:130] > 0))
    e = model.explain(X[130:])
    np.testing.assert_allclose(e.base_value + e.contributions().sum(axis=1), model.predict(X[130:]), atol=1e-8)


def test_several_classes_say_which_one_a_row_explains():
    X, signal = make_table()
    e = fit("three", X[:90], response("three", signal)[:90]).explain(X[90:])
    top = e.top_features(2)
    np.testing.assert_array_equal(top["class"].xs(1, level="rank"), e.link.idxmax(axis=1))
    assert (e.top_features(2, "1")["class"] == "1").all()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"part": "slopes"}, "`part` must be one of"),
        ({"levels": True}, r"`levels` need the part of the models, got part='all'. Use part='model'"),
    ],
)
def test_what_cannot_be_had_is_said(mixed, how, message):
    model, X = mixed
    with pytest.raises(ValueError, match=message):
        model.explain(X).contributions(**how)


def test_an_unknown_method_is_refused(mixed):
    model, X = mixed
    with pytest.raises(ValueError, match="`method` must be one of"):
        model.explain(X, method="lime")
