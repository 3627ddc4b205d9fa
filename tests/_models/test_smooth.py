"""The smooth model: kernel ridge, with a length for each column, of what the lasso leaves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, TimeSeriesSplit

from heedful import (
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    LocalLasso,
    _blocks,
    _kernels,
    load_model,
    save_model,
)
from heedful._folds import Split, random_splits
from heedful._models import linear, smooth as room
from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
from heedful.similarity import ForestProximity
from reference import smooth as slow


def make_rows(n=160, p=4, seed=0):
    """Return rows and a smooth function of two of their columns that no line has a part in."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, np.cos(2 * X[:, 0]) * np.cos(X[:, 1])


def fit_lasso(X, y, kind=LassoBaseline, n_folds=10, **how):
    return kind(**how).fit(X, y, splits=random_splits(len(X), n_folds, 0)).fit_


def fit_whole(X, y, **how):
    fit = fit_lasso(X, y, **how)
    with _blocks.one_blas_thread():
        return room.fit_smooth(fit, X, fit.splits, 1e-7), fit


def fitted(X, y, kind=AttentionLasso, **how):
    how = {"similarity": ForestProximity(8), "random_state": 0} | how
    return kind(**how).fit(X, y)


def test_sums_of_kernels_are_those_of_numpy():
    rng = np.random.default_rng(0)
    x, centres, coef = rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    total = np.zeros((7, 2))
    _kernels.kernel_sum_rows(x, centres, coef, total)
    np.testing.assert_allclose(total, np.exp(-((x[:, None] - centres) ** 2).sum(axis=2)) @ coef, atol=1e-13)


@pytest.mark.one_value
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_the_error_in_closed_form_is_that_of_one_fit_for_each_row(n_outputs):
    rng = np.random.default_rng(1)
    x, z, weight = rng.normal(size=(40, 3)), rng.normal(size=(40, n_outputs)), rng.uniform(0.5, 2.0, 40)
    z += 2 * np.sin(2 * x[:, :1])
    scale = np.array([1.0, 0.5, 0.0])
    kernel, error = room._ridge(x, z, weight, scale, 1.4, 15)
    unit, points, centres = scale[0] / kernel.scale[0], x * scale, kernel.centres * scale[0] / kernel.scale[0]
    features = slow.features_of(points, centres, unit, room.JITTER)
    errors = [slow.left_out_error(features, z, weight, penalty) for penalty in room.PENALTIES]
    assert error * (weight[:, None] * z**2).sum() == pytest.approx(min(errors), rel=1e-6)
    best = features @ slow.ridge(features, z, weight, room.PENALTIES[int(np.argmin(errors))])
    np.testing.assert_allclose(kernel.values(x), best, atol=1e-5)


def test_slopes_are_root_mean_squares_of_differences():
    X, signal = make_rows()
    kernel, _ = room._ridge(X, signal[:, None], np.ones(len(X)), np.array([1.0, 0.7, 0.1, 0.0]), 1.0, 100)
    for j in range(X.shape[1]):
        step = 1e-5 * np.eye(X.shape[1])[j]
        change = (kernel.values(X + step) - kernel.values(X - step)) / 2e-5
        assert kernel.slope[j] == pytest.approx(np.sqrt((change**2).mean()), abs=1e-6)


def test_columns_that_matter_get_short_lengths():
    X, signal = make_rows(400, 12)
    found, _ = fit_whole(X, signal + 0.1 * np.random.default_rng(5).normal(size=400))
    assert found.kernel.scale[:2].min() > 5 * found.kernel.scale[2:].max()
    unseen = np.mean((found.train[:, 0] - signal) ** 2)
    assert unseen < 0.1 * signal.var()


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["numbers", "two classes", "three classes", "times"])
def test_a_row_has_no_say_in_what_predicts_it(kind):
    X, signal = make_rows(120)
    rng = np.random.default_rng(3)
    noisy = 3 * signal + 0.3 * rng.normal(size=120)
    y = {"two classes": (noisy > 1).astype(int), "three classes": np.digitize(noisy, [0.0, 1.5])}.get(kind, noisy)
    if kind == "times":
        y = pd.DataFrame({"event": rng.random(120) < 0.8, "time": np.exp(-noisy)})
    baseline = {"numbers": LassoBaseline, "times": CoxBaseline}.get(kind, LogisticBaseline)
    other = y.copy()
    if kind == "times":
        other.loc[7, "time"] = 50.0
    else:
        other[7] = 1 - y[7] if kind == "two classes" else (y[7] + 1) % 3 if kind == "three classes" else y[7] + 9
    (first, _), (second, _) = (fit_whole(X, part, kind=baseline, alpha=0.05) for part in (y, other))
    assert first is not None
    level = 0.0 if kind != "times" else second.level - first.level
    np.testing.assert_allclose(second.train[7] - level, first.train[7], atol=1e-9)
    assert np.abs(second.train - first.train).max() > 1e-3


def test_folds_that_cut_all_rows_into_parts_are_merged_and_others_are_kept():
    splits = random_splits(53, 10, 0)
    merged = room.merge_folds(splits, 53)
    assert len(merged) == room.FOLDS
    np.testing.assert_array_equal(np.sort(np.concatenate([split.test for split in merged])), np.arange(53))
    for split in merged:
        assert not set(split.train) & set(split.test)
        assert all(set(own.test) <= set(split.test) or not set(own.test) & set(split.test) for own in splits)
    past = [Split(*split) for split in TimeSeriesSplit(8).split(np.zeros(53))]
    gaps = [Split(split.train[1:], split.test) for split in splits]
    for others in (past, gaps, splits[:3]):
        assert room.merge_folds(others, 53) is others


def test_groups_stay_together_when_folds_are_merged():
    groups = np.arange(60) // 4
    splits = [Split(*split) for split in GroupKFold(9).split(np.zeros(60), groups=groups)]
    for split in room.merge_folds(splits, 60):
        assert not set(groups[split.train]) & set(groups[split.test])


def test_nothing_to_learn_is_no_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    found = [fit_whole(X, np.random.default_rng(seed).normal(size=300))[0] for seed in range(5)]
    assert sum(model is not None for model in found) <= 1
    assert fit_whole(X, np.ones(300))[0] is None
    assert fit_whole(X[:15], X[:15, 1] ** 2)[0] is None


def test_rows_far_outside_get_the_lassos_prediction():
    X, signal = make_rows()
    found, _ = fit_whole(X, signal)
    assert np.abs(found.added(np.full((1, 8), 50.0))).max() < 1e-12


def test_newton_steps_go_so_far_and_no_farther():
    X, signal = make_rows(200)
    found, _ = fit_whole(X, (signal > 0.2).astype(int), kind=LogisticBaseline)
    added = found.added(X)
    assert np.abs(added).max() <= room.STEPS * room.STEP == found.kernel.most
    assert np.abs(found.kernel._replace(most=0.5).values(X)).max() == 0.5


def test_units_of_columns_and_response_make_no_difference():
    X, signal = make_rows()
    y = signal + 0.1 * np.random.default_rng(1).normal(size=len(X))
    model = fitted(X, y)
    other = fitted(X * [1000.0, 0.01, 3.0, 1.0] + [5.0, 0.0, -7.0, 2.0], 50.0 * y - 3.0)
    assert model._model.tuned.smooth > 0.3
    new = make_rows(20, seed=4)[0]
    np.testing.assert_allclose(
        other.predict(new * [1000.0, 0.01, 3.0, 1.0] + [5.0, 0.0, -7.0, 2.0]),
        50.0 * model.predict(new) - 3.0,
        rtol=1e-5,
    )


def test_neither_threads_nor_the_order_of_rows_make_a_difference():
    X, signal = make_rows()
    new, order = make_rows(30, seed=4)[0], np.random.default_rng(0).permutation(len(X))
    model = fitted(X, signal)
    np.testing.assert_array_equal(fitted(X, signal, n_jobs=2).predict(new), model.predict(new))
    np.testing.assert_allclose(fitted(X[order], signal[order]).predict(new), model.predict(new), atol=1e-8)
    np.testing.assert_array_equal(model.predict(new[:1]), model.predict(new)[:1])


@pytest.mark.more
@pytest.mark.parametrize("kind", ["counts", "two classes", "times"])
def test_smooth_truths_are_learned_better_with_a_smooth_model(kind):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 4))
    signal = 2 * np.cos(1.5 * X[:, 0]) * np.cos(X[:, 1])
    how = {"local": LocalLasso(smooth=False)}
    if kind == "counts":
        y, estimator = rng.poisson(np.exp(signal)), AttentionGLM
    elif kind == "times":
        y, estimator = pd.DataFrame({"event": True, "time": rng.exponential(np.exp(-signal))}), AttentionCox
    else:
        y, estimator = (rng.random(700) < 1 / (1 + np.exp(-2 * signal))).astype(int), AttentionLassoClassifier
    train, new = slice(0, 300), slice(300, 700)
    with_it, without = (fitted(X[train], y[train], estimator, **part) for part in ({}, how))
    assert with_it._model.tuned.smooth > 0.1
    assert without._model.models.smooth is None
    link = [
        model._model.problem.family.link_of(model._model.values(X[new], model._run))[:, -1]
        for model in (with_it, without)
    ]
    alike = [np.corrcoef(part, signal[new])[0, 1] for part in link]
    assert alike[0] > alike[1]


def test_categories_and_missing_cells_are_columns_like_others():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "kind": rng.choice(list("uvw"), 200), "b": rng.normal(size=200)})
    y = np.where(X["kind"] == "u", 3.0, -3.0) * np.cos(2 * X["a"]) + 0.1 * rng.normal(size=200)
    X.loc[::9, "b"] = np.nan
    model = fitted(X, y)
    assert model._model.models.smooth.kernel.scale.size == len(model._model.models.names)
    effects = model.local_effects(X[:3], columns=["kind"])
    assert effects["effect"].abs().max() > 0.1


def test_limits_one_head_and_many_rows_have_no_smooth_model(monkeypatch):
    X, signal = make_rows()
    settings = [{"local": LocalLasso(limits={0: "+"})}, {"local": LocalLasso(smooth=False)}]
    for how in (*settings, {"heads": "single"}, {"mixing": 0.4}, {"mixing": 0.0}):
        assert fitted(X, signal, **how)._model.models.smooth is None
    monkeypatch.setattr(linear, "SHAPE_ROWS", len(X) - 1)
    assert fitted(X, signal)._model.models.smooth is None
    with pytest.raises(TypeError, match="`smooth` must be True or False, got 'yes'"):
        fitted(X, signal, local=LocalLasso(smooth="yes"))


def test_the_model_for_all_rows_alone_has_neither_curves_nor_smoothness():
    X, signal = make_rows()
    model = fitted(X, signal + X[:, 2])
    np.testing.assert_allclose(model.baseline_.predict(X), model._model.models.baseline.link(X)[:, 0], atol=1e-12)
    assert np.abs(model.predict(X) - model.baseline_.predict(X)).max() > 0.3


def test_contributions_of_a_smooth_model_are_its_own_and_not_attentions():
    X, signal = make_rows(300)
    model = fitted(X, signal)
    assert model._model.tuned.smooth > 0.5
    share = 0.2 * np.eye(model._model.grid.n_heads)[0]
    tuned = model._model.tuned = model._model.tuned._replace(share=share, additive=0.0, smooth=1.0)
    explanation = model.explain(X[:40])
    total, through = explanation.contributions(), explanation.contributions(part="model")
    np.testing.assert_allclose(total.sum(axis=1), explanation.prediction - explanation.base_value, atol=1e-9)
    rest = np.abs(total - through).to_numpy().sum()
    assert rest <= (tuned.mixing + 0.1) * np.abs(total).to_numpy().sum()


def test_a_saved_model_predicts_the_same_and_one_of_another_table_is_refused(tmp_path):
    X, signal = make_rows()
    model = fitted(X, signal)
    save_model(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "model.skops").predict(X), model.predict(X))
    part = model._model.models.smooth
    for wrong in (part.kernel._replace(scale=part.kernel.scale[:-1]), part.kernel._replace(most=0.0)):
        with pytest.raises(ValueError, match=r"holds something else|has no room"):
            room.Smooth(wrong, part.level, part.train).check_loaded()


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_the_global_model_is_a_blend_of_lasso_curves_and_smooth_model(kind):
    X, signal = make_rows(200)
    estimator = AttentionLasso if kind == "numbers" else AttentionLassoClassifier
    model = fitted(X[:160], (signal + X[:, 2] if kind == "numbers" else signal > 0.2)[:160], estimator)
    attention, tuned = model._model, model._model.tuned
    view = attention.models.view(X[160:])
    assert tuned.smooth > 0.1
    lasso = attention.models.baseline
    link = lasso.link(view.design) + attention.models.smooth.added(view.x)
    smooth = lasso.fit_.family.scaled(0.0, 1.0).values(link)
    expected = (1 - tuned.additive - tuned.smooth) * view.base + tuned.additive * view.additive + tuned.smooth * smooth
    found = model.local_models(X[160:])
    np.testing.assert_allclose(found.baseline_prediction, expected[:, -1], atol=1e-12)
    if kind == "numbers":
        added = (1 - found.mixing) * tuned.smooth * (link - lasso.link(view.design))[:, 0]
        np.testing.assert_allclose(found.smooth, added, atol=1e-12)


def test_rows_of_next_to_no_weight_have_next_to_no_say():
    X, signal = make_rows(240)
    wrong = np.arange(240) % 2 == 0
    y, weight = np.where(wrong, -signal, signal), np.where(wrong, 1e-8, 1.0)
    fit = LassoBaseline().fit(X, y, weight, splits=random_splits(240, 10, 0)).fit_
    with _blocks.one_blas_thread():
        found = room.fit_smooth(fit, X, fit.splits, 1e-7)
    assert np.corrcoef(found.train[:, 0], signal)[0, 1] > 0.8


def test_the_level_of_hazards_is_that_at_which_events_are_as_many_as_expected():
    X, signal = make_rows(200)
    y = pd.DataFrame({"event": np.arange(200) % 4 > 0, "time": np.exp(-2 * signal)})
    found, fit = fit_whole(X, y, kind=CoxBaseline)
    share = fit.weight / fit.weight.sum()
    assert abs(found.level[0]) > 1e-3
    np.testing.assert_allclose(fit.family.attended_level(found.train[:, 0], share, fit.weight), 0.0, atol=0.05)
