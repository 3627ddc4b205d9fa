"""Rows drawn from a large table for additive models."""

import numpy as np
import pytest

from heedful._folds import Split
from heedful._models.drawn_rows import draw_rows
from reference.rows import classes_of, numbers_of, survival_of

N = 4000


def cut(n_rows, n_folds=5, seed=0):
    """Return folds of random rows."""
    parts = np.array_split(np.random.default_rng(seed).permutation(n_rows), n_folds)
    return [Split(np.setdiff1d(np.arange(n_rows), part), np.sort(part)) for part in parts]


def draw(family, weight=None, most=400, folds=None, rank=None):
    weight = np.ones(N) if weight is None else weight
    rank = np.arange(weight.size) if rank is None else rank
    return draw_rows(family, weight, cut(weight.size) if folds is None else folds, rank, most)


@pytest.fixture
def rare(rng):
    """One class of which there are few rows."""
    return (rng.random(N) < 0.02).astype(int)


@pytest.mark.parametrize("most", [None, np.inf, N, N + 1])
def test_a_table_that_is_small_enough_is_kept_as_it_is(rng, most):
    weight = rng.uniform(0.0, 2.0, N)
    drawn = draw(numbers_of(rng.normal(size=N)), weight, most)
    np.testing.assert_array_equal(drawn.rows, np.arange(N))
    np.testing.assert_array_equal(drawn.weight, weight)


@pytest.mark.parametrize("kind", ["numbers", "skew", "classes", "times"])
def test_weighted_sums_of_drawn_rows_are_those_of_all(rng, kind):
    weight, x = rng.uniform(0.1, 3.0, N), rng.normal(size=N)
    y = {"numbers": x + rng.normal(size=N), "skew": np.exp(2 * rng.normal(size=N))}.get(kind, x)
    event = (rng.random(N) < 0.1).astype(float)
    families = {"classes": classes_of((x > 1.5).astype(int), 2), "times": survival_of(event, np.exp(x))}
    drawn = draw(families.get(kind, numbers_of(y)), weight, most=800)
    assert 500 < drawn.rows.size <= 810
    for values in (np.ones(N), x, x**2, event, np.sign(x) * y):
        far = values[drawn.rows] @ drawn.weight - values @ weight
        # what rows drawn one by one with these chances would be off by, which evenly drawn ones never exceed much
        chance = weight[drawn.rows] / drawn.weight
        error = np.sqrt(np.sum((1 - chance) * (drawn.weight * values[drawn.rows]) ** 2))
        assert abs(far) < 3 * error
    # a sum without the weights of what was left out would be far off
    assert drawn.weight.sum() > 0.9 * weight.sum() > 2 * weight[drawn.rows].sum()


def test_rare_events_are_kept_and_count_for_themselves(rng, rare):
    drawn = draw(classes_of(rare, 2), most=800)
    positive = rare[drawn.rows] == 1
    assert positive.sum() == rare.sum()
    np.testing.assert_allclose(drawn.weight[positive], 1.0)
    assert drawn.weight[~positive].sum() == pytest.approx((rare == 0).sum(), rel=0.02)


def test_a_row_of_twice_the_weight_is_drawn_twice_as_often_and_stands_for_as_many(rng):
    weight = np.where(np.arange(N) % 2, 2.0, 1.0)
    drawn = draw(numbers_of(np.tile([-1.0, -1.0, 1.0, 1.0], N // 4)), weight)
    heavy = weight[drawn.rows] == 2.0
    assert heavy.mean() == pytest.approx(2 / 3, abs=0.05)
    np.testing.assert_allclose(drawn.weight, weight.sum() / 400, rtol=0.05)


def test_rows_without_weight_are_not_drawn_unless_a_fold_has_no_other(rng):
    weight, folds = np.ones(N), cut(N)
    weight[::2] = 0.0
    assert (draw(numbers_of(rng.normal(size=N)), weight).rows % 2 == 1).all()
    weight[folds[1].test] = 0.0
    drawn = draw(numbers_of(rng.normal(size=N)), weight, folds=folds)
    (alone,) = np.flatnonzero(np.isin(drawn.rows, folds[1].test))
    assert drawn.weight[alone] == 0.0


def test_no_response_has_a_say_in_which_rows_of_other_folds_are_drawn(rng):
    y, folds = rng.normal(size=N), cut(N)
    changed = y.copy()
    changed[folds[2].test] = 50.0 + 9.0 * rng.normal(size=folds[2].test.size)
    one, other = draw(numbers_of(y), folds=folds), draw(numbers_of(changed), folds=folds)
    same = [np.isin(drawn.rows, folds[2].train) for drawn in (one, other)]
    np.testing.assert_array_equal(one.rows[same[0]], other.rows[same[1]])
    np.testing.assert_array_equal(one.weight[same[0]], other.weight[same[1]])
    assert not np.array_equal(one.rows[~same[0]], other.rows[~same[1]])


def test_rows_are_drawn_evenly_along_their_rank_whatever_their_order(rng):
    y, rank = np.zeros(N), rng.permutation(N)
    for place in (np.arange(N), rank):
        folds = [Split(np.flatnonzero(place == 0), np.arange(N))]
        drawn = np.sort(place[draw(numbers_of(y), folds=folds, rank=place).rows])[1:]
        assert set(np.diff(drawn)) <= {9, 10, 11}


def test_every_part_of_every_fold_keeps_a_row(rng):
    small = [Split(np.array([7]), np.array([3])), Split(np.arange(9), np.array([3, 4]))]
    rest = np.setdiff1d(np.arange(N), [3, 4])
    folds = [*small, Split(np.array([3, 4]), rest)]
    drawn = draw(numbers_of(rng.normal(size=N)), folds=folds, most=40)
    for fold in folds:
        among = drawn.among(fold)
        assert among.train.size
        assert among.test.size
        assert np.isin(drawn.rows[among.train], fold.train).all()
        assert np.isin(drawn.rows[among.test], fold.test).all()
        assert among.test.size == np.isin(drawn.rows, fold.test).sum()


@pytest.mark.parametrize("y", [np.zeros(N), np.ones(N)])
def test_a_single_class_or_value_is_drawn_by_weight_alone(y):
    for family in (numbers_of(y), classes_of(y.astype(int), 2)):
        assert draw(family).rows.size == pytest.approx(400, abs=10)


def test_a_row_that_is_left_out_more_than_once_is_drawn_once(rng):
    drawn = draw(numbers_of(rng.normal(size=N)), folds=[*cut(N), *cut(N, seed=1)])
    assert drawn.rows.size == pytest.approx(400, abs=15)
    assert drawn.weight.sum() == pytest.approx(N, rel=0.1)
