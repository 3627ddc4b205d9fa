"""Shapes: an additive model beside the lasso, whose curves local models may use."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso, _blocks
from heedful._blocks import side_by_side
from heedful._flow import fit
from heedful._flow.tune import Tuned
from heedful._models import linear, shapes as room
from heedful._responses import SurvivalTimes
from heedful._trees import fit_stumps
from heedful.baseline import LassoBaseline
from heedful.similarity import ForestProximity

KINDS = ["numbers", "two classes", "three classes", "times"]
ESTIMATORS = {"numbers": AttentionLasso, "times": AttentionCox}


def make_table(n=90, seed=0):
    """Return columns with curves, steps and missing cells, and the sum of what they add."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"wave": rng.normal(size=n), "line": rng.normal(size=n), "kind": rng.choice(list("uvw"), n)})
    signal = 2 * np.sin(2 * X["wave"]) + X["line"] + X["kind"].map({"u": 2.0, "v": 0.0, "w": -1.0})
    X.loc[::11, "wave"] = np.nan
    return X, (signal + 0.2 * rng.normal(size=n)).to_numpy()


def response(kind, signal, rng):
    events = pd.DataFrame({"event": rng.random(signal.size) < 0.8, "time": np.exp(-signal)})
    return {"two classes": signal > 0.5, "three classes": np.digitize(signal, [-0.5, 1.0]), "times": events}.get(
        kind, signal
    )


def fitted(kind, X, y, sample_weight=None, **how):
    how = {"similarity": ForestProximity(8), "random_state": 0, "local": LocalLasso(smooth=False)} | how
    return ESTIMATORS.get(kind, AttentionLassoClassifier)(**how).fit(X, y, sample_weight)


def shapes_of(model):
    return model._model.models.shapes


@pytest.mark.each_value
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"mixing": "adaptive"},
        {"mixing": 0.4},
        {"cv": 3},
        {"cv": TimeSeriesSplit(3)},
        {"local": LocalLasso(exact=True)},
        {"local": LocalLasso(n_screened=2)},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS)
def test_slopes_and_curves_add_up_to_the_prediction(kind, how, rng):
    X, signal = make_table()
    model = fitted(kind, X[:70], response(kind, signal, rng)[:70], **how)
    queries = X[70:].assign(kind=["new", *X["kind"][71:]])
    e, models = model.explain(queries), model.local_models(queries)
    for link, intercept, coef, shape in (
        (e.link, e.lasso_intercept, e.lasso_coef, e.shape),
        (models.link, models.lasso_intercept, models.lasso_coef, models.shape),
    ):
        outputs = np.asarray(link).reshape(20, -1)
        slopes, added = (part.to_numpy().reshape(20, outputs.shape[1], -1) for part in (coef, shape))
        total = np.asarray(intercept).reshape(20, -1) + (slopes * e.lasso_design.to_numpy()[:, None] + added).sum(
            axis=2
        )
        np.testing.assert_allclose(total, outputs, rtol=0, atol=1e-8)
    top = e.link if e.outputs is None else e.link.max(axis=1)
    base = e.base_value if e.outputs is None else e.base_value[e.link.idxmax(axis=1)].to_numpy()
    np.testing.assert_allclose(base + e.contributions().sum(axis=1), top, rtol=0, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("most", [10**6, 60])
@pytest.mark.parametrize("cv", [KFold(5), TimeSeriesSplit(3), KFold(2)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_has_no_say_in_its_own_shape_value(kind, cv, most, rng, monkeypatch):
    monkeypatch.setattr(linear, "SHAPE_ROWS", most)
    # all hazards are moved alike so that events are as many as expected, which is no value of a row
    monkeypatch.setattr(SurvivalTimes, "attended_level", lambda self, link, attention, weight: np.zeros(1))
    X, signal = make_table()
    y = response(kind, signal, rng)
    how = {"cv": cv, "local": LocalLasso(tuning_rows=60)}
    before = given_values(fitted(kind, X, y, **how))
    for row in (3, 40, 77):
        changed = y.copy()
        if kind == "times":
            changed.loc[row] = [not changed["event"][row], 5 * changed["time"][row]]
        else:
            changed[row] = signal[row] + 9.0 if kind == "numbers" else y[y != y[row]][0]
        after = given_values(fitted(kind, X, changed, **how))
        np.testing.assert_allclose(after[row], before[row], rtol=1e-7, atol=1e-9)
        # no model is fitted to the last rows of a series
        assert row == 77 or np.abs(after - before).max() > 1e-6


@pytest.mark.one_value
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_models_of_curves_of_a_large_table_are_shared_among_the_threads_of_a_fit(monkeypatch, n_jobs):
    shared = []
    monkeypatch.setattr("heedful._trees.rounds.FEW", 0)
    monkeypatch.setattr(_blocks, "side_by_side", lambda *a, **how: shared.append(len(a[1])) or side_by_side(*a, **how))
    fitted("numbers", *make_table(), n_jobs=n_jobs)
    assert set(shared) == {n_jobs}


@pytest.mark.more
def test_curves_of_a_large_table_are_learned_from_some_of_its_rows_unless_all_are_asked_for(monkeypatch):
    X, y = make_table(1500)
    sizes, errors = [], []
    monkeypatch.setattr(linear, "SHAPE_ROWS", 500)
    monkeypatch.setattr(room, "fit_stumps", lambda *args, **how: sizes.append(args[2].size) or fit_stumps(*args, **how))
    for rows in (None, 100, 900):
        values = given_values(fitted("numbers", X, y, local=LocalLasso(tuning_rows=rows)))
        errors.append(np.mean((values[:, 0] - y) ** 2))
    assert sizes[0] == 1500
    assert sizes[1] == pytest.approx(500, abs=40)
    assert sizes[2] == pytest.approx(900, abs=40)
    # every row has a value of its own, as good as that of all rows but for what fewer rows can tell
    assert errors[1] < 1.4 * errors[0] < 0.1 * np.var(y)


def given_values(model):
    """Return the shape values of the rows in the order they were given."""
    return shapes_of(model).train[model._model.rows.observations.place]


@pytest.mark.one_value
@pytest.mark.parametrize("cv", [KFold(5), TimeSeriesSplit(3)], ids=str)
def test_values_are_those_of_models_without_the_row_stopped_by_others(cv, monkeypatch):
    X, y = make_table(60)
    seen = []
    monkeypatch.setattr(room, "fit_stumps", lambda *args, **how: keep(seen, args, how))
    model = fitted("numbers", X, y, cv=cv)
    ((binned, family, _, splits), how, found), shapes = seen[0], shapes_of(model)
    for best, group in zip(found.best, how["validation"], strict=True):
        losses = [group_loss(found, group, number, binned, family) for number in (best - 1, best, best + 1, best + 9)]
        assert losses[1] == min(losses[best == 0 :])
    for row in range(0, 60, 7):
        without = [k for k, split in enumerate(splits) if row in split.test and row not in split.train]
        # the rounds that validation rows without the row take, after which models without it say its value
        values = [
            np.mean([found.after(k, best).link(binned[[row]]) for k, _ in group])
            for best, group in zip(found.best, how["validation"], strict=True)
            if all(k in without and row not in rows for k, rows in group)
        ]
        assert np.isclose(values, shapes.train[row, 0], rtol=1e-9).any()


def keep(seen, args, how):
    seen.append((args, how, fit_stumps(*args, **how)))
    return seen[-1][2]


def group_loss(found, group, number, binned, family):
    """Return the sum of squared errors of validation rows after some rounds."""
    errors = [found.after(k, number).link(binned[rows])[:, 0] - family.y[rows] for k, rows in group]
    return sum((part**2).sum() for part in errors)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_curves_are_exactly_additive_and_say_what_each_value_adds(kind, rng):
    X, signal = make_table()
    model = fitted(kind, X, response(kind, signal, rng))
    models, shapes = model._model.models, shapes_of(model)
    codes = models.rows.read(X)
    parts = models.shape_parts(codes)
    link = shapes.link(models.rows.model_bins(codes).codes)
    np.testing.assert_allclose(shapes.start + parts.sum(axis=1), link, rtol=1e-12)
    curves, outputs = model.explain(X[:2]).curves, models.response.outputs or [None]
    for k, label in enumerate(outputs):
        own = curves if label is None else curves[curves["class"] == label]
        assert own.groupby("feature")["rows"].sum().eq(len(X)).all()
        for j, name in enumerate(X.columns):
            pieces = own[own["feature"] == name]
            for cell, expected in zip(X[name], parts[:, j, k], strict=True):
                assert piece_of(pieces, cell)["curve"] == expected


def piece_of(pieces, cell):
    """Return the piece of a curve that a cell lies on."""
    if isinstance(cell, str):
        return pieces[pieces["level"] == cell].iloc[0]
    if np.isnan(cell):
        return pieces[pieces["low"].isna() & pieces["level"].isna()].iloc[0]
    return pieces[(pieces["low"] < cell) & (cell <= pieces["high"])].iloc[0]


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_the_global_model_is_the_lasso_and_its_share_of_the_additive_model(kind, rng):
    X, signal = make_table(120)
    model = fitted(kind, X[:90], response(kind, signal, rng)[:90])
    attention, queries = model._model, X[90:]
    share, view = attention.tuned.additive, attention.models.view(queries)
    family = model.baseline_.fit_.family.scaled(0.0, 1.0)
    additive = family.values(shapes_of(model).link(attention.rows.model_bins(view.codes).codes))
    lasso = model.baseline_.values(view.design)
    expected = (1 - share) * lasso + share * additive
    found = model.local_models(queries).baseline_prediction
    columns = expected if np.ndim(found) == 2 else expected[:, -1]
    np.testing.assert_allclose(found, columns, rtol=1e-9, atol=1e-12)


@pytest.mark.each_value
@pytest.mark.parametrize("how", [{"heads": "single"}, {"local": LocalLasso(shapes=False)}, {"mixing": 0.0}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_without_shapes_there_are_none_anywhere(kind, how, rng):
    X, signal = make_table()
    model = fitted(kind, X, response(kind, signal, rng), **how)
    e = model.explain(X[:3])
    assert shapes_of(model) is None
    assert not model.heads_["shapes"].any()
    assert (e.multiple, e.shape, e.curves) == (None, None, None)


def test_shapes_must_be_said_yes_or_no_to():
    with pytest.raises(TypeError, match=r"`shapes` must be True or False, got 'auto'"):
        AttentionLasso(local=LocalLasso(shapes="auto")).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])


@pytest.mark.more
def test_curves_are_learned_where_lines_and_neighbours_are_few():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(500, 8))
    truth = 2 * np.sin(2 * X[:, 0]) + np.where(X[:, 1] > 0.3, 2, -1) + X[:, 2] ** 2 + np.abs(X[:, 3])
    y = truth + 0.5 * rng.normal(size=500)
    with_them, without = (
        AttentionLasso(local=LocalLasso(shapes=shapes), random_state=0).fit(X[:250], y[:250])
        for shapes in (True, False)
    )
    errors = [np.mean((model.predict(X[250:]) - truth[250:]) ** 2) for model in (with_them, without)]
    assert errors[0] < 0.7 * errors[1]


def test_a_sample_weight_is_a_number_of_rows_for_curves_too():
    X, y = make_table(60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    twice = np.repeat(np.arange(60), weight)
    one = shapes_of(AttentionLasso(random_state=0).fit(X, y, sample_weight=weight))
    two = shapes_of(AttentionLasso(random_state=0).fit(X.iloc[twice], y[twice]))
    np.testing.assert_allclose(one.curves, two.curves, rtol=1e-7, atol=1e-9)


def test_what_a_category_adds_stands_with_the_level_of_the_query():
    X, y = make_table()
    model = fitted("numbers", X, y)
    e = model.explain(X[:20])
    parts = model._model.models.shape_parts(model._model.rows.read(X[:20]))[..., 0]
    for row, (name, level) in enumerate(zip(X.index[:20], X["kind"][:20], strict=True)):
        others = [f"kind={other}" for other in "uvw" if other != level]
        assert (e.shape.loc[name, others] == 0).all()
        added = e.shape.loc[name, [f"kind={level}", "wave", "line"]].to_numpy()
        np.testing.assert_allclose(added, e.multiple[name] * parts[row, [2, 0, 1]], rtol=1e-9)


def test_heavy_rows_draw_the_curves():
    rng = np.random.default_rng(0)
    X, heavy = rng.uniform(-2, 2, size=(160, 2)), np.arange(160) % 2 == 0
    y = np.where(heavy, 1, -1) * np.abs(X[:, 0]) + 0.01 * rng.normal(size=160)
    model = fitted("numbers", X, y, sample_weight=np.where(heavy, 50.0, 1.0))
    parts = model._model.models.shape_parts(X)[:, 0, 0]
    assert np.corrcoef(parts, np.abs(X[:, 0]))[0, 1] > 0.9


def test_shares_of_heads_and_of_the_additive_model_are_those_that_were_tuned(monkeypatch):
    X, y = make_table(120)
    shares = []

    def tune(oof, many, mixing, seed):
        shares.append(np.random.default_rng(0).dirichlet(np.ones(oof.heads.shape[1] + 1))[:-1])
        return Tuned(shares[0], np.zeros(shares[0].size), 1.0, oof.baseline)

    monkeypatch.setattr("heedful._flow.tune.tune", tune)
    model = fitted("numbers", X[:90], y[:90])
    attention, view = model._model, model._model.models.view(X[90:])
    models = model.local_models(X[90:])
    local = models.local_intercept + (models.local_coef * models.lasso_design + models.local_shape).sum(axis=1)
    *heads, additive = shares[0]
    rest = 1 - sum(heads) - additive
    expected = rest * view.base[:, 0] + additive * view.additive[:, 0] + sum(heads) * local.to_numpy()
    np.testing.assert_allclose(model.predict(X[90:]), expected, rtol=1e-9)
    assert attention.tuned.share.size == attention.grid.n_heads
    part, lasso = additive / (1 - sum(heads)), model.baseline_
    np.testing.assert_allclose(models.baseline_coef, (1 - part) * lasso.fit_.coef[0], rtol=1e-9)
    start = (1 - part) * lasso.fit_.intercept[0] + part * shapes_of(model).start[0]
    assert models.baseline_intercept == pytest.approx(start)
    blended = (1 - sum(heads)) * start + sum(heads) * models.local_intercept
    np.testing.assert_allclose(models.lasso_intercept, blended, rtol=1e-9)


def test_a_mixing_per_query_is_that_between_the_heads_and_both_global_models(monkeypatch):
    X, y = make_table()
    seen, gather, tune = [], fit.gather_evidence, fit.tune
    monkeypatch.setattr(fit, "gather_evidence", lambda *args: seen.append(args) or gather(*args))

    def lean(oof, *how):
        tuned = tune(oof, *how)
        share = np.full(tuned.share.size, 0.6 / tuned.share.size)
        return tuned._replace(share=np.append(share[:-1], 0.2))

    monkeypatch.setattr("heedful._flow.tune.tune", lean)
    model = fitted("numbers", X, y, mixing="adaptive")
    share = model._model.tuned.additive
    lasso = LassoBaseline(random_state=0).fit(*table_of(model), splits=model._model.splits).predict_left_out()[:, 0]
    expected = (1 - share) * lasso + share * shapes_of(model).train[:, 0]
    assert 0 < share < 1
    np.testing.assert_allclose(seen[0][0].baseline, expected, rtol=1e-6)


def table_of(model):
    """Return the rows that the lasso was fitted to, and their responses."""
    rows = model._model.rows
    return rows.model_rows(rows.codes), rows.y


def test_only_heads_with_shapes_have_a_multiple_of_the_curves():
    X, y = make_table()
    model = fitted("numbers", X, y)
    fit = model._model
    for shaped in (False, True):
        share = np.where(fit.grid.shaped == shaped, 1.0, 0.0)
        fit.tuned = fit.tuned._replace(share=share / share.sum(), additive=0.0)
        assert model.explain(X[:5]).multiple.any() == shaped


def test_the_level_of_hazards_is_that_at_which_events_are_as_many_as_expected(rng):
    X, signal = make_table()
    model = fitted("times", X, response("times", signal, rng))
    family, rows = model.baseline_.fit_.family, model._model.rows
    expected = np.exp(shapes_of(model).train[:, 0]) * family.hazard
    assert rows.weight @ expected == pytest.approx(rows.weight @ family.event, rel=0.02)
