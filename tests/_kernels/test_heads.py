import numpy as np
import pytest

from heedful._kernels import head_rows
from heedful._kernels.shapes import LEAF, SHARE, SOFTMAX, Rule, dense_rows
from reference.lasso import weighted_lasso
from reference.moments import plain_table
from reference.weights import weights_by_kind

KINDS, TEMPERATURES = np.array([SOFTMAX, SHARE, LEAF, SOFTMAX]), np.array([0.1, np.nan, np.nan, 1.0])
PENALTIES = np.array([np.inf, 0.1])
ALL = np.ones((4, 2), np.bool_)


def sparse_scores(rng, n_query, n_train):
    """Return sparse scores with one masked row per query, and the same scores and leaf weights dense."""
    k = n_train // 2
    indices = np.concatenate([rng.permutation(n_train)[:k] for _ in range(n_query)]).astype(np.int32)
    score, leaf = rng.uniform(size=n_query * k), rng.uniform(size=n_query * k)
    score[::k] = -np.inf
    dense, dense_leaf = np.zeros((n_query, n_train)), np.zeros((n_query, n_train))
    query = np.repeat(np.arange(n_query), k)
    dense[query, indices], dense_leaf[query, indices] = score, leaf
    return (np.arange(n_query + 1) * k, indices, score, leaf), dense, dense_leaf


def twin_heads(table, queries, dense, leaf):
    """Return predictions and coefficients of every head."""
    predictions, models = np.empty((len(queries), 4, 2)), np.empty((len(queries), 4, 2, queries.shape[1]))
    for q, w, t in np.ndindex(predictions.shape):
        weight = weights_by_kind(KINDS[w], TEMPERATURES[w], dense[q], leaf[q], table.prior)
        alpha = min(PENALTIES[t], 1e6)
        intercept, coef = weighted_lasso(table.x, table.y, weight, alpha, np.ones(queries.shape[1]))
        predictions[q, w, t] = intercept + queries[q] @ coef
        models[q, w, t] = coef
    return predictions, models


def setting(rng, n_train, p):
    X = rng.normal(size=(n_train, p))
    table = plain_table(X, X[:, 0] + rng.normal(size=n_train), rng.uniform(0.5, 2.0, size=n_train))
    return table, rng.normal(size=(3, p)), Rule(np.ones(p), False, np.zeros(p), 1e-11, 1000)


@pytest.mark.parametrize(("n_train", "p"), [(20, 3), (20, 30), (50, 45)])
def test_predictions_of_every_head_equal_the_twin(rng, n_train, p):
    table, queries, rule = setting(rng, n_train, p)
    rows, dense, leaf = sparse_scores(rng, 3, n_train)
    predictions, *_, failed = head_rows(
        *rows, queries, table, KINDS, TEMPERATURES, PENALTIES, ALL, np.zeros((4, 2)), rule
    )
    assert failed.sum() == 0
    np.testing.assert_allclose(predictions, twin_heads(table, queries, dense, leaf)[0], atol=1e-7)


def test_models_are_blended_by_their_shares(rng):
    table, queries, rule = setting(rng, 20, 3)
    rows, dense, leaf = sparse_scores(rng, 3, 20)
    shares = rng.dirichlet(np.ones(8)).reshape(4, 2)
    _, coefs, _ = head_rows(*rows, queries, table, KINDS, TEMPERATURES, PENALTIES, ALL, shares, rule)
    blended = np.einsum("wt,qwtj->qj", shares, twin_heads(table, queries, dense, leaf)[1])
    np.testing.assert_allclose(coefs, blended, atol=1e-8)


@pytest.mark.parametrize("max_range", [0.0, 0.5, 2.0])
def test_a_prediction_is_moved_back_into_its_range_by_shrinking_the_coefficients(rng, max_range):
    table, queries, rule = setting(rng, 20, 3)
    (*scores, _), dense, _ = sparse_scores(rng, 3, 20)
    one = np.array([SOFTMAX]), np.array([0.1]), PENALTIES[1:], np.ones((1, 1), np.bool_), np.ones((1, 1))
    (free, steep, _), (held, flat, _) = (
        head_rows(*scores, np.empty(0), 9.0 * queries, table, *one, rule._replace(max_range=r))
        for r in (np.inf, max_range)
    )
    weights = np.array([weights_by_kind(SOFTMAX, 0.1, dense[q], None, table.prior) for q in range(3)])
    mean = weights @ table.y
    limit = max_range * np.sqrt(weights @ table.y**2 - mean**2)
    np.testing.assert_allclose(held[:, 0, 0], np.clip(free[:, 0, 0], mean - limit, mean + limit), atol=1e-9)
    kept = (held[:, 0, 0] - mean) / (free[:, 0, 0] - mean)
    np.testing.assert_allclose(flat, kept[:, None] * steep, atol=1e-9)


@pytest.mark.parametrize(("n_train", "p"), [(20, 3), (20, 30)])
def test_with_curvatures_penalties_are_divided_by_the_mean_curvature(rng, n_train, p):
    table, queries, rule = setting(rng, n_train, p)
    curve = rng.uniform(0.1, 1.0, size=n_train)
    weight = table.prior / curve
    bent = table._replace(inverse=1 / curve, inverse_mean=float(weight.sum() / table.total))
    rows, dense, _ = sparse_scores(rng, 3, n_train)
    one = np.array([SOFTMAX]), np.array([0.5]), np.array([0.02]), np.ones((1, 1), np.bool_), np.ones((1, 1))
    found, *_ = head_rows(*rows, queries, bent, *one, rule)
    for q in range(3):
        without = weights_by_kind(SOFTMAX, 0.5, dense[q], None, weight)
        excess, penalty = without * curve, 0.02 / (without @ curve)
        intercept, coef = weighted_lasso(table.x, table.y, excess, penalty, np.ones(p))
        assert found[q, 0, 0] == pytest.approx(intercept + queries[q] @ coef, abs=1e-7)


def test_unwanted_heads_are_left_out(rng):
    table, queries, rule = setting(rng, 20, 3)
    rows, *_ = sparse_scores(rng, 3, 20)
    wanted = np.array([[True, False], [False, False], [False, True], [True, True]])
    every, *_ = head_rows(*rows, queries, table, KINDS, TEMPERATURES, PENALTIES, ALL, np.zeros((4, 2)), rule)
    some, *_ = head_rows(*rows, queries, table, KINDS, TEMPERATURES, PENALTIES, wanted, np.zeros((4, 2)), rule)
    assert np.isnan(some[:, ~wanted]).all()
    np.testing.assert_allclose(some[:, wanted], every[:, wanted], atol=1e-9)


def test_fits_that_stop_early_are_counted_over_all_weightings(rng):
    table, queries, rule = setting(rng, 50, 5)
    rows, *_ = sparse_scores(rng, 3, 50)
    start = rule._replace(start=np.full(5, 9.0), max_iter=1)
    penalties = np.array([0.1])

    def failures(ways):
        wanted = np.ones((len(ways), 1), np.bool_)
        return head_rows(
            *rows, queries, table, KINDS[ways], TEMPERATURES[ways], penalties, wanted, wanted * 1.0, start
        )[2]

    np.testing.assert_array_equal(failures([0, 1, 2]), sum(failures([w]) for w in range(3)))
    assert failures([0]).sum() > 0


def test_an_infinite_penalty_makes_a_head_a_weighted_mean(rng):
    table, queries, rule = setting(rng, 20, 3)
    rows, dense, _ = sparse_scores(rng, 3, 20)
    kinds, penalties, one = np.array([SOFTMAX]), np.array([np.inf]), np.ones((1, 1), np.bool_)
    predictions, *_ = head_rows(*rows, queries, table, kinds, np.array([0.1]), penalties, one, np.ones((1, 1)), rule)
    means = [weights_by_kind(SOFTMAX, 0.1, dense[q], None, table.prior) @ table.y for q in range(3)]
    np.testing.assert_allclose(predictions[:, 0, 0], means)


def test_dense_scores_equal_the_same_scores_stored_sparsely(rng):
    table, queries, rule = setting(rng, 20, 3)
    rows, dense, _ = sparse_scores(rng, 3, 20)
    heads = KINDS[:2], TEMPERATURES[:2], PENALTIES, ALL[:2], np.full((2, 2), 0.25), rule
    found = [head_rows(*part[:4], queries, table, *heads) for part in (rows, dense_rows(dense))]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_single_training_row_predicts_its_response(rng):
    table, queries, rule = setting(rng, 1, 3)
    rows = np.array([0, 1, 1, 1]), np.zeros(1, np.int32), np.array([0.5]), np.array([0.5])
    predictions, *_ = head_rows(*rows, queries, table, KINDS, TEMPERATURES, PENALTIES, ALL, np.zeros((4, 2)), rule)
    np.testing.assert_allclose(predictions, table.y[0])


@pytest.mark.parametrize(("n_train", "p"), [(20, 5), (20, 30), (60, 45)])
def test_a_head_that_uses_the_first_columns_is_the_one_of_these_alone(rng, n_train, p):
    table, queries, rule = setting(rng, n_train, p)
    few = plain_table(table.x[:, : p - 2], table.y, table.prior)
    rows, *_ = sparse_scores(rng, 3, n_train)
    penalties, both = np.array([np.inf, 0.1, 0.2, 0.02]), np.ones((4, 4), np.bool_)
    uses, shares = np.array([p - 2, p - 2, p, p]), rng.dirichlet(np.ones(16)).reshape(4, 4)
    found, coefs, _ = head_rows(*rows, queries, table, KINDS, TEMPERATURES, penalties, both, shares, rule, uses)
    heads = KINDS, TEMPERATURES, penalties
    plain, slopes, _ = head_rows(
        *rows, queries[:, : p - 2], few, *heads, both & (uses < p), shares, rule._replace(
            scale=np.ones(p - 2), start=np.zeros(p - 2))
    )  # fmt: skip
    every, all_slopes, _ = head_rows(*rows, queries, table, *heads, both & (uses == p), shares, rule)
    np.testing.assert_allclose(found[..., :2], plain[..., :2], atol=1e-7)
    np.testing.assert_allclose(found[..., 2:], every[..., 2:], atol=1e-7)
    np.testing.assert_allclose(coefs, all_slopes + np.pad(slopes, ((0, 0), (0, 2))), atol=1e-7)
