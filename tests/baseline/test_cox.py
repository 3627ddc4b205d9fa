"""The global Cox lasso: optimality, and a penalty chosen by partial likelihood."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from heedful import local_lasso
from heedful._folds import random_splits
from heedful.baseline import CoxBaseline
from reference import losses
from reference.cases import family_table, survival
from reference.lasso import penalty_scale


@pytest.mark.one_value
@pytest.mark.parametrize(("n", "p"), [(60, 4), (40, 60)])
@pytest.mark.parametrize("tied", [False, True])
def test_the_whole_fit_misses_no_optimality_condition(rng, n, p, tied):
    X, y, what, (weight, *_) = family_table(rng, "cox", n, p, tied=tied)
    base = CoxBaseline(0.1).fit(X, y, sample_weight=weight)
    scale = penalty_scale(X, weight, "weighted")
    assert losses.breach("cox", X, what, weight, 0.1, scale, base.intercept_, base.coef_) < 1e-6


def test_a_fixed_penalty_gives_the_local_model_of_all_rows(rng):
    X, y, _, weights = family_table(rng, "cox", n_query=1)
    base = CoxBaseline(0.05).fit(X, y, sample_weight=weights[0])
    fits = local_lasso(X, y, weights, alpha=0.05, family="cox", standardize="weighted")
    np.testing.assert_allclose(base.coef_, fits.coef_[0], atol=1e-6)


def test_the_chosen_penalty_has_the_smallest_error(rng):
    X, y, _, _ = family_table(rng, "cox", 80)
    base = CoxBaseline(random_state=0).fit(X, y)
    assert base.alpha_ == base.alphas_[base.cv_error_.argmin()]
    assert base.alphas_[-1] < base.alpha_ < base.alphas_[0]


def test_the_error_of_a_penalty_is_what_left_out_rows_add_to_the_partial_loss(rng):
    X, y, (event, time), (weight, *_) = family_table(rng, "cox", 60)
    splits = random_splits(60, 4, 0)
    base = CoxBaseline(0.05).fit(X, y, sample_weight=weight, splits=splits)
    total = 0.0
    for train, _ in splits:
        inside = np.isin(np.arange(60), train) * weight
        link = CoxBaseline(0.05).fit(X, y, sample_weight=inside).predict(X)[:, None]
        some = losses.loss("cox", link[train], (event[train], time[train]), weight[train])
        total += losses.loss("cox", link, (event, time), weight) - some
    assert base.cv_error_[0] == pytest.approx(total / weight.sum(), rel=1e-3)


@pytest.mark.one_value
@pytest.mark.parametrize("weighted", [False, True])
def test_the_first_penalty_is_the_smallest_that_silences_every_column(rng, weighted):
    X, y, _, (weight, *_) = family_table(rng, "cox")
    weight = weight if weighted else None
    top = CoxBaseline().fit(X, y, sample_weight=weight).alphas_[0]
    quiet, loud = (CoxBaseline(top * factor).fit(X, y, sample_weight=weight) for factor in (1 + 1e-6, 0.999))
    assert (quiet.coef_ == 0).all()
    assert (loud.coef_ != 0).any()


def test_a_row_of_weight_two_and_the_same_row_twice_give_the_same_model(rng):
    X, y, _, _ = family_table(rng, "cox")
    twice = np.append(np.arange(40), [3, 7])
    one = CoxBaseline(random_state=0).fit(X[twice], y[twice])
    other = CoxBaseline(random_state=0).fit(X, y, sample_weight=np.bincount(twice).astype(float))
    assert one.alpha_ == pytest.approx(other.alpha_)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


def test_a_row_of_weight_zero_is_as_good_as_absent(rng):
    X, y, _, _ = family_table(rng, "cox", 60)
    one = CoxBaseline(random_state=0).fit(X, y, sample_weight=np.arange(60) >= 5)
    other = CoxBaseline(random_state=0).fit(X[5:], y[5:])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)


def test_only_the_order_of_times_matters(rng):
    X, _, (event, time), _ = family_table(rng, "cox")
    one, other = (CoxBaseline(random_state=0).fit(X, survival(event, t)) for t in (time, np.sqrt(time)))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)


def test_results_are_the_same_to_the_bit_for_any_number_of_jobs(rng):
    X, y, _, _ = family_table(rng, "cox")
    one, two = (CoxBaseline(n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.predict_fold(), two.predict_fold())
    np.testing.assert_array_equal(one.predict_left_out(), two.predict_left_out())


def test_a_row_of_average_columns_has_relative_hazard_one(rng):
    X, y, _, (weight, *_) = family_table(rng, "cox")
    base = CoxBaseline(0.05).fit(X, y, sample_weight=weight)
    assert base.predict(np.average(X, axis=0, weights=weight)[None])[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(base.predict(X), base.intercept_ + X @ base.coef_)


def test_the_kept_family_has_breslows_hazard_of_the_model(rng):
    X, y, what, (weight, *_) = family_table(rng, "cox")
    base = CoxBaseline(0.05).fit(X, y, sample_weight=weight, splits=random_splits(40, 5, 0))
    np.testing.assert_allclose(base.fit_.family.hazard, losses.hazard(base.predict(X), what, weight))


def test_an_infinite_penalty_gives_no_coefficients(rng):
    X, y, _, _ = family_table(rng, "cox")
    base = CoxBaseline(np.inf).fit(X, y)
    assert (base.coef_ == 0).all()
    assert (base.predict(X) == 0).all()


def test_frames_and_arrays_of_events_and_times_are_one(rng):
    X, y, (event, time), _ = family_table(rng, "cox")
    frame = pd.DataFrame({"time": time, "event": event.astype(bool)})
    one, *others = (CoxBaseline(0.05).fit(X, kind) for kind in (y, frame, np.column_stack([event, time])))
    for other in others:
        np.testing.assert_array_equal(one.coef_, other.coef_)


def test_it_can_be_cloned_and_says_when_it_is_not_fitted():
    base = clone(CoxBaseline(0.3, random_state=7))
    expected = {"alpha": 0.3, "n_jobs": None, "random_state": 7, "tol": 1e-7}
    assert base.get_params() == expected | {"penalty_factor": None, "limits": None, "groups": None}
    with pytest.raises(NotFittedError):
        base.predict([[1.0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones((39, 2))}, "inconsistent numbers of samples"),
        ({"y": survival(np.zeros(40), np.ones(40))}, "at least one event"),
        ({"y": survival(np.ones(40), np.zeros(40))}, "times > 0"),
        ({"X": np.full((40, 2), np.nan)}, "contains NaN"),
        ({"sample_weight": np.zeros(40)}, "`sample_weight` must not be all zero"),
    ],
)
def test_bad_input_is_one_clear_error(rng, change, message):
    X, y, _, _ = family_table(rng, "cox")
    with pytest.raises(ValueError, match=message):
        CoxBaseline().fit(**({"X": X, "y": y} | change))
