import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit

from heedful._folds import (
    Split,
    average_out_of_fold,
    check_folds,
    even_folds,
    fold_pattern,
    fold_weights,
    group_splits,
    inner_splits,
    random_splits,
    translate,
    user_splits,
)
from heedful._frames import Observations

ROWS = np.arange(10)
X, Y = np.zeros((10, 2)), np.arange(10.0)


@pytest.mark.parametrize("cv", ["oob", 2, 10, np.int64(5), KFold(3), TimeSeriesSplit(3), [(ROWS[:5], ROWS[5:])]])
def test_every_documented_kind_of_folds_is_accepted(cv):
    check_folds(cv, None)


@pytest.mark.parametrize("cv", ["loo", "", 1, 0, -3, True])
def test_a_bad_value_of_cv_is_refused(cv):
    with pytest.raises(ValueError, match="`cv` must be"):
        check_folds(cv, None)


@pytest.mark.parametrize("cv", [None, 2.5, object()])
def test_cv_of_the_wrong_kind_is_refused(cv):
    with pytest.raises(TypeError, match="`cv` must be"):
        check_folds(cv, None)


def test_groups_without_folds_are_refused():
    with pytest.raises(ValueError, match="`groups` need folds"):
        check_folds("oob", ROWS)


@pytest.mark.parametrize("cv", ["oob", 5])
def test_random_folds_are_not_the_users(cv):
    assert user_splits(cv, X, Y, None) == []


@pytest.mark.parametrize("cv", [2, GroupKFold(2)])
def test_groups_are_never_torn_apart(cv):
    groups = ROWS // 3
    for train, test in user_splits(cv, X, Y, groups):
        assert not set(groups[train]) & set(groups[test])


def test_a_splitters_folds_are_taken_as_they_come():
    for split, (train, test) in zip(
        user_splits(TimeSeriesSplit(3), X, Y, None), TimeSeriesSplit(3).split(X), strict=True
    ):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, test)


def test_an_iterable_of_masks_becomes_row_numbers():
    (split,) = user_splits([(ROWS < 6, ROWS >= 8)], X, Y, None)
    np.testing.assert_array_equal(split.train, ROWS[:6])
    np.testing.assert_array_equal(split.test, [8, 9])


def test_a_splitter_sees_a_frame_as_it_is():
    frame = pd.DataFrame({"a": list("xyxyxyxyxy")})
    assert len(user_splits(KFold(5), frame, Y, None)) == 5


@pytest.mark.parametrize(("n_rows", "n_folds", "expected"), [(10, 4, 4), (3, 10, 3), (2, 10, 2)])
def test_random_folds_hold_each_row_once(n_rows, n_folds, expected):
    splits = random_splits(n_rows, n_folds, 0)
    assert len(splits) == expected
    np.testing.assert_array_equal(np.sort(np.concatenate([split.test for split in splits])), np.arange(n_rows))
    assert all(set(split.train) | set(split.test) == set(range(n_rows)) for split in splits)


def test_a_single_row_is_both_fitted_on_and_predicted():
    (split,) = random_splits(1, 10, 0)
    assert split.train.tolist() == split.test.tolist() == [0]


@pytest.mark.parametrize("n_folds", [3, 10])
def test_strata_are_dealt_out_evenly(rng, n_folds):
    strata = rng.choice([0.0, 1.0, 7.0], p=[0.1, 0.3, 0.6], size=50)
    splits = random_splits(50, n_folds, 0, strata)
    np.testing.assert_array_equal(np.sort(np.concatenate([split.test for split in splits])), np.arange(50))
    for label in (0.0, 1.0, 7.0):
        counts = [(strata[split.test] == label).sum() for split in splits]
        assert max(counts) - min(counts) <= 1
    assert all(set(split.train) | set(split.test) == set(range(50)) for split in splits)


def test_a_seed_repeats_the_folds_of_strata():
    strata = np.arange(20.0) % 2
    one, two, other = (random_splits(20, 4, seed, strata)[0].test for seed in (7, 7, 8))
    np.testing.assert_array_equal(one, two)
    assert one.tolist() != other.tolist()


def test_a_seed_repeats_the_folds():
    one, two, other = (random_splits(20, 4, seed)[0].test for seed in (7, 7, 8))
    np.testing.assert_array_equal(one, two)
    assert one.tolist() != other.tolist()


def test_the_fold_pattern_is_equal_for_rows_on_the_same_sides():
    splits = [Split(ROWS[:5], ROWS[5:]), Split(ROWS[::2], ROWS[1::2])]
    pattern = fold_pattern(splits, 10)
    for i in range(10):
        for j in range(10):
            assert (pattern[i] == pattern[j]) == ((i < 5) == (j < 5) and i % 2 == j % 2)


def test_the_fold_pattern_tells_rows_in_no_part_from_tested_ones():
    pattern = fold_pattern([Split(ROWS[:5], ROWS[5:8])], 10)
    assert len({pattern[0], pattern[5], pattern[9]}) == 3


def test_without_splits_all_rows_have_one_pattern():
    assert (fold_pattern([], 4) == 0).all()


def stand_for(distinct, number):
    return Observations(np.zeros(len(number)), np.array(number), np.ones(len(number)), np.array(distinct))


def test_translated_splits_number_the_observations():
    observations = stand_for([0, 0, 1, 2, 2, -1, 3, 3, 4, 4], [0, 1, 1, 1, 2, 3, 3, 4])
    (split,) = translate([Split(ROWS[:6], ROWS[6:])], observations)
    assert split.train.tolist() == [0, 1, 2, 3, 4]
    assert split.test.tolist() == [5, 6, 7]


def test_a_split_that_loses_a_side_is_dropped():
    observations = stand_for([0, 1, 2, -1, -1], [0, 1, 2])
    assert translate([Split(ROWS[:3], ROWS[3:5]), Split(ROWS[3:5], ROWS[:3])], observations) == []


def test_folds_of_groups_keep_every_group_whole_and_are_drawn_as_folds_of_its_number(rng):
    groups = rng.permutation(np.repeat([3, 7, 8, 20, 21], [1, 2, 3, 4, 5]))
    splits, plain = group_splits(groups, 3, 0), random_splits(5, 3, 0)
    for split, number in zip(splits, plain, strict=True):
        assert set(np.unique(groups)[number.test]) == set(groups[split.test])
        assert not set(groups[split.train]) & set(groups[split.test])
        assert split.train.size + split.test.size == groups.size


def dense(weights, prior):
    out = np.multiply.outer(weights.background, prior / prior.sum())
    for q in range(out.shape[0]):
        part = slice(weights.indptr[q], weights.indptr[q + 1])
        np.add.at(out[q], weights.indices[part], weights.excess[part])
    return out


@pytest.mark.parametrize(
    "cv", [KFold(2), KFold(5), TimeSeriesSplit(4), ShuffleSplit(3, train_size=0.3, random_state=0)]
)
def test_fold_weights_are_the_prior_of_the_training_part(rng, cv):
    prior, splits = rng.uniform(size=10), user_splits(cv, X, Y, None)
    for row, split in zip(dense(fold_weights(splits, prior), prior), splits, strict=True):
        inside = np.isin(ROWS, split.train)
        np.testing.assert_allclose(row, np.where(inside, prior, 0.0) / prior[inside].sum(), atol=1e-15)


def test_fold_weights_store_the_smaller_side_only():
    weights = fold_weights([Split(ROWS[:9], ROWS[9:]), Split(ROWS[:2], ROWS[2:])], np.ones(10))
    assert np.diff(weights.indptr).tolist() == [1, 2]
    assert weights.excess[0] < 0 < weights.excess[1]


def test_even_folds_make_a_mean_over_rows_the_mean_of_the_folds_means(rng):
    weight, error = rng.uniform(1.0, 2.0, 10), rng.normal(size=10)
    splits = [Split(ROWS[3:], ROWS[:3]), Split(ROWS[:3], ROWS[3:])]
    means = [np.average(error[test], weights=weight[test]) for _, test in splits]
    assert np.average(error, weights=even_folds(weight, splits)) == pytest.approx(np.mean(means))


def test_without_folds_of_the_user_each_training_part_draws_as_many():
    splits = random_splits(10, 5, 0)
    parts = inner_splits(splits, [])
    assert len(parts) == 5
    for own, (train, _) in zip(parts, splits, strict=True):
        assert len(own) == 5
        np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in own])), np.arange(train.size))
        assert all(not set(first) & set(second) for first, second in own)


def test_inner_folds_share_out_the_strata_evenly():
    strata = np.repeat([0.0, 1.0], [80, 20])
    splits = random_splits(100, 5, 0, strata)
    for own, (train, _) in zip(inner_splits(splits, [], strata), splits, strict=True):
        assert [strata[train[test]].sum() for _, test in own] == pytest.approx([16 / 5] * 5, abs=0.81)


def test_inner_folds_keep_the_groups_of_the_users_folds():
    groups = ROWS // 2
    splits = user_splits(GroupKFold(5), X, Y, groups)
    for own, (train, _) in zip(inner_splits(splits, splits), splits, strict=True):
        assert len(own) == 4
        assert all(not set(groups[train[first]]) & set(groups[train[second]]) for first, second in own)


def test_inner_folds_of_a_series_look_ahead_only():
    splits = user_splits(TimeSeriesSplit(4), X, Y, None)
    first, *others = zip(inner_splits(splits, splits), splits, strict=True)
    # nothing comes before the first part: its own folds are drawn
    assert len(first[0]) == min(4, first[1].train.size)
    for own, (train, _) in others:
        assert all(train[early].max() < train[late].min() for early, late in own)


def test_a_row_in_several_test_parts_has_the_mean_of_its_predictions():
    splits = [Split(np.array([2]), np.array([0, 1])), Split(np.array([1]), np.array([0]))]
    mean = average_out_of_fold(splits, lambda k, split: np.full((split.test.size, 1), 4.0 + 2.0 * k), (3, 1))
    np.testing.assert_array_equal(mean, [[5.0], [4.0], [np.nan]])
