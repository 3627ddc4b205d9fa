"""Predictions of rows by the model of all others: exact for a squared loss, one Newton step for other losses."""

import numpy as np
import pytest

from heedful import local_lasso
from heedful._folds import Split
from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
from reference.cases import family_table


@pytest.mark.one_value
@pytest.mark.parametrize("shape", [(30, 4), (15, 40)])
def test_each_row_is_predicted_by_a_lasso_that_leaves_it_out(rng, shape):
    X, weight = rng.normal(size=shape), rng.uniform(0.5, 2.0, size=shape[0])
    y = X[:, 0] + rng.normal(size=shape[0])
    baseline = LassoBaseline(alpha=0.1).fit(X, y, sample_weight=weight, splits=halves(shape[0]))
    scale = np.sqrt(np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight))
    weights = weight * (1 - np.eye(shape[0]))
    fits = local_lasso(X / scale, y, weights, alpha=0.1, standardize=False)
    expected = fits.intercept_ + (fits.coef_ * X / scale).sum(axis=1)
    np.testing.assert_allclose(baseline.predict_left_out(), expected[:, None], atol=1e-6)


def test_a_single_distinct_row_is_predicted_by_itself():
    X, y = np.ones((4, 2)), np.full(4, 3.0)
    np.testing.assert_allclose(LassoBaseline().fit(X, y).predict_left_out(), 3.0)


def halves(n):
    rows = np.arange(n)
    return [Split(rows[rows % 2 == k], rows[rows % 2 != k]) for k in range(2)]


def tenths(n):
    rows = np.arange(n)
    return [Split(rows[rows % 10 != k], rows[rows % 10 == k]) for k in range(10)]


def refit(kind, X, y, alpha):
    """Return the exact models of all rows but one, on standardised columns, and their links of all rows."""
    scaled = X / X.std(axis=0)
    fits = local_lasso(scaled, y, 1 - np.eye(len(X)), alpha=alpha, family=kind, standardize=False)
    coef = fits.coef_.reshape(len(X), -1, X.shape[1])
    return fits.intercept_.reshape(len(X), -1)[:, None] + np.einsum("qkj,ij->qik", coef, scaled)


def distances(baseline, X, exact):
    """Return the mean distance to exact refits: of the step, of the model of all rows, and of the folds."""
    values = baseline.predict_left_out(), baseline.values(X), baseline.predict_fold()
    return [np.abs(found - exact).mean() for found in values]


@pytest.mark.one_value
@pytest.mark.parametrize("alpha", [0.02, 0.1])
@pytest.mark.parametrize(("kind", "tolerance"), [("binomial", 0.005), ("multinomial", 0.02)])
def test_one_step_is_close_to_refits_of_classes(rng, kind, tolerance, alpha):
    X, y, _, _ = family_table(rng, kind, 60, 4)
    baseline = LogisticBaseline(alpha).fit(X, y, splits=tenths(60))
    link = np.einsum("iik->ik", refit(kind, X, y, alpha))
    step, whole, folds = distances(baseline, X, baseline.fit_.family.values(link))
    assert step < tolerance
    assert step < 0.6 * min(whole, folds)


@pytest.mark.one_value
@pytest.mark.parametrize("alpha", [0.02, 0.1])
def test_one_step_is_close_to_refits_of_survival(rng, alpha):
    X, y, _, _ = family_table(rng, "cox", 60, 4)
    baseline = CoxBaseline(alpha).fit(X, y, splits=tenths(60))
    links, others = refit("cox", X, y, alpha)[..., 0], 1 - np.eye(60)
    # a refit's level is the one at which the others have as many events as they expect
    expected = (others * np.exp(links) * baseline.fit_.family.hazard).sum(axis=1)
    exact = np.diag(links) + np.log(others @ y["event"] / expected)
    step, whole, folds = distances(baseline, X, exact[:, None])
    assert step < 0.05 * exact.std()
    assert step < 0.75 * min(whole, folds)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["binomial", "multinomial", "cox"])
def test_a_rows_own_outcome_has_hardly_a_say_in_its_prediction(rng, kind):
    X, y, _, _ = family_table(rng, kind, 60, 4)
    model, other = (CoxBaseline if kind == "cox" else LogisticBaseline)(0.05), y.copy()
    other[7] = (not y["event"][7], y["time"][7]) if kind == "cox" else "b" if y[7] == "a" else "a"
    one, two = (model.fit(X, z, splits=tenths(60)).predict_left_out() for z in (y, other))
    tolerance = 1e-6 if kind != "cox" else 0.05
    np.testing.assert_allclose(one[7], two[7], atol=tolerance)
    assert np.abs(one - two).max() > 0.01


def test_a_row_in_no_fold_has_no_prediction(rng):
    X, y, _, _ = family_table(rng, "binomial", 60, 4)
    found = LogisticBaseline(0.05).fit(X, y, splits=tenths(60)[:9]).predict_left_out()
    assert np.isnan(found[9::10]).all()
    assert np.isfinite(np.delete(found, np.arange(9, 60, 10), axis=0)).all()


@pytest.mark.parametrize("n_rows", [60, 4])
def test_rows_are_left_out_as_before_when_tables_hold_only_those_that_are_asked_for(rng, n_rows):
    # of fewer rows than columns all are needed
    X, y, rows = rng.normal(size=(n_rows, 5)), rng.normal(size=n_rows), np.array([0, 2, 3])
    weight = rng.uniform(0.5, 2.0, n_rows)
    baseline = LassoBaseline(0.05).fit(X, y, sample_weight=weight, splits=tenths(n_rows)[:n_rows])
    before, fit = baseline.predict_left_out(rows), baseline.fit_
    assert (len(fit.without_rows().tables[0].packed) == 0) == (n_rows == 60)
    baseline.fit_ = fit.without_rows().with_rows(rows, X[rows])
    assert (len(baseline.fit_.tables[0].packed) < len(fit.tables[0].packed)) == (n_rows == 60)
    np.testing.assert_array_equal(baseline.predict_left_out(rows), before)
    np.testing.assert_array_equal(baseline.predict_left_out(rows[1:]), before[1:])


def test_other_losses_keep_all_rows(rng):
    X = rng.normal(size=(60, 3))
    fit = LogisticBaseline(0.05).fit(X, X[:, 0] > 0).fit_
    assert fit.without_rows() is fit
    assert fit.with_rows(np.array([0, 2]), X[[0, 2]]) is fit
