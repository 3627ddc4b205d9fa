"""The global L1 logistic model: optimality, and a penalty chosen by log loss."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

from heedful import local_lasso
from heedful._folds import random_splits
from heedful.baseline import LogisticBaseline
from reference.cases import family_table
from reference.lasso import penalty_scale
from reference.losses import breach

KINDS = ("binomial", "multinomial")


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "p"), [(60, 4), (40, 60)])
def test_the_whole_fit_misses_no_optimality_condition(rng, kind, n, p):
    X, y, what, (weight, *_) = family_table(rng, kind, n, p)
    base = LogisticBaseline(0.05).fit(X, y, sample_weight=weight)
    scale = penalty_scale(X, weight, "weighted")
    assert breach(kind, X, what, weight, 0.05, scale, base.intercept_, base.coef_) < 1e-6


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_a_fixed_penalty_gives_the_local_model_of_all_rows(rng, kind):
    X, y, _, weights = family_table(rng, kind, n_query=1)
    base = LogisticBaseline(0.05).fit(X, y, sample_weight=weights[0])
    fits = local_lasso(X, y, weights, alpha=0.05, family=kind, standardize="weighted")
    np.testing.assert_allclose(base.coef_, np.atleast_2d(fits.coef_[0]), atol=1e-6)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_the_chosen_penalty_has_the_smallest_log_loss_of_left_out_rows(rng, kind):
    X, y, _, (weight, *_) = family_table(rng, kind, 80)
    base = LogisticBaseline().fit(X, y, sample_weight=weight, splits=random_splits(80, 5, 0))
    assert base.alpha_ == base.alphas_[base.cv_error_.argmin()]
    expected = log_loss(y, base.predict_fold(), sample_weight=weight)
    assert base.cv_error_.min() == pytest.approx(expected)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_the_error_of_each_penalty_is_that_of_fits_to_the_training_parts(rng, kind):
    X, y, _, _ = family_table(rng, kind, 80)
    splits = random_splits(80, 5, 0)
    base = LogisticBaseline().fit(X, y, splits=splits)
    for at in (0, 10, 30):
        each = []
        for split in splits:
            inside = np.isin(np.arange(80), split.train).astype(float)
            part = LogisticBaseline(base.alphas_[at]).fit(X, y, sample_weight=inside)
            each.append(log_loss(y[split.test], part.predict_proba(X[split.test]), labels=part.classes_))
        assert base.cv_error_[at] == pytest.approx(np.mean(each), rel=2e-3)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_no_penalty_that_was_not_tried_has_a_smaller_error(rng, kind):
    X, y, _, _ = family_table(rng, kind, 60)
    splits = random_splits(60, 4, 0)
    base = LogisticBaseline().fit(X, y, splits=splits)
    smaller = base.alphas_[-1] * np.array([0.7, 0.3])
    errors = [LogisticBaseline(alpha).fit(X, y, splits=splits).cv_error_[0] for alpha in smaller]
    assert min(errors) > base.cv_error_.min()


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_first_penalty_is_the_smallest_that_silences_every_column(rng, kind, weighted):
    X, y, _, (weight, *_) = family_table(rng, kind)
    weight = weight if weighted else None
    top = LogisticBaseline().fit(X, y, sample_weight=weight).alphas_[0]
    quiet, loud = (LogisticBaseline(top * factor).fit(X, y, sample_weight=weight) for factor in (1 + 1e-6, 0.999))
    assert (quiet.coef_ == 0).all()
    assert (loud.coef_ != 0).any()


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_and_the_same_row_twice_give_the_same_model(rng, kind):
    X, y, _, _ = family_table(rng, kind)
    twice = np.append(np.arange(40), [3, 7])
    one = LogisticBaseline(random_state=0).fit(X[twice], y[twice])
    other = LogisticBaseline(random_state=0).fit(X, y, sample_weight=np.bincount(twice).astype(float))
    assert one.alpha_ == pytest.approx(other.alpha_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_zero_is_as_good_as_absent(rng, kind):
    X, y, _, _ = family_table(rng, kind, 60)
    one = LogisticBaseline(random_state=0).fit(X, y, sample_weight=np.arange(60) >= 5)
    other = LogisticBaseline(random_state=0).fit(X[5:], y[5:])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_is_irrelevant(rng, kind):
    X, y, _, _ = family_table(rng, kind)
    order = rng.permutation(40)
    one, other = (LogisticBaseline(random_state=0).fit(X[rows], y[rows]) for rows in (np.arange(40), order))
    assert one.alpha_ == pytest.approx(other.alpha_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng, kind):
    X, y, _, _ = family_table(rng, kind)
    one, two = (LogisticBaseline(n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_fold(), two.predict_fold())
    np.testing.assert_array_equal(one.predict_left_out(), two.predict_left_out())


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_an_infinite_penalty_gives_the_class_shares(rng, kind):
    X, y, _, (weight, *_) = family_table(rng, kind)
    base = LogisticBaseline(np.inf).fit(X, y, sample_weight=weight)
    share = [np.average(y == label, weights=weight) for label in base.classes_]
    np.testing.assert_allclose(base.predict_proba(X), np.tile(share, (40, 1)), atol=1e-7)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize(("kind", "n_outputs"), [("binomial", 1), ("multinomial", 3)])
def test_two_classes_have_one_output_and_more_have_one_each(rng, kind, n_outputs):
    X, y, _, _ = family_table(rng, kind)
    base = LogisticBaseline(0.05).fit(X, y)
    assert base.coef_.shape == (n_outputs, 5)
    assert base.decision_function(X).shape == ((40,) if n_outputs == 1 else (40, 3))
    chance = base.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    np.testing.assert_array_equal(base.predict(X), base.classes_[chance.argmax(axis=1)])


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize("alpha", ["auto", 0.0])
def test_separable_classes_give_a_finite_model_without_a_warning(rng, alpha):
    X = rng.normal(size=(60, 3))
    X[:, 0] += np.sign(X[:, 0])
    base = LogisticBaseline(alpha, random_state=0).fit(X, X[:, 0] > 0)
    assert np.abs(base.coef_).max() < 1e3
    assert (base.predict(X) == (X[:, 0] > 0)).all()


def test_a_class_of_few_rows_is_in_the_training_part_of_every_fold(rng):
    X, y = rng.normal(size=(50, 3)), np.where(np.arange(50) < 3, "rare", "common")
    base = LogisticBaseline(random_state=0).fit(X, y)
    for split in base.fit_.splits:
        assert len(set(base.fit_.family.y[split.train])) == 2


def test_rows_of_weight_zero_do_not_make_a_class(rng):
    X, y, _, _ = family_table(rng, "binomial")
    with pytest.raises(ValueError, match="leave rows of one class only"):
        LogisticBaseline().fit(X, y, sample_weight=(y == "a").astype(float))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_predicting_before_fitting_is_an_error(method):
    with pytest.raises(NotFittedError):
        getattr(LogisticBaseline(), method)([[1.0]])


@pytest.mark.parametrize(("alpha", "error"), [(-1.0, ValueError), ("best", TypeError), (None, TypeError)])
def test_a_bad_penalty_is_refused(rng, alpha, error):
    X, y, _, _ = family_table(rng, "binomial")
    with pytest.raises(error, match="`alpha` must be"):
        LogisticBaseline(alpha).fit(X, y)
