"""Outcomes that are censored times: the transform, and what it needs."""

import warnings

import numpy as np
import pytest
from sklearn.utils import check_random_state
from tests.reference import censoring as slow

from heedful import AttentionCox
from heedful._effects.inputs import Column
from heedful._effects.nuisance import draw_folds
from heedful._effects.survival import (
    LEAST_CHANCE,
    CensoredTimes,
    Curves,
    check_followed,
    fit_curves,
    kaplan_meier,
    last_chance,
    read_times,
    transform,
    uncensor,
    warn_of_chances,
)
from heedful.similarity import ForestProximity

ALIKE = np.ones(6)
ESTIMANDS = ("rmst", "survival")
COX = AttentionCox(heads="single", similarity=ForestProximity(16), mixing=0.0, random_state=0)


def structured(event, time):
    return np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])


def ask(X, times, arm, weight, *, groups=None, n_folds=3, seed=0):
    """Return the transform by models of other folds."""
    arms = Column(arm, np.arange(2))
    rows = draw_folds(X, [arms, *times.columns], weight, groups, n_folds, check_random_state(seed))
    return uncensor(rows, times, arms, COX, weight).values


def draw_curves(rng, n_rows, times):
    chance = np.exp(-np.cumsum(rng.uniform(0, 2.0, (n_rows, len(times))), axis=1))
    return Curves(np.asarray(times), np.column_stack([np.ones(n_rows), chance]))


def draw_times(rng, n_rows, horizon=5.0, estimand="rmst"):
    """Return times with ties between events, censorings and the horizon."""
    return read_times(structured(rng.integers(0, 2, n_rows), rng.integers(1, 8, n_rows)), horizon, estimand, n_rows)


@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_the_transform_is_that_of_the_definition(rng, estimand):
    times = draw_times(rng, 60, estimand=estimand)
    censoring, events = draw_curves(rng, 60, [1.0, 2.5, 3.0, 4.0]), draw_curves(rng, 60, [1.0, 2.0, 3.5, 5.0])
    found = transform(times, censoring, events)
    assert (censoring.chance < LEAST_CHANCE).any()
    for i in range(60):
        curves = [(curve.times, curve.chance[i, 1:]) for curve in (censoring, events)]
        own = slow.transform(times.event[i], times.time[i], 5.0, estimand, *curves, LEAST_CHANCE)
        assert found[i] == pytest.approx(own, rel=1e-9)


@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_without_censoring_it_is_the_outcome_up_to_the_horizon(rng, estimand):
    time, event = rng.exponential(size=50), np.ones(50, dtype=bool)
    event[time > 1.0] = rng.integers(0, 2, int((time > 1.0).sum()))
    times = read_times(structured(event, time), 1.0, estimand, 50)
    truth = np.minimum(time, 1.0) if estimand == "rmst" else time > 1.0
    np.testing.assert_array_equal(times.outcome, truth)
    np.testing.assert_allclose(ask(rng.normal(size=(50, 2)), times, np.arange(50) % 2.0, np.ones(50)), truth)
    nobody = Curves(np.empty(0), np.ones((50, 1)))
    np.testing.assert_array_equal(transform(times, nobody, nobody), truth)


@pytest.mark.one_value
@pytest.mark.parametrize("estimand", ESTIMANDS)
@pytest.mark.parametrize("right", ["both", "censoring", "events"])
def test_the_mean_is_right_if_one_of_both_models_is(rng, estimand, right):
    """Times are of a grid, so that true curves are known exactly; a wrong one is that of other hazards."""
    n_rows, grid, horizon = 200_000, np.arange(1.0, 7.0), 5.0
    hazard = {
        "events": np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1]),
        "censoring": np.array([0.15, 0.1, 0.3, 0.1, 0.1, 0.1]),
    }
    drawn = {
        name: np.r_[grid, 9.0][np.argmax(rng.uniform(size=(n_rows, 7)) < np.r_[h, 1.0], axis=1)]
        for name, h in hazard.items()
    }
    event = drawn["events"] <= drawn["censoring"]
    time = np.minimum(drawn["events"], drawn["censoring"])
    times = read_times(structured(event, time), horizon, estimand, n_rows)
    curves = {}
    for name, h in hazard.items():
        chance = np.r_[1.0, np.cumprod(1 - (h if right in ("both", name) else h[::-1] / 2))]
        curves[name] = Curves(grid, np.broadcast_to(chance, (n_rows, 7)))
    truth = np.minimum(drawn["events"], horizon) if estimand == "rmst" else drawn["events"] > horizon
    found = transform(times, curves["censoring"], curves["events"])
    error = found.std() / np.sqrt(n_rows)
    assert abs(found.mean() - truth.mean()) < 4 * error
    naive = times.outcome[~times.censored].mean()
    assert abs(naive - truth.mean()) > 20 * error


def test_an_event_comes_before_a_censoring_of_the_same_time():
    times = CensoredTimes(np.array([True, False, False]), np.array([1.0, 1.0, 2.0]), 2.0, "rmst")
    censoring = Curves(np.array([1.0]), np.array([[1.0, 0.5]] * 3))
    np.testing.assert_array_equal(last_chance(times, censoring), [1.0, 0.5, 0.5])
    events = Curves(np.array([1.0]), np.array([[1.0, 2 / 3]] * 3))
    np.testing.assert_allclose(transform(times, censoring, events), [1.0, 2.0, 2.0])


def test_with_few_events_it_is_the_definition_with_curves_of_kaplan_and_meier_of_the_other_folds(rng):
    """Times have ties: for censoring, rows with an event at a time are no longer at risk then."""
    n_rows, horizon, fold = 24, 3.0, np.repeat(np.arange(3), 8)
    event, time, arm = rng.integers(0, 2, n_rows) > 0, rng.integers(1, 5, n_rows) * 1.0, np.arange(n_rows) % 2.0
    times = read_times(structured(event, time), horizon, "rmst", n_rows)
    found = ask(rng.normal(size=(n_rows, 1)), times, arm, np.ones(n_rows), groups=fold)
    for i in range(n_rows):
        others = (fold != fold[i]) & (arm == arm[i])
        own, died, lost = times.time[others], times.event[others], times.censored[others]
        curves = []
        for happened, gone in ((lost, died), (died, np.zeros_like(died))):
            at, chance = np.unique(own[happened]), [1.0]
            for t in at:
                at_risk = (own > t) | ((own == t) & ~gone)
                chance.append(chance[-1] * (1 - (happened & (own == t)).sum() / at_risk.sum()))
            curves.append((at, np.array(chance[1:])))
        told = slow.transform(times.event[i], times.time[i], horizon, "rmst", *curves, LEAST_CHANCE)
        assert found[i] == pytest.approx(told, rel=1e-9)


def test_the_same_curve_for_all_is_that_of_kaplan_and_meier(rng):
    when, happened = rng.integers(1, 6, 30) * 1.0, rng.integers(0, 2, 30).astype(bool)
    weight, times = rng.integers(0, 3, 30) * 1.0, np.unique(when[happened])
    chance, kept = [], 1.0
    for time in times:
        at_risk = sum(weight[i] for i in range(30) if when[i] >= time)
        lost = sum(weight[i] for i in range(30) if when[i] == time and happened[i])
        kept *= 1 - lost / at_risk
        chance.append(kept)
    np.testing.assert_allclose(kaplan_meier(happened, when, weight, times), chance)


def test_few_events_have_one_curve_for_all_and_many_a_model(rng):
    X, when = rng.normal(size=(60, 2)), rng.exponential(size=60)
    for n_events, learned in ((9, False), (30, True)):
        happened = np.arange(60) < n_events
        found = fit_curves(COX, X, happened, when, np.ones(60))
        assert (found.model is not None) == learned
        curves = found.curves(X[:5])
        assert curves.chance.shape == (5, n_events + 1)
        assert (np.diff(curves.chance, axis=1) <= 0).all()


def test_models_are_of_other_folds_and_of_the_same_arm(rng):
    """What happens to a row, or in the other arm, changes none but its own number."""
    n_rows = 80
    X, arm = rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 2.0
    event, time = rng.integers(0, 2, n_rows).astype(bool), rng.uniform(0.5, 1.9, n_rows)
    time[:10] = 2.0

    def told(time):
        times = read_times(structured(event, time), 2.0, "rmst", n_rows)
        return ask(X, times, arm, np.ones(n_rows), groups=np.repeat(np.arange(4), 20), n_folds=4)

    before = told(time)
    at = 40 + int(np.flatnonzero(event[40:60])[0])
    other = time.copy()
    other[at] = 0.3
    moved = np.flatnonzero(before != told(other))
    assert at in moved
    assert set(arm[moved]) == {arm[at]}
    assert not set(np.setdiff1d(moved, [at])) & set(range(40, 60))
    assert len(moved) > 10


@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_weights_are_copies_and_rows_of_no_weight_are_not_there(rng, estimand):
    n_rows = 120
    X, arm = rng.normal(size=(n_rows, 2)), np.arange(n_rows) % 2.0
    event, time = rng.integers(0, 2, n_rows), rng.uniform(0.5, 2.5, n_rows)
    count = rng.integers(0, 3, n_rows)

    def told(rows, weight):
        times = read_times(structured(event[rows], time[rows]), 2.0, estimand, len(rows))
        return ask(X[rows], times, arm[rows], weight)

    rows = np.repeat(np.arange(n_rows), count)
    weighted, copies = told(np.arange(n_rows), 1.0 * count), told(rows, np.ones(rows.size))
    np.testing.assert_allclose(weighted[rows], copies, rtol=1e-6)
    assert np.isfinite(weighted).all()


def test_chances_near_0_are_moved_with_a_warning(rng):
    n_rows = 400
    lost, died = rng.exponential(0.2, n_rows), rng.exponential(1.0, n_rows)
    lost[:6] = died[:6] = 3.0
    X = rng.normal(size=(n_rows, 1))

    def told(horizon):
        times = read_times(structured(died <= lost, np.minimum(lost, died)), horizon, "rmst", n_rows)
        return ask(X, times, np.arange(n_rows) % 2.0, np.ones(n_rows))

    with pytest.warns(UserWarning, match=r"rows had a chance below 0.05 not to be censored.*Give an earlier `horizon`"):
        found = told(1.0)
    assert np.abs(found).max() < 1 / LEAST_CHANCE
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told(0.2)


def test_a_warning_is_by_how_many_rows_a_row_stands_for():
    chance, told = np.r_[np.ones(99), 0.01], np.ones(100, dtype=bool)
    with pytest.warns(UserWarning, match="1 row had"):
        warn_of_chances(chance, np.ones(100), told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_chances(chance, np.ones(100), np.arange(100) < 99)
        warn_of_chances(chance, np.r_[np.ones(99), 0.5], told)


def test_what_nobody_has_seen_is_refused():
    event, time, arm = np.array([1, 1, 0, 1, 1, 0]), np.array([1.0, 2, 3, 1, 2, 4]), np.array([0.0, 0, 0, 1, 1, 1])

    def check(horizon, event=event, arms=None, weight=ALIKE):
        arms = Column(arm, np.array(["placebo", "drug"])) if arms is None else arms
        check_followed(read_times(structured(event, time), horizon, "rmst", 6), arms, weight)

    check(3.0)
    with pytest.raises(ValueError, match=r"`horizon` must be at most 3, the last time .* still followed, got 3.5"):
        check(3.5)
    with pytest.raises(ValueError, match=r"`horizon` must be at most 2, "):
        check(3.0, weight=np.array([1, 1, 0, 1, 1, 1.0]))
    with pytest.raises(ValueError, match=r"got none of 3 rows with treatment 'drug'. Give a later horizon"):
        check(2.0, event=event * (arm == 0))
    with pytest.raises(ValueError, match=r"`horizon` 0.5 in both arms, got none of 3 rows with treatment 'placebo'"):
        check(0.5)
    with pytest.raises(ValueError, match="must be binary if outcomes are censored times, got a continuous one"):
        check(2.0, arms=Column(arm + 0.1, None))


@pytest.mark.parametrize(
    ("horizon", "estimand", "error"),
    [
        (0.0, "rmst", "`horizon` must be > 0"),
        (np.inf, "rmst", "`horizon` must be"),
        ("year", "rmst", "`horizon` must be"),
        (1.0, "median", "`estimand` must be one of 'rmst', 'survival', got 'median'"),
    ],
)
def test_horizons_and_estimands_without_meaning_are_errors(horizon, estimand, error):
    with pytest.raises((ValueError, TypeError), match=error):
        read_times(structured([True], [1.0]), horizon, estimand, 1)


def test_outcomes_of_other_rows_are_an_error():
    with pytest.raises(ValueError, match="one event and time per row of `X`: 3, got 2"):
        read_times(structured([True, False], [1.0, 2.0]), 1.0, "rmst", 3)
