"""Calibration and lift: what was expected beside what happened."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from heedful import AttentionGLM
from heedful._responses import Classification
from heedful.explain._calibration import gini
from heedful.similarity import ForestProximity


@pytest.fixture(scope="module")
def explained():
    rng = np.random.default_rng(0)
    X, exposure = rng.normal(size=(160, 2)), rng.uniform(0.2, 1.0, 160)
    y = rng.poisson(exposure * np.exp(1 + X[:, 0]))
    model = AttentionGLM(heads="single", similarity=ForestProximity(9), alpha=0.05, random_state=0)
    model.fit(X[:80], y[:80], exposure=exposure[:80])
    return model.explain(X[80:], y[80:], exposure=exposure[80:])


def with_costs(explained, y, prediction, exposure=None):
    """Return the explanation of such queries."""
    index, n = explained.index, len(explained.index)
    offset = None if exposure is None else pd.Series(np.log(exposure), index)
    expected = pd.Series(prediction * (1.0 if exposure is None else exposure), index)
    flat = pd.Series(np.ones(n), index)
    return replace(explained, y=pd.Series(y, index), prediction=expected, baseline_prediction=flat, offset=offset)


def test_bins_hold_all_rows_and_all_that_happened(explained):
    table = explained.calibration(5)
    exposure = np.exp(explained.offset)
    assert table["rows"].sum() == len(explained.index)
    np.testing.assert_allclose(table["exposure"].sum(), exposure.sum())
    np.testing.assert_allclose(table["exposure"], exposure.sum() / 5, rtol=0.15)
    for name, part in (("observed", explained.y), ("attention", explained.prediction)):
        np.testing.assert_allclose((table[name] * table["exposure"]).sum(), np.asarray(part, float).sum())
    assert table["attention"].is_monotonic_increasing


@pytest.mark.one_value
@pytest.mark.parametrize("n_bins", [1, 4, 16])
def test_bins_of_equal_exposures_have_equally_many_rows(explained, n_bins):
    rate = np.arange(1.0, 81.0)
    table = with_costs(explained, rate, rate).calibration(n_bins)
    assert table["rows"].tolist() == [80 // n_bins] * n_bins
    np.testing.assert_allclose(table["observed"], rate.reshape(n_bins, -1).mean(axis=1))


def test_true_rates_are_calibrated(explained):
    rate = np.linspace(1, 3, len(explained.index))
    exposure = np.linspace(2, 1, rate.size)
    table = with_costs(explained, rate * exposure, rate, exposure).calibration(4)
    np.testing.assert_allclose(table["observed"], table["attention"])


def test_lift_is_the_diagonal_by_chance_and_the_order_does_not_matter(explained, rng):
    y = rng.gamma(1.0, size=len(explained.index))
    curves = with_costs(explained, y, y).lift()
    flat = curves[curves["model"] == "baseline"]
    np.testing.assert_allclose(flat[["exposure", "response"]], [[0.0, 0.0], [1.0, 1.0]])
    assert gini(flat) == pytest.approx(0.0)
    own = curves[curves["model"] == "attention"]
    assert own["response"].is_monotonic_increasing
    assert (own["response"] <= own["exposure"] + 1e-12).all()


def test_gini_of_events_is_that_of_the_area_under_the_curve(explained, rng):
    n = len(explained.index)
    happened, prediction = rng.integers(0, 2, n).astype(float), rng.uniform(size=n)
    curve = with_costs(explained, happened, prediction).lift().query("model == 'attention'")
    area = roc_auc_score(happened, prediction)
    assert gini(curve) == pytest.approx((2 * area - 1) * (1 - happened.mean()))


def test_what_cannot_be_compared_is_an_error(explained):
    with pytest.raises(ValueError, match="must know the responses"):
        replace(explained, y=None).calibration()
    with pytest.raises(ValueError, match="must be numeric"):
        replace(explained, words=Classification(np.array([0, 1])).words).lift()
    with pytest.raises(ValueError, match="`n_bins` must be >= 1"):
        explained.calibration(0)
    with pytest.raises(ValueError, match="Responses must be >= 0 and not all 0"):
        replace(explained, y=explained.y * 0).lift()
