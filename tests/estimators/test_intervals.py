"""Laws of prediction intervals, for every estimator of numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from skops import io as skops_io

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLasso,
    LocalLearner,
    TreeAttentionRegressor,
    _blocks,
)
from heedful._flow import intervals as calibration
from heedful._flow.intervals import Calibration
from heedful._flow.kinds import Run
from heedful.similarity import (
    BoostedProximity,
    ForestProximity,
    GaussianSimilarity,
    PastSimilarity,
    RidgeSimilarity,
    TeacherSimilarity,
    default_forests,
)
from reference.intervals import split_conformal

FEW_TREES = ForestProximity(40)
TREES = RandomForestRegressor(20, min_samples_leaf=10, random_state=0)
MODELS = {
    "lasso": AttentionLasso(similarity=default_forests(80), random_state=0),
    "one head": AttentionLasso(heads="single", similarity=FEW_TREES, random_state=0),
    "adaptive": AttentionLasso(heads="single", similarity=FEW_TREES, mixing="adaptive", random_state=0),
    "fixed share": AttentionLasso(similarity=FEW_TREES, mixing=0.8, random_state=0),
    "folds": AttentionLasso(heads="single", similarity=FEW_TREES, cv=4, random_state=0),
    "learner": AttentionRegressor(Ridge(), similarity=FEW_TREES, local=LocalLearner(tuning_rows=80), random_state=0),
    "leaves": LeafAttentionRegressor(TREES, similarity=FEW_TREES, random_state=0),
    "trees": TreeAttentionRegressor(TREES, similarity=FEW_TREES, random_state=0),
}
EVERY = pytest.mark.parametrize("name", MODELS)
SIMILARITIES = [
    BoostedProximity(GradientBoostingRegressor(n_estimators=20)),
    GaussianSimilarity(),
    RidgeSimilarity(),
    TeacherSimilarity(Ridge()),
    lambda query, train: -np.abs(np.subtract.outer(query[:, 0], train[:, 0])),
]
ONE_RATIO = LocalLasso(alpha_ratio=1.0)
NO_INTERVALS = [AttentionLassoClassifier, AttentionCox, AttentionClassifier, LeafAttentionClassifier]


def draw(rng, n):
    """Return rows whose noise depends on the first column, as do the coefficients."""
    X = rng.normal(size=(n, 3)).round(2)
    y = np.where(X[:, 0] > 0, 3.0, -2.0) * X[:, 1] + np.where(X[:, 0] > 0, 1.5, 0.3) * rng.normal(size=n)
    return X, y.round(3)


@pytest.fixture
def table(rng):
    return *draw(rng, 130), rng.normal(size=(25, 3))


@pytest.mark.one_value
@EVERY
def test_intervals_are_two_columns_around_the_predictions(table, name):
    X, y, X_new = table
    model = clone(MODELS[name]).fit(X, y)
    ends = model.predict_interval(X_new)
    assert ends.shape == (25, 2)
    np.testing.assert_allclose(ends.mean(axis=1), model.predict(X_new))
    assert (ends[:, 0] < ends[:, 1]).all()


@pytest.mark.one_value
@EVERY
def test_less_coverage_lies_inside_more(table, name):
    X, y, X_new = table
    model = clone(MODELS[name]).fit(X, y)
    small, large = (model.predict_interval(X_new, coverage) for coverage in (0.8, 0.9))
    assert (small[:, 0] >= large[:, 0]).all()
    assert (small[:, 1] <= large[:, 1]).all()


@pytest.mark.one_value
@EVERY
def test_row_order_is_irrelevant(table, rng, name):
    X, y, X_new = table
    order = rng.permutation(len(y))
    one, other = (clone(MODELS[name]).fit(X[rows], y[rows]).predict_interval(X_new) for rows in (slice(None), order))
    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("name", ["lasso", "adaptive", "folds", "leaves"])
def test_the_unit_of_the_response_passes_through(table, name):
    X, y, X_new = table
    ends = clone(MODELS[name]).fit(X, y).predict_interval(X_new)
    scaled = clone(MODELS[name]).fit(X, 4 * y).predict_interval(X_new)
    np.testing.assert_allclose(scaled, 4 * ends, atol=1e-6)


def test_the_origin_of_the_response_passes_through(table):
    """Without trees, which may split elsewhere if the last bits of a response change."""
    X, y, X_new = table
    model = AttentionLasso(similarity=GaussianSimilarity(), random_state=0)
    ends, shifted = (clone(model).fit(X, z).predict_interval(X_new) for z in (y, y + 8))
    np.testing.assert_allclose(shifted, ends + 8, atol=1e-4)


def test_equal_spreads_give_split_conformal_around_the_predictions(table, monkeypatch):
    X, y, X_new = table
    monkeypatch.setattr(calibration, "POWERS", np.zeros(1))
    model = clone(MODELS["one head"]).fit(X, y)
    half = split_conformal(np.abs(model._model.residuals.residual), 0.9)
    np.testing.assert_allclose(model.predict_interval(X_new) - model.predict(X_new)[:, None], [[-half, half]] * 25)


def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_is_none(table):
    X, y, X_new = table
    weight = np.resize([1.0, 2.0, 0.0, 1.0], len(y))
    times = weight.astype(int)
    weighted = clone(MODELS["lasso"]).fit(X, y, sample_weight=weight).predict_interval(X_new)
    repeated = clone(MODELS["lasso"]).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_interval(X_new)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-8)


def test_rows_that_count_more_decide_how_wide_intervals_are(rng):
    """Of noise that no column tells: what columns tell is the same for any weights."""
    X, loud = rng.normal(size=(200, 3)), rng.uniform(size=200) > 0.5
    y = X[:, 0] + np.where(loud, 1.5, 0.3) * rng.normal(size=200)
    widths = []
    for heavy in (loud, ~loud):
        model = clone(MODELS["one head"]).fit(X, y, sample_weight=np.where(heavy, 10.0, 0.1))
        widths.append(np.diff(model.predict_interval(X)).mean())
    assert widths[0] > 2.5 * widths[1]


@pytest.mark.one_value
@pytest.mark.parametrize("name", ["lasso", "adaptive", "folds"])
def test_any_number_of_jobs_and_any_block_give_the_same_bits(table, monkeypatch, name):
    X, y, X_new = table
    results = [clone(MODELS[name]).set_params(n_jobs=jobs).fit(X, y).predict_interval(X_new) for jobs in (None, 2)]
    monkeypatch.setattr(_blocks, "BUDGET", 100_000)
    results.append(clone(MODELS[name]).fit(X, y).predict_interval(X_new))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_intervals_are_wider_where_the_noise_is(rng):
    X, y = draw(rng, 300)
    X_new, _ = draw(rng, 200)
    width = np.diff(clone(MODELS["lasso"]).fit(X, y).predict_interval(X_new)).ravel()
    assert width[X_new[:, 0] > 0.3].mean() > 1.15 * width[X_new[:, 0] < -0.3].mean()


def test_spreads_see_predictions_by_models_without_the_row(table):
    X, y, _ = table
    fit = clone(MODELS["one head"]).fit(X, y)._model
    seen = fit.calibration(Run()).known.columns.table
    np.testing.assert_allclose(seen[:, -1], fit.rows.y - fit.residuals.residual, atol=1e-12)
    np.testing.assert_array_equal(seen[:, :-1], fit.rows.codes)


@pytest.mark.one_value
@pytest.mark.parametrize("name", ["lasso", "folds"])
def test_no_left_out_row_attends_to_itself(table, name):
    X, y, _ = table
    fit = clone(MODELS[name]).fit(X, y, sample_weight=1.0 + (X[:, 0] > 0))._model
    assert fit.tuned.mixing > 0
    assert not np.diag(fit.attend_left_out(np.arange(len(y))).toarray()).any()


@pytest.mark.one_value
@pytest.mark.parametrize("cv", [GroupKFold(4), TimeSeriesSplit(4), [(np.arange(60), np.arange(60, 130))]])
def test_any_folds_give_intervals(table, cv):
    X, y, X_new = table
    model = clone(MODELS["one head"]).set_params(cv=cv)
    groups = np.arange(130) // 10 if isinstance(cv, GroupKFold) else None
    assert np.isfinite(model.fit(X, y, groups=groups).predict_interval(X_new)).all()


@pytest.mark.more
def test_a_forest_without_out_of_bag_rows_leaves_spreads_to_the_columns(table):
    X, y, X_new = table
    forest = RandomForestRegressor(30, min_samples_leaf=5, bootstrap=False, max_features=1)
    similarity = PastSimilarity(ForestProximity(forest=forest), time=2)
    for one in (ForestProximity(forest=forest), similarity):
        for mixing in ("auto", "adaptive"):
            model = AttentionLasso(heads="single", similarity=one, mixing=mixing, cv=3, random_state=0).fit(X, y)
            assert np.isfinite(model.predict_interval(X_new)).all()
            assert not model._model.calibration(Run()).attends


def test_too_few_rows_for_the_coverage_give_infinite_ends(table):
    X, y, X_new = table
    model = clone(MODELS["one head"]).fit(X[:50], y[:50])
    assert np.isfinite(model.predict_interval(X_new, 50 / 51)).all()
    np.testing.assert_array_equal(model.predict_interval(X_new, 0.99), [[-np.inf, np.inf]] * 25)


def test_a_constant_response_leaves_intervals_without_width(rng):
    X = rng.normal(size=(30, 2))
    np.testing.assert_allclose(clone(MODELS["lasso"]).fit(X, np.full(30, 5.0)).predict_interval(X), 5.0)


def test_a_frame_gives_the_intervals_of_its_numbers(table):
    X, y, X_new = table
    frame, new = (pd.DataFrame(rows, columns=list("abc")) for rows in (X, X_new))
    ends = clone(MODELS["one head"]).fit(X, y).predict_interval(X_new)
    np.testing.assert_allclose(clone(MODELS["one head"]).fit(frame, y).predict_interval(new), ends, rtol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", SIMILARITIES, ids=lambda entry: type(entry).__name__)
def test_every_similarity_gives_nested_intervals_around_the_predictions(table, similarity):
    X, y, X_new = table
    model = clone(MODELS["one head"]).set_params(similarity=similarity, mixing=0.7).fit(X, y)
    small, large = (model.predict_interval(X_new, coverage) for coverage in (0.5, 0.9))
    np.testing.assert_allclose(small.mean(axis=1), model.predict(X_new))
    assert ((large[:, 0] < small[:, 0]) & (small[:, 1] < large[:, 1])).all()


def test_no_block_of_queries_is_larger_than_memory_allows(table, monkeypatch):
    X, y, X_new = table
    model = clone(MODELS["one head"]).fit(X, y)
    model._model._calibration = model._model.calibration(Run())._replace(powers=np.ones(2))
    of, sizes = Calibration.attended, []
    monkeypatch.setattr(_blocks, "BUDGET", 4 * 24 * 130)
    count = lambda self, attention: sizes.append(attention.shape[0]) or of(self, attention)  # noqa: E731 - it is used once, right below
    monkeypatch.setattr(Calibration, "attended", count)
    model.predict_interval(X_new)
    assert max(sizes) == 4
    assert sum(sizes) == len(X_new)


@pytest.mark.more
@pytest.mark.parametrize("name", ["lasso", "adaptive", "folds", "learner", "leaves", "trees"])
def test_a_saved_model_gives_the_same_intervals(table, name):
    X, y, X_new = table
    model = clone(MODELS[name]).fit(X, y)
    data = skops_io.dumps(model)
    loaded = skops_io.loads(data, trusted=skops_io.get_untrusted_types(data=data))
    np.testing.assert_array_equal(loaded.predict_interval(X_new), model.predict_interval(X_new))


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, np.nan, 90])
def test_a_coverage_out_of_bounds_is_refused_before_any_work(coverage):
    with pytest.raises(ValueError, match=r"`coverage` must be > 0 and < 1, got .*\. 0\.9 means"):
        AttentionLasso().predict_interval(None, coverage)


@pytest.mark.parametrize("coverage", ["0.9", None, [0.8, 0.9], True])
def test_a_coverage_that_is_no_number_is_a_type_error(coverage):
    with pytest.raises(TypeError, match="`coverage` must be a number"):
        AttentionLasso().predict_interval(None, coverage)


@EVERY
def test_a_model_must_be_fitted_first(name):
    with pytest.raises(NotFittedError):
        clone(MODELS[name]).predict_interval([[0.0, 0.0, 0.0]])


@pytest.mark.parametrize("settings", [{"mixing": 0}, {"mixing": 0.5, "temperature": 0.1, "local": ONE_RATIO}])
def test_a_model_that_left_no_row_out_says_how_to_mend_it(table, settings):
    X, y, X_new = table
    model = clone(MODELS["one head"]).fit(X, y).set_params(**settings).fit(X, y)
    with pytest.raises(ValueError, match=r"`predict_interval` needs predictions of held-out rows.*mixing='auto'"):
        model.predict_interval(X_new)


@pytest.mark.parametrize("model", NO_INTERVALS)
def test_labels_and_survival_have_no_intervals(model):
    assert not hasattr(model(), "predict_interval")
