"""The slow twins are right themselves: held against finite differences and a general optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.cases import CASES, small_outcome, small_table
from reference.differences import differences
from reference.losses import KINDS, breach, curvature, hazard, loss, slope


def setting(rng, kind, case):
    what, weight = small_outcome(rng, kind, case)
    return rng.normal(size=(weight.size, 3 if kind == "multinomial" else 1)), what, weight


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_slopes_are_finite_differences_of_the_loss(rng, kind, case):
    link, what, weight = setting(rng, kind, case)
    expected = differences(lambda at: loss(kind, at, what, weight), link)
    np.testing.assert_allclose(slope(kind, link, what, weight), expected, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("case", CASES)
def test_curvatures_of_classes_are_second_differences(rng, kind, case):
    link, what, weight = setting(rng, kind, case)
    bend = differences(lambda at: slope(kind, at, what, weight), link)
    np.testing.assert_allclose(curvature(kind, link, what, weight), np.einsum("ikik->ik", bend), atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_curvatures_of_survival_bound_the_second_differences(rng, case):
    link, what, weight = setting(rng, "cox", case)
    bend = differences(lambda at: slope("cox", at, what, weight), link)[:, 0, :, 0]
    slack = np.diag(curvature("cox", link, what, weight)[:, 0]) - bend
    assert np.linalg.eigvalsh(slack).min() > -1e-8


def test_expected_events_are_the_hazard_times_the_relative_hazard(rng):
    link, what, weight = setting(rng, "cox", "tied")
    expected = weight * np.exp(link[:, 0]) * hazard(link[:, 0], what, weight)
    np.testing.assert_allclose(curvature("cox", link, what, weight)[:, 0], expected)


def best_by_general_optimiser(kind, X, what, weight, alpha):
    """Return intercepts and coefficients: the latter as differences of positive parts, so that all is smooth."""
    size, n_outputs = X.shape[1], 3 if kind == "multinomial" else 1

    def cost(parts):
        level, plus, minus = np.split(parts, [n_outputs, n_outputs + n_outputs * size])
        link = level + X @ (plus - minus).reshape(n_outputs, size).T
        return loss(kind, link, what, weight) + alpha * (plus + minus).sum()

    limits = [(None, None)] * n_outputs + [(0, None)] * 2 * n_outputs * size
    best = minimize(cost, np.full(len(limits), 0.1), bounds=limits, options={"ftol": 1e-15, "gtol": 1e-8}).x
    level, plus, minus = np.split(best, [n_outputs, n_outputs + n_outputs * size])
    return level, (plus - minus).reshape(n_outputs, size).round(5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_misses_no_optimality_condition_and_other_models_do(rng, kind):
    (X, _), (what, weight) = small_table(rng, "random"), small_outcome(rng, kind, "random")
    intercept, coef = best_by_general_optimiser(kind, X, what, weight, 0.05)
    assert (coef == 0).any()
    assert breach(kind, X, what, weight, 0.05, np.ones(4), intercept, coef) < 1e-4
    assert breach(kind, X, what, weight, 0.05, np.ones(4), intercept, coef + 0.5) > 0.01
