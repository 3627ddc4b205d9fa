"""Small models: few columns, the same prediction, as near to the whole model as few columns can be."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, AttentionRegressor
from heedful._attention_model.small import choose_columns

N_TRAIN = 160


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    n = N_TRAIN + 40
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    X["kind"] = rng.choice(["red", "green", "blue"], n)
    X.loc[::19, "e"] = np.nan
    y = np.where(X["kind"] == "red", 2 * X["a"], -X["b"]) + 0.5 * X["c"] + 0.2 * rng.normal(size=n)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def model(table):
    X, y = table
    return AttentionLasso(random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])


def used(explanation):
    found = (explanation.coef != 0) | (explanation.shape != 0)
    return found.T.groupby(explanation.sources.to_numpy(dtype=object)).any().T


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_small_model_has_few_columns_and_the_same_prediction(model, table, k):
    X, _ = table
    queries = X[N_TRAIN:]
    small = model.explain(queries, max_features=k)
    assert used(small).sum(axis=1).max() <= k
    assert np.allclose(small.prediction, model.predict(queries), atol=1e-12)
    link = small.intercept + (small.coef * small.design + small.shape).sum(axis=1)
    assert np.allclose(link, small.link, atol=1e-9)


def test_all_columns_are_the_whole_model(model, table):
    X, _ = table
    queries = X[N_TRAIN:]
    whole, small = model.explain(queries), model.explain(queries, max_features=6)
    assert np.allclose(whole.coef, small.coef, atol=1e-6)
    assert np.allclose(whole.shape, small.shape, atol=1e-6)
    assert np.allclose(small.fidelity, 1.0)
    assert np.allclose(small.small_prediction, small.prediction, atol=1e-6)


def test_fidelity_is_the_explained_variance_among_the_attended_rows(model, table):
    X, _ = table
    queries = X[N_TRAIN : N_TRAIN + 8]
    whole, small = model.explain(queries), model.explain(queries, max_features=2)
    train = model.local_models(X[:N_TRAIN]).design.to_numpy()
    parts = model._model.models.shape_parts(model._model.rows.read(model._read(X[:N_TRAIN])))[..., 0]
    names = model._model.rows.plain_names
    for q in range(len(queries)):
        weight = whole.attention.row(q)
        multiple = whole.multiple.iloc[q]
        said = train @ whole.coef.iloc[q].to_numpy() + multiple * parts.sum(axis=1)
        inside = used(small).iloc[q]
        columns = [name for name in inside.index if inside[name]]
        functions = np.column_stack(
            [
                train[:, (whole.sources == name).to_numpy()] @ whole.coef.iloc[q][(whole.sources == name).to_numpy()]
                + multiple * parts[:, names.index(name)]
                for name in columns
            ]
        )
        own = [
            whole.design.iloc[q][whole.sources == name] @ whole.coef.iloc[q][whole.sources == name]
            + whole.shape.iloc[q][whole.sources == name].sum()
            for name in columns
        ]
        # the query counts as much as all rows attended to
        level = whole.link.iloc[q] - whole.intercept.iloc[q]
        design = np.column_stack([np.ones(N_TRAIN + 1), np.vstack([functions, own])])
        root = np.sqrt(np.append(weight, 1.0))
        fit = np.linalg.lstsq(root[:, None] * design, root * np.append(said, level), rcond=None)[0]
        alone = design[-1] @ fit
        assert small.small_prediction.iloc[q] - small.link.iloc[q] == pytest.approx(alone - level, abs=2e-3)
        moved = design[:-1] @ fit + level - alone
        expected = 1 - weight @ (said - moved) ** 2 / (weight @ (said - weight @ said) ** 2)
        assert small.fidelity.iloc[q] == pytest.approx(expected, abs=5e-3)


def test_columns_are_chosen_as_the_best_next_one_would_be():
    rng = np.random.default_rng(0)
    for _ in range(20):
        away = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
        target = away.sum(axis=1)

        def left(columns, away=away, target=target):
            fit = np.linalg.lstsq(away[:, columns], target, rcond=None)[0]
            return np.sum((target - away[:, columns] @ fit) ** 2)

        chosen = []
        for _ in range(3):
            chosen.append(min(set(range(6)) - set(chosen), key=lambda j: left([*chosen, j])))
        factor = choose_columns(away[None], 3)[0]
        assert set(np.flatnonzero(factor)) == set(chosen)
        fit = np.linalg.lstsq(away[:, sorted(chosen)], target, rcond=None)[0]
        assert np.allclose(factor[sorted(chosen)], fit)
        # and no pair is better than what three columns leave
        assert left(chosen) <= min(left(list(pair)) for pair in combinations(range(6), 2)) + 1e-9 or len(chosen) == 3


def test_a_column_that_repeats_another_is_not_added():
    away = np.random.default_rng(1).normal(size=(30, 2))
    away = np.column_stack([away, away[:, 0]])
    factor = choose_columns(away[None], 3)[0]
    assert np.count_nonzero(factor) == 2
    assert factor[[0, 2]].sum() == pytest.approx(2.0)


def test_the_price_is_that_of_left_out_rows(model, table):
    X, _ = table
    price = model.explain(X[N_TRAIN:], max_features=2).price
    assert price["error"] < price["baseline_error"]
    assert price["small_error"] < price["baseline_error"]
    whole = model.explain(X[N_TRAIN:], max_features=6).price
    assert whole["small_error"] == pytest.approx(whole["error"], rel=1e-4)
    # rows that are left out are harder than rows that are seen
    seen = np.mean((model.predict(X[:N_TRAIN]) - table[1][:N_TRAIN]) ** 2)
    assert price["error"] > 1.05 * seen


def test_small_models_of_classes_use_the_same_few_columns_for_all_of_them(table):
    X, y = table
    label = np.digitize(y, [-1.0, 1.0])
    model = AttentionLassoClassifier(random_state=0).fit(X[:N_TRAIN], label[:N_TRAIN])
    queries = X[N_TRAIN:]
    small = model.explain(queries, max_features=2)
    found = (small.coef != 0).T.groupby(level="class").apply(lambda part: part.droplevel("class").astype(int))
    by_source = found.droplevel("class").T.T.groupby(np.tile(small.sources.to_numpy(dtype=object), 3)).any()
    assert by_source.sum().max() <= 2
    assert np.allclose(small.prediction, model.predict_proba(queries))
    assert np.allclose(small.small_prediction.sum(axis=1), 1.0)
    assert set(small.price.index) == {"error", "small_error", "baseline_error"}


def test_whole_models_have_no_price(model, table):
    with pytest.raises(ValueError, match="max_features=5"):
        _ = model.explain(table[0][N_TRAIN:]).price


@pytest.mark.parametrize("k", [0, -1, 1.5, "all"])
def test_the_number_of_columns_is_checked(model, table, k):
    with pytest.raises((ValueError, TypeError), match="max_features"):
        model.explain(table[0][N_TRAIN:], max_features=k)


def test_learners_have_no_small_models(table):
    X, y = table
    tree = AttentionRegressor(random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    with pytest.raises(ValueError, match="no slopes"):
        tree.explain(X[N_TRAIN:], max_features=2)
