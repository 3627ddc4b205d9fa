"""What the linear baseline leaves of a response, and the forests that are grown on it."""

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._models.linear import FittedLinear
from heedful.similarity import ForestProximity, default_forests
from reference.cases import survival

KINDS = {
    "numbers": AttentionLasso,
    "two classes": AttentionLassoClassifier,
    "three classes": AttentionLassoClassifier,
    "survival": AttentionCox,
}
FOREST = ForestProximity(20, target="residual", random_state=7)
EVERY = pytest.mark.parametrize("kind", KINDS)


def draw(rng, kind, n=90):
    """Return rows whose response has a step and no more than that beside a line."""
    X = rng.normal(size=(n, 4)).round(2)
    level = X[:, 0] + X[:, 1] + 2.0 * (X[:, 2] > 0) + 0.3 * rng.normal(size=n)
    if kind == "survival":
        return X, survival(rng.random(n) < 0.7, rng.exponential(np.exp(-level)) + 0.01)
    n_classes = {"two classes": 2, "three classes": 3}.get(kind)
    return X, level if n_classes is None else np.digitize(
        level, np.quantile(level, np.arange(1, n_classes) / n_classes)
    )


def make(kind, **settings):
    return KINDS[kind](**{"similarity": FOREST, "random_state": 0} | settings)


def left_by(model, kind, X, y):
    """Return what the baseline leaves of rows in the order of the fit: by folds, of rows in no fold by all rows."""
    fold, baseline = model.baseline_.predict_fold(), model.baseline_
    seen = baseline.predict_proba(X) if "classes" in kind else baseline.predict(X)[:, None]
    said = np.where(np.isnan(fold), seen, fold)
    if kind == "numbers":
        return (y[:, None] - said) / y.std()
    if kind == "survival":
        return y["event"][:, None] - expected_events(y, said[:, 0])[:, None]
    return ((y[:, None] == baseline.classes_) - said)[:, 1 if kind == "two classes" else 0 :]


def expected_events(y, link):
    """Return the events that Breslow's hazard expects of each row, by loops."""
    at_risk = [np.exp(link[y["time"] >= time]).sum() for time in y["time"]]
    hazard = [sum(y["event"][i] / at_risk[i] for i in np.flatnonzero(y["time"] <= time)) for time in y["time"]]
    return np.exp(link) * hazard


def in_units(left):
    """Return columns of mean 0 and deviation 1, to nine digits."""
    left = np.round(left, 9)
    columns = np.round((left - left.mean(axis=0)) / left.std(axis=0), 9)
    return columns[:, 0] if columns.shape[1] == 1 else columns


@pytest.mark.one_value
@EVERY
@pytest.mark.parametrize("cv", ["oob", 5, TimeSeriesSplit(3)])
def test_a_residual_forest_is_grown_on_what_baselines_leave_of_rows_they_did_not_see(rng, kind, cv):
    X, y = draw(rng, kind)
    model = make(kind, cv=cv).fit(X, y)
    order = np.argsort(model._model.rows.observations.place)
    X, y = X[order], y[order]
    by_hand = ForestProximity(20, random_state=7).fit(X, in_units(left_by(model, kind, X, y)))
    X_new = rng.normal(size=(30, 4))
    np.testing.assert_array_equal(model.similarity_[0].scores(X_new).toarray(), by_hand.scores(X_new).toarray())
    np.testing.assert_array_equal(model.similarity_[0].oob_scores().toarray(), by_hand.oob_scores().toarray())


@pytest.mark.one_value
@EVERY
@pytest.mark.parametrize("cv", ["oob", 5, TimeSeriesSplit(3)])
def test_scores_are_products_of_what_baselines_leave_of_unseen_rows_and_columns_without_their_tails(
    rng, kind, cv, monkeypatch
):
    X, y = draw(rng, kind)
    model = make(kind, similarity=ForestProximity(5, target="scores"), cv=cv).fit(X, y)
    order = np.argsort(model._model.rows.observations.place)
    X, y = X[order], y[order]
    left = in_units(left_by(model, kind, X, y)).reshape(len(X), -1).clip(-1.5, 1.5)
    x = ((X - X.mean(axis=0)) / X.std(axis=0)).clip(-1.0, 1.0)
    by_hand = [column * factor for column in left.T for factor in (1.0, *x.T)]
    scores, every = model._model.models.scores(), np.column_stack(by_hand)
    np.testing.assert_allclose(scores, every, atol=1e-7)
    # some of them are made a few rows at a time
    monkeypatch.setattr("heedful._frames.units.PIECE", 7 * every.shape[1])
    rows = np.array([20, 3, *range(30, 45)])
    np.testing.assert_array_equal(scores[rows], np.array(scores)[rows])
    np.testing.assert_array_equal(scores[:, [4, 1]], np.array(scores)[:, [4, 1]])


def test_rows_that_heads_are_tried_on_are_left_out_of_the_baseline_as_all_rows_are(rng, monkeypatch):
    monkeypatch.setattr(FittedLinear, "finish", lambda self: None)
    X, y = draw(rng, "numbers")
    fits = (make("numbers", local=LocalLasso(tuning_rows=rows)).fit(X, y) for rows in (20, None))
    some, every = (model._model.models.baseline for model in fits)
    tried = some.fit_.kept
    assert tried.size == 20
    found, known = some.predict_left_out(tried), every.predict_left_out(np.arange(90))[tried]
    np.testing.assert_allclose(found, known, atol=1e-9)


@pytest.mark.one_value
@EVERY
def test_rows_in_no_fold_have_residuals_too_and_everything_is_finite(rng, kind):
    X, y = draw(rng, kind)
    model = make(kind, similarity=default_forests(80), cv=TimeSeriesSplit(3), mixing=0.5).fit(X, y)
    assert np.isnan(model.baseline_.predict_fold()).any()
    assert np.isfinite(model._model.models.residuals()).all()
    assert np.isfinite(model.heads_["error"]).all()
    assert np.isfinite(model.local_models(X).lasso_coef.to_numpy()).all()


def test_a_residual_forest_parts_the_rows_at_the_step_that_a_line_cannot_follow(rng):
    X = rng.normal(size=(300, 5))
    y = 3.0 * X[:, :4].sum(axis=1) + 4.0 * (X[:, 4] > 0) + 0.3 * rng.normal(size=300)
    X_new = rng.normal(size=(100, 5))
    model = AttentionLasso(similarity=[ForestProximity(100), ForestProximity(100, target="residual")], random_state=0)
    same = (X_new[:, 4:] > 0) == (model.fit(X, y)._model.rows.codes[:, 4] > 0)
    plain, residual = (part.scores(X_new).toarray() for part in model.similarity_)
    together = [(scores * same).sum(axis=1) / scores.sum(axis=1) for scores in (plain, residual)]
    assert together[1].mean() > together[0].mean() + 0.1
    assert (together[1] > together[0]).mean() > 0.8


@pytest.mark.one_value
@pytest.mark.parametrize("unit", [1.0, 3.7])
def test_a_baseline_without_error_leaves_no_noise_to_grow_trees_on(rng, unit):
    X = rng.normal(size=(60, 3))
    y = unit * (X @ [1.0, -2.0, 0.5]) + 11.0
    model = make("numbers", alpha=0.0).fit(X, y)
    assert len(model.similarity_[0].forest_.nodes) == model.similarity_[0].forest_.n_trees


@pytest.mark.one_value
@pytest.mark.parametrize("heads", ["multi", "single"])
def test_a_residual_forest_may_be_the_only_similarity(rng, heads):
    X, y = draw(rng, "numbers")
    model = make("numbers", heads=heads).fit(X, y)
    assert set(model.heads_["similarity"]) == {"forest(residuals, sqrt)"}
    assert len(model.heads_) == (3 * 5 if heads == "multi" else 7 * 5)


@pytest.mark.one_value
@EVERY
def test_by_default_five_forests_make_seventy_heads_and_one_head_has_one_forest(rng, kind):
    X, y = draw(rng, kind)
    many, one = (KINDS[kind](heads=heads, mixing=0.5, random_state=0).fit(X, y) for heads in ("multi", "single"))
    names = ("forest(sqrt)", "forest(all)", "forest(residuals, sqrt)", "forest(residuals, all)")
    assert many.heads_["similarity"].value_counts().to_dict() == dict.fromkeys(names, 15) | {"forest(scores, all)": 10}
    assert set(one.heads_["similarity"]) == {"forest(sqrt)"}
    assert len(one.heads_) == 35
