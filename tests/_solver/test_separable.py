"""Local fits that have no finite optimum or nothing to go by: pure rows, absent classes, no events, separable data."""

import numpy as np
import pytest

from heedful import local_lasso
from reference.cases import family_table, survival
from reference.losses import KINDS, probabilities


def chances(fits, X):
    """Return class probabilities (n_query, n_rows, n_classes) of multinomial fits."""
    links = fits.intercept_[:, None] + X @ np.swapaxes(fits.coef_, 1, 2)
    return np.array([probabilities("multinomial", link) for link in links])


def separable(rng, p, n=30):
    """Return rows whose first column tells the two classes apart, with a gap between them."""
    X = rng.normal(size=(n, p))
    X[:, 0] += np.sign(X[:, 0])
    return X, (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(("p", "alpha"), [(3, 0.01), (3, 1e-4), (3, 1e-8), (3, 0.0), (120, 0.01), (120, 1e-8)])
def test_separable_classes_do_not_diverge(rng, p, alpha):
    X, y = separable(rng, p)
    weights = rng.uniform(size=(3, 30))
    for family in ("binomial", "multinomial"):
        fits = local_lasso(X, y, weights, alpha=alpha, family=family)
        assert np.isfinite(fits.intercept_).all()
        assert np.abs(fits.coef_).max() < 1e3


@pytest.mark.parametrize("alpha", [1e-2, 1e-4, 0.0])
def test_three_separable_classes_do_not_diverge(rng, alpha):
    X = rng.normal(size=(45, 2)) + 9.0 * np.eye(3, 2)[np.arange(45) % 3]
    fits = local_lasso(X, np.arange(45) % 3, rng.uniform(size=(3, 45)), alpha=alpha, family="multinomial")
    assert np.abs(fits.coef_).max() < 1e3
    assert (chances(fits, X).argmax(axis=2) == np.arange(45) % 3).all()


@pytest.mark.parametrize("alpha", [0.1, 0.03])
@pytest.mark.parametrize("p", [3, 120])
def test_times_in_the_order_of_a_column_do_not_diverge(rng, alpha, p):
    X = rng.normal(size=(30, p))
    y = survival(np.ones(30), np.argsort(np.argsort(-X[:, 0])) + 1.0)
    fits = local_lasso(X, y, rng.uniform(size=(3, 30)), alpha=alpha, family="cox")
    assert np.isfinite(fits.coef_).all()
    assert (fits.coef_[:, 0] > 0).all()


@pytest.mark.parametrize("alpha", [0.1, 0.0, np.inf])
@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_give_it_a_probability_below_one(rng, alpha, label):
    X, y, _, weights = family_table(rng, "binomial")
    codes = (y == "b").astype(int)
    weights[:, codes != label] = 0.0
    fits = local_lasso(X, codes, weights, alpha=alpha, family="binomial")
    n_eff = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    chance = 1 / (1 + np.exp(-fits.intercept_))
    assert (fits.coef_ == 0).all()
    np.testing.assert_allclose(chance if label else 1 - chance, 1 - 0.5 / (n_eff + 1))


@pytest.mark.parametrize("alpha", [0.1, 0.0, np.inf])
def test_rows_of_one_of_many_classes_give_it_the_same_probability(rng, alpha):
    X, y, what, weights = family_table(rng, "multinomial")
    weights[:, what != 2] = 0.0
    fits = local_lasso(X, y, weights, alpha=alpha, family="multinomial")
    n_eff = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    expected = np.column_stack([0.25 / (n_eff + 1), 0.25 / (n_eff + 1), 1 - 0.5 / (n_eff + 1)])
    np.testing.assert_allclose(chances(fits, X)[:, 0], expected, rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.05, np.inf])
@pytest.mark.parametrize("p", [5, 120])
def test_a_class_that_is_absent_keeps_a_small_probability(rng, alpha, p):
    X, y, what, weights = family_table(rng, "multinomial", 40, p)
    weights[:, what == 1] = 0.0
    fits = local_lasso(X, y, weights, alpha=alpha, family="multinomial")
    chance = chances(fits, X)[..., 1]
    assert (fits.coef_[:, 1] == 0).all()
    assert (chance > 0).all()
    assert (chance < 0.5).all()


def test_the_other_classes_are_those_of_a_fit_without_the_absent_one(rng):
    X, y, what, weights = family_table(rng, "multinomial")
    weights[:, what == 1] = 0.0
    rest = what != 1
    how = {"alpha": 0.05, "standardize": "weighted", "tol": 1e-10}
    three = local_lasso(X, y, weights, family="multinomial", **how)
    two = local_lasso(X[rest], y[rest], weights[:, rest], family="binomial", **how)
    np.testing.assert_allclose(three.coef_[:, 2] - three.coef_[:, 0], two.coef_, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.1, 0.0, np.inf])
def test_no_attended_event_gives_no_coefficients(rng, alpha):
    X, y, (event, _), weights = family_table(rng, "cox")
    weights[:, event == 1] = 0.0
    assert (local_lasso(X, y, weights, alpha=alpha, family="cox").coef_ == 0).all()


def test_events_after_which_nobody_is_left_tell_nothing_of_those_who_left(rng):
    X, _, (event, time), weights = family_table(rng, "cox")
    event[:], event[np.argmax(time)] = 0.0, 1.0
    fits = local_lasso(X, survival(event, time), weights, alpha=0.01, family="cox")
    assert (fits.coef_ == 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", ["global", "weighted", False])
@pytest.mark.parametrize("p", [4, 120])
def test_a_column_without_weighted_variance_gets_coefficient_zero(rng, kind, rule, p):
    X, y, _, weights = family_table(rng, kind, 60, p)
    X[:30, 2], X[:, 3], weights[:, 30:] = 0.1, 1e6, 0.0
    fits = local_lasso(X, y, weights, alpha=0.01, family=kind, standardize=rule)
    assert (fits.coef_[..., [2, 3]] == 0).all()
    assert (fits.coef_ != 0).any()


@pytest.mark.parametrize("p", [3, 120])
def test_an_infinite_penalty_gives_the_weighted_class_shares(rng, p):
    X, y, what, weights = family_table(rng, "multinomial", 40, p)
    fits = local_lasso(X, y, weights, alpha=np.inf, family="multinomial")
    share = weights @ np.eye(3)[what] / weights.sum(axis=1, keepdims=True)
    assert (fits.coef_ == 0).all()
    np.testing.assert_allclose(chances(fits, X)[:, 0], share, atol=1e-7)


@pytest.mark.parametrize("p", [3, 120])
@pytest.mark.parametrize("share", [1e-6, 1e-3, 0.5, 0.999])
def test_an_infinite_penalty_gives_a_share_that_is_far_from_that_of_all_rows(rng, p, share):
    X, y = rng.normal(size=(200, p)), np.arange(200) < 3
    weights = np.where(y, share / 3, (1 - share) / 197)[None]
    fits = local_lasso(X, y, np.vstack([weights, weights[:, ::-1]]), alpha=np.inf, family="binomial")
    assert (fits.coef_ == 0).all()
    chance = 1 / (1 + np.exp(-fits.intercept_))
    np.testing.assert_allclose(chance, [share, weights[0, ::-1] @ y], rtol=1e-5)


def test_an_infinite_penalty_leaves_a_cox_model_without_coefficients(rng):
    X, y, _, weights = family_table(rng, "cox")
    assert (local_lasso(X, y, weights, alpha=np.inf, family="cox").coef_ == 0).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", ["binomial", "multinomial"])
def test_rows_that_the_global_model_is_sure_are_otherwise_do_no_harm(seed, family):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1.2) * (family == "multinomial")
    odd = rng.choice(300, 4, replace=False)
    y[odd] = (y[odd] + 1) % (y.max() + 1)
    weights = np.where(np.isin(np.arange(300), odd), 1.0, 1e-4)[None]
    fits = local_lasso(X, y, weights, alpha=1e-3, family=family)
    assert np.isfinite(fits.intercept_).all()
    assert np.isfinite(fits.coef_).all()


@pytest.mark.parametrize("kind", KINDS)
def test_all_weight_on_one_row_gives_no_coefficients(rng, kind):
    X, y, _, _ = family_table(rng, kind)
    fits = local_lasso(X, y, np.eye(40), alpha=0.05, family=kind)
    assert (fits.coef_ == 0).all()
    assert np.isfinite(fits.intercept_).all()


def test_classes_in_the_order_of_a_column_take_few_rounds(rng):
    X = rng.normal(size=(100, 2))
    y = np.searchsorted(np.quantile(X[:, 0], [0.2, 0.4, 0.6, 0.8]), X[:, 0])
    how = {"alpha": 1e-4, "family": "multinomial"}
    # rounds that are a few hundredths shorter each time, one by one, would be twice as many and more
    quick = local_lasso(X, y, np.ones((1, 100)), tol=1e-6, max_iter=150, **how)
    exact = local_lasso(X, y, np.ones((1, 100)), tol=1e-9, **how)
    np.testing.assert_allclose(quick.coef_, exact.coef_, rtol=1e-3)
