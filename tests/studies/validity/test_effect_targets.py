"""Averages over arms and overlap, and of censored times, keep their promises over many draws.

With 300 rows, and nuisances learned from half of them, standard errors are 5 to 12 % too small and intervals at 90 %
hold 87 %; with 1,000 they are right.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_random_state

from heedful import AttentionCox
from heedful._effects.average import average_effect
from heedful._effects.inputs import Column
from heedful._effects.nuisance import draw_folds
from heedful._effects.scores import read_rows
from heedful._effects.survival import read_times, uncensor
from heedful.similarity import ForestProximity
from studies.validity.test_effects import least_squares

N_DRAWS, N_ROWS, N_CENSORED, HORIZON = 1000, 1000, 300, 2.0
# Effects are 1 + x with x normal, chances 0.5 + 0.15 x within 2.5 standard deviations: so much more on the treated.
MORE = 0.3 * 0.98758


def simulate(rng):
    """Return a study whose effects grow with the chance of treatment, with learned nuisances."""
    x = rng.normal(size=N_ROWS)
    level = 0.5 + 0.15 * np.clip(x, -2.5, 2.5)
    treatment = (rng.uniform(size=N_ROWS) < level) * 1.0
    y = 2 * x + treatment * (1.0 + x) + rng.normal(size=N_ROWS)
    X, fold = np.column_stack([np.ones(N_ROWS), x, x**2]), np.arange(N_ROWS) % 2
    outcome, propensity = least_squares(X, y, fold), np.clip(least_squares(X, treatment, fold), 0.05, 0.95)
    left = treatment - propensity
    slopes = np.zeros(N_ROWS)
    for k in (0, 1):
        there, own = fold != k, fold == k
        slopes[own] = X[own] @ np.linalg.lstsq(X[there] * left[there, None], (y - outcome)[there], rcond=None)[0]
    return read_rows(y, treatment, outcome, propensity, slopes)


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("target", "truth"), [("all", 1.0), ("treated", 1.0 + MORE), ("control", 1.0 - MORE), ("overlap", 1.0)]
)
def test_intervals_hold_the_average_of_their_target(target, truth):
    rng = np.random.default_rng(1)
    found = [average_effect(simulate(rng), target=target) for _ in range(N_DRAWS)]
    assert 0.87 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.93
    spread, told = np.std([one.effect for one in found]), np.mean([one.standard_error for one in found])
    assert told == pytest.approx(spread, rel=0.08)


@pytest.mark.one_value
@pytest.mark.filterwarnings("ignore:.*had a chance below")
@pytest.mark.parametrize("estimand", ["rmst", "survival"])
def test_the_average_effect_on_censored_times_is_right_and_naive_ones_are_not(estimand):
    """Censoring depends on a column and on the arm; 60 draws, so that a share of 90 % has a standard error of 4 %."""
    away, ignored, inside = [], [], []
    for seed in range(60):
        times, arm, X, truth = draw_times(np.random.default_rng(seed), estimand)
        arms, weight = Column(arm, np.arange(2)), np.ones(N_CENSORED)
        rows = draw_folds(X, [arms, *times.columns], weight, None, 3, check_random_state(seed))
        learner = AttentionCox(heads="single", similarity=ForestProximity(16), mixing=0.0, random_state=seed)
        found = average(uncensor(rows, times, arms, learner, weight).values, arm, X)
        away.append(found.effect - truth)
        inside.append(found.low <= truth <= found.high)
        ignored.append(average(times.outcome, arm, X).effect - truth)
    error = np.std(away) / np.sqrt(60)
    assert abs(np.mean(away)) < 3 * error
    assert abs(np.mean(ignored)) > 5 * error
    assert np.mean(inside) >= 0.78


def draw_times(rng, estimand):
    """Return censored times of a trial, its arms and columns, and the average effect over its rows."""
    X, arm = rng.normal(size=(N_CENSORED, 2)), rng.integers(0, 2, N_CENSORED) * 1.0
    hazard = [np.exp(0.6 * X[:, 0] - 0.3 - 0.7 * k) for k in (0, 1)]
    died = rng.exponential(1 / np.where(arm == 1, hazard[1], hazard[0]))
    lost = rng.exponential(1 / (0.25 * np.exp(0.7 * X[:, 0] + 0.9 * arm)))
    y = pd.DataFrame({"event": died <= lost, "time": np.minimum(died, lost)})
    chance = [np.exp(-h * HORIZON) for h in hazard]
    mean = chance if estimand == "survival" else [(1 - c) / h for c, h in zip(chance, hazard, strict=True)]
    return read_times(y, HORIZON, estimand, N_CENSORED), arm, X, (mean[1] - mean[0]).mean()


def average(outcome, arm, X):
    """Return the average effect with a known propensity and least squares for the outcome."""
    columns, fold = np.column_stack([np.ones(N_CENSORED), X]), np.arange(N_CENSORED) % 2
    return average_effect(read_rows(outcome, arm, least_squares(columns, outcome, fold), 0.5, 0.0))
