"""Penalty factors, limits of coefficients and groups of columns: optimality, laws, errors."""

import numpy as np
import pytest

from heedful import local_lasso
from heedful._solver.constraints import Constraints, make_rule, read_constraints
from heedful._solver.table import measure
from reference import amounts, losses
from reference.cases import survival
from reference.lasso import penalty_scale

FAMILIES = ("gaussian", "binomial", "poisson", "cox")
SHAPES = {"narrow": (60, 6), "padded": (60, 45), "wide": (40, 120)}
RULES = ("global", "weighted", False)
# kernels are compiled anew for limits and for groups, of each loss, of many columns: squares and few columns come first
CASES = ["narrow", *(pytest.param(name, marks=pytest.mark.more) for name in ("padded", "wide"))]
LIMITED = [pytest.param(name, marks=pytest.mark.more) if name == "poisson" else name for name in FAMILIES]
GROUPED = [pytest.param(name, marks=pytest.mark.more) if name != "gaussian" else name for name in FAMILIES]


def table(rng, family, n=60, p=6, n_query=3):
    """Return rows of correlated columns, the response as users have it, and weights."""
    X = (rng.normal(size=(n, p)) + rng.normal(size=(n, 1))) * rng.uniform(0.5, 3.0, size=p)
    link, weights = X[:, 0] - X[:, 1] + 0.5 * X[:, 2], rng.uniform(size=(n_query, n))
    y = {
        "gaussian": link + rng.normal(size=n),
        "binomial": (link + rng.logistic(size=n) > 0).astype(int),
        "poisson": rng.poisson(np.exp(link / 3)).astype(float),
        "cox": survival(rng.uniform(size=n) < 0.7, rng.exponential(np.exp(-link))),
    }[family]
    return X, y, weights


def down(family, X, y, weight, intercept, coef):
    """Return minus the slope of the weighted mean loss by the linear predictor of each row."""
    link, weight = intercept + X @ coef, weight / weight.sum()
    if family == "gaussian":
        return weight * (y - link)
    if family == "poisson":
        return -amounts.slope(1.0, link, (y, 0.0), weight)
    what = (y["event"].astype(float), y["time"]) if family == "cox" else y
    return -losses.slope(family, link[:, None], what, weight)[:, 0]


@pytest.mark.each_value
@pytest.mark.parametrize("family", LIMITED)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rule", RULES)
def test_the_optimality_conditions_hold_within_limits(rng, family, case, rule):
    X, y, weights = table(rng, family, *SHAPES[case])
    p = X.shape[1]
    low, high = -rng.choice([0.0, 0.05, np.inf], size=p), rng.choice([0.0, 0.1, np.inf], size=p)
    factor = rng.choice([0.5, 1.0, 2.0], size=p)
    factor[0] = 0.0
    how = {"family": family, "standardize": rule, "penalty_factor": factor, "limits": (low, high)}
    for alpha in (0.02, 0.2):
        fits = local_lasso(X, y, weights, alpha=alpha, **how)
        assert ((fits.coef_ >= low) & (fits.coef_ <= high)).all()
        for weight, intercept, coef in zip(weights, fits.intercept_, fits.coef_, strict=True):
            penalty = alpha * penalty_scale(X, weight, rule) * factor / factor.mean()
            rows = down(family, X, y, weight, intercept, coef)
            # a change of units may leave the limits by the last bit, to the inside too
            near = {"low": low + 1e-12 * np.abs(coef), "high": high - 1e-12 * np.abs(coef)}
            assert amounts.breach(rows, X, weight / weight.sum(), penalty, coef, **near) < 2e-6


@pytest.mark.each_value
@pytest.mark.parametrize("family", GROUPED)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rule", RULES)
def test_the_optimality_conditions_of_groups_hold(rng, family, case, rule):
    X, y, weights = table(rng, family, *SHAPES[case], n_query=1)
    labels = rng.integers(X.shape[1] // 3, size=X.shape[1])
    size = np.sqrt(np.bincount(labels)[labels])
    for alpha in (0.1, 0.3):
        fits = local_lasso(X, y, weights, alpha=alpha, family=family, standardize=rule, groups=labels, tol=1e-9)
        for weight, intercept, coef in zip(weights, fits.intercept_, fits.coef_, strict=True):
            penalty = alpha * penalty_scale(X, weight, rule) * size
            rows = down(family, X, y, weight, intercept, coef)
            assert amounts.group_breach(rows, X, weight / weight.sum(), penalty, coef, labels) < 2e-6
            zeros = [(coef[labels == label] == 0).mean() for label in np.unique(labels)]
            assert set(zeros) <= {0.0, 1.0}


@pytest.mark.parametrize("family", GROUPED)
def test_groups_of_one_column_are_the_lasso(rng, family):
    X, y, weights = table(rng, family)
    one, other = (local_lasso(X, y, weights, alpha=0.1, family=family, groups=g, tol=1e-10) for g in (None, range(6)))
    np.testing.assert_allclose(other.coef_, one.coef_, atol=1e-6)


@pytest.mark.parametrize("family", [*FAMILIES, "multinomial"])
@pytest.mark.parametrize("factor", [1.0, 7.0])
def test_equal_factors_are_no_factors(rng, family, factor):
    X, y, weights = table(rng, "binomial" if family == "multinomial" else family)
    plain = local_lasso(X, y, weights, alpha=0.1, family=family)
    equal = local_lasso(X, y, weights, alpha=0.1, family=family, penalty_factor=np.full(6, factor))
    np.testing.assert_array_equal(equal.coef_, plain.coef_)


@pytest.mark.parametrize("family", LIMITED)
def test_limits_that_nothing_reaches_are_no_limits(rng, family):
    X, y, weights = table(rng, family)
    plain = local_lasso(X, y, weights, alpha=0.1, family=family, tol=1e-10)
    for limits in ((-1e9, 1e9), [None] * 6, (-np.inf, np.full(6, 1e300))):
        loose = local_lasso(X, y, weights, alpha=0.1, family=family, limits=limits, tol=1e-10)
        np.testing.assert_allclose(loose.coef_, plain.coef_, atol=1e-6)


def test_signs_hold_in_a_thousand_local_models(rng):
    X, y, _ = table(rng, "gaussian", 60, 6)
    signs = ["+", "-", None, "-", "+", "+"]
    weights = rng.dirichlet(np.full(60, 0.2), size=1000)
    for family, response in (("binomial", y > 0), ("gaussian", y)):
        coef = local_lasso(X, response, weights, alpha=0.05, family=family, limits=signs).coef_
        assert (coef[:, [0, 4, 5]] >= 0).all()
        assert (coef[:, [1, 3]] <= 0).all()
        assert ((coef[:, 2] > 0).any(), (coef[:, 0] > 0).any()) == (True, True)


def test_columns_of_factor_zero_are_never_left_out(rng):
    X, y, weights = table(rng, "gaussian")
    coef = local_lasso(X, y, weights, alpha=1e3, penalty_factor=[0, 0, 1, 1, 1, 1]).coef_
    assert (coef[:, :2] != 0).all()
    assert (coef[:, 2:] == 0).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"penalty_factor": [1, 1]}, "`penalty_factor` must have one number per column: 3, got shape"),
        ({"penalty_factor": [1, -1, 1]}, r"`penalty_factor` must be finite and >= 0, got \[-1.0\]"),
        ({"penalty_factor": [1, np.nan, 1]}, r"`penalty_factor` must be finite and >= 0, got \[nan\]"),
        ({"penalty_factor": [0, 0, 0]}, "`penalty_factor` must not be 0 for all of 3 columns with 3 rows"),
        ({"limits": (1.0, 2.0)}, "lower <= 0 <= upper in every column, got 1 and 2 in column 0"),
        ({"limits": ([0, 0, 0], [1, -1, 1])}, "lower <= 0 <= upper in every column, got 0 and -1 in column 1"),
        ({"limits": (0.0, np.nan)}, "lower <= 0 <= upper"),
        ({"limits": ["+", "-"]}, "'-' or None for each of 3 columns"),
        ({"limits": ["+", "up", None]}, "'-' or None for each of 3 columns"),
        ({"limits": (0.0, [1.0, 2.0])}, "one lower and one upper number per column: 3"),
        ({"limits": (0.0, 1.0, 2.0)}, "a pair"),
        ({"groups": [0, 1]}, "`groups` must have one label per column: 3"),
        ({"groups": [0, 0, 1], "limits": (0, 1)}, "`limits` and `groups` must not be given together"),
        ({"groups": [0, 0, 1], "penalty_factor": [1, 2, 3]}, "the same for all columns of a group"),
        ({"limits": (0, 1), "family": "multinomial"}, "need a model of one output"),
        ({"groups": [0, 0, 1], "family": "multinomial"}, "need a model of one output"),
    ],
)
def test_constraints_that_cannot_be_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        local_lasso(np.eye(3), [1, 2, 3], np.ones((1, 3)), alpha=0.1, **given)


def test_a_single_word_is_no_list_of_signs():
    with pytest.raises(TypeError, match=r"`limits` must be a pair \(lower, upper\) or a list"):
        local_lasso(np.eye(3), [1, 2, 3], np.ones((1, 3)), alpha=0.1, limits="+")


def test_no_factor_for_any_of_few_columns_is_least_squares(rng):
    X, y, _ = table(rng, "gaussian")
    coef = local_lasso(X, y, np.ones((1, 60)), alpha=9.0, penalty_factor=np.zeros(6)).coef_[0]
    expected = np.linalg.lstsq(np.column_stack([np.ones(60), X]), y, rcond=None)[0][1:]
    np.testing.assert_allclose(coef, expected, atol=1e-6)


def test_columns_that_come_after_have_groups_of_their_own_and_no_other_sign():
    wide = read_constraints([1, 1, 2], ["+", None, "-"], None, (9, 3)).widened(2)
    np.testing.assert_allclose(wide.factor, [0.75, 0.75, 1.5, 1, 1])
    np.testing.assert_array_equal(wide.limits, [[0, -np.inf, -np.inf, 0, 0], [np.inf, np.inf, 0, np.inf, np.inf]])
    np.testing.assert_array_equal(Constraints(groups=np.array([0, 1, 1])).widened(2).groups, [0, 1, 1, 2, 3])


def test_limits_are_in_units_of_the_columns_and_the_response(rng):
    X, y, _ = table(rng, "gaussian")
    scale, asked = measure(X, y), read_constraints(None, (-0.1, 0.2), None, X.shape)
    rule = make_rule(scale, asked, weighted=False, start=np.zeros(scale.width), tol=1e-7, max_iter=9)
    for limits, side in zip(rule.limits, (-0.1, 0.2), strict=True):
        np.testing.assert_allclose(scale.original(limits), side)


def test_columns_enter_by_the_size_of_slopes_that_their_limits_let_them_follow():
    slope = np.array([[2.0], [-2.0], [3.0], [-3.0], [4.0], [-8.0]])
    limits = np.array([[0, 0, -np.inf, -np.inf, -1, -1], [np.inf, np.inf, 0, 0, 1, 1]])
    asked = Constraints(factor=np.array([1.0, 1.0, 1.0, 1.0, 0.0, 2.0]), limits=limits)
    np.testing.assert_array_equal(asked.entry(slope)[:, 0], [2.0, 0.0, 0.0, 3.0, 0.0, 4.0])
    # the factor of a group has the root of its size in it, and its columns enter together
    asked = Constraints(groups=np.array([0, 0, 0, 0, 1, 2]))
    np.testing.assert_allclose(asked.entry(slope)[:, 0], [*[np.sqrt(26.0 / 4)] * 4, 4.0, 8.0])


def test_a_part_of_the_columns_keeps_its_groups_and_factors():
    groups = np.array([3, 0, 3, 1, 0])
    asked = Constraints(factor=np.arange(5.0), limits=np.array([-np.ones(5), np.ones(5)]), groups=groups)
    part = asked.part(np.array([4, 2, 0, 1]))
    np.testing.assert_array_equal(part.factor, [4, 2, 0, 1])
    np.testing.assert_array_equal(part.groups, [0, 1, 1, 0])
    np.testing.assert_allclose(part.factors(4), np.array([4, 2, 0, 1]) * np.sqrt(2))
