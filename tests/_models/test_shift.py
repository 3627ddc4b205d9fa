import numpy as np
import pytest
from scipy.special import logit

from heedful._folds import Split
from heedful._kernels.shapes import dense_rows
from heedful._models.shift import ShiftProblem, effective_rows
from heedful._responses.response import SMOOTH
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.similarity._leaf_proximity import LeafProximity
from reference.rows import classes_of, numbers_of

EQUAL = Weighting("softmax", 1e9)


def scores(rng, n_query, n_train):
    return rng.uniform(size=(n_query, n_train))


def fit(problem, rows, x, *weightings):
    shape = (len(weightings), 1)
    return problem.fit(rows, x, list(weightings), np.ones(shape, bool), np.zeros(shape)).values[:, :, 0]


def test_numbers_are_shifted_by_the_weighted_mean_residual(rng):
    y, base, weight, x = (
        rng.normal(size=8),
        rng.normal(size=(8, 1)),
        rng.uniform(0.5, 2, size=8),
        rng.normal(size=(3, 1)),
    )
    matrix = scores(rng, 3, 8)
    got = fit(ShiftProblem(numbers_of(y), base, weight), dense_rows(matrix), x, Weighting("softmax", 0.2))
    expected = x + (attend(matrix, 0.2, weight).toarray() @ (y - base[:, 0]))[:, None]
    np.testing.assert_allclose(got[:, 0], expected)


def test_equal_weights_shift_log_odds_of_all_queries_alike(rng):
    y, chance = rng.integers(0, 2, size=20), rng.uniform(0.1, 0.9, size=20)
    problem = ShiftProblem(classes_of(y, 2), np.column_stack([1 - chance, chance]), np.ones(20))
    x = rng.uniform(0.1, 0.9, size=4)
    got = fit(problem, dense_rows(scores(rng, 4, 20)), np.column_stack([1 - x, x]), EQUAL)[:, 0, 1]
    share = (1 - SMOOTH) * y.mean() + SMOOTH * chance.mean()
    np.testing.assert_allclose(logit(got) - logit(x), logit(share) - logit(chance.mean()))


def test_classes_multiply_by_how_much_more_often_they_happened(rng):
    y, base, x = rng.integers(0, 3, size=30), rng.dirichlet(np.ones(3), size=30), rng.dirichlet(np.ones(3), size=2)
    got = fit(ShiftProblem(classes_of(y, 3), base, np.ones(30)), dense_rows(scores(rng, 2, 30)), x, EQUAL)[:, 0]
    share = (1 - SMOOTH) * np.bincount(y) / 30 + SMOOTH * base.mean(axis=0)
    expected = x * share / base.mean(axis=0)
    np.testing.assert_allclose(got, expected / expected.sum(axis=1, keepdims=True))


def test_a_class_that_never_happened_keeps_a_probability(rng):
    base = np.full((10, 2), 0.5)
    got = fit(
        ShiftProblem(classes_of(np.zeros(10, int), 2), base, np.ones(10)),
        dense_rows(np.zeros((1, 10))),
        base[:1],
        EQUAL,
    )
    assert 0 < got[0, 0, 1] < 0.01


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_classes_that_did_not_happen_a_hundredth_is_left(rng, n_classes):
    base, matrix = rng.dirichlet(np.ones(n_classes), size=12), scores(rng, 5, 12)
    problem = ShiftProblem(classes_of(np.zeros(12, int), n_classes), base, np.ones(12))
    times = fit(problem, dense_rows(matrix), base[:5], Weighting("softmax", 0.1))[:, 0] / base[:5]
    predicted = attend(matrix, 0.1).toarray() @ base[:, 0]
    happened = (0.99 + 0.01 * predicted) / predicted
    np.testing.assert_allclose(times[:, 1:] / times[:, :1], np.tile((0.01 / happened)[:, None], n_classes - 1))


@pytest.mark.parametrize("temperature", [1.0, 0.05])
def test_comparing_leaves_gives_what_scores_give(rng, temperature):
    leaves = (rng.integers(0, 4, size=(40, 10)) + 4 * np.arange(10)).astype(np.int32)
    problem = ShiftProblem(numbers_of(rng.normal(size=40)), rng.normal(size=(40, 1)), rng.uniform(0.5, 2, size=40))
    rows, x, weighting = (
        LeafProximity(40).fit(leaves).train_rows(np.arange(40)),
        problem.base,
        Weighting("softmax", temperature),
    )
    np.testing.assert_allclose(fit(problem, rows, x, weighting), fit(problem, rows.scores, x, weighting), rtol=1e-10)
    fast = effective_rows(rows, weighting, problem.weight)
    np.testing.assert_allclose(fast, effective_rows(rows.scores, weighting, problem.weight), rtol=1e-10)


def test_every_recent_row_is_tried(rng):
    problem = ShiftProblem(numbers_of(rng.normal(size=5)), rng.normal(size=(5, 1)), np.ones(5))
    (part,) = problem.held_out([])
    assert part.problem is problem
    np.testing.assert_array_equal(part.number, np.arange(5))


def test_a_fold_knows_its_training_part_only(rng):
    problem = ShiftProblem(numbers_of(rng.normal(size=6)), rng.normal(size=(6, 1)), np.ones(6))
    part = problem.fold(0, Split(np.arange(4), np.array([4, 5])))
    np.testing.assert_array_equal(part.problem.family.y, problem.family.y[:4])
    np.testing.assert_array_equal(part.x, problem.base[4:])
