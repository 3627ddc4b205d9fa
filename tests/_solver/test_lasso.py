import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

from heedful import local_lasso
from heedful.attention import attend
from reference.lasso import breach, penalty_scale, weighted_lasso

RULES = ("global", "weighted", False)
LAW = settings(deadline=None, max_examples=30, derandomize=True)


@st.composite
def problems(draw, n=8, p=3):
    """Return a small table full of ties, with constant and equal columns among it, and two rows of weights."""
    whole = st.integers(-4, 4).map(float)
    X, y = draw(arrays(np.float64, (n, p), elements=whole)), draw(arrays(np.float64, n, elements=whole))
    weights = draw(arrays(np.float64, (2, n), elements=st.integers(0, 3).map(float)))
    weights[:, 0] += 1.0
    return X, y, weights


def table(rng, n=40, p=5, n_query=6):
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3.0, size=p) + 2.0
    y = X[:, 0] * X[:, 1] - 2 * X[:, 2] + rng.normal(size=n)
    return X, y, rng.uniform(size=(n_query, n)) ** 3


def fitted(fits, X):
    """Return the values that each fit gives to each row."""
    return fits.intercept_[:, None] + fits.coef_ @ X.T


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p"), [(40, 5), (20, 30), (60, 45)])
@pytest.mark.parametrize("alpha", [0.05, 1.0])
def test_fits_equal_the_twin(rng, rule, n, p, alpha):
    X, y, weights = table(rng, n, p, n_query=2)
    fits = local_lasso(X, y, weights, alpha=alpha, standardize=rule, tol=1e-10)
    for q in range(2):
        intercept, coef = weighted_lasso(X, y, weights[q], alpha, penalty_scale(X, weights[q], rule))
        np.testing.assert_allclose(fits.coef_[q], coef, atol=1e-6)
        assert fits.intercept_[q] == pytest.approx(intercept, abs=1e-5)


@LAW
@given(problem=problems(), alpha=st.sampled_from([0.0, 0.1, 1.0, 50.0]), rule=st.sampled_from(RULES))
def test_the_optimality_conditions_hold(problem, alpha, rule):
    X, y, weights = problem
    fits = local_lasso(X, y, weights, alpha=alpha, standardize=rule)
    for q in range(2):
        scale = penalty_scale(X, weights[q], rule)
        assert breach(X, y, weights[q], alpha, scale, fits.intercept_[q], fits.coef_[q]) < 1e-6


def test_the_optimality_conditions_hold_when_columns_outnumber_rows(rng):
    X, y, weights = table(rng, 30, 120)
    for alpha in (0.05, 0.5):
        fits = local_lasso(X, y, weights, alpha=alpha)
        for q, weight in enumerate(weights):
            scale = penalty_scale(X, weight, "global")
            assert breach(X, y, weight, alpha, scale, fits.intercept_[q], fits.coef_[q]) < 1e-5


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p"), [(40, 5), (30, 50)])
def test_dense_sparse_and_attention_weights_give_the_same_fits(rng, rule, n, p):
    X, y, _ = table(rng, n, p)
    attention = attend(sparse.random_array((4, n), density=0.3, rng=rng), 0.2, sample_weight=rng.uniform(0.5, 2, n))
    dense = local_lasso(X, y, attention.toarray(), alpha=0.3, standardize=rule)
    for weights in (attention, sparse.csr_array(attention.toarray()), sparse.coo_array(attention.toarray())):
        fits = local_lasso(X, y, weights, alpha=0.3, standardize=rule)
        np.testing.assert_allclose(fits.coef_, dense.coef_, atol=1e-8)
        np.testing.assert_allclose(fits.intercept_, dense.intercept_, atol=1e-8)


@LAW
@given(problem=problems(), rule=st.sampled_from(RULES[1:]))
def test_doubling_a_row_equals_doubling_its_weight(problem, rule):
    X, y, weights = problem
    twice = np.append(np.arange(8), [3, 3])
    heavier = weights.copy()
    heavier[:, 3] *= 3
    rows = local_lasso(X[twice], y[twice], weights[:, twice], alpha=0.2, standardize=rule, tol=1e-11)
    weight = local_lasso(X, y, heavier, alpha=0.2, standardize=rule, tol=1e-11)
    np.testing.assert_allclose(fitted(rows, X)[heavier > 0], fitted(weight, X)[heavier > 0], atol=1e-6)


@LAW
@given(problem=problems(), order=st.permutations(range(8)), rule=st.sampled_from(RULES))
def test_the_order_of_rows_is_irrelevant(problem, order, rule):
    X, y, weights = problem
    straight = local_lasso(X, y, weights, alpha=0.2, standardize=rule, tol=1e-11)
    mixed = local_lasso(X[order], y[order], weights[:, order], alpha=0.2, standardize=rule, tol=1e-11)
    np.testing.assert_allclose(fitted(mixed, X)[weights > 0], fitted(straight, X)[weights > 0], atol=1e-6)


@LAW
@given(problem=problems(), factor=st.sampled_from([1e-6, 0.1, 7.0, 1e6]))
def test_the_scale_of_a_row_of_weights_is_irrelevant(problem, factor):
    X, y, weights = problem
    one, other = (local_lasso(X, y, w, alpha=0.2, tol=1e-11) for w in (weights, weights * [[factor], [1.0]]))
    np.testing.assert_allclose(fitted(other, X)[weights > 0], fitted(one, X)[weights > 0], atol=1e-6)


@pytest.mark.parametrize("rule", ["global", "weighted"])
def test_the_units_of_columns_are_irrelevant_when_they_are_standardised(rng, rule):
    X, y, weights = table(rng)
    unit = np.array([1e-3, 1.0, 10.0, 1e4, 0.5])
    one, other = (local_lasso(Z, y, weights, alpha=0.3, standardize=rule) for Z in (X, X * unit + 3.0))
    np.testing.assert_allclose(fitted(other, X * unit + 3.0), fitted(one, X), atol=1e-5)
    np.testing.assert_allclose(other.coef_ * unit, one.coef_, atol=1e-6)


@LAW
@given(problem=problems(), shift=st.sampled_from([-1e3, 0.5, 1e5]))
def test_a_constant_added_to_the_response_shifts_only_the_intercept(problem, shift):
    X, y, weights = problem
    one, other = (local_lasso(X, z, weights, alpha=0.2, tol=1e-11) for z in (y, y + shift))
    np.testing.assert_allclose(fitted(other, X)[weights > 0], fitted(one, X)[weights > 0] + shift, atol=1e-5)


def test_the_unit_of_the_response_scales_fit_and_penalty(rng):
    X, y, weights = table(rng)
    one, other = local_lasso(X, y, weights, alpha=0.2), local_lasso(X, 1e4 * y, weights, alpha=2e3)
    np.testing.assert_allclose(other.coef_, 1e4 * one.coef_, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("p", [5, 50])
def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng, p):
    X, y, weights = table(rng, 60, p, n_query=37)
    one, *others = (local_lasso(X, y, weights, alpha=0.1, n_jobs=jobs) for jobs in (1, 2, 3, None, -1))
    for other in others:
        np.testing.assert_array_equal(other.coef_, one.coef_)
        np.testing.assert_array_equal(other.intercept_, one.intercept_)


def test_an_infinite_penalty_gives_the_weighted_mean(rng):
    X, y, weights = table(rng)
    fits = local_lasso(X, y, weights, alpha=np.inf)
    assert (fits.coef_ == 0).all()
    np.testing.assert_allclose(fits.intercept_, np.average(np.tile(y, (6, 1)), axis=1, weights=weights))


def test_no_penalty_gives_weighted_least_squares(rng):
    X, y, weights = table(rng)
    fits = local_lasso(X, y, weights, alpha=0.0)
    for q, root in enumerate(np.sqrt(weights)):
        design = np.column_stack([np.ones(40), X])
        solution = np.linalg.lstsq(design * root[:, None], y * root)[0]
        np.testing.assert_allclose([fits.intercept_[q], *fits.coef_[q]], solution, rtol=1e-6)


def test_equal_weights_give_the_plain_lasso(rng):
    X, y, _ = table(rng)
    fits = local_lasso(X, y, np.ones((1, 40)), alpha=0.3)
    plain = Lasso(alpha=0.3, tol=1e-12, max_iter=100_000).fit(X / X.std(axis=0), y)
    np.testing.assert_allclose(fits.coef_[0] * X.std(axis=0), plain.coef_, atol=1e-6)
    assert fits.intercept_[0] == pytest.approx(plain.intercept_, abs=1e-5)


@pytest.mark.parametrize(("n", "p"), [(40, 5), (30, 60)])
def test_fits_equal_scikit_learn_with_sample_weights(rng, n, p):
    X, y, weights = table(rng, n, p)
    fits = local_lasso(X, y, weights, alpha=0.3, standardize=False)
    for q, weight in enumerate(weights):
        lasso = Lasso(alpha=0.3, tol=1e-12, max_iter=100_000).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(fitted(fits, X)[q], lasso.predict(X), atol=1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_all_weight_on_one_row_predicts_its_response(rng, rule):
    X, y, _ = table(rng)
    fits = local_lasso(X, y, np.eye(40), alpha=0.1, standardize=rule)
    assert (fits.coef_ == 0).all()
    np.testing.assert_allclose(fits.intercept_, y)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("p", [4, 44])
def test_a_column_without_weighted_variance_gets_coefficient_zero(rng, rule, p):
    X, y, weights = table(rng, 60, p)
    X[:30, 1], X[:, 2], weights[:, 30:] = 0.1, 1e6, 0.0
    fits = local_lasso(X, y, weights, alpha=0.01, standardize=rule)
    assert (fits.coef_[:, [1, 2]] == 0).all()
    assert (fits.coef_[:, 0] != 0).any()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p"), [(40, 5), (40, 39), (20, 100)])
def test_fits_to_very_few_effective_rows_converge(rng, rule, n, p):
    X, y, _ = table(rng, n, p)
    attention = attend(rng.normal(size=(30, n)), 0.05)
    for alpha in (0.3, 0.003):
        fits = local_lasso(X, y, attention, alpha=alpha, standardize=rule)
        assert np.isfinite(fits.coef_).all()


def test_a_constant_response_has_no_coefficients(rng):
    X, _, weights = table(rng)
    fits = local_lasso(X, np.full(40, 0.1), weights, alpha=0.01)
    assert (fits.coef_ == 0).all()
    np.testing.assert_allclose(fits.intercept_, 0.1)


def test_a_single_training_row_is_enough():
    fits = local_lasso([[1.0, 2.0]], [3.0], [[0.5], [2.0]], alpha=0.1)
    np.testing.assert_array_equal(fits.intercept_, [3.0, 3.0])
    np.testing.assert_array_equal(fits.coef_, np.zeros((2, 2)))


def test_no_rows_of_weights_give_no_fits(rng):
    X, y, _ = table(rng)
    fits = local_lasso(X, y, np.empty((0, 40)), alpha=0.1)
    assert fits.intercept_.shape == (0,)
    assert fits.coef_.shape == (0, 5)


def test_the_given_arrays_are_left_alone(rng):
    X, y, weights = table(rng)
    before = X.copy(), y.copy(), weights.copy()
    local_lasso(X, y, weights, alpha=0.1)
    for one, other in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_unconverged_fits_give_one_warning_that_counts_them(rng):
    X, y, weights = table(rng)
    with pytest.warns(
        ConvergenceWarning, match=r"6 of 6 lasso fits stopped before they converged \(max_iter=1\)"
    ) as caught:
        local_lasso(X, y, weights, alpha=0.01, max_iter=1, tol=1e-300)
    assert len(caught) == 1


BAD = [
    ({"X": np.full((40, 2), np.nan)}, "X contains NaN"),
    ({"X": np.ones(40)}, "2D array"),
    ({"y": np.full(40, np.nan)}, "`y` must not hold NaN"),
    ({"y": np.ones((40, 2))}, "`y` must have one dimension"),
    ({"y": np.array(["a"] * 40)}, "`y` must be numeric"),
    ({"y": np.ones(39)}, "inconsistent numbers of samples"),
    ({"weights": np.ones((2, 3))}, "`weights` must have shape"),
    ({"family": "normal"}, "`family` must be one of"),
    ({"family": "binomial", "y": np.arange(40) % 3}, "`y` must have two classes with family='binomial', got 3"),
    ({"family": "multinomial", "y": np.zeros(40)}, "at least 2 classes"),
    ({"family": "cox", "y": np.ones(40)}, "`y` must be a structured array, a frame or an array with two columns"),
    ({"family": "cox", "y": np.ones((39, 2))}, "inconsistent numbers of samples"),
    ({"standardize": "yes"}, "`standardize` must be one of"),
    ({"standardize": True}, "`standardize` must be one of"),
    ({"alpha": -0.1}, "`alpha` must be >= 0"),
    ({"alpha": np.nan}, "`alpha` must be >= 0"),
    ({"tol": 0.0}, "`tol` must be > 0"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[message for _, message in BAD])
def test_a_bad_value_is_one_clear_error(rng, change, message):
    X, y, weights = table(rng)
    arguments = {"X": X, "y": y, "weights": weights, "alpha": 0.1} | change
    with pytest.raises(ValueError, match=message):
        local_lasso(**arguments)


@pytest.mark.parametrize(("name", "value"), [("alpha", "0.1"), ("alpha", None), ("tol", "small")])
def test_a_value_of_the_wrong_kind_is_a_type_error(rng, name, value):
    X, y, weights = table(rng)
    with pytest.raises(TypeError, match=f"`{name}` must be a number"):
        local_lasso(X, y, weights, **({"alpha": 0.1} | {name: value}))
