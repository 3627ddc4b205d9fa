import numpy as np
import pytest

from heedful._kernels import weigh_rows
from heedful._kernels.shapes import LEAF, SHARE, SOFTMAX, dense_rows
from reference.weights import weights_by_kind

NO_LEAF = np.empty(0)


def dense(bumps, backgrounds, indptr, indices, prior):
    weight = np.multiply.outer(backgrounds, prior / prior.sum())
    for q in range(backgrounds.size):
        part = slice(indptr[q], indptr[q + 1])
        weight[q, indices[part]] += bumps[part]
    return weight


@pytest.mark.parametrize("kind", [SOFTMAX, SHARE])
def test_dense_rows_equal_the_twin(rng, kind):
    scores, prior = rng.uniform(size=(4, 6)), rng.uniform(0.5, 2.0, size=6)
    scores[1], scores[2, 3] = 0.25, -np.inf
    rows = dense_rows(scores)
    bumps, backgrounds = weigh_rows(*rows[:4], prior, prior.sum(), kind, 0.2)
    weight = dense(bumps, backgrounds, rows.indptr, np.tile(np.arange(6), 4), prior)
    twin = [weights_by_kind(kind, 0.2, scores[q], None, prior) for q in range(4)]
    np.testing.assert_allclose(weight, twin, atol=1e-14)


@pytest.mark.parametrize("kind", [SOFTMAX, SHARE, LEAF])
def test_sparse_rows_equal_the_twin(rng, kind):
    indptr, indices = np.array([0, 3, 3, 5]), np.array([4, 0, 2, 1, 5], np.int32)
    score, leaf, prior = np.array([0.5, 0.1, -np.inf, 0.5, 0.5]), rng.uniform(size=5), rng.uniform(0.5, 2.0, size=6)
    bumps, backgrounds = weigh_rows(indptr, indices, score, leaf, prior, prior.sum(), kind, 0.2)
    scores, leaves = np.zeros((3, 6)), np.zeros((3, 6))
    query = np.repeat(np.arange(3), np.diff(indptr))
    scores[query, indices], leaves[query, indices] = score, leaf
    twin = [weights_by_kind(kind, 0.2, scores[q], leaves[q], prior) for q in range(3)]
    np.testing.assert_allclose(dense(bumps, backgrounds, indptr, indices, prior), twin, atol=1e-14)


def test_no_stored_rows_at_all_give_the_prior():
    indptr, nothing = np.zeros(3, np.int64), np.empty(0, np.int32)
    bumps, backgrounds = weigh_rows(indptr, nothing, NO_LEAF, NO_LEAF, np.ones(4), 4.0, SOFTMAX, 1.0)
    assert bumps.size == 0
    np.testing.assert_allclose(backgrounds, 1.0)
