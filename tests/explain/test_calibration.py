"""Calibration of classes and of survival: what was predicted against what happened, of new and of held-out rows."""

import numpy as np
import pandas as pd
import pytest
from tests.explain.test_one_model import ESTIMATORS, N_TRAIN, make_table, respond
from tests.fits import fitted
from tests.reference.survival import kaplan_meier

from heedful._responses import Classification, SurvivalTimes
from heedful.explain._calibration import calibrate_classes, calibrate_survival, number_bins
from heedful.explain._measures import Predicted
from heedful.similarity import ForestProximity


def fit(kind, **settings):
    X, signal = make_table()
    y = respond(kind, signal)
    model = ESTIMATORS[kind](**{"similarity": ForestProximity(10), "random_state": 0} | settings)
    return fitted(model, X[:N_TRAIN], y[:N_TRAIN]), X, y


def two_classes(chance, happened, weight=None):
    y = pd.DataFrame({"y": np.asarray(happened).astype(int)})
    weight = np.ones(len(y)) if weight is None else weight
    return Predicted(Classification(np.array([0, 1])).words, y, chance, chance, np.array([0, 1]), weight)


def survival(event, time, chance, weight=None):
    y = pd.DataFrame({"event": event, "time": time})
    weight = np.ones(time.size) if weight is None else weight
    return Predicted(SurvivalTimes.words, y, chance, chance, None, weight, survival=lambda _: [chance[:, None]] * 2)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["two", "three", "survival", "numbers", "counts"])
def test_every_row_is_in_one_bin_of_new_and_of_held_out_rows(kind):
    model, X, y = fit(kind)
    for found, n_rows in ((model.held_out(), N_TRAIN), (model.explain(X[N_TRAIN:], y[N_TRAIN:]), len(X) - N_TRAIN)):
        table = found.calibration(4)
        rows = table["rows"].groupby(level=0).sum() if table.index.nlevels > 1 else table["rows"].sum()
        assert (rows == n_rows).all()
        assert {"observed", "attention", "baseline"} <= set(table)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["two", "three"])
def test_shares_of_bins_add_up_to_what_happened(kind):
    model, *_ = fit(kind)
    held_out = model.held_out()
    table = held_out.calibration(5)
    for k, label in enumerate(model.classes_):
        part = table.loc[label] if kind == "three" else table
        if kind == "three" or k == 1:
            predicted = held_out.prediction[label] if kind == "three" else held_out.prediction
            assert (part["rows"] * part["observed"]).sum() == pytest.approx((held_out.y.iloc[:, 0] == label).sum())
            assert (part["rows"] * part["attention"]).sum() == pytest.approx(predicted.sum())


def test_true_chances_lie_within_nine_intervals_of_ten(rng):
    inside = []
    for _ in range(40):
        chance = rng.random(400)
        table = calibrate_classes(two_classes(chance, rng.random(400) < chance), 10)
        inside.append(((table["low"] <= table["attention"]) & (table["attention"] <= table["high"])).mean())
    assert 0.86 <= np.mean(inside) <= 0.96


def test_true_survival_lies_within_nine_intervals_of_ten(rng):
    inside = []
    for _ in range(40):
        rate = np.exp(rng.normal(size=400))
        end, stop = rng.exponential(size=(2, 400)) / [rate, np.full(400, 0.5)]
        found = survival(end <= stop, np.minimum(end, stop), np.exp(-0.5 * rate))
        table = calibrate_survival(found, 8, 0.5)
        inside.append(((table["low"] <= table["attention"]) & (table["attention"] <= table["high"])).mean())
    assert 0.85 <= np.mean(inside) <= 0.97


def test_survival_observed_is_kaplan_meier_within_each_bin(rng):
    event, time, weight = rng.random(60) < 0.6, np.ceil(9 * rng.random(60)), rng.uniform(0.5, 2, 60)
    chance = rng.random(60)
    table = calibrate_survival(survival(event, time, chance, weight), 3, 5.0)
    number = number_bins(chance, weight, 3)
    for k, row in table.iterrows():
        own = number == k
        assert row["observed"] == pytest.approx(kaplan_meier(event[own], time[own], weight[own], 5.0))
        assert row["low"] <= row["observed"] <= row["high"]
    assert (table["time"] == 5.0).all()


def test_bins_from_the_highest_predictions_on_are_the_same():
    values = np.append(np.arange(37.0), [40.0, 40.0, 40.0])
    up, down = (number_bins(sign * values, np.ones(40), 3) for sign in (1, -1))
    np.testing.assert_array_equal(up, 4 - down)


def test_rows_of_equal_predictions_share_a_bin():
    table = calibrate_classes(two_classes(np.full(30, 0.3), np.arange(30) % 3 == 0), 10)
    assert table["rows"].tolist() == [30]
    assert table["observed"].tolist() == pytest.approx([1 / 3])


def test_heavy_rows_count_as_their_copies_in_shares_but_not_in_certainty(rng):
    chance, happened = rng.random(40), rng.random(40) < 0.5
    once = calibrate_classes(two_classes(chance, happened), 4)
    heavy = calibrate_classes(two_classes(chance, happened, np.full(40, 3.0)), 4)
    pd.testing.assert_frame_equal(once, heavy)


@pytest.mark.more
def test_the_curves_of_new_rows_are_those_that_the_model_predicts():
    model, X, y = fit("survival")
    e = model.explain(X[N_TRAIN:], y[N_TRAIN:])
    at = float(np.median(y[:, 1]))
    both = (m.predict_survival_function(X[N_TRAIN:], [at]).to_numpy()[:, 0] for m in (model, model.baseline_))
    table = e.calibration(1, time=at)
    for name, curve in zip(("attention", "baseline"), both, strict=True):
        assert table[name].tolist() == pytest.approx([curve.mean()])


@pytest.mark.more
def test_times_beyond_the_rows_and_times_without_survival_are_errors():
    model, X, _ = fit("survival")
    with pytest.raises(ValueError, match="`time` must be"):
        model.held_out().calibration(time=1e9)
    with pytest.raises(ValueError, match="`time` is for survival only"):
        fit("two")[0].held_out().calibration(time=1.0)
    with pytest.raises(ValueError, match=r"Use `explain\(X, y\)`"):
        fit("numbers")[0].explain(X[:3]).calibration()
