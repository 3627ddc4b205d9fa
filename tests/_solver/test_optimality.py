"""Local fits of classes and survival: optimality conditions, laws, and agreement with scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from heedful import AttentionCox, LocalLasso, local_lasso
from heedful.attention import attend
from heedful.similarity import ForestProximity
from reference.cases import family_table, survival
from reference.lasso import penalty_scale
from reference.losses import KINDS, breach, probabilities

RULES = ("global", "weighted", False)
SHAPES = {"wide": (30, 120), "random": (40, 5), "tied": (40, 5), "padded": (60, 45)}


def outputs(fits):
    """Return intercepts (n_query, n_outputs) and coefficients (n_query, n_outputs, n_features)."""
    n_query, p = len(fits.intercept_), fits.coef_.shape[-1]
    return fits.intercept_.reshape(n_query, -1), fits.coef_.reshape(n_query, -1, p)


def values(kind, fits, X):
    """Return what each fit says of each row: probabilities, or log relative hazards."""
    intercept, coef = outputs(fits)
    links = intercept[:, None] + X @ np.swapaxes(coef, 1, 2)
    return links if kind == "cox" else np.array([probabilities(kind, link) for link in links])


@pytest.mark.each_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", SHAPES)
def test_the_optimality_conditions_hold(rng, kind, rule, case):
    n, p = SHAPES[case]
    X, y, what, weights = family_table(rng, kind, n, p, tied=case == "tied")
    for alpha in (0.03, 0.2):
        fits = local_lasso(X, y, weights, alpha=alpha, family=kind, standardize=rule)
        for weight, intercept, coef in zip(weights, *outputs(fits), strict=True):
            scale = penalty_scale(X, weight, rule)
            assert breach(kind, X, what, weight, alpha, scale, intercept, coef) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_no_penalty_leaves_no_slope(rng, kind):
    X, y, what, weights = family_table(rng, kind, 80, 3)
    fits = local_lasso(X, y, weights, alpha=0.0, family=kind)
    for weight, intercept, coef in zip(weights, *outputs(fits), strict=True):
        assert breach(kind, X, what, weight, 0.0, np.ones(3), intercept, coef) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "p"), [(40, 5), (30, 120)])
def test_dense_sparse_and_attention_weights_give_the_same_fits(rng, kind, rule, n, p):
    X, y, _, _ = family_table(rng, kind, n, p)
    attention = attend(sparse.random_array((3, n), density=0.3, rng=rng), 0.2, sample_weight=rng.uniform(0.5, 2, n))
    how = {"alpha": 0.05, "family": kind, "standardize": rule, "tol": 1e-10}
    dense = local_lasso(X, y, attention.toarray(), **how)
    for weights in (attention, sparse.csr_array(attention.toarray())):
        np.testing.assert_allclose(local_lasso(X, y, weights, **how).coef_, dense.coef_, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tied", [False, True])
def test_the_order_of_rows_is_irrelevant(rng, kind, tied):
    X, y, _, weights = family_table(rng, kind, tied=tied)
    order, how = rng.permutation(40), {"alpha": 0.05, "family": kind, "tol": 1e-10}
    one, other = local_lasso(X, y, weights, **how), local_lasso(X[order], y[order], weights[:, order], **how)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", RULES[1:])
def test_doubling_a_row_equals_doubling_its_weight(rng, kind, rule):
    X, y, _, weights = family_table(rng, kind)
    twice, heavier = np.append(np.arange(40), [3, 7, 7]), weights.copy()
    heavier[:, [3, 7]] *= [2.0, 3.0]
    how = {"alpha": 0.05, "family": kind, "standardize": rule, "tol": 1e-10}
    one, other = local_lasso(X[twice], y[twice], weights[:, twice], **how), local_lasso(X, y, heavier, **how)
    np.testing.assert_allclose(values(kind, one, X), values(kind, other, X), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_weight_are_as_good_as_absent(rng, kind):
    X, y, _, weights = family_table(rng, kind)
    weights[:, 10:20] = 0.0
    kept, how = np.delete(np.arange(40), slice(10, 20)), {"alpha": 0.05, "family": kind, "standardize": "weighted"}
    one, other = local_lasso(X, y, weights, **how), local_lasso(X[kept], y[kept], weights[:, kept], **how)
    np.testing.assert_allclose(values(kind, one, X), values(kind, other, X), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [5, 120])
def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng, kind, p):
    X, y, _, weights = family_table(rng, kind, 40, p, n_query=19)
    one, *others = (local_lasso(X, y, weights, alpha=0.1, family=kind, n_jobs=jobs) for jobs in (1, 2, 3, -1))
    for other in others:
        np.testing.assert_array_equal(other.coef_, one.coef_)
        np.testing.assert_array_equal(other.intercept_, one.intercept_)


@pytest.mark.parametrize("kind", KINDS)
def test_the_units_of_columns_are_irrelevant_when_they_are_standardised(rng, kind):
    X, y, _, weights = family_table(rng, kind)
    unit, how = np.array([1e-3, 1.0, 10.0, 1e4, 0.5]), {"alpha": 0.05, "family": kind, "tol": 1e-10}
    one, other = (local_lasso(Z, y, weights, **how) for Z in (X, X * unit + 3.0))
    np.testing.assert_allclose(outputs(other)[1] * unit, outputs(one)[1], atol=1e-6)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_two_classes_are_one_model_of_their_log_odds(rng, rule, alpha):
    # two symmetric rows of coefficients share the L1 norm of their difference
    X, y, _, weights = family_table(rng, "binomial")
    how = {"alpha": alpha, "standardize": rule, "tol": 1e-10}
    one = local_lasso(X, y, weights, family="binomial", **how)
    both = local_lasso(X, y, weights, family="multinomial", **how)
    np.testing.assert_allclose(both.coef_[:, 1] - both.coef_[:, 0], one.coef_, atol=1e-6)
    np.testing.assert_allclose(both.intercept_[:, 1] - both.intercept_[:, 0], one.intercept_, atol=1e-6)


@pytest.mark.more
@pytest.mark.parametrize("kind", KINDS[:2])
def test_fits_equal_scikit_learn_with_sample_weights(rng, kind):
    X, y, _, weights = family_table(rng, kind)
    fits = local_lasso(X, y, weights, alpha=0.05, family=kind, standardize=False)
    for weight, mine in zip(weights, values(kind, fits, X), strict=True):
        share = weight / weight.sum()
        theirs = LogisticRegression(C=1 / 0.05, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=200_000)
        expected = theirs.fit(X, y, sample_weight=share).predict_proba(X)
        np.testing.assert_allclose(mine, expected[:, -mine.shape[1] :], atol=1e-5)


def test_labels_of_any_kind_are_sorted_and_returned(rng):
    X, _, what, weights = family_table(rng, "multinomial")
    plain, *others = (
        local_lasso(X, labels[what], weights, alpha=0.1, family="multinomial")
        for labels in (np.arange(3), np.array(["x", "y", "z"]), np.array([-1.0, 0.0, 7.0]))
    )
    assert [fits.classes_.tolist() for fits in others] == [["x", "y", "z"], [-1.0, 0.0, 7.0]]
    for other in others:
        np.testing.assert_array_equal(other.coef_, plain.coef_)


@pytest.mark.parametrize("change", [np.sqrt, np.log1p, lambda time: 7.0 * time**3])
@pytest.mark.parametrize("tied", [False, True])
def test_only_the_order_of_times_matters(rng, change, tied):
    X, _, (event, time), weights = family_table(rng, "cox", tied=tied)
    one, other = (local_lasso(X, survival(event, t), weights, alpha=0.05, family="cox") for t in (time, change(time)))
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_row_censored_before_the_first_event_says_nothing(rng):
    X, _, (event, time), weights = family_table(rng, "cox")
    event[np.argsort(time)[:3]] = 0.0
    first = np.argmin(time)
    other = X.copy()
    other[first] += 50.0
    how = {"alpha": 0.05, "family": "cox", "standardize": False}
    one, two = (local_lasso(Z, survival(event, time), weights, **how) for Z in (X, other))
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)


def test_after_the_last_event_the_time_of_censoring_is_irrelevant(rng):
    X, _, (event, time), weights = family_table(rng, "cox")
    event[time > np.median(time)] = 0.0
    later = np.where(time > np.median(time), time + rng.uniform(1, 9, size=40), time)
    one, other = (local_lasso(X, survival(event, t), weights, alpha=0.02, family="cox") for t in (time, later))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


def test_cox_models_have_no_intercept_and_no_labels(rng):
    X, y, _, weights = family_table(rng, "cox")
    fits = local_lasso(X, y, weights, alpha=0.05, family="cox")
    assert (fits.intercept_ == 0).all()
    assert fits.classes_ is None


def is_silent(seed, alpha, largest_unit=2, steepest=11):
    """Fit a tiny survival table of very unequal weights; return whether it missed its optimum without a warning."""
    rng = np.random.default_rng(seed)
    n, p = rng.integers(3, 12), rng.integers(1, 4)
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, largest_unit + 1)
    event, time = rng.random(n) < 0.7, rng.integers(1, 8, n).astype(float)
    event[0] = True
    weight = rng.uniform(0.1, 1, n) ** rng.integers(1, steepest + 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fits = local_lasso(X, survival(event, time), weight[None], alpha=alpha, family="cox", standardize=False)
    (intercept,), (coef,) = outputs(fits)
    assert np.isfinite(coef).all()
    missed = breach("cox", X, (event.astype(float), time), weight, alpha, np.ones(p), intercept, coef)
    return missed > 1e-5 * max(1.0, np.abs(X).max()) and not caught


@pytest.mark.one_value
@pytest.mark.parametrize("alpha", [0.001, 0.03, 0.3])
def test_a_tiny_survival_table_is_at_its_optimum_or_there_is_a_warning(alpha):
    assert not any(is_silent(seed, alpha) for seed in range(150))


@pytest.mark.parametrize(("seed", "alpha"), [(763, 0.03), (1346, 0.0), (1346, 1e-6)])
def test_a_step_that_no_halving_makes_go_down_is_no_convergence(seed, alpha):
    # of 1500 such tables those whose last step was cut to nothing, short enough to look like the end
    assert not is_silent(seed, alpha, largest_unit=4, steepest=29)


def test_survival_with_strong_effects_of_correlated_columns_converges_without_a_penalty(rng):
    # close to perfect order, so that it takes several hundred rounds; that one does not converge would be a warning
    for n in range(100, 300, 5):
        X = 0.3 * rng.normal(size=(n, 8)) + rng.normal(size=(n, 1))
        event, time = rng.random(n) < 0.6, rng.exponential(size=n) * np.exp(-X @ (2.0 * rng.normal(size=8)))
        fits = local_lasso(X, survival(event, time), np.ones((1, n)), alpha=0.0, family="cox", standardize=False)
        (intercept,), (coef,) = outputs(fits)
        assert breach("cox", X, (event.astype(float), time), np.ones(n), 0.0, np.ones(8), intercept, coef) < 1e-6


def test_survival_times_in_perfect_order_have_an_answer_without_a_penalty(rng):
    X = np.sort(rng.normal(size=(40, 1)), axis=0)
    y = pd.DataFrame({"event": np.ones(40, bool), "time": np.arange(40.0, 0.0, -1.0)})
    model = AttentionCox(similarity=ForestProximity(8), alpha=0, local=LocalLasso(exact=True), random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        risk = model.fit(X, y).predict(X)
    assert {warning.category for warning in caught} == {ConvergenceWarning}
    assert np.isfinite(risk).all()
    assert np.corrcoef(np.argsort(np.argsort(risk)), np.arange(40))[0, 1] > 0.9
