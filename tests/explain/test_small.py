"""Small models: few columns, the same prediction, slopes fitted to what is predicted around the query."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, AttentionRegressor, LocalLasso
from heedful._explaining.moves import moves_of
from heedful._explaining.small import ALONE, LEAST_GAIN, choose_columns

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


@pytest.mark.one_value
@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_small_model_has_few_columns_and_the_same_prediction(model, table, k):
    queries = table[0][N_TRAIN:]
    for small in (model.explain(queries, max_terms=k), model.local_models(queries, max_terms=k)):
        assert (small.coef != 0).sum(axis=1).max() <= k
        assert list(small.coef.columns) == list(queries.columns)
        assert np.allclose(small.prediction, model.predict(queries), atol=1e-12)
        check_sums(small)
    pd.testing.assert_frame_equal(model.explain(queries).coef, model.explain(queries, max_terms=5).coef)


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


def around(model, row, used):
    """Return how far columns move, alone and at once, what predictions do then, and how much each counts."""
    fitted = model._model
    codes = fitted.rows.read(row)
    below, above, distance = moves_of(fitted).compare(codes)
    every = np.arange(codes.shape[1])

    def predict(rows):
        cells = fitted.rows.reader.decode(rows, every, pd.RangeIndex(len(rows)))
        return model.predict(cells.astype(row.dtypes.to_dict()))

    sides = [np.array([np.where(every == j, end[0], codes[0]) for j in every]) for end in (below, above)]
    alone = predict(sides[1]) - predict(sides[0])
    joint = moves_of(fitted).towards(codes, moves_of(fitted).compare(codes), fitted.models.train_codes(), every)[0]
    several = predict(joint) - model.predict(row)
    kind = list(row).index("kind")
    moved = joint - codes
    moved[:, kind] = np.where(joint[:, kind] == codes[0, kind], 0.0, -1.0)
    away = np.vstack([np.diag(distance[0]), moved])
    weight = np.r_[np.full(alone.size, ALONE * np.sum(several**2) / np.sum(alone**2)), np.ones(several.size)]
    return away[:, used], np.r_[alone, several], weight, alone.size


def test_slopes_are_those_of_least_squares_around_the_query(model, table):
    X, _ = table
    row = X[N_TRAIN + 3 : N_TRAIN + 4]
    small = model.explain(row, max_terms=3)
    used = (small.coef != 0).iloc[0].to_numpy()
    assert used.sum() == 3
    away, change, weight, _ = around(model, row, used)
    root = np.sqrt(weight)
    by_hand = np.linalg.lstsq(root[:, None] * away, root * change, rcond=None)[0]
    np.testing.assert_allclose(small.coef.iloc[0][used], by_hand, rtol=1e-5)


def test_fidelity_is_of_rows_that_a_model_of_all_columns_did_not_see(model, table):
    X, _ = table
    row = X[N_TRAIN + 3 : N_TRAIN + 4]
    small = model.explain(row, max_terms=1)
    away, change, _, n_alone = around(model, row, np.ones(X.shape[1], dtype=bool))
    joint = np.arange(change.size) >= n_alone
    missed = 0.0
    for half in range(2):
        held_out = joint & (np.arange(change.size) % 2 == half)
        kept = ~held_out
        counts = np.where(joint, 1.0, ALONE * np.sum(change[joint & kept] ** 2) / np.sum(change[~joint] ** 2))
        pull = (counts * change) @ np.where(kept[:, None], away, 0.0)
        size = counts @ np.where(kept[:, None], away, 0.0) ** 2
        best = np.argmax(pull**2 / size)
        missed += np.sum((change[held_out] - away[held_out, best] * pull[best] / size[best]) ** 2)
    assert small.fidelity.iloc[0] == pytest.approx(max(1 - missed / np.sum(change[joint] ** 2), 0.0), abs=1e-5)


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


@pytest.mark.more
def test_small_models_of_classes_use_the_same_few_columns_for_all_of_them(table):
    X, y = table
    label = np.digitize(y, [-1.0, 1.0])
    model = AttentionLassoClassifier(random_state=0).fit(X[:N_TRAIN], label[:N_TRAIN])
    queries = X[N_TRAIN:]
    small = model.explain(queries, max_terms=2)
    used = (small.coef != 0).T.groupby(level="feature").any().T
    assert used.sum(axis=1).max() <= 2
    assert (small.n_nonzero == used.sum(axis=1)).all()
    assert np.allclose(small.prediction, model.predict_proba(queries))
    check_sums(small)


@pytest.mark.parametrize("k", [0, -1, 1.5, "all", None])
def test_the_number_of_columns_is_checked(model, table, k):
    for ask in (model.explain, model.local_models):
        with pytest.raises((ValueError, TypeError), match="max_terms"):
            ask(table[0][N_TRAIN:], max_terms=k)


@pytest.mark.long
@pytest.mark.more
def test_learners_have_no_small_models(table):
    X, y = table
    learner = AttentionRegressor(random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    e = learner.explain(X[N_TRAIN:])
    assert e.fidelity is None
    assert e.terms is None
    with pytest.raises(ValueError, match="no slopes"):
        e.effects()
