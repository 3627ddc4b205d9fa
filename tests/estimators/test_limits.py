"""Limits, penalty factors and grouped penalties, asked for by column of the user's table."""

import numpy as np
import pandas as pd
import pytest

from heedful import (
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    LocalLasso,
    load_model,
    save_model,
)
from heedful._flow.heads import Queries
from heedful._flow.kinds import Run
from heedful.similarity import ForestProximity

FEW = {"similarity": ForestProximity(10), "random_state": 0}
KINDS = {
    "numbers": AttentionLasso,
    "classes": AttentionLassoClassifier,
    "counts": AttentionGLM,
    "survival": AttentionCox,
}
SIGNS = {"up": "+", "down": "-"}


@pytest.fixture
def rows(rng):
    n = 160
    X = pd.DataFrame(
        {
            "up": rng.normal(size=n),
            "kind": rng.choice(["a", "b", "c"], n),
            "down": rng.normal(size=n),
            "free": rng.normal(size=n),
        }
    )
    # both effects turn round in half of the rows
    link = np.sign(X["free"]) * X["up"] - 0.5 * X["down"] + np.sin(2 * X["down"]) + (X["kind"] == "b")
    X.loc[rng.uniform(size=n) < 0.1, "up"] = np.nan
    return X, link.fillna(0.0).to_numpy(), rng


def response(kind, link, rng):
    if kind == "numbers":
        return link + 0.3 * rng.normal(size=link.size)
    if kind == "classes":
        return (link + 0.5 * rng.normal(size=link.size) > 0).astype(int)
    if kind == "counts":
        return rng.poisson(np.exp(0.7 * link))
    return pd.DataFrame({"event": rng.uniform(size=link.size) < 0.8, "time": rng.exponential(np.exp(-link))})


def values_under_fixed_attention(model, X, changed):
    """Return what is predicted of changed rows with the scores of the rows as they were."""
    fitted = model._model
    old, new, heads = fitted.read(X), fitted.read(changed), fitted.heads()
    local = 0.0
    for number, (group, share) in enumerate(zip(heads.grid.groups, heads.grid.split(heads.share), strict=True)):
        if share.any():
            scores = group.score(Queries(old.view.x, old.seen[number]))
            fits = heads.problem.fit(scores, new.view.x, group.weightings, share > 0, share)
            local = local + np.einsum("qwtv,wt->qv", np.nan_to_num(fits.values), share)
    return (1 - heads.mixing) * new.view.base + heads.mixing * local


# of steps one kind comes first; kernels of counts within limits are compiled for this alone
@pytest.mark.one_value
@pytest.mark.parametrize(
    "kind", ["numbers", "classes", *(pytest.param(k, marks=pytest.mark.more) for k in ("counts", "survival"))]
)
def test_for_fixed_attention_predictions_never_turn_round(rows, kind):
    X, link, rng = rows
    model = KINDS[kind](**FEW, local=LocalLasso(limits=SIGNS)).fit(X, response(kind, link, rng))
    assert model.mixing_ > 0
    queries = X[:40].fillna(0.0)
    np.testing.assert_allclose(
        values_under_fixed_attention(model, queries, queries), model._model.values(queries, Run()), rtol=1e-9
    )
    moved = 0
    for column, sign in (("up", 1), ("down", -1)):
        steps = [queries.assign(**{column: value}) for value in np.linspace(-4, 4, 17)]
        path = np.array([values_under_fixed_attention(model, queries, step)[:, -1] for step in steps])
        moves = sign * np.diff(path, axis=0)
        assert (moves >= -1e-12).all()
        moved += (moves > 1e-6).sum()
    assert moved > 20
    models = model.local_models(queries)
    assert (models.lasso_coef["up"] >= 0).all()
    assert (models.lasso_coef["down"] <= 0).all()
    free = KINDS[kind](**FEW, local=LocalLasso(smooth=False)).fit(X, response(kind, link, rng)).local_models(queries)
    assert (free.lasso_coef["up"] < 0).any()


def test_numbers_as_limits_hold_for_slopes(rows):
    X, link, _ = rows
    y = link - 10 * X["down"] + X["free"] ** 2 * X["up"].fillna(0.0)
    limits = {"down": (-0.2, 0.1), "free": (0.0, 0.05)}
    how = {"heads": "single", "alpha": 0.01, "temperature": 1.0, "mixing": 1.0}
    local = LocalLasso(limits=limits, alpha_ratio=1.0)
    models = AttentionLasso(**FEW, **how, local=local).fit(X, y).local_models(X[:60])
    for column, (low, high) in limits.items():
        assert models.lasso_coef[column].between(low - 1e-12, high + 1e-12).all()
    # the effect is far beyond its limit wherever one looks
    np.testing.assert_allclose(models.local_coef["down"], -0.2, rtol=1e-9)
    assert models.baseline_coef["down"] == -0.2


def test_positions_name_columns_of_arrays(rng):
    X = rng.normal(size=(120, 3))
    y = X[:, 0] - 2 * X[:, 2] + 0.3 * rng.normal(size=120)
    features = {"similarity": [0, 1], "model": [1, 2]}
    model = AttentionLasso(**FEW, features=features, local=LocalLasso(limits={2: "+"})).fit(X, y)
    assert (model.local_models(X[:20]).lasso_coef["x2"] >= 0).all()
    with pytest.raises(ValueError, match=r"`limits` must name columns that the models use, got 0. Known: 'x1', 'x2'"):
        AttentionLasso(**FEW, features=features, local=LocalLasso(limits={0: "+"})).fit(X, y)


def test_factors_of_one_change_nothing_and_a_factor_of_zero_keeps_a_column(rows):
    X, link, rng = rows
    y = response("numbers", link, rng)
    plain = AttentionLasso(**FEW).fit(X, y).predict(X[:30])
    ones = LocalLasso(penalty_factor=dict.fromkeys(X.columns, 1.0))
    np.testing.assert_allclose(AttentionLasso(**FEW, local=ones).fit(X, y).predict(X[:30]), plain, atol=1e-9)
    how = {"alpha": 10.0, "heads": "single", "mixing": 1.0, "temperature": 1.0}
    model = AttentionLasso(**FEW, **how, local=LocalLasso(penalty_factor={"down": 0.0}, alpha_ratio=1.0)).fit(X, y)
    coef = model.local_models(X[:30]).lasso_coef
    assert (coef["down"] != 0).all()
    assert (coef.drop(columns="down") == 0).all(axis=None)


def test_levels_of_a_category_enter_and_leave_together(rows):
    X, link, rng = rows
    y = response("numbers", link, rng)
    local = LocalLasso(penalty="group", shapes=False, alpha_ratio=3.0)
    models = AttentionLasso(**FEW, heads="single", mixing=1.0, temperature=0.2, local=local).fit(X, y).local_models(X)
    levels = models.local_coef[["kind=a", "kind=b", "kind=c"]] != 0
    assert (levels.all(axis=1) | ~levels.any(axis=1)).all()
    assert levels.any(axis=None)
    assert not levels.all(axis=None)
    plain = LocalLasso(shapes=False, alpha_ratio=3.0)
    alone = AttentionLasso(**FEW, heads="single", mixing=1.0, temperature=0.2, local=plain).fit(X, y).local_models(X)
    apart = alone.local_coef[["kind=a", "kind=b", "kind=c"]] != 0
    assert not (apart.all(axis=1) | ~apart.any(axis=1)).all()


@pytest.mark.one_value
@pytest.mark.parametrize(
    "local",
    [{"limits": SIGNS}, {"penalty": "group"}, {"penalty_factor": {"free": 0.0}}],
    ids=["limits", "group", "zero"],
)
def test_what_was_asked_is_saved(rows, local, tmp_path):
    X, link, rng = rows
    model = AttentionLasso(**FEW, local=LocalLasso(**local)).fit(X, response("numbers", link, rng))
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(X[:9]), model.predict(X[:9]))
    assert again.get_params()["local"].get_params() == model.get_params()["local"].get_params()


@pytest.mark.parametrize(
    ("local", "words"),
    [
        ({"limits": {"upp": "+"}}, r"`limits` must name columns that the models use, got 'upp'. Known: 'up', 'kind'"),
        ({"limits": {"kind": "+"}}, r"`limits` need numeric columns, got 'kind', which is categorical"),
        ({"limits": {"up": "up"}}, r"`limits\['up'\]` must be one of '\+', '-', got 'up'"),
        ({"limits": {"up": (1.0, 2.0)}}, r"`limits\['up'\]\[0\]` must be >= -inf and <= 0, got 1.0. The penalty must"),
        ({"limits": {"up": (0, 0)}}, r"`limits\['up'\]` must allow coefficients other than 0, got \(0, 0\)"),
        ({"limits": {"up": 3}}, r"`limits\['up'\]` must be '\+', '-' or a pair of numbers"),
        ({"limits": ["up"]}, r"`limits` must be a dict by column of the table, got \['up'\]"),
        ({"limits": SIGNS, "penalty": "group"}, r"`limits` need penalty='lasso', got 'group'"),
        ({"penalty": "ridge"}, r"`penalty` must be one of 'lasso', 'group', got 'ridge'"),
        ({"penalty_factor": {"up": -1.0}}, r"`penalty_factor\['up'\]` must be >= 0"),
        ({"penalty_factor": {"x": 1.0}}, r"`penalty_factor` must name columns that the models use, got 'x'"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_error(rows, local, words):
    X, link, _ = rows
    with pytest.raises((TypeError, ValueError), match=words):
        AttentionLasso(**FEW, local=LocalLasso(**local)).fit(X, link)


def test_three_classes_have_no_limits(rows):
    X, link, _ = rows
    y = np.digitize(link, [-0.5, 0.5])
    with pytest.raises(ValueError, match=r"`limits` and `groups` need a model of one output"):
        AttentionLassoClassifier(**FEW, local=LocalLasso(limits=SIGNS)).fit(X, y)
