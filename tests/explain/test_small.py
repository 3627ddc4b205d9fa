"""Small models: few columns, the same prediction, slopes fitted to what is predicted around the query."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, AttentionRegressor, LocalLasso
from heedful._attention_model.small import LEAST_GAIN, choose_columns

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


def check_sums(found):
    """Both ways to write a small model lead to the link."""
    n_query, n_columns = found.design.shape
    coef, terms = (part.to_numpy().reshape(n_query, -1, n_columns) for part in (found.coef, found.terms))
    link, start, intercept = (
        np.asarray(part).reshape(n_query, -1) for part in (found.link, found.start, found.intercept)
    )
    np.testing.assert_allclose(start + terms.sum(axis=2), link, rtol=1e-8, atol=1e-8)
    design = found.design.to_numpy()[:, None]
    np.testing.assert_allclose(intercept + (coef * design).sum(axis=2), link, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_small_model_has_few_columns_and_the_same_prediction(model, table, k):
    queries = table[0][N_TRAIN:]
    for small in (model.explain(queries, max_features=k), model.local_models(queries, max_features=k)):
        assert (small.coef != 0).sum(axis=1).max() <= k
        assert list(small.coef.columns) == list(queries.columns)
        assert np.allclose(small.prediction, model.predict(queries), atol=1e-12)
        check_sums(small)
    pd.testing.assert_frame_equal(model.explain(queries).coef, model.explain(queries, max_features=5).coef)


def test_terms_are_slopes_times_distances_from_the_reference(model, table):
    small = model.explain(table[0][N_TRAIN:])
    numbers = list("abcd")
    away = small.values[numbers] - small.reference[numbers]
    np.testing.assert_allclose(small.terms[numbers], small.coef[numbers] * away, atol=1e-12)
    np.testing.assert_allclose(small.reference["a"], table[0]["a"][:N_TRAIN].mean())
    # what is missing or of a level is there or not
    np.testing.assert_array_equal(small.terms["kind"], small.coef["kind"])
    missing = small.values["e"].isna()
    np.testing.assert_array_equal(small.terms["e"][missing], small.coef["e"][missing])
    assert (small.reference["kind"] != small.values["kind"]).all()


def test_one_line_for_all_rows_is_its_own_small_model(table):
    X, y = table
    X = X[["a", "b", "c"]]
    line = AttentionLasso(mixing=0.0, local=LocalLasso(shapes=False), random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    small = line.explain(X[N_TRAIN:])
    slopes = line.baseline_.coef_[0] if line.baseline_.coef_.ndim == 2 else line.baseline_.coef_
    np.testing.assert_allclose(small.coef, np.broadcast_to(slopes, small.coef.shape), atol=1e-9)
    np.testing.assert_allclose(small.effect, np.broadcast_to(slopes, small.coef.shape), atol=1e-9)
    np.testing.assert_allclose(small.fidelity, 1.0)


def rows_around(model, row):
    """Return the rows that a small model is fitted to: each column moved alone, and several at once, as a table."""
    fitted = model._model
    codes = fitted.rows.read(row)
    compared = fitted.moves.compare(codes)
    every = np.arange(codes.shape[1])
    singles = [np.where(every == j, end[0], codes[0]) for end in (compared.below, compared.above) for j in every]
    columns = fitted.columns_to_move(60)
    joint = fitted.moves.towards(codes, compared, fitted.models.train_codes(), columns)[0]
    every = np.vstack([singles, joint])
    moved = fitted.rows.reader.decode(every, np.arange(codes.shape[1]), pd.RangeIndex(len(every)))
    return moved.astype(row.dtypes.to_dict()), len(singles)


def test_slopes_and_fidelity_are_those_of_least_squares_around_the_query(model, table):
    X, _ = table
    row = X[N_TRAIN + 3 : N_TRAIN + 4]
    small = model.explain(row, max_features=3)
    moved, n_singles = rows_around(model, row)
    change = model.predict(moved) - model.predict(row)
    numbers = moved.drop(columns="kind") - row.drop(columns="kind").to_numpy()
    away = numbers.assign(kind=np.where(moved["kind"] == row["kind"].iloc[0], 0.0, -1.0))
    used = small.coef.columns[(small.coef != 0).iloc[0]]
    assert len(used) == 3
    away, joint = away[used].to_numpy(), np.arange(len(moved)) >= n_singles
    # one column moved counts as much as several
    weight = np.where(joint, 1.0, (change[joint] ** 2).sum() / (change[~joint] ** 2).sum())

    def fit(rows):
        root = np.sqrt(weight[rows])
        return np.linalg.lstsq(root[:, None] * away[rows], root * change[rows], rcond=None)[0]

    every = np.arange(len(moved))
    np.testing.assert_allclose(small.coef[used].iloc[0], fit(every), rtol=1e-6)
    missed = [change[i] - away[i] @ fit(np.delete(every, i)) for i in np.flatnonzero(joint)]
    expected = 1 - np.sum(np.square(missed)) / np.sum(change[joint] ** 2)
    assert small.fidelity.iloc[0] == pytest.approx(max(expected, 0.0), abs=1e-6)


def test_columns_are_chosen_as_the_best_next_one_would_be():
    rng = np.random.default_rng(0)
    for _ in range(20):
        away = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
        target, weight = away.sum(axis=1), rng.uniform(0.5, 2.0, 40)
        root = np.sqrt(weight)

        def fit(columns, away=away, target=target, root=root):
            return np.linalg.lstsq(root[:, None] * away[:, columns], root * target, rcond=None)

        best = []
        for _ in range(3):
            best.append(min(set(range(6)) - set(best), key=lambda j: fit([*best, j])[1][0]))
        chosen, slopes = choose_columns(away[None], target[None, :, None], weight[None], 3)
        assert set(np.flatnonzero(chosen[0])) <= set(best)
        used = np.flatnonzero(chosen[0])
        np.testing.assert_allclose(slopes[0, 0, used], fit(used)[0])
        assert not slopes[0, 0, ~chosen[0]].any()
        # a column that was left out would have said next to nothing
        if used.size < 3:
            gain = fit(best[: used.size])[1][0] - fit(best[: used.size + 1])[1][0]
            assert gain <= LEAST_GAIN * (weight @ target**2)


def test_a_column_that_repeats_another_is_not_added():
    away = np.random.default_rng(1).normal(size=(30, 2))
    away = np.column_stack([away, away[:, 0]])
    chosen, slopes = choose_columns(away[None], away.sum(axis=1)[None, :, None], np.ones((1, 30)), 3)
    assert chosen.sum() == 2
    assert slopes[0, 0, [0, 2]].sum() == pytest.approx(2.0)


def test_small_models_of_classes_use_the_same_few_columns_for_all_of_them(table):
    X, y = table
    label = np.digitize(y, [-1.0, 1.0])
    model = AttentionLassoClassifier(random_state=0).fit(X[:N_TRAIN], label[:N_TRAIN])
    queries = X[N_TRAIN:]
    small = model.explain(queries, max_features=2)
    used = (small.coef != 0).T.groupby(level="feature").any().T
    assert used.sum(axis=1).max() <= 2
    assert (small.n_nonzero == used.sum(axis=1)).all()
    assert np.allclose(small.prediction, model.predict_proba(queries))
    check_sums(small)


@pytest.mark.parametrize("k", [0, -1, 1.5, "all", None])
def test_the_number_of_columns_is_checked(model, table, k):
    for ask in (model.explain, model.local_models):
        with pytest.raises((ValueError, TypeError), match="max_features"):
            ask(table[0][N_TRAIN:], max_features=k)


def test_learners_have_no_small_models(table):
    X, y = table
    learner = AttentionRegressor(random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    e = learner.explain(X[N_TRAIN:])
    assert e.fidelity is None
    assert e.terms is None
    with pytest.raises(ValueError, match="no slopes"):
        e.effects()
