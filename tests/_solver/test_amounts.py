"""Local fits of counts and costs: optimality conditions, other solvers, and what an offset is."""

import numpy as np
import pytest
from sklearn.linear_model import TweedieRegressor

from heedful import local_lasso
from heedful._kernels.shapes import OTHER, Rule
from heedful._responses import Classification, CountsOrCosts
from heedful._solver.paths import no_model
from heedful._solver.table import build_table, measure
from heedful._solver.weights import read_weights
from heedful._solver.working import fit_family
from reference import amounts
from reference.lasso import penalty_scale
from reference.rows import classes_of, costs_of

POWERS = {"poisson": 1.0, "tweedie": 1.5, "gamma": 2.0}
SHAPES = {"random": (40, 5), "tied": (40, 5), "padded": (60, 45), "wide": (30, 120)}


def claims(rng, family, n=40, p=5, n_query=3, *, tied=False):
    """Return rows, amounts, logarithms of exposures and rows of weights."""
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3.0, size=p) + 2.0
    X, offset = np.round(X) if tied else X, rng.normal(size=n)
    mean = np.exp(0.3 * (X[:, 0] - X[:, 1]) + offset)
    counts = rng.poisson(mean).astype(float)
    y = {"poisson": counts, "tweedie": rng.gamma(counts + 1e-300), "gamma": rng.gamma(2.0, mean / 2.0)}[family]
    return X, y, offset, rng.uniform(size=(n_query, n)) ** 2


def miss(family, X, y, offset, weight, penalty, intercept, coef, **limits):
    """Return by how much optimality is missed."""
    weight = weight / weight.sum()
    down = -amounts.slope(POWERS[family], intercept + X @ coef, (y, offset), weight)
    return amounts.breach(down, X, weight, penalty, coef, **limits)


@pytest.mark.each_value
@pytest.mark.parametrize("family", POWERS)
@pytest.mark.parametrize("rule", ["global", "weighted", False])
@pytest.mark.parametrize("case", [*list(SHAPES)[:-1], pytest.param("wide", marks=pytest.mark.more)])
def test_the_optimality_conditions_hold(rng, family, rule, case):
    n, p = SHAPES[case]
    X, y, offset, weights = claims(rng, family, n, p, tied=case == "tied")
    for alpha in (0.03, 0.2):
        fits = local_lasso(X, y, weights, alpha=alpha, family=family, offset=offset, standardize=rule)
        for weight, intercept, coef in zip(weights, fits.intercept_, fits.coef_, strict=True):
            penalty = alpha * penalty_scale(X, weight, rule)
            assert miss(family, X, y, offset, weight, penalty, intercept, coef) < 1e-6


@pytest.mark.parametrize("power", [1.0, 1.2, 1.5, 1.9, 2.0])
def test_fits_without_penalty_are_those_of_scikit_learn(rng, power):
    X, y, offset, weights = claims(rng, "gamma" if power == 2 else "tweedie", 200, 3)
    # exposures as weights of rates: scikit-learn has no offset
    rate, extra = y / np.exp(offset), np.exp((2 - power) * offset)
    fits = local_lasso(X, y, weights, alpha=0.0, family="tweedie", power=power, offset=offset, tol=1e-10)
    for weight, intercept, coef in zip(weights, fits.intercept_, fits.coef_, strict=True):
        model = TweedieRegressor(power=power, alpha=0.0, link="log", tol=1e-10, solver="newton-cholesky")
        model.fit(X, rate, sample_weight=weight * extra)
        np.testing.assert_allclose([intercept, *coef], [model.intercept_, *model.coef_], atol=1e-5)


class KernelFree(CountsOrCosts):
    """Amounts whose loss no kernel is told of."""

    @property
    def outcome(self):
        return super().outcome._replace(kind=OTHER)


class KernelFreeClasses(Classification):
    """Two classes whose loss no kernel is told of."""

    @property
    def outcome(self):
        return super().outcome._replace(kind=OTHER)

    def part(self, rows):
        raise NotImplementedError


def both_ways(X, families, weights, alpha, weighted, **constraints):
    """Return the linear predictors of the same family by its kernel, and by working responses."""
    rows, prior = read_weights(weights, X.shape[0])
    scale = measure(X, np.zeros(len(X)))
    table = build_table(X, np.zeros(len(X)), prior, scale)
    for family in families:
        rule = Rule(scale.pad(np.ones(X.shape[1])), weighted, np.zeros(scale.width), 1e-10, 10_000, **constraints)
        paths = fit_family(rows, table, family, np.array([4 * alpha, alpha]), rule, no_model(1, scale.width))
        assert paths.n_failed == 0
        intercept, coef = paths.unscaled(scale)
        yield intercept[:, 1] + coef[:, 1, 0] @ X.T


@pytest.mark.parametrize("family", POWERS)
@pytest.mark.parametrize("weighted", [True, False])
def test_working_responses_and_the_kernel_have_the_same_minimum(rng, family, weighted):
    X, y, offset, weights = claims(rng, family, 80)
    families = (costs_of(y, POWERS[family], offset, kind=kind) for kind in (CountsOrCosts, KernelFree))
    found, expected = both_ways(X, families, weights, 0.05, weighted)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_classes_with_offsets_have_the_same_minimum_both_ways(rng):
    X, _, offset, weights = claims(rng, "gamma", 80)
    y = rng.uniform(size=80) < 1 / (1 + np.exp(1 - X[:, 0] / 2 - offset))
    families = (classes_of(y, 2, offset=offset, kind=kind) for kind in (Classification, KernelFreeClasses))
    found, expected = both_ways(X, families, weights, 0.02, True)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    without = local_lasso(X, y, weights, alpha=0.02, family="binomial")
    equal = local_lasso(X, y, weights, alpha=0.02, family="binomial", offset=np.full(80, 0.7))
    np.testing.assert_allclose(equal.coef_, without.coef_, atol=1e-6)
    np.testing.assert_allclose(equal.intercept_, without.intercept_ - 0.7, atol=1e-6)


@pytest.mark.long
@pytest.mark.more
def test_a_group_penalty_has_the_same_minimum_both_ways(rng):
    X, y, offset, weights = claims(rng, "poisson", 80, 6)
    families = (costs_of(y, 1.0, offset, kind=kind) for kind in (CountsOrCosts, KernelFree))
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 4])
    found, expected = both_ways(X, families, weights, 0.03, True, groups=groups)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("family", POWERS)
def test_scaling_exposures_changes_the_intercept_alone(rng, family):
    X, y, offset, weights = claims(rng, family)
    how = {"family": family, "tol": 1e-10}
    one = local_lasso(X, y, weights, alpha=0.1, offset=offset, **how)
    # the loss of costs of another currency has another unit, and so has its penalty
    factor = 5.0 ** (2.0 - POWERS[family])
    other = local_lasso(X, 5.0 * y, weights, alpha=0.1 * factor, offset=offset + np.log(5.0), **how)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-7)
    np.testing.assert_allclose(other.intercept_, one.intercept_, atol=1e-7)
    moved = local_lasso(X, y, weights, alpha=0.1, offset=offset - 2.0, **how)
    np.testing.assert_allclose(moved.coef_, one.coef_, atol=1e-7)
    np.testing.assert_allclose(moved.intercept_, one.intercept_ + 2.0, atol=1e-7)


@pytest.mark.parametrize("family", POWERS)
def test_exposure_is_a_rate_of_more_weight_and_not_weight_alone(rng, family):
    X, y, offset, _ = claims(rng, family)
    exposure, how = np.exp(offset), {"family": family, "standardize": "global", "tol": 1e-10}
    weight = exposure ** (2.0 - POWERS[family])
    exposed = local_lasso(X, y, np.ones((1, 40)), alpha=0.1, offset=offset, **how)
    rates = local_lasso(X, y / exposure, weight[None], alpha=0.1 / weight.mean(), **how)
    np.testing.assert_allclose(exposed.coef_, rates.coef_, atol=1e-7)
    np.testing.assert_allclose(exposed.intercept_, rates.intercept_, atol=1e-7)
    weighed = local_lasso(X, y, exposure[None], alpha=0.1, **how)
    assert np.abs(weighed.intercept_ - exposed.intercept_).max() > 0.1


@pytest.mark.parametrize("family", ["poisson", "tweedie"])
def test_rows_that_are_all_zero_have_a_small_rate_and_no_coefficients(rng, family):
    X, y, _, _ = claims(rng, family)
    weights = np.vstack([y == 0, np.ones(40)]).astype(float)
    fits = local_lasso(X, y, weights, alpha=0.01, family=family)
    assert (fits.coef_[0] == 0).all()
    expected = y.mean() / (1 + 2 * (y > 0).mean() * (y == 0).sum())
    assert np.exp(fits.intercept_[0]) == pytest.approx(expected)
    assert fits.coef_[1].any()


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e9])
@pytest.mark.parametrize("family", POWERS)
def test_the_unit_of_costs_does_not_matter(rng, family, unit):
    X, y, offset, weights = claims(rng, family)
    how = {"family": family, "offset": offset}
    one = local_lasso(X, y, weights, alpha=0.05, **how)
    other = local_lasso(X, unit * y, weights, alpha=0.05 * unit ** (2.0 - POWERS[family]), **how)
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-6)
    np.testing.assert_allclose(other.intercept_, one.intercept_ + np.log(unit), atol=1e-6)


def test_a_power_of_one_is_poisson_and_of_two_gamma(rng):
    X, y, offset, weights = claims(rng, "gamma")
    for family in ("poisson", "gamma"):
        one = local_lasso(X, y, weights, alpha=0.1, family=family, offset=offset, tol=1e-10)
        for power in (POWERS[family], abs(POWERS[family] - 1e-7 if family == "gamma" else 1 + 1e-7)):
            other = local_lasso(X, y, weights, alpha=0.1, family="tweedie", power=power, offset=offset, tol=1e-10)
            np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "change", "message"),
    [
        ("poisson", {"y": [1.0, -1.0, 2.0]}, "counts >= 0, got 1 below; the smallest is -1"),
        ("gamma", {"y": [1.0, 0.0, 2.0]}, "costs > 0 for family='gamma', got 1 that are not; the smallest is 0"),
        ("tweedie", {"y": [0.0, 0.0, 0.0]}, "zeros only"),
        ("tweedie", {"power": 2.5}, "`power` must be >= 1 and <= 2, got 2.5"),
        ("poisson", {"offset": [0.0, np.inf, 0.0]}, "`offset` must not hold NaN or infinity, got 1"),
        ("poisson", {"offset": np.log([1.0, 2.0])}, "`offset` must hold one number per row"),
        ("gaussian", {"offset": np.zeros(3)}, "`offset` must be None with family='gaussian'"),
        ("multinomial", {"offset": np.zeros(3)}, "`offset` must be None with family='multinomial'"),
        ("cox", {"offset": np.zeros(3)}, "`offset` must be None with family='cox'"),
    ],
)
def test_amounts_and_offsets_that_cannot_be_are_named(family, change, message):
    given = {"y": [1.0, 2.0, 3.0]} | change
    with pytest.raises(ValueError, match=message):
        local_lasso(np.eye(3), given.pop("y"), np.ones((1, 3)), alpha=0.1, family=family, **given)
