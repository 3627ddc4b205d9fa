"""Local effects are differences of predictions of the estimator itself, asked with the two values that they name."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from heedful import (
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
)
from heedful._explaining import effects
from heedful.similarity import ForestProximity

FOREST = ForestProximity(20)
N_TRAIN = 120
DAY = pd.Timedelta(days=1)


def make_table(n_rows=N_TRAIN + 12):
    """Return a table with a column of each kind, cells missing, and values beyond those of the training rows."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.normal(size=n_rows)})
    X["few"] = rng.choice([1.0, 2.0, 5.0], n_rows)
    X["bit"] = rng.integers(0, 2, n_rows)
    X["flag"] = rng.random(n_rows) < 0.4
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n_rows), "D")
    X["town"] = rng.choice(["Aa", "Bb", "Cc"], n_rows, p=[0.5, 0.3, 0.2])
    X.loc[rng.random(n_rows) < 0.15, "b"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "town"] = None
    known = X[:N_TRAIN]
    # at the border, beyond it, and missing
    X.loc[N_TRAIN, "a"], X.loc[N_TRAIN + 1, "a"], X.loc[N_TRAIN + 2, "a"] = known["a"].max(), known["a"].min() - 5, 9.0
    X.loc[N_TRAIN + 3, ["b", "town"]] = [np.nan, None]
    late = (X["day"] - pd.Timestamp("2024-06-01")) / DAY / 100
    link = np.where(X["town"] == "Aa", 2.0, -1.0) * X["a"] + X["b"].fillna(1.0) + 0.3 * X["few"] + X["bit"]
    return X, (link + late * X["flag"] + 0.2 * rng.normal(size=n_rows)).to_numpy()


def fit(task, X, link, **how):
    how = {"similarity": FOREST, "random_state": 0} | how
    if task == "numbers":
        return AttentionLasso(**how).fit(X, link)
    if task == "two":
        return AttentionLassoClassifier(**how).fit(X, np.where(link > 0.5, "yes", "no"))
    if task == "three":
        return AttentionLassoClassifier(**how).fit(X, pd.qcut(link, 3, labels=["l", "m", "t"]).astype(str))
    if task == "counts":
        return AttentionGLM(family="poisson", **how).fit(X, np.round(np.exp(link / 3)))
    if task == "survival":
        return AttentionCox(**how).fit(X, np.column_stack([np.arange(link.size) % 3 > 0, np.exp(-link)]))
    return AttentionRegressor(Ridge(), **how).fit(X, link)


TASKS = ["numbers", "two", "three", "counts", "survival", "learner"]


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def models(table):
    X, link = table
    given = dict.fromkeys(TASKS, X) | {"learner": X[["a", "b", "few", "bit"]].fillna(0.0)}
    kinds = {task: (fit(task, rows[:N_TRAIN], link[:N_TRAIN]), rows[N_TRAIN:]) for task, rows in given.items()}
    return kinds | {"learner": (kinds["learner"][0], kinds["learner"][1][:6])}


def ask(model, task, X, scale):
    """Return what the estimator says (n_rows, n_outputs), on a scale."""
    if task in ("two", "three"):
        found = model.predict_proba(X) if scale == "response" else model.decision_function(X)
        return found.reshape(len(X), -1)[:, -1:] if task == "two" else found
    found = model.predict(X)[:, None]
    return np.log(found) if task == "counts" and scale == "link" else found


def by_asking(model, task, X, effects, scale):
    """Return effects as the definition has them: two predictions for each, per unit between the values."""
    rows = effects.reset_index()
    several = "class" in rows
    each = rows.drop_duplicates(["query", "feature"]) if several else rows
    ends = []
    for side in ("from", "to"):
        moved = X.loc[each["query"]].reset_index(drop=True).astype(object)
        for at, (feature, cell) in enumerate(zip(each["feature"], each[side], strict=True)):
            moved.iloc[at, moved.columns.get_loc(feature)] = cell
        moved = pd.DataFrame({name: moved[name].astype(X.dtypes[name]) for name in X})
        ends.append(ask(model, task, moved, scale))
    change = ends[1] - ends[0]
    measured = each["per"].isin(["unit", "day"]).to_numpy()
    apart = np.ones(len(each))
    for at in np.flatnonzero(measured):
        gap = each["to"].iloc[at] - each["from"].iloc[at]
        apart[at] = gap / DAY if isinstance(gap, pd.Timedelta) else float(gap)
    return change / apart[:, None]


@pytest.mark.each_value
@pytest.mark.parametrize("scale", ["link", "response"])
@pytest.mark.parametrize("task", TASKS)
def test_effects_are_differences_of_what_the_estimator_says(models, task, scale):
    model, X = models[task]
    effects = model.local_effects(X, scale=scale)
    expected = by_asking(model, task, X, effects, scale)
    n_outputs = expected.shape[1]
    found = effects["effect"].to_numpy().reshape(len(X), n_outputs, X.shape[1]).swapaxes(1, 2).reshape(-1, n_outputs)
    # dates are kept to the microsecond
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    assert np.abs(found).max() > 0.01


def test_numbers_move_by_half_a_deviation_to_either_side_within_the_range(models, table):
    model, X = models["numbers"]
    train = table[0][:N_TRAIN]
    ends = model.local_effects(X, columns=["a"]).droplevel("feature")
    low, high = train["a"].min(), train["a"].max()
    inside, half = X["a"].clip(low, high), 0.5 * train["a"].std(ddof=0)
    np.testing.assert_allclose(ends["from"].astype(float), np.maximum(inside - half, low))
    np.testing.assert_allclose(ends["to"].astype(float), np.minimum(inside + half, high))
    assert (ends["per"] == "unit").all()


def test_few_distinct_values_go_from_one_of_them_to_another(models):
    model, X = models["numbers"]
    effects = model.local_effects(X, columns=["few", "bit", "flag"])
    for name, known in (("few", {1.0, 2.0, 5.0}), ("bit", {0.0, 1.0}), ("flag", {0.0, 1.0})):
        part = effects.xs(name, level="feature")
        assert set(part["from"]) | set(part["to"]) <= known
        assert (part["from"] < part["to"]).all()


def test_levels_are_compared_with_the_most_frequent_other_one(models, table):
    model, X = models["numbers"]
    first, second = table[0]["town"][:N_TRAIN].value_counts().index[:2]
    part = model.local_effects(X, columns="town").droplevel("feature")
    assert (part["per"] == "level").all()
    assert part["from"].tolist() == [second if town == first else first for town in X["town"]]
    np.testing.assert_array_equal(part["to"].fillna("none"), X["town"].fillna("none"))


def test_missing_numbers_are_compared_with_the_mean(models, table):
    model, X = models["numbers"]
    part = model.local_effects(X, columns="b").droplevel("feature")
    missing = X["b"].isna()
    assert missing.any()
    assert part["per"].tolist() == np.where(missing, "missing", "unit").tolist()
    np.testing.assert_allclose(part["from"][missing].astype(float), table[0]["b"][:N_TRAIN].mean())


def test_columns_that_only_the_similarity_sees_have_effects(table):
    X, link = table
    model = fit("numbers", X[:N_TRAIN], link[:N_TRAIN], features={"model": ["a", "b", "few"]})
    effects = model.local_effects(X[N_TRAIN:])
    expected = by_asking(model, "numbers", X[N_TRAIN:], effects, "link")[:, 0]
    np.testing.assert_allclose(effects["effect"], expected, rtol=1e-6, atol=1e-8)
    assert effects.xs("town", level="feature")["effect"].abs().max() > 0.1
    small = model.explain(X[N_TRAIN:])
    assert small.coef["town"].any()


@pytest.mark.one_value
@pytest.mark.parametrize("task", TASKS)
def test_an_explanation_tells_the_same_effects(models, task):
    model, X = models[task]
    e = model.explain(X)
    if task == "learner":
        with pytest.raises(ValueError, match=r"no slopes.*local_effects"):
            e.effects()
        return
    pd.testing.assert_frame_equal(e.effects(), model.local_effects(X))
    flat = model.local_effects(X)["effect"].to_numpy()
    np.testing.assert_allclose(e.effect.to_numpy().ravel(), flat)
    asked = model.explain(X).effects(coverage=0.5)
    np.testing.assert_allclose(asked["effect"], flat)


def test_errors_of_effects_are_estimated_once_for_all_coverages_and_not_to_be_pickled(models, monkeypatch):
    model, X = models["numbers"]
    estimate, asked = effects.estimate_errors, []
    expected = {coverage: model.local_effects(X, coverage=coverage) for coverage in (0.5, 0.9)}
    monkeypatch.setattr(effects, "estimate_errors", lambda *known: asked.append(1) or estimate(*known))
    e = model.explain(X)
    loaded = pickle.loads(pickle.dumps(e))
    assert not asked
    for number, explanation in enumerate((e, loaded), 1):
        for coverage, table in expected.items():
            pd.testing.assert_frame_equal(explanation.effects(coverage), table)
        assert len(asked) == number


def test_the_order_of_queries_changes_nothing(models):
    model, X = models["numbers"]
    pd.testing.assert_frame_equal(
        model.local_effects(X[::-1]).sort_index(), model.local_effects(X).sort_index(), rtol=1e-10
    )


def test_queries_of_one_label_keep_their_own_effects(models):
    model, X = models["three"]
    twice = X.set_axis(["one", "two"] * (len(X) // 2))
    found = model.local_effects(twice)
    assert found.index.get_level_values("query").unique().tolist() == ["one", "two"]
    plain = model.local_effects(X)
    np.testing.assert_array_equal(found["effect"], plain["effect"])
    pd.testing.assert_frame_equal(found.reset_index(drop=True), plain.reset_index(drop=True))


def test_columns_can_be_chosen(models):
    model, X = models["two"]
    every = model.local_effects(X)
    for columns in (["town", "a"], [0, 6], [name in ("a", "town") for name in X]):
        part = model.local_effects(X, columns=columns)
        for name in ("a", "town"):
            expected = every.xs(name, level="feature")["effect"]
            np.testing.assert_allclose(part.xs(name, level="feature")["effect"], expected, rtol=1e-10)
        assert set(part.index.get_level_values("feature")) == {"a", "town"}
    with pytest.raises((ValueError, TypeError), match="columns"):
        model.local_effects(X, columns=["height"])


def test_what_is_asked_is_checked(models):
    model, X = models["numbers"]
    with pytest.raises(ValueError, match="`scale`"):
        model.local_effects(X, scale="log")
    for coverage in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match="`coverage`"):
            model.local_effects(X, coverage=coverage)


def test_a_column_that_never_varies_has_no_effect(table):
    X, link = table
    X = X[["a", "town"]].assign(one=1.0, site="north")
    effects = fit("numbers", X[:N_TRAIN], link[:N_TRAIN]).local_effects(X[N_TRAIN:])
    for name in ("one", "site"):
        assert (effects.xs(name, level="feature")["effect"] == 0).all()


def test_columns_that_nothing_uses_have_no_effect_without_being_asked_about(table):
    X, _ = table
    X = X[["a", "few", "bit"]]
    e = fit("numbers", X[:N_TRAIN], 2.0 * X["a"][:N_TRAIN].to_numpy(), mixing=0.0).explain(X[N_TRAIN:])
    effects = e.effects()
    assert set(effects.index.get_level_values("feature")) == set(X)
    assert (e.effect[["few", "bit"]] == 0).all(axis=None)
    assert (e.effect["a"] > 1).all()


def test_effects_are_0_where_the_model_uses_no_column():
    rng = np.random.default_rng(0)
    model = AttentionLasso(alpha=10.0, mixing=0.0, similarity=FOREST, random_state=0)
    model.fit(rng.normal(size=(40, 3)), rng.normal(size=40))
    assert (model.local_effects(np.ones((2, 3)), columns=[1])["effect"] == 0).all()
