"""Counts and costs, with exposures and offsets, through the whole flow."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.metrics import d2_tweedie_score, mean_tweedie_deviance
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heedful import AttentionGLM, LocalLasso, load_model, save_model
from heedful._flow.intervals import Calibration
from heedful._flow.kinds import Run
from heedful._responses import CountsOrCosts
from heedful.similarity import ForestProximity

FEW = {"heads": "single", "similarity": ForestProximity(15), "alpha": 0.05, "random_state": 0}
POWERS = {"poisson": 1.0, "tweedie": 1.5, "gamma": 2.0}
ONE_MODEL = {"heads": "single", "mixing": 0.0, "random_state": 0}


class Rows:
    """Rows whose rate rises with a column in one group and falls with it in the other."""

    def __init__(self, rng, n=110):
        self.X = rng.normal(size=(n, 3))
        self.exposure = rng.uniform(0.3, 2.0, n)
        mean = self.exposure * np.exp(1 + 0.7 * self.X[:, 0] * np.sign(self.X[:, 1]))
        self.y = {"poisson": rng.poisson(mean).astype(float), "gamma": rng.gamma(2.0, mean / 2)}
        self.y["tweedie"] = self.y["gamma"] * (rng.uniform(size=n) > 0.3)


@pytest.fixture
def rows(rng):
    return Rows(rng)


@pytest.fixture
def fitted(rows):
    return AttentionGLM(**FEW).fit(rows.X[:80], rows.y["poisson"][:80], exposure=rows.exposure[:80])


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_an_offset_of_log_two_doubles_the_prediction(rows, family):
    model = AttentionGLM(**FEW, family=family).fit(rows.X, rows.y[family], exposure=rows.exposure)
    two = np.full(len(rows.X), np.log(2.0))
    np.testing.assert_allclose(model.predict(rows.X, offset=two), 2 * model.predict(rows.X), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(rows.X, exposure=np.exp(two)), model.predict(rows.X, offset=two))


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_the_unit_of_exposures_moves_the_intercept_alone(rows, family):
    years, months = rows.exposure, 12.0 * rows.exposure
    by_year = AttentionGLM(**FEW, family=family).fit(rows.X, rows.y[family], exposure=years)
    by_month = AttentionGLM(**FEW, family=family).fit(rows.X, rows.y[family], exposure=months)
    np.testing.assert_allclose(by_month.baseline_.coef_, by_year.baseline_.coef_, atol=1e-10)
    assert by_year.baseline_.intercept_ - by_month.baseline_.intercept_ == pytest.approx(np.log(12.0), abs=1e-10)
    one, other = by_year.predict(rows.X, exposure=years), by_month.predict(rows.X, exposure=months)
    np.testing.assert_allclose(other, one, rtol=1e-9)
    np.testing.assert_allclose(12.0 * by_month.predict(rows.X), by_year.predict(rows.X), rtol=1e-9)


@pytest.mark.more
@pytest.mark.parametrize("family", POWERS)
def test_many_heads_know_neither_the_unit_of_exposures_nor_the_currency(rows, family):
    how = {"similarity": ForestProximity(15), "local": LocalLasso(shapes=True), "mixing": 0.8, "random_state": 0}
    models = [
        AttentionGLM(**how, family=family).fit(rows.X, unit * rows.y[family], exposure=time * rows.exposure)
        for unit, time in [(1.0, 1.0), (1.0, 12.0), (100.0, 1.0), (0.001, 1.0)]
    ]
    rate, by_month, in_cents, in_thousands = (model.predict(rows.X) for model in models)
    np.testing.assert_allclose(12.0 * by_month, rate, rtol=1e-8)
    np.testing.assert_allclose(in_cents / 100.0, rate, rtol=1e-8)
    np.testing.assert_allclose(in_thousands / 0.001, rate, rtol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_equal_attention_gives_the_baseline(rows, family):
    how = {"temperature": 1e12, "mixing": 1.0, "local": LocalLasso(alpha_ratio=1.0, exact=True)}
    model = AttentionGLM(**FEW, **how, family=family).fit(rows.X, rows.y[family], exposure=rows.exposure)
    link = model.baseline_.intercept_ + rows.X @ model.baseline_.coef_
    np.testing.assert_allclose(np.log(model.predict(rows.X)), link, atol=1e-4)


def test_contributions_add_up_and_factors_multiply_to_the_prediction(rows, fitted):
    X, y, exposure = rows.X[80:], rows.y["poisson"][80:], rows.exposure[80:]
    e = fitted.explain(X, y, exposure=exposure)
    np.testing.assert_allclose(e.prediction, fitted.predict(X, exposure=exposure))
    log_rate = np.log(e.prediction / exposure)
    np.testing.assert_allclose(e.base_value + e.contributions().sum(axis=1), log_rate, atol=1e-8)
    np.testing.assert_allclose(e.intercept + (e.coef * e.design).sum(axis=1), log_rate, atol=1e-8)
    factors = e.contributions(scale="factor")
    np.testing.assert_allclose(np.exp(e.base_value) * factors.prod(axis=1) * exposure, e.prediction, rtol=1e-8)
    top = e.top_features(3)
    np.testing.assert_allclose(top["factor"], np.exp(top["contribution"]))
    half = mean_tweedie_deviance(y, e.prediction, power=1) / 2
    assert e.loss.mean() == pytest.approx(half)
    np.testing.assert_array_equal(e.train["exposure"], rows.exposure[:80])


def test_small_models_and_effects_are_those_of_one_unit_of_exposure(rows, fitted):
    exposed = fitted.explain(rows.X[80:], max_terms=1, exposure=rows.exposure[80:])
    per_unit = fitted.explain(rows.X[80:], max_terms=1)
    pd.testing.assert_frame_equal(exposed.terms, per_unit.terms)
    pd.testing.assert_frame_equal(exposed.effect, per_unit.effect)
    np.testing.assert_allclose(per_unit.start + per_unit.terms.sum(axis=1), np.log(per_unit.prediction), atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_a_saved_model_is_the_same(rows, family, tmp_path):
    model = AttentionGLM(**FEW, family=family).fit(rows.X[:80], rows.y[family][:80], exposure=rows.exposure[:80])
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    X, exposure = rows.X[80:], rows.exposure[80:]
    np.testing.assert_array_equal(again.predict(X, exposure=exposure), model.predict(X, exposure=exposure))
    one, other = (m.predict_interval(X, exposure=exposure) for m in (model, again))
    np.testing.assert_array_equal(one, other)
    assert again.response_.words == model.response_.words


def test_a_weight_is_a_row_that_comes_more_than_once(rows):
    weight = np.where(rows.X[:, 2] > 0, 3.0, 1.0)
    twice = np.repeat(np.arange(len(rows.X)), weight.astype(int))
    y, exposure = rows.y["poisson"], rows.exposure
    one = AttentionGLM(**FEW).fit(rows.X, y, weight, exposure=exposure)
    other = AttentionGLM(**FEW).fit(rows.X[twice], y[twice], exposure=exposure[twice])
    scaled = AttentionGLM(**FEW).fit(rows.X, y, 0.35 * weight, exposure=exposure)
    np.testing.assert_allclose(other.predict(rows.X), one.predict(rows.X), rtol=1e-6)
    np.testing.assert_allclose(scaled.predict(rows.X), one.predict(rows.X), rtol=1e-6)


def test_exposures_of_the_same_row_add_up_with_its_counts(rows):
    both = np.tile(np.arange(60), 2)
    first, second = np.random.default_rng(1).poisson(2.0, (2, 60)), rows.exposure[:60]
    X, y = rows.X[:60], np.concatenate(first)
    split = AttentionGLM(**ONE_MODEL, alpha=0.0).fit(rows.X[both], y, exposure=second[both])
    whole = AttentionGLM(**ONE_MODEL, alpha=0.0).fit(X, first.sum(axis=0), exposure=2 * second)
    np.testing.assert_allclose(split.predict(X), whole.predict(X), rtol=1e-5)
    # a row of weight 2 is another thing: its rate is not halved
    heavy = AttentionGLM(**ONE_MODEL, alpha=0.0).fit(X, first.sum(axis=0), np.full(60, 2.0), exposure=second)
    np.testing.assert_allclose(heavy.predict(X), 2 * whole.predict(X), rtol=1e-5)


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_the_score_is_d2_of_one_rate_for_all(rows, family):
    y, exposure, power = rows.y[family], rows.exposure, POWERS[family]
    model = AttentionGLM(**FEW, family=family).fit(rows.X, y, exposure=exposure)
    plain = d2_tweedie_score(y, model.predict(rows.X), power=power)
    assert model.score(rows.X, y) == pytest.approx(plain)
    response, encoded = CountsOrCosts(power), np.column_stack([y, np.log(exposure)])
    null = response.with_rows(encoded).null_link(np.ones(y.size))
    assert response.score(encoded, np.full((y.size, 1), null), None) == pytest.approx(0.0, abs=1e-12)
    whole = model.score(rows.X, y, exposure=exposure)
    assert whole > 0.1
    first = (np.arange(y.size) < 70).astype(float)
    part = model.score(rows.X[:70], y[:70], exposure=exposure[:70])
    assert model.score(rows.X, y, first, exposure=exposure) == pytest.approx(part)
    assert part != pytest.approx(whole)


@pytest.mark.parametrize("power", [1.0, 1.3, 1.9, 2.0])
def test_intervals_end_where_the_deviance_residual_has_the_size(rng, power):
    response, values, offset = CountsOrCosts(power), rng.normal(size=40), rng.normal(size=40)
    size = rng.exponential(size=40)
    low, high = response.interval(values, offset, size).T
    mean = np.exp(values + offset)
    for end in (low, high):
        inside = end > 0
        found = np.abs(response.conformity(np.column_stack([end, offset])[inside], values[inside]))
        np.testing.assert_allclose(found, size[inside], rtol=1e-6)
    assert (low <= mean).all()
    assert (mean <= high).all()
    at_zero = np.inf if power == 2 else 2 * mean ** (2 - power) / (2 - power)
    np.testing.assert_array_equal(low == 0, size**2 >= at_zero)
    assert response.interval(values[:1], None, np.array([np.inf])).tolist() == [[0.0, np.inf]]


def test_intervals_hold_counts_of_unseen_rows(rng):
    rows = Rows(rng, 900)
    y, exposure, test = rows.y["poisson"], rows.exposure, slice(300, None)
    model = AttentionGLM(**FEW).fit(rows.X[:300], y[:300], exposure=exposure[:300])
    low, high = model.predict_interval(rows.X[test], 0.8, exposure=exposure[test]).T
    assert 0.74 < np.mean((low <= y[test]) & (y[test] <= high)) < 0.92
    per_unit = model.predict_interval(rows.X[test], 0.8)
    assert not np.allclose(per_unit[:, 1], high)


def test_a_number_is_the_power_of_a_family(rows):
    by_name = AttentionGLM(**FEW, family="tweedie").fit(rows.X, rows.y["tweedie"])
    by_power = AttentionGLM(**FEW, family=1.5).fit(rows.X, rows.y["tweedie"])
    np.testing.assert_array_equal(by_name.predict(rows.X), by_power.predict(rows.X))
    assert AttentionGLM(family=1)._response(None).power == 1.0


def test_forests_see_the_same_whatever_the_unit_of_exposures(rows):
    response, ones = CountsOrCosts(1.0), np.ones(len(rows.X))
    columns = (np.column_stack([rows.y["poisson"], np.log(unit * rows.exposure)]) for unit in (1.0, 365.0))
    one, other = (response.similarity_target(encoded, ones) for encoded in columns)
    np.testing.assert_allclose(other, one, atol=1e-8)
    # zeros are below the one rate, the more so the longer they were watched
    none = rows.y["poisson"] == 0
    assert one[none].max() < np.median(one)
    assert np.corrcoef(one[none], rows.exposure[none])[0, 1] < -0.9


@pytest.mark.parametrize(
    ("family", "change", "error"),
    [
        ("poisson", {"y": -1.0}, "`y` must hold counts >= 0, got 1 below; the smallest is -1"),
        ("tweedie", {"y": -1.0}, "`y` must hold costs >= 0, got 1 below"),
        ("gamma", {"y": 0.0}, "`y` must hold costs > 0 for family='gamma', got 1 that are not"),
        ("poisson", {"exposure": 0.0}, "`exposure` must be > 0, got 1 that are not; the smallest is 0"),
        ("poisson", {"exposure": -2.0}, "`exposure` must be > 0"),
        ("gamma", {"exposure": np.nan}, "`exposure` must not hold NaN or infinity, got 1"),
        ("tweedie", {"offset": np.inf}, "`offset` must not hold NaN or infinity, got 1"),
    ],
)
def test_what_cannot_be_is_one_clear_error(rows, family, change, error):
    given = {"y": rows.y[family].copy(), "exposure": rows.exposure.copy()}
    if "offset" in change:
        given["offset"] = np.log(given.pop("exposure"))
    (name, value), *_ = change.items()
    given[name][3] = value
    with pytest.raises(ValueError, match=error):
        AttentionGLM(**FEW, family=family).fit(rows.X, **given)


def test_exposure_and_offset_are_one_thing(rows, fitted):
    one = np.ones(len(rows.X))
    for call in (fitted.predict, fitted.explain, fitted.predict_interval):
        with pytest.raises(ValueError, match="At most one of `exposure` and `offset`"):
            call(rows.X, exposure=one, offset=one)
    with pytest.raises(ValueError, match="one number per row of `X`: 110, got shape \\(3,\\)"):
        fitted.predict(rows.X, exposure=one[:3])
    with pytest.raises(TypeError, match="`exposure` must hold one number per row"):
        fitted.predict(rows.X, exposure=["a year"] * 110)


def test_zeros_alone_have_no_rate(rows):
    with pytest.raises(ValueError, match="`y` must hold a number > 0 in at least one row"):
        AttentionGLM(**FEW).fit(rows.X, np.zeros(len(rows.X)))
    # of new rows nothing need have happened
    model = AttentionGLM(**FEW).fit(rows.X, rows.y["poisson"])
    assert model.explain(rows.X[:3], np.zeros(3)).loss.min() > 0


@pytest.mark.parametrize("family", ["binomial", 0.5, 2.5, None])
def test_a_family_must_be_known(rows, family):
    with pytest.raises((TypeError, ValueError), match="`family` must be"):
        AttentionGLM(family=family).fit(rows.X, rows.y["gamma"])


def test_exposures_are_routed_to_folds_and_through_pipelines(rows):
    y, exposure, groups = rows.y["poisson"], rows.exposure, np.arange(len(rows.X)) % 5
    with sklearn.config_context(enable_metadata_routing=True):
        model = AttentionGLM(**ONE_MODEL, alpha=0.05, cv=3)
        model.set_fit_request(exposure=True, sample_weight=True, groups=True)
        model.set_score_request(exposure=True, sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        params = {"exposure": exposure, "sample_weight": exposure, "groups": groups}
        found = cross_validate(pipe, rows.X, y, params=params, cv=2)["test_score"]
    half, rest = slice(0, 55), slice(55, None)
    scaler = StandardScaler().fit(rows.X[rest])
    alone = AttentionGLM(**ONE_MODEL, alpha=0.05, cv=3)
    alone.fit(scaler.transform(rows.X[rest]), y[rest], exposure[rest], groups[rest], exposure=exposure[rest])
    by_hand = alone.score(scaler.transform(rows.X[half]), y[half], exposure[half], exposure=exposure[half])
    assert found[0] == pytest.approx(by_hand)


def test_spreads_see_expected_counts_with_their_exposures(rows, fitted, monkeypatch):
    fit = fitted._model
    known = fit.calibration(Run()).known.columns.table[:, -1]
    residual = CountsOrCosts(1.0).conformity(fit.rows.y, np.log(known) - fit.rows.y[:, 1])
    np.testing.assert_allclose(residual, fit.residuals.residual, atol=1e-9)
    seen = []
    monkeypatch.setattr(Calibration, "by_columns", lambda _, table: seen.append(table[:, -1]) or np.ones(len(table)))
    fitted.predict_interval(rows.X[80:], exposure=rows.exposure[80:])
    np.testing.assert_allclose(seen[0], fitted.predict(rows.X[80:], exposure=rows.exposure[80:]))
