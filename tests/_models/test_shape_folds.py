"""Who is fitted to which rows, and who says where to stop: a row has no part in what its own value is made of."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

from heedful._folds import Split
from heedful._models.shapes import _in_a_circle, _inner, _with_validation

WAYS = [KFold(5), KFold(3), KFold(2), TimeSeriesSplit(3), ShuffleSplit(3, test_size=0.2, random_state=0)]
N_ROWS = 41


def folds_of(way, rng):
    splits = [Split(*pair) for pair in way.split(np.empty((N_ROWS, 1)))]
    return splits, [*splits, *_inner(splits, rng.permutation(N_ROWS))]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_rows_that_no_split_leaves_out_are_left_out_once_by_others_of_their_kind(rng, way):
    splits, folds = folds_of(way, rng)
    others = np.setdiff1d(np.arange(N_ROWS), np.concatenate([split.test for split in splits]))
    inner = folds[len(splits) :]
    np.testing.assert_array_equal(np.sort(np.concatenate([[], *(fold.test for fold in inner)])), others)
    for fold in inner:
        np.testing.assert_array_equal(np.sort(np.concatenate(fold)), others)


@pytest.mark.one_value
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_neither_models_nor_validation_of_a_fold_have_seen_its_rows(rng, way):
    _, folds = folds_of(way, rng)
    plan = _in_a_circle(folds, N_ROWS) or _with_validation(folds, rng.permutation(N_ROWS))
    assert len(plan.splits) == len(folds)
    for fold, used, validation in zip(folds, plan.used, plan.validation, strict=True):
        # the very models that say a row's value are validated, on rows that neither they nor the fold have
        assert sorted(used) == sorted(k for k, _ in validation)
        for k, rows in validation:
            assert rows.size > 0
            assert not np.isin(fold.test, plan.splits[k].train).any()
            assert not np.isin(rows, plan.splits[k].train).any()
            assert not np.isin(rows, fold.test).any()
            assert np.isin(rows, fold.train).all()


@pytest.mark.one_value
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_models_are_fitted_to_most_of_what_a_fold_may_see(rng, way):
    _, folds = folds_of(way, rng)
    plan = _in_a_circle(folds, N_ROWS) or _with_validation(folds, rng.permutation(N_ROWS))
    for split, fold in zip(plan.splits, folds, strict=True):
        assert np.isin(split.train, fold.train).all()
        assert split.train.size >= fold.train.size // 2


@pytest.mark.parametrize("n_others", [0, 1, 2])
def test_few_rows_that_no_split_leaves_out_are_left_out_too(n_others):
    rows = np.arange(10)
    splits = [Split(rows, rows[n_others:])]
    inner = _inner(splits, rows)
    np.testing.assert_array_equal(np.sort(np.concatenate([[], *(fold.test for fold in inner)])), rows[:n_others])
    assert all(not np.isin(fold.test, fold.train).any() for fold in inner)
