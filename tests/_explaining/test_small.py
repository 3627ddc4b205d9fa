"""Small models: few columns, fitted to what is predicted around a query, through its own prediction."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._explaining.moves import FEW_VALUES, Moves
from heedful._explaining.small import choose_columns
from heedful.datasets import make_mixture

N = 200


@pytest.fixture(scope="module")
def house():
    """A table of every kind of column, and a model of it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "area": rng.uniform(20, 200, N),
            "age": rng.uniform(0, 80, N),
            "rooms": rng.integers(1, 6, N),
            "garden": rng.random(N) < 0.5,
            "town": rng.choice(["Aa", "Bb", "Cc"], N, p=[0.6, 0.3, 0.1]),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), "D"),
        }
    )
    y = np.where(X["town"] == "Aa", 3.0, 1.0) * X["area"] - X["age"] + 20 * X["garden"] + rng.normal(size=N)
    X.loc[::20, "age"] = np.nan
    return AttentionLasso(random_state=0).fit(X, y), X


def test_terms_add_up_to_the_prediction_from_both_starts(house):
    model, X = house
    e = model.explain(X[:40])
    np.testing.assert_allclose(e.start + e.terms.sum(axis=1), e.link, rtol=1e-8)
    np.testing.assert_allclose(e.intercept + (e.coef * e.design).sum(axis=1), e.link, rtol=1e-8)
    np.testing.assert_allclose(e.link, model.predict(X[:40]), rtol=1e-12)
    assert e.n_nonzero.le(5).all()
    assert e.fidelity.between(0, 1).all()


@pytest.mark.one_value
@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_model_has_more_columns_than_asked_for(house, most):
    model, X = house
    for found in (model.explain(X[:30], max_terms=most), model.local_models(X[:30], max_terms=most)):
        assert (found.coef != 0).sum(axis=1).le(most).all()
        assert (found.coef != 0).sum(axis=1).gt(0).all()


def test_a_line_is_its_own_small_model():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 4)) * [1.0, 10.0, 0.1, 1.0]
    y = X @ [2.0, -0.3, 5.0, 0.0] + 7.0
    e = AttentionLasso(mixing=0, alpha=0.0, random_state=0).fit(X, y).explain(X[:20])
    np.testing.assert_allclose(e.coef, np.tile([2.0, -0.3, 5.0, 0.0], (20, 1)), atol=1e-6)
    np.testing.assert_allclose(e.effect, e.coef, atol=1e-6)
    np.testing.assert_allclose(e.intercept, 7.0, atol=1e-6)
    np.testing.assert_allclose(e.start, 7.0 + X.mean(axis=0) @ [2.0, -0.3, 5.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(e.fidelity, 1.0, atol=1e-9)
    assert (e.n_nonzero == 3).all()


def test_a_constant_has_no_columns():
    X = np.random.default_rng(2).normal(size=(N, 3))
    e = AttentionLasso(random_state=0).fit(X, np.full(N, 5.0)).explain(X[:5])
    assert (e.coef == 0).all(axis=None)
    np.testing.assert_allclose(e.start, 5.0)
    assert (e.fidelity == 1).all()


@pytest.mark.more
def test_slopes_are_near_effects_where_relations_differ():
    train, test = make_mixture(600, 6, separation=5.0, random_state=1).split(500)
    e = AttentionLasso(random_state=0).fit(train.X, train.y).explain(test.X)
    assert np.corrcoef(e.coef.to_numpy().ravel(), e.effect.to_numpy().ravel())[0, 1] > 0.95


def test_classes_share_their_columns_and_sum_to_zero():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 8))
    y = np.digitize(X[:, 0] * np.sign(X[:, 1]) + 0.5 * X[:, 2] + 0.3 * rng.normal(size=N), [-0.5, 0.5])
    e = AttentionLassoClassifier(random_state=0).fit(X, y).explain(X[:10], max_terms=3)
    coef = e.coef.to_numpy().reshape(10, 3, 8)
    np.testing.assert_allclose(coef.sum(axis=1), 0.0, atol=1e-9)
    assert ((coef != 0).any(axis=1).sum(axis=1) <= 3).all()
    np.testing.assert_allclose(e.start.to_numpy() + e.terms.to_numpy().reshape(10, 3, 8).sum(axis=2), e.link)


def test_choice_of_columns_is_that_of_least_squares():
    rng = np.random.default_rng(4)
    away, weight = rng.normal(size=(1, 40, 5)), rng.uniform(0.5, 2.0, (1, 40))
    change = away @ [[1.0], [0.0], [-3.0], [0.5], [0.0]] + 0.1 * rng.normal(size=(1, 40, 1))
    chosen, coef = choose_columns(away, change, weight, 2)
    assert chosen[0].tolist() == [True, False, True, False, False]
    root = np.sqrt(weight[0])[:, None]
    by_hand = np.linalg.lstsq(root * away[0][:, [0, 2]], root * change[0], rcond=None)[0]
    np.testing.assert_allclose(coef[0, 0, [0, 2]], by_hand[:, 0])
    assert (coef[0, 0, [1, 3, 4]] == 0).all()


def test_moves_stay_inside_the_data_and_are_one_sided_at_its_border(house):
    model, X = house
    moves = Moves(model._fitted.rows)
    codes = model._fitted.rows.read(X)
    below, above, distance = moves.compare(codes)
    area = codes[:, 0]
    step = area.std() / 2
    np.testing.assert_allclose(below[:, 0], np.maximum(area - step, area.min()))
    np.testing.assert_allclose(above[:, 0], np.minimum(area + step, area.max()))
    assert below[area.argmin(), 0] == area.min()
    np.testing.assert_allclose(distance[:, 0], above[:, 0] - below[:, 0])
    # few values: from one of them to another
    rooms = codes[:, 2]
    assert np.isin(below[:, 2], rooms).all()
    assert np.isin(above[:, 2], rooms).all()
    assert (below[:, 2] < above[:, 2]).all()
    assert len(np.unique(rooms)) <= FEW_VALUES
    np.testing.assert_array_equal(np.unique(np.c_[below[:, 3], above[:, 3]], axis=0), [[0.0, 1.0]])
    # levels: against the most frequent other one; missing: against the mean
    levels = model._fitted.rows.reader.levels[4]
    assert levels == ["Aa", "Bb", "Cc"]
    np.testing.assert_array_equal(below[:, 4], np.where(codes[:, 4] == 0, 1, 0))
    np.testing.assert_array_equal(above[:, 4], codes[:, 4])
    missing = np.isnan(codes[:, 1])
    np.testing.assert_allclose(below[missing, 1], np.nanmean(codes[:, 1]))
    assert np.isnan(above[missing, 1]).all()
    assert (distance[missing, 1] == 1).all()


def test_a_value_outside_the_data_is_compared_at_its_border(house):
    model, X = house
    moves = Moves(model._fitted.rows)
    far = X[:1].assign(area=10_000.0)
    below, above, _ = moves.compare(model._fitted.rows.read(far))
    assert above[0, 0] == X["area"].max()
    assert below[0, 0] < above[0, 0]


def test_joint_rows_move_no_farther_than_single_ones(house):
    model, X = house
    moves, rows = Moves(model._fitted.rows), model._fitted.rows
    codes = rows.read(X[:10])
    compared = moves.compare(codes)
    joint = moves.towards(codes, compared, rows.codes, np.array([0, 2, 4]))
    numbers = [0, 2]
    low, high = (part[:, None, numbers] for part in (compared.below, compared.above))
    assert (joint[:, :, numbers] >= np.minimum(low, codes[:, None, numbers])).all()
    assert (joint[:, :, numbers] <= np.maximum(high, codes[:, None, numbers])).all()
    assert np.isin(joint[:, :, 4], np.c_[codes[:, 4], compared.below[:, 4]]).all()
    still = [1, 3, 5]
    np.testing.assert_array_equal(joint[:, :, still], np.repeat(codes[:, None, still], joint.shape[1], axis=1))
    assert (joint[:, :, numbers] != codes[:, None, numbers]).any(axis=(0, 2)).any()


def test_what_if_at_the_own_value_is_the_prediction(house):
    model, X = house
    e = model.explain(X[:20])
    asked = e.what_if(["town", "rooms"])
    own = asked[asked["own"]].drop_duplicates(["query", "feature"])
    assert len(own) == 40
    np.testing.assert_allclose(own["prediction"], e.prediction.to_numpy()[own["query"]], rtol=1e-7)
    few = e.what_if(n_values=4)
    shown = {(q, name) for q, name in zip(*np.nonzero((e.coef != 0).to_numpy()), strict=True)}
    assert {(q, e.features.index(name)) for q, name in zip(few["query"], few["feature"], strict=True)} == shown
    area = few[few["feature"] == "area"]["value"].astype(float)
    assert (area.min(), area.max()) == (X["area"].min(), X["area"].max())
    with pytest.raises(ValueError, match="not a column"):
        e.what_if(["zone"])


def test_curves_and_limits_have_small_models_too():
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (N, 3))
    y = X[:, 0] ** 2 + X[:, 1]
    local = LocalLasso(limits={"x1": "+"})
    e = AttentionLasso(local=local, random_state=0).fit(X, y).explain([[1.5, 0.0, 0.0], [-1.5, 0.0, 0.0]])
    assert e.coef["x0"].iloc[0] > 1.5
    assert e.coef["x0"].iloc[1] < -1.5
