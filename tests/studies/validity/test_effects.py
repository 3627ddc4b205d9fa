"""Answers about effects keep their promises over many draws: coverage of averages, size and power of tests.

Nuisances are learned on other rows, as in a fit: least squares, in two folds. The binomial standard error of a share
over 1000 draws is 1 % at 90 %.
"""

import numpy as np
import pytest

from heedful._effects.average import average_effect
from heedful._effects.heterogeneity import assess_heterogeneity, best_linear_predictor, one_sided
from heedful._effects.scores import EffectRows, read_rows

N_DRAWS, N_ROWS, N_GROUPS = 1000, 300, 40
DESIGNS = {
    "plain": {},
    "amounts": {"amounts": True},
    "weights": {"weighted": True},
    "groups": {"grouped": True},
    "no differences": {"spread": 0.0},
}


def least_squares(X, target, fold):
    """Return predictions of each fold by a linear model of the other."""
    found = np.empty(target.size)
    for k in (0, 1):
        there, own = fold != k, fold == k
        found[own] = X[own] @ np.linalg.lstsq(X[there], target[there], rcond=None)[0]
    return found


def simulate(
    rng, *, amounts=False, weighted=False, grouped=False, known=False, spread=1.0
) -> tuple[EffectRows, np.ndarray]:
    """Return a confounded study with learned nuisances, and its columns; the true average effect is 1.

    With ``known`` the propensity is the true one, as in a trial.
    """
    X = np.column_stack([np.ones(N_ROWS), rng.normal(size=(N_ROWS, 3))])
    groups = rng.integers(0, N_GROUPS, N_ROWS) if grouped else np.arange(N_ROWS)
    level = 0.5 + 0.15 * np.clip(X[:, 1], -2.5, 2.5)
    treatment = level + rng.normal(size=N_ROWS) if amounts else (rng.uniform(size=N_ROWS) < level) * 1.0
    # what rows of a group have in common: a part of their effects, and of their noise
    shared = rng.normal(size=(N_GROUPS, 2))[groups] if grouped else np.zeros((N_ROWS, 2))
    effect = 1.0 + spread * X[:, 2] + shared[:, 0]
    y = X @ [1.0, 2.0, 0.5, -1.0] + treatment * effect + shared[:, 1] + rng.normal(size=N_ROWS)
    fold = groups % 2
    outcome, propensity = least_squares(X, y, fold), level if known else least_squares(X, treatment, fold)
    if not amounts:
        propensity = np.clip(propensity, 0.05, 0.95)
    left = treatment - propensity
    slopes = np.zeros(N_ROWS)
    for k in (0, 1):
        there, own = fold != k, fold == k
        slopes[own] = X[own] @ np.linalg.lstsq(X[there] * left[there, None], (y - outcome)[there], rcond=None)[0]
    weight = rng.exponential(size=N_ROWS) if weighted else None
    return read_rows(y, treatment, outcome, propensity, slopes, weight=weight, groups=groups), X


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_the_average_effect_hold_it_as_often_as_they_say(design):
    rng = np.random.default_rng(1)
    found = [average_effect(simulate(rng, **DESIGNS[design])[0]) for _ in range(N_DRAWS)]
    covered = np.mean([one.low <= 1.0 <= one.high for one in found])
    assert 0.87 <= covered <= 0.93, covered
    spread, told = np.std([one.effect for one in found]), np.mean([one.standard_error for one in found])
    assert told == pytest.approx(spread, rel=0.08)


def test_groups_that_are_not_told_leave_intervals_too_short():
    rng = np.random.default_rng(1)
    rows = [simulate(rng, grouped=True)[0] for _ in range(N_DRAWS)]
    found = [average_effect(one._replace(groups=np.arange(N_ROWS))) for one in rows]
    assert np.mean([one.low <= 1.0 <= one.high for one in found]) < 0.85


def test_intervals_of_a_subset_hold_its_own_average():
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(N_DRAWS):
        rows, X = simulate(rng)
        found = average_effect(rows, X[:, 2] > 0.5)
        # the mean of a normal variable beyond 0.5
        covered.append(found.low <= 1.0 + 1.1410777 <= found.high)
    assert 0.87 <= np.mean(covered) <= 0.93


def p_values(how, n_draws):
    """Return p values of both tests for effects that are told by chance alone."""
    rng, found = np.random.default_rng(3), []
    for number in range(n_draws):
        rows, _ = simulate(rng, **how)
        # wide effects without meaning: scores withstand them as far as propensities are right
        tau = rng.normal(size=N_ROWS)
        if how.get("grouped"):
            tau = rng.normal(size=N_GROUPS)[rows.groups]
        result = assess_heterogeneity(rows._replace(effect=1.0 + tau), n_draws=60, seed=number)
        found.append(result.tests["p_value"].to_numpy()[1:])
    return np.array(found)


@pytest.mark.parametrize("design", ["no differences", "groups"])
def test_p_values_of_effects_told_by_chance_are_uniform_in_a_trial(design):
    found = p_values(DESIGNS[design] | {"known": True}, 400)
    for level, slack in ((0.1, 0.04), (0.5, 0.08), (0.9, 0.04)):
        np.testing.assert_allclose((found < level).mean(axis=0), level, atol=slack, err_msg=design)


@pytest.mark.parametrize("design", ["plain", "weights"])
def test_ranks_of_wide_effects_have_p_values_a_little_too_small_with_weights_and_without(design):
    # scores of wide effects told by chance are skewed where propensities are uneven, and a few of them weigh most in
    # AUTOC; over 1500 draws 11, 14 and 12 % of the p values are below 0.1, with exponential weights 10, 13 and 12 %
    found = p_values(DESIGNS[design] | {"known": True}, 400)
    small = (found < 0.1).mean(axis=0)
    assert small[0] == pytest.approx(0.1, abs=0.04)
    assert (small < 0.18).all()


def test_p_values_of_effects_told_by_chance_are_not_small_where_propensities_are_learned():
    found = p_values(DESIGNS["plain"], 400)
    assert ((found < 0.1).mean(axis=0) < 0.14).all()
    assert ((found < 0.5).mean(axis=0) < 0.56).all()


def test_the_coefficient_of_right_differences_is_one_on_average():
    rng, found = np.random.default_rng(4), []
    for _ in range(300):
        rows, X = simulate(rng)
        found.append(best_linear_predictor(rows._replace(effect=1.0 + X[:, 2])))
    slopes, errors = np.array(found).transpose(1, 0, 2)
    np.testing.assert_allclose(slopes.mean(axis=0), 1.0, atol=4 * slopes.std(axis=0).max() / np.sqrt(300))
    np.testing.assert_allclose(errors.mean(axis=0), slopes.std(axis=0), rtol=0.15)
    assert np.mean([one_sided(b[1], s[1], N_ROWS - 2) < 0.05 for b, s in zip(slopes, errors, strict=True)]) > 0.99
