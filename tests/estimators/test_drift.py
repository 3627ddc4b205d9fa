import importlib
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.paper.drift.simulation import make_drift
from heedful import DriftCorrector
from heedful.similarity import ForestProximity, GaussianSimilarity, TeacherSimilarity
from reference.proximity_sums import softmax_sums

lightgbm, xgboost, catboost = (importlib.import_module(name) for name in ("lightgbm", "xgboost", "catboost"))
SMALL = {"n_estimators": 10, "random_state": 0}


@pytest.fixture
def rows(rng):
    """Return rows to train on, recent and new ones; the response has moved where the second column is positive."""
    X = rng.normal(size=(450, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=450)
    y[150:] += 2.0 * (X[150:, 1] > 0)
    return [(X[part], y[part]) for part in (slice(150), slice(150, 300), slice(300, None))]


@pytest.fixture
def model(rows):
    return GradientBoostingRegressor(**SMALL).fit(*rows[0])


@pytest.fixture
def labels(rng):
    """Return rows of three times with three classes, whose shares have changed."""
    X, y = make_classification(600, 5, n_informative=3, n_redundant=0, n_classes=3, random_state=0)
    recent = np.flatnonzero((y != 0) | (rng.random(600) < 0.3))
    later = recent[recent >= 200]
    return [(X[part], y[part]) for part in (np.arange(200), later[:150], later[150:])]


BARE = {"verbosity": -1, "min_data_in_leaf": 5, "num_threads": 1}
ENSEMBLES = {
    "forest": lambda X, y: RandomForestRegressor(**SMALL).fit(X, y),
    "extra trees": lambda X, y: ExtraTreesRegressor(**SMALL).fit(X, y),
    "gradient": lambda X, y: GradientBoostingRegressor(**SMALL).fit(X, y),
    "histogram": lambda X, y: HistGradientBoostingRegressor(max_iter=10).fit(X, y),
    "LightGBM": lambda X, y: lightgbm.LGBMRegressor(n_estimators=10, verbose=-1, n_jobs=1).fit(X, y),
    "LightGBM bare": lambda X, y: lightgbm.train({"objective": "regression", **BARE}, lightgbm.Dataset(X, y), 10),
    "XGBoost": lambda X, y: xgboost.XGBRegressor(n_estimators=10, n_jobs=1).fit(X, y),
    "XGBoost bare": lambda X, y: xgboost.train({"nthread": 1}, xgboost.DMatrix(X, y), 10),
    "CatBoost": lambda X, y: catboost.CatBoostRegressor(iterations=10, verbose=0, allow_writing_files=False).fit(X, y),
    "pipeline": lambda X, y: make_pipeline(StandardScaler(), GradientBoostingRegressor(**SMALL)).fit(X, y),
    "frozen": lambda X, y: FrozenEstimator(GradientBoostingRegressor(**SMALL).fit(X, y)),
}


def own_prediction(name, model, X):
    return model.predict(xgboost.DMatrix(X)) if name == "XGBoost bare" else model.predict(X)


@pytest.mark.parametrize("name", list(ENSEMBLES))
class TestEveryKindOfModel:
    def test_mixing_0_returns_its_predictions_exactly(self, rows, name):
        model = ENSEMBLES[name](*rows[0])
        corrector = DriftCorrector(model, mixing=0, random_state=0).fit(*rows[1])
        np.testing.assert_array_equal(corrector.predict(rows[2][0]), own_prediction(name, model, rows[2][0]))

    def test_equal_weights_add_the_mean_residual(self, rows, name):
        model, (X, y) = ENSEMBLES[name](*rows[0]), rows[1]
        corrector = DriftCorrector(model, temperature=1e9, mixing=1.0, random_state=0).fit(X, y)
        expected = own_prediction(name, model, rows[2][0]) + np.mean(y - own_prediction(name, model, X))
        np.testing.assert_allclose(corrector.predict(rows[2][0]), expected, atol=1e-6)

    def test_correction_lowers_the_error(self, rows, name):
        model, (X, y) = ENSEMBLES[name](*rows[0]), rows[2]
        corrector = DriftCorrector(model, random_state=0).fit(*rows[1])
        before = np.mean((own_prediction(name, model, X) - y) ** 2)
        assert np.mean((corrector.predict(X) - y) ** 2) < 0.6 * before


@pytest.mark.one_value
@pytest.mark.parametrize("temperature", [1.0, 0.1])
def test_the_paper_as_printed_is_the_plain_formula(rows, model, temperature):
    (X, y), new = rows[1], rows[2][0]
    residual = y - model.predict(X)
    leaves = [model.apply(part) for part in (new, X)]
    sums = softmax_sums(*leaves, np.column_stack([np.ones(y.size), residual]), [temperature])[:, 0]
    how = {"similarity": "leaves", "temperature": temperature, "mixing": 1.0, "random_state": 0}
    got = DriftCorrector(model, **how).fit(X, y).predict(new)
    np.testing.assert_allclose(got, model.predict(new) + sums[:, 1] / sums[:, 0], rtol=1e-10)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", ["leaves", GaussianSimilarity(standardize=False)])
@pytest.mark.parametrize("temperature", [1.0, 0.05])
def test_leaving_out_in_closed_form_equals_brute_force(rows, model, similarity, temperature):
    X, y = rows[1][0][:25], rows[1][1][:25]
    corrector = DriftCorrector(model, temperature=temperature, mixing=1.0, similarity=similarity, random_state=0)
    closed = corrector.fit(X, y).drift_report().rows["corrected"]
    brute = [corrector.fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(25)]
    np.testing.assert_allclose(closed, brute, atol=1e-10)


def test_the_temperatures_are_compared_by_leaving_rows_out(rows, model):
    X, y = rows[1]
    heads = DriftCorrector(model, similarity="leaves", random_state=0).fit(X, y).heads_
    for temperature, error in heads[["temperature", "error"]].itertuples(index=False):
        fixed = DriftCorrector(model, similarity="leaves", temperature=temperature, mixing=1.0, random_state=0).fit(
            X, y
        )
        left_out = fixed.drift_report().rows["corrected"]
        assert error == pytest.approx(np.mean((left_out - y) ** 2), rel=1e-10)


@pytest.mark.one_value
@pytest.mark.parametrize("window", [None, 70])
@pytest.mark.parametrize("cuts", [[1, 2, 3], [40], [149], list(range(10, 150, 10))])
def test_updates_in_any_batching_equal_one_fit(rows, model, cuts, window):
    (X, y), new = rows[1], rows[2][0]
    whole = DriftCorrector(model, window=window, random_state=0).fit(X, y)
    first, *rest = np.split(np.arange(150), [cut + 1 for cut in cuts if cut < 149])
    parts = DriftCorrector(model, window=window, random_state=0).fit(X[first], y[first])
    for part in rest:
        parts.update(X[part], y[part])
    assert parts.n_recent_ == (150 if window is None else window)
    np.testing.assert_array_equal(parts.predict(new), whole.predict(new))
    pd.testing.assert_frame_equal(parts.drift_report().frame, whole.drift_report().frame)


def test_a_window_of_time_drops_what_is_older(rows, model):
    (X, y), days = rows[1], pd.date_range("2026-01-01", periods=150, freq="D")
    windowed = DriftCorrector(model, window="30D", random_state=0).fit(X[:100], y[:100], time=days[:100])
    windowed.update(X[100:], y[100:], time=days[100:])
    last = DriftCorrector(model, random_state=0).fit(X[120:], y[120:])
    np.testing.assert_array_equal(windowed.predict(rows[2][0]), last.predict(rows[2][0]))


def test_dates_of_the_index_are_the_time(rows):
    X, y = rows[1]
    frame = pd.DataFrame(X, pd.date_range("2026-01-01", periods=150, freq="D"), list("abc"))
    model = GradientBoostingRegressor(**SMALL).fit(pd.DataFrame(rows[0][0], columns=list("abc")), rows[0][1])
    assert DriftCorrector(model, window=pd.Timedelta(days=20), random_state=0).fit(frame, y).n_recent_ == 20


@pytest.mark.parametrize("end", ["2026-06-01", "9999-12-30", "1500-06-01"])
def test_times_with_a_zone_are_times(rows, model, end):
    X, y = rows[1]
    hours = pd.Series(np.datetime64(end, "us") - np.arange(150)[::-1] * np.timedelta64(1, "h"))
    zoned = hours.dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    for time in (zoned, hours, zoned.astype(object), hours.dt.strftime("%Y-%m-%dT%H:%M"), pl.Series(hours.to_numpy())):
        fitted = DriftCorrector(model, window="30h", random_state=0).fit(X[:100], y[:100], time=time[:100])
        assert fitted.n_recent_ == 30
        # what is added may have another zone
        assert fitted.update(X[100:], y[100:], time=hours[100:]).n_recent_ == 30


def test_a_window_reaches_over_thousands_of_years(rows, model):
    ends = np.repeat(np.array(["2026-06-01", "9999-12-30"], "datetime64[us]"), 75)
    time = ends - np.tile(np.arange(75), 2) * np.timedelta64(1, "h")
    assert DriftCorrector(model, window="30h", random_state=0).fit(*rows[1], time=time).n_recent_ == 30


def test_an_index_of_dates_with_a_zone_or_of_periods_is_the_time(rows):
    days = pd.date_range("2026-01-01", periods=150, freq="D")
    model = GradientBoostingRegressor(**SMALL).fit(pd.DataFrame(rows[0][0], columns=list("abc")), rows[0][1])
    for index in (days.tz_localize("Asia/Tokyo"), days.to_period("D")):
        frame = pd.DataFrame(rows[1][0], index, list("abc"))
        assert DriftCorrector(model, window="20D", random_state=0).fit(frame, rows[1][1]).n_recent_ == 20
        assert DriftCorrector(model, random_state=0).fit(frame, rows[1][1]).n_recent_ == 150


def test_times_keep_their_kind(rows, model):
    (X, y), days = rows[1], pd.date_range("2026-01-01", periods=150, freq="D")
    fitted = DriftCorrector(model, window=100, random_state=0).fit(X, y, time=days)
    with pytest.raises(ValueError, match=r"`time` must be of one kind, got datetime64\[us\] before and float64 now"):
        fitted.update(X, y, time=np.arange(150))
    assert fitted.update(X, y).n_recent_ == 100


def test_recent_rows_and_queries_keep_the_kinds_of_their_columns(rows):
    X = pd.DataFrame(rows[1][0], columns=list("abc"))
    model = GradientBoostingRegressor(**SMALL).fit(pd.DataFrame(rows[0][0], columns=list("abc")), rows[0][1])
    fitted, dates = DriftCorrector(model, random_state=0).fit(X, rows[1][1]), X.assign(b=pd.Timestamp("2026-01-01"))
    for use in (fitted.predict, fitted.explain, fitted.drift_report):
        with pytest.raises(ValueError, match="Column 'b' held numbers in `fit`, now it holds dates"):
            use(dates)
    with pytest.raises(ValueError, match="Column 'b' held numbers in `fit`, now it holds text"):
        fitted.update(X.assign(b="1"), rows[1][1])


def test_numbers_as_time_take_a_number_as_window(rows, model):
    assert DriftCorrector(model, window=9.5, random_state=0).fit(*rows[1], time=np.arange(150)).n_recent_ == 10


def test_the_order_of_rows_does_not_matter(rows, model, rng):
    (X, y), new = rows[1], rows[2][0]
    order, weight = rng.permutation(150), rng.uniform(0.5, 2.0, size=150)
    first = DriftCorrector(model, random_state=0).fit(X, y, sample_weight=weight)
    second = DriftCorrector(model, random_state=0).fit(X[order], y[order], sample_weight=weight[order])
    np.testing.assert_array_equal(second.predict(new), first.predict(new))
    np.testing.assert_array_equal(second.attention(new).toarray(), first.attention(new).toarray()[:, order])
    pd.testing.assert_frame_equal(
        second.drift_report().rows, first.drift_report().rows.iloc[order].reset_index(drop=True)
    )


def test_a_weight_of_2_is_a_row_that_comes_twice_at_fixed_settings(rows, model):
    X, y = rows[1]
    weight = np.where(np.arange(150) < 40, 2.0, 1.0)
    twice = np.concatenate([np.arange(150), np.arange(40)])
    how = {"similarity": "leaves", "temperature": 0.1, "mixing": 1.0, "random_state": 0}
    weighted = DriftCorrector(model, **how).fit(X, y, sample_weight=weight).predict(rows[2][0])
    np.testing.assert_allclose(weighted, DriftCorrector(model, **how).fit(X[twice], y[twice]).predict(rows[2][0]))


def test_rows_of_weight_0_do_not_count(rows, model):
    X, y = rows[1]
    weight, noisy = np.repeat([1.0, 0.0], [100, 50]), y.copy()
    noisy[100:] = 1e6
    weighted = DriftCorrector(model, random_state=0).fit(X, noisy, sample_weight=weight)
    alone = DriftCorrector(model, random_state=0).fit(X[:100], y[:100])
    np.testing.assert_array_equal(weighted.predict(rows[2][0]), alone.predict(rows[2][0]))
    pd.testing.assert_frame_equal(weighted.drift_report().rows, alone.drift_report().rows)
    np.testing.assert_array_equal(weighted.attention(X[:3]).toarray()[:, 100:], 0.0)


def test_results_do_not_depend_on_the_number_of_threads(rows, model):
    one, two = (DriftCorrector(model, n_jobs=n, random_state=0).fit(*rows[1]).predict(rows[2][0]) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_blocks_of_queries_give_the_same(rows, model, monkeypatch):
    corrector = DriftCorrector(model, random_state=0).fit(*rows[1])
    whole = corrector.predict(rows[2][0])
    monkeypatch.setattr("heedful._flow.parts.BUDGET", 1500)
    np.testing.assert_array_equal(corrector.predict(rows[2][0]), whole)


@pytest.mark.more
def test_memory_does_not_grow_as_queries_times_rows(rng):
    X = rng.normal(size=(20_000, 3))
    model = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1).fit(X[:1000], X[:1000, 0])
    how = {"similarity": "leaves", "temperature": 0.1, "mixing": 1.0, "random_state": 0}
    corrector = DriftCorrector(model, **how).fit(X[:10_000], X[:10_000, 1])
    corrector.predict(X[:1])
    tracemalloc.start()
    corrector.predict(X[10_000:])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000 * 10_000 / 4


def test_few_rows_move_predictions_little(rows, model):
    X = rows[1][0]
    far = model.predict(X) + 10.0
    mixing = [DriftCorrector(model, random_state=0).fit(X[:n], far[:n]).mixing_ for n in (2, 4, 8, 30, 150)]
    assert mixing == sorted(mixing)
    assert mixing[0] < 0.1
    assert mixing[-1] > 0.8


@pytest.mark.more
def test_a_model_that_has_not_drifted_is_left_nearly_alone(rng):
    losses = []
    for _ in range(10):
        X = rng.normal(size=(900, 4))
        y = X[:, 0] + rng.normal(size=900)
        model = lightgbm.LGBMRegressor(n_estimators=30, num_leaves=8, verbose=-1, n_jobs=1).fit(X[:300], y[:300])
        corrector = DriftCorrector(model, random_state=0).fit(X[300:600], y[300:600])
        before, after = (np.mean((part.predict(X[600:]) - y[600:]) ** 2) for part in (model, corrector))
        losses.append(after / before - 1)
    assert np.mean(losses) < 0.01


@pytest.mark.more
def test_a_correction_beats_refitting_in_the_paper_s_drift():
    gaps = []
    for seed in range(6):
        times = [0.1, 0.9, 0.95]
        sims = [make_drift(300, share_b=times[0], sigma=6.0, random_state=seed)]
        sims += [
            make_drift(300, share_b=share, sigma=6.0, coef=sims[0].components, random_state=k + seed)
            for k, share in zip((100, 200), times[1:], strict=True)
        ]
        old, new = (lightgbm.LGBMRegressor(verbose=-1, n_jobs=1).fit(sim.X, sim.y) for sim in sims[:2])
        both = [
            DriftCorrector(old, similarity=who, random_state=0).fit(sims[1].X, sims[1].y) for who in ("leaves", None)
        ]
        gaps.append([np.mean((m.predict(sims[2].X) - sims[2].y) ** 2) for m in (old, new, *both)])
    none, refit, by_leaves, tuned = np.mean(gaps, axis=0)
    assert by_leaves < none - 0.9 * (none - refit)
    assert tuned < none - 1.6 * (none - refit)


CLASSIFIERS = {
    "forest": lambda X, y: RandomForestClassifier(**SMALL).fit(X, y),
    "gradient": lambda X, y: GradientBoostingClassifier(**SMALL).fit(X, y),
    "LightGBM": lambda X, y: lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1).fit(X, y),
    "LightGBM bare": lambda X, y: lightgbm.train({"objective": "binary", **BARE}, lightgbm.Dataset(X, y), 10),
    "XGBoost": lambda X, y: xgboost.XGBClassifier(n_estimators=10, n_jobs=1).fit(X, y),
    "XGBoost bare": lambda X, y: xgboost.train({"objective": "binary:logistic"}, xgboost.DMatrix(X, y), 10),
    "XGBoost raw": lambda X, y: xgboost.train({"objective": "binary:logitraw"}, xgboost.DMatrix(X, y), 10),
    "CatBoost": lambda X, y: catboost.CatBoostClassifier(iterations=10, verbose=0, allow_writing_files=False).fit(X, y),
}


class TestClasses:
    @pytest.mark.parametrize("name", list(CLASSIFIERS))
    def test_equal_weights_shift_all_log_odds_alike(self, labels, name):
        model = CLASSIFIERS[name](labels[0][0], labels[0][1] > 0)
        how = {"temperature": 1e9, "random_state": 0}
        plain = DriftCorrector(model, mixing=0, **how).fit(labels[1][0], labels[1][1] > 0).predict_proba(labels[2][0])
        moved = DriftCorrector(model, mixing=1.0, **how).fit(labels[1][0], labels[1][1] > 0).predict_proba(labels[2][0])
        inside = (plain[:, 1] > 1e-3) & (plain[:, 1] < 1 - 1e-3)
        shift = (logit(moved) - logit(plain))[inside, 1]
        np.testing.assert_allclose(shift, shift[0], atol=1e-6)
        assert shift[0] > 0

    def test_a_bare_booster_that_gives_raw_scores_has_their_chances(self, labels):
        (X, y), new = labels[1], labels[2][0]
        model = CLASSIFIERS["XGBoost raw"](labels[0][0], labels[0][1] > 0)
        chance = DriftCorrector(model, mixing=0, random_state=0).fit(X, y > 0).predict_proba(new)
        np.testing.assert_allclose(chance[:, 1], expit(model.predict(xgboost.DMatrix(new))), atol=1e-6)

    @pytest.mark.parametrize("names", [None, ["a", "b", "c"]])
    def test_three_classes_gain_log_loss_under_their_own_labels(self, labels, names):
        (X, y), (recent, y_recent), (new, y_new) = labels
        word = np.asarray(names or [0, 1, 2])
        model = RandomForestClassifier(50, min_samples_leaf=5, random_state=0).fit(X, word[y])
        corrector = DriftCorrector(model, random_state=0).fit(recent, word[y_recent])
        before, after = (part.predict_proba(new)[np.arange(y_new.size), y_new] for part in (model, corrector))
        assert -np.log(after).mean() < -np.log(np.maximum(before, 1e-15)).mean()
        assert set(corrector.predict(new)) <= set(word)
        np.testing.assert_allclose(corrector.predict_proba(new).sum(axis=1), 1.0)
        assert corrector.decision_function(new).shape == (y_new.size, 3)

    def test_mixing_0_returns_probabilities_and_labels_exactly(self, labels):
        model = GradientBoostingClassifier(**SMALL).fit(*labels[0])
        corrector = DriftCorrector(model, mixing=0, random_state=0).fit(*labels[1])
        np.testing.assert_array_equal(corrector.predict_proba(labels[2][0]), model.predict_proba(labels[2][0]))
        np.testing.assert_array_equal(corrector.predict(labels[2][0]), model.predict(labels[2][0]))

    def test_scores_are_accuracies_and_two_classes_have_log_odds(self, labels):
        X, y = labels[1]
        model = GradientBoostingClassifier(**SMALL).fit(labels[0][0], labels[0][1] > 0)
        corrector = DriftCorrector(model, random_state=0).fit(X, y > 0)
        assert corrector.score(X, y > 0) == np.mean(corrector.predict(X) == (y > 0))
        np.testing.assert_allclose(corrector.decision_function(X), logit(corrector.predict_proba(X)[:, 1]))
        assert is_classifier(corrector)

    def test_a_class_that_the_model_does_not_know_is_named(self, labels):
        model = GradientBoostingClassifier(**SMALL).fit(*labels[0])
        with pytest.raises(ValueError, match=r"`y` must hold labels that the model knows, \[0, 1, 2\], got 7. Drop"):
            DriftCorrector(model, random_state=0).fit(labels[1][0], np.full(150, 7))


class TestOtherModels:
    @pytest.mark.parametrize(
        "similarity",
        [GaussianSimilarity(), ForestProximity(50, random_state=0), lambda q, t: -np.abs(q[:, :1] - t[:, 0])],
    )
    def test_anything_with_predict_takes_a_similarity(self, rows, similarity):
        model = LinearRegression().fit(*rows[0])
        corrector = DriftCorrector(model, similarity=similarity, random_state=0).fit(*rows[1])
        X, y = rows[2]
        assert np.mean((corrector.predict(X) - y) ** 2) < np.mean((model.predict(X) - y) ** 2)

    def test_a_forest_on_the_residuals_finds_where_the_model_errs(self, rows):
        model, (X, y) = LinearRegression().fit(*rows[0]), rows[2]
        errors = [
            np.mean((DriftCorrector(model, similarity=s, random_state=0).fit(*rows[1]).predict(X) - y) ** 2)
            for s in (GaussianSimilarity(), "forest")
        ]
        assert errors[1] < 0.5 * errors[0]

    def test_an_object_that_only_predicts(self, rows):
        class Constant:
            def predict(self, X):
                return np.zeros(len(X))

        corrector = DriftCorrector(Constant(), similarity="forest", random_state=0).fit(*rows[1])
        assert corrector.score(*rows[2]) > 0.5

    def test_several_similarities_compete(self, rows, model):
        corrector = DriftCorrector(model, similarity=[GaussianSimilarity(), "forest"], random_state=0).fit(*rows[1])
        assert set(corrector.heads_["similarity"]) == {"GaussianSimilarity", "forest(sqrt)"}
        assert corrector.attention(rows[2][0][:3]).shape == (3, 150)

    def test_classes_of_a_linear_model(self, labels):
        model = LogisticRegression(max_iter=1000).fit(*labels[0])
        assert (
            DriftCorrector(model, similarity=GaussianSimilarity(), random_state=0)
            .fit(*labels[1])
            .predict_proba(labels[2][0])
            .shape[1]
            == 3
        )

    def test_updates_refit_the_similarity_as_one_fit_does(self, rows):
        model, (X, y) = LinearRegression().fit(*rows[0]), rows[1]
        whole = DriftCorrector(model, similarity="forest", random_state=0).fit(X, y)
        parts = DriftCorrector(model, similarity="forest", random_state=0).fit(X[:60], y[:60]).update(X[60:], y[60:])
        np.testing.assert_array_equal(parts.predict(rows[2][0]), whole.predict(rows[2][0]))


class TestTables:
    def frames(self, rng, n=300):
        X = pd.DataFrame(
            {"size": rng.normal(size=n), "kind": rng.choice(["x", "y", "z"], n), "the age": rng.normal(size=n)}
        )
        return X, X["size"] + (X["kind"] == "y"), X["size"] + 3.0 * (X["kind"] == "y")

    def test_a_pipeline_with_text_columns(self, rng):
        X, before, after = self.frames(rng)
        encode = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
        model = make_pipeline(encode, GradientBoostingRegressor(random_state=0)).fit(X[:150], before[:150])
        corrector = DriftCorrector(model, random_state=0).fit(X[150:], after[150:])
        report = corrector.drift_report()
        assert report.features.index[0] == "kind"
        assert report.features.loc["kind", "corrected"] == "y"
        assert corrector.explain(X[:3]).features == ["size", "kind", "the age"]

    @pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
    def test_categories_of_boosters(self, rng, package):
        X, before, after = self.frames(rng)
        X["kind"] = X["kind"].astype("category")
        kind = {"lightgbm": lightgbm.LGBMRegressor, "xgboost": xgboost.XGBRegressor}[package]
        how = {"verbose": -1} if package == "lightgbm" else {"enable_categorical": True}
        model = kind(n_estimators=20, n_jobs=1, **how).fit(X[:150], before[:150])
        corrector = DriftCorrector(model, random_state=0).fit(X[150:250], after[150:250]).update(X[250:], after[250:])
        assert np.mean((corrector.predict(X) - after) ** 2) < 0.5 * np.mean((model.predict(X) - after) ** 2)

    def test_missing_values_are_the_model_s_business(self, rows, rng):
        X, y = rows[1]
        X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
        model = HistGradientBoostingRegressor(max_iter=10).fit(*rows[0])
        explanation = DriftCorrector(model, random_state=0).fit(X, y).explain(X[:4], y[:4])
        assert np.isfinite(explanation.mean.to_numpy()).all()

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            (["a", "b", "d"], r"without \['c'\], with \['d'\]. Select them: X\[\['a', 'b', 'c'\]\]"),
            (["b", "a", "c"], r"in another order: \['b', 'a', 'c'\]"),
            (["a", "b"], r"without \['c'\]"),
        ],
    )
    def test_other_columns_than_the_model_s_are_named(self, rows, columns, words):
        frame = pd.DataFrame(rows[0][0], columns=list("abc"))
        model = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1).fit(frame, rows[0][1])
        other = pd.DataFrame(np.zeros((5, len(columns))), columns=columns)
        with pytest.raises(ValueError, match=words):
            DriftCorrector(model, random_state=0).fit(other, np.zeros(5))
        corrector = DriftCorrector(model, random_state=0).fit(frame, rows[0][1])
        with pytest.raises(ValueError, match=words):
            corrector.predict(other)

    def test_blanks_in_names_are_lightgbm_s_underscores(self, rows):
        frame = pd.DataFrame(rows[0][0], columns=["the age", "b", "c"])
        model = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1, n_jobs=1).fit(frame, rows[0][1])
        assert DriftCorrector(model.booster_, random_state=0).fit(frame, rows[0][1]).n_features_in_ == 3

    def test_polars_frames_are_read(self, rows):
        polars = importlib.import_module("polars")
        frame = polars.DataFrame(dict(zip("abc", rows[1][0].T, strict=True)))
        model = GradientBoostingRegressor(**SMALL).fit(pd.DataFrame(rows[0][0], columns=list("abc")), rows[0][1])
        assert DriftCorrector(model, random_state=0).fit(frame, rows[1][1]).predict(frame).shape == (150,)


class TestExplaining:
    def test_attention_says_what_the_correction_is_made_of(self, rows, model):
        (X, y), new = rows[1], rows[2][0][:6]
        corrector = DriftCorrector(model, temperature=0.1, mixing=1.0, random_state=0).fit(X, y)
        attention = corrector.attention(new)
        np.testing.assert_allclose(attention.toarray().sum(axis=1), 1.0)
        expected = model.predict(new) + attention @ (y - model.predict(X))
        np.testing.assert_allclose(corrector.predict(new), expected, rtol=1e-10)

    def test_an_explanation_lists_rows_with_their_residuals(self, rows, model):
        (X, y), (new, y_new) = rows[1], rows[2]
        corrector = DriftCorrector(model, random_state=0).fit(X, pd.Series(y, name="price"))
        explanation = corrector.explain(new[:5], y_new[:5])
        top = explanation.top_rows(3)
        assert list(top) == ["row", "weight", "price", "residual"]
        np.testing.assert_allclose(top["residual"], (y - model.predict(X))[top["row"].astype(int)])
        np.testing.assert_array_equal(explanation.prediction, corrector.predict(new[:5]))
        np.testing.assert_array_equal(explanation.baseline_prediction, model.predict(new[:5]))
        np.testing.assert_allclose(explanation.loss, (corrector.predict(new[:5]) - y_new[:5]) ** 2)
        assert explanation.task == "regression"

    @pytest.mark.parametrize("name", ["residual", "model"])
    def test_a_response_that_is_named_like_a_column_of_ours_is_kept(self, rows, model, name):
        X, y = rows[1]
        corrector = DriftCorrector(model, random_state=0).fit(X, pd.Series(y, name=name))
        told = corrector.drift_report().rows
        np.testing.assert_array_equal(told[f"{name}_given"], y)
        np.testing.assert_allclose(told["residual"], y - model.predict(X))
        assert f"{name}_given" in corrector.explain(X[:1]).train or name != "residual"

    def test_explanations_of_classes(self, labels):
        model = GradientBoostingClassifier(**SMALL).fit(*labels[0])
        explanation = DriftCorrector(model, random_state=0).fit(*labels[1]).explain(labels[2][0][:4], labels[2][1][:4])
        assert explanation.task == "multiclass"
        assert explanation.prediction.shape == (4, 3)

    def test_attention_without_a_correction_is_that_of_the_best_temperature(self, rows, model):
        X = rows[1][0]
        corrector = DriftCorrector(model, random_state=0).fit(X, model.predict(X))
        assert corrector.mixing_ == 0
        np.testing.assert_allclose(corrector.attention(X[:2]).toarray().sum(axis=1), 1.0)

    @pytest.mark.parametrize("similarity", ["leaves", ["leaves", "forest"]])
    def test_queries_of_a_report_may_be_other_rows(self, rows, model, similarity):
        corrector = DriftCorrector(model, similarity=similarity, random_state=0).fit(*rows[1])
        report = corrector.drift_report(rows[2][0])
        moved = corrector.predict(rows[2][0]) - model.predict(rows[2][0])
        np.testing.assert_allclose(report.queries["correction"], moved, atol=1e-12)
        np.testing.assert_allclose(report.queries["n_eff"], corrector.attention(rows[2][0]).n_eff, rtol=1e-8)
        assert len(report.rows) == 150

    def test_features_tell_where_queries_are_corrected(self, rows, model):
        report = DriftCorrector(model, similarity="forest", random_state=0).fit(*rows[1]).drift_report()
        assert report.features.index[0] == "x1"
        assert report.features.loc["x1", "separation"] > 0.6


class TestBeingAnEstimator:
    def test_a_clone_keeps_the_very_model(self, rows, model):
        corrector = DriftCorrector(model, window=50, similarity=ForestProximity(30), random_state=0).fit(*rows[1])
        copy = clone(corrector)
        assert copy.estimator is model
        assert copy.window == 50
        assert copy.similarity is not corrector.similarity
        assert not hasattr(copy, "mixing_")

    def test_the_model_is_never_changed(self, rows, model):
        before = pickle.dumps(model)
        corrector = DriftCorrector(model, random_state=0).fit(*rows[1]).update(*rows[1])
        corrector.predict(rows[2][0])
        corrector.drift_report()
        assert pickle.dumps(model) == before

    def test_pickles_predict_the_same(self, rows, model):
        corrector = DriftCorrector(model, random_state=0).fit(*rows[1])
        restored = pickle.loads(pickle.dumps(corrector))
        np.testing.assert_array_equal(restored.predict(rows[2][0]), corrector.predict(rows[2][0]))
        assert is_regressor(restored)

    @pytest.mark.parametrize("broken", [None, "booster.txt", RandomForestClassifier()])
    def test_a_regressor_and_what_is_no_fitted_model_have_no_probabilities(self, model, broken):
        assert not hasattr(DriftCorrector(model if broken is None else broken, random_state=0), "predict_proba")

    def test_a_failed_update_changes_nothing(self, rows, model):
        X, y = rows[1]
        corrector = DriftCorrector(model, window="2D", random_state=0).fit(
            X, y, time=pd.date_range("2026-01-01", periods=150, freq="h")
        )
        before = corrector.predict(rows[2][0])
        with pytest.raises(
            ValueError,
            match=r"At least 2 recent rows .* got 1 sample within window=Timedelta\('2 days.*a longer window",
        ):
            corrector.update(X[:1], y[:1], time=[pd.Timestamp("2027-01-01")])
        np.testing.assert_array_equal(corrector.predict(rows[2][0]), before)


class TestBadInput:
    @pytest.mark.parametrize(
        ("settings", "error", "words"),
        [
            (
                {"estimator": GradientBoostingRegressor()},
                NotFittedError,
                "`model` must be fitted, got GradientBoosting.*Call its `fit`",
            ),
            (
                {"estimator": make_pipeline(StandardScaler(), RandomForestRegressor())},
                NotFittedError,
                "`model` must be fitted",
            ),
            (
                {"estimator": LinearRegression(), "similarity": [GaussianSimilarity(), "leaves"]},
                TypeError,
                "`model` gives no leaves: for similarity='leaves' .* got LinearRegression.*Leave out `similarity`",
            ),
            ({"estimator": LinearRegression()}, NotFittedError, "must be fitted, got LinearReg"),
            ({"random_state": "seven"}, ValueError, "'seven' cannot be used to seed"),
            ({"estimator": "booster.txt"}, TypeError, "fitted model with `predict`, got 'booster.txt'"),
            ({"estimator": RandomForestRegressor}, TypeError, "fitted model with `predict`, got <class"),
            ({"temperature": 0.0}, ValueError, "`temperature` must be > 0, got 0.0"),
            ({"mixing": 1.5}, ValueError, "`mixing` must be >= 0 and <= 1, got 1.5. Or use 'auto'"),
            ({"mixing": "adaptive"}, ValueError, "`mixing` must be one of 'auto', got 'adaptive'"),
            ({"window": 1}, ValueError, "`window` must be >= 2, got 1. A whole number counts rows"),
            ({"window": -2.0}, ValueError, "`window` must be > 0, got -2.0"),
            ({"window": "a week"}, TypeError, "`window` must be None, a number of rows .* got 'a week'"),
            ({"window": "-3D"}, ValueError, "`window` must be a length of time > 0, got '-3D'"),
            ({"window": "30D"}, ValueError, "`time` is required for window="),
            ({"similarity": "likeness"}, ValueError, "`similarity` must be one of 'leaves', 'forest'"),
            ({"similarity": []}, ValueError, "`similarity` must not be an empty list"),
            ({"similarity": TeacherSimilarity(anchor=True)}, ValueError, "anchor=False here"),
        ],
    )
    def test_a_wrong_argument_is_named_with_the_remedy(self, rows, model, settings, error, words):
        with pytest.raises(error, match=words):
            DriftCorrector(**{"estimator": model} | settings).fit(*rows[1])

    @pytest.mark.parametrize(
        ("change", "error", "words"),
        [
            (
                lambda X, y: (X[:1], y[:1]),
                ValueError,
                "At least 2 recent rows with a positive weight are needed, got 1",
            ),
            (lambda X, y: (X[:0], y[:0]), ValueError, "At least 2 recent rows .* got 0|0 sample"),
            (lambda X, y: (X[:, :2], y), ValueError, "`X` must have 3 columns as `model` was fitted on, got 2"),
            (lambda X, y: (X[:, 0], y), ValueError, "Expected 2D array, got 1D array"),
            (lambda X, y: (X, y[:9]), ValueError, "inconsistent numbers of samples"),
            (lambda X, y: (X, np.where(y > 0, np.nan, y)), ValueError, "`y` must not hold NaN or infinity"),
            (lambda X, y: (X, None), ValueError, "requires y"),
        ],
    )
    def test_wrong_rows_are_refused(self, rows, model, change, error, words):
        with pytest.raises(error, match=words):
            DriftCorrector(model, random_state=0).fit(*change(*rows[1]))

    def test_one_row_with_weight_is_not_enough(self, rows, model):
        with pytest.raises(ValueError, match="At least 2 recent rows with a positive weight are needed, got 1"):
            DriftCorrector(model, random_state=0).fit(*rows[1], sample_weight=np.eye(150)[0])

    @pytest.mark.parametrize(
        ("window", "time", "words"),
        [
            ("3D", np.arange(149), "`time` must hold one date or number per row"),
            (3.0, pd.date_range("2026", periods=150), "dates take a window like '30D'"),
            ("3D", np.arange(150), "dates take a window like '30D'"),
            ("3D", ["2026-01-01"] * 149 + ["never"], "`time` must hold dates or numbers, got text that is no date"),
            ("3D", [[pd.Timestamp("2026")]] * 150, r"one date or number per row of `X` \(150\).*shape \(150, 1\)"),
            (3.0, np.full(150, np.nan), "none missing"),
        ],
    )
    def test_a_wrong_time_is_refused(self, rows, model, window, time, words):
        with pytest.raises(ValueError, match=words):
            DriftCorrector(model, window=window, random_state=0).fit(*rows[1], time=time)

    def test_using_it_before_fit_says_so(self, rows, model):
        for use in ("predict", "attention", "explain", "drift_report"):
            with pytest.raises(NotFittedError, match="not fitted"):
                getattr(DriftCorrector(model, random_state=0), use)(rows[2][0])
        with pytest.raises(NotFittedError, match="not fitted"):
            DriftCorrector(model, random_state=0).update(*rows[1])

    def test_a_model_of_two_responses_is_refused(self, rows):
        model = LinearRegression().fit(rows[0][0], rows[0][0][:, :2])
        with pytest.raises(ValueError, match=r"`model` must predict 1 finite number per row, got shape \(150, 2\)"):
            DriftCorrector(model, similarity="forest", random_state=0).fit(*rows[1])

    def test_a_model_that_predicts_nan_is_refused(self, rows):
        class Broken(BaseEstimator):
            n_features_in_ = 3

            def predict(self, X):
                return np.full(len(X), np.nan)

            def __sklearn_is_fitted__(self):
                return True

        with pytest.raises(ValueError, match=r"finite number per row, .* with NaN or infinity"):
            DriftCorrector(Broken(), similarity="forest", random_state=0).fit(*rows[1])
