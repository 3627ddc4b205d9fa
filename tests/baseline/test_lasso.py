import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from heedful import local_lasso
from heedful._folds import Split, random_splits
from heedful.baseline import LassoBaseline
from heedful.baseline._global import penalty_path
from reference.lasso import weighted_lasso

GLMNET = json.loads((Path(__file__).parents[1] / "fixtures" / "glmnet_cv_gaussian.json").read_text())


def glmnet_splits():
    fold = np.array(GLMNET["foldid"])
    return [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


@pytest.fixture(scope="module")
def theirs():
    """Return the baseline fitted to glmnet's table with glmnet's folds."""
    return LassoBaseline().fit(np.array(GLMNET["X"]), np.array(GLMNET["y"]), splits=glmnet_splits())


def table(rng, n=40, p=4):
    X = rng.normal(1.0, 2.0, size=(n, p))
    return X, X[:, 0] - X[:, 1] + rng.normal(size=n)


def test_the_penalty_path_is_that_of_glmnet(theirs):
    np.testing.assert_allclose(theirs.alphas_, GLMNET["lambda"], rtol=1e-9)


def test_the_same_folds_choose_the_penalty_that_glmnet_chooses(theirs):
    assert theirs.alpha_ == pytest.approx(GLMNET["lambda_min"], rel=1e-9)


def test_the_model_at_the_chosen_penalty_is_that_of_glmnet(theirs):
    np.testing.assert_allclose([theirs.intercept_, *theirs.coef_], GLMNET["coef_min"], atol=1e-4)


def test_the_error_curve_is_that_of_glmnet_but_for_its_interpolated_paths(theirs):
    np.testing.assert_allclose(theirs.cv_error_, GLMNET["cvm"], rtol=5e-3)


def test_the_chosen_penalty_has_the_smallest_error(theirs):
    assert theirs.alpha_ == theirs.alphas_[theirs.cv_error_.argmin()]


@pytest.mark.one_value
@pytest.mark.parametrize("n_folds", [2, 5])
@pytest.mark.parametrize(("n", "p"), [(40, 4), (30, 50)])
def test_a_fold_is_predicted_by_a_fit_to_its_training_part_only(rng, n_folds, n, p):
    (X, y), splits = table(rng, n, p), random_splits(n, n_folds, 0)
    base = LassoBaseline(0.3, tol=1e-10).fit(X, y, splits=splits)
    for train, test in splits:
        part = local_lasso(X[train], y[train], np.ones((1, train.size)), alpha=0.3, tol=1e-10)
        np.testing.assert_allclose(base.fold_prediction_[test], part.intercept_ + X[test] @ part.coef_[0], atol=1e-7)


def test_the_whole_fit_equals_the_twin(rng):
    X, y = table(rng)
    weight = rng.uniform(size=40)
    base = LassoBaseline(0.3).fit(X, y, sample_weight=weight)
    scale = np.sqrt(np.cov(X.T, aweights=weight, ddof=0).diagonal())
    intercept, coef = weighted_lasso(X, y, weight, 0.3, scale)
    np.testing.assert_allclose(base.coef_, coef, atol=1e-7)
    assert base.intercept_ == pytest.approx(intercept, abs=1e-7)
    np.testing.assert_allclose(base.predict(X), intercept + X @ coef, atol=1e-6)


def test_the_cross_validated_error_is_the_weighted_mean_over_left_out_rows(rng):
    (X, y), weight = table(rng), rng.uniform(size=40)
    base = LassoBaseline().fit(X, y, sample_weight=weight, splits=random_splits(40, 5, 0))
    assert base.cv_error_.min() == pytest.approx(np.average((y - base.fold_prediction_) ** 2, weights=weight))


def test_a_row_in_no_test_part_has_no_fold_prediction(rng):
    (X, y), rows = table(rng), np.arange(40)
    base = LassoBaseline().fit(X, y, splits=[Split(rows[:20], rows[20:30]), Split(rows[:30], rows[30:])])
    assert np.isnan(base.fold_prediction_[:20]).all()
    assert np.isfinite(base.fold_prediction_[20:]).all()


def test_a_row_in_two_test_parts_gets_their_mean(rng):
    (X, y), rows = table(rng), np.arange(40)
    splits = [Split(rows[:20], rows[20:]), Split(rows[10:20], rows[20:])]
    both = LassoBaseline(0.1).fit(X, y, splits=splits).fold_prediction_[20:]
    each = [LassoBaseline(0.1).fit(X, y, splits=[split]).fold_prediction_[20:] for split in splits]
    np.testing.assert_allclose(both, np.mean(each, axis=0), atol=1e-7)


def test_a_row_of_weight_two_and_the_same_row_twice_give_the_same_model(rng):
    (X, y), twice = table(rng), np.append(np.arange(40), [3, 7])
    heavy = np.bincount(twice).astype(float)
    one = LassoBaseline(random_state=0).fit(X[twice], y[twice])
    other = LassoBaseline(random_state=0).fit(X, y, sample_weight=heavy)
    assert one.alpha_ == pytest.approx(other.alpha_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)
    np.testing.assert_allclose(one.fold_prediction_[:40], other.fold_prediction_, atol=1e-7)


def test_a_row_of_weight_zero_is_as_good_as_absent(rng):
    X, y = table(rng)
    one = LassoBaseline(random_state=0).fit(X, y, sample_weight=np.arange(40) >= 5)
    other = LassoBaseline(random_state=0).fit(X[5:], y[5:])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng):
    X, y = table(rng)
    one, two = (LassoBaseline(n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.fold_prediction_, two.fold_prediction_)


def test_a_constant_response_needs_no_path(rng):
    base = LassoBaseline().fit(table(rng)[0], np.full(40, 0.1))
    assert (base.coef_ == 0).all()
    assert base.intercept_ == pytest.approx(0.1)


def test_an_infinite_penalty_gives_the_mean(rng):
    X, y = table(rng)
    base = LassoBaseline(np.inf).fit(X, y)
    assert (base.coef_ == 0).all()
    assert base.intercept_ == pytest.approx(y.mean())


@pytest.mark.parametrize(("shape", "smallest"), [((50, 3), 1e-4), ((3, 50), 1e-2), ((3, 3), 1e-2)])
def test_the_path_falls_from_the_first_silent_penalty(shape, smallest):
    path = penalty_path(np.array([0.5, -2.0]), shape)
    assert path.size == 100
    np.testing.assert_allclose(path[[0, -1]], [2.0, 2.0 * smallest])
    assert (np.diff(path) < 0).all()


def test_the_first_penalty_of_the_path_silences_every_column(rng):
    X, y = table(rng)
    top = LassoBaseline().fit(X, y).alphas_[0]
    assert (LassoBaseline(top * (1 + 1e-9)).fit(X, y).coef_ == 0).all()
    assert (LassoBaseline(top * 0.99).fit(X, y).coef_ != 0).any()


@pytest.mark.one_value
@pytest.mark.parametrize("groups", [None, [0, 0, *np.repeat(np.arange(1, 26), 2)]], ids=["columns", "groups"])
def test_a_path_starts_where_penalised_columns_are_silent_and_the_others_are_least_squares(rng, groups):
    # more columns than rows, two of them without penalty; the strongest other one is much like these
    X = rng.normal(size=(30, 52)) * rng.uniform(0.1, 10.0, 52)
    X[:, 2] = X[:, 0] + 0.1 * X[:, 0].std() * rng.normal(size=30)
    y = 100.0 * (0.92 * X[:, 0] / X[:, 0].std() + X[:, 1] / X[:, 1].std() + rng.normal(size=30))
    how = {"penalty_factor": [0.0, 0.0, *rng.uniform(0.5, 2.0, 25).repeat(2)], "groups": groups}
    top = LassoBaseline(random_state=0, **how).fit(X, y).alphas_[0]
    silent = LassoBaseline(top * (1 + 1e-6), random_state=0, **how).fit(X, y).coef_
    assert (silent[2:] == 0).all()
    design = np.column_stack([np.ones(30), X[:, :2]])
    np.testing.assert_allclose(silent[:2], np.linalg.lstsq(design, y, rcond=None)[0][1:], rtol=1e-4)
    assert (LassoBaseline(top * 0.95, random_state=0, **how).fit(X, y).coef_[2:] != 0).any()


def test_predicting_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        LassoBaseline().predict([[1.0]])


@pytest.mark.parametrize(("alpha", "error"), [(-1.0, ValueError), ("best", TypeError), (None, TypeError)])
def test_a_bad_penalty_is_refused(rng, alpha, error):
    with pytest.raises(error, match="`alpha` must be"):
        LassoBaseline(alpha).fit(*table(rng))


def test_inner_folds_give_each_fold_the_penalty_of_a_lasso_of_its_own(rng):
    X = rng.normal(size=(60, 4)) * [1.0, 5.0, 0.2, 1.0] + 3.0
    y = X @ [1.0, 0.2, 0.0, 0.0] + rng.normal(size=60)
    weight = rng.uniform(0.5, 2.0, 60)
    splits = random_splits(60, 4, 0)
    inner = [random_splits(train.size, 3, 7) for train, _ in splits]
    base = LassoBaseline().fit(X, y, weight, splits=splits, inner=inner)
    for alpha, own, (train, test) in zip(base.fit_.fold_alphas, inner, splits, strict=True):
        alone = LassoBaseline().fit(X[train], y[train], weight[train], splits=own)
        assert alpha == pytest.approx(alone.alpha_)
        np.testing.assert_allclose(base.fold_prediction_[test], alone.predict(X[test]), atol=1e-7)
    assert base.alpha_ == LassoBaseline().fit(X, y, weight, splits=splits).alpha_
    assert len(set(base.fit_.fold_alphas)) == 4
