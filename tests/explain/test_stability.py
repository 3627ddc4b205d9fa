"""Stability: neighbours of equal models have ratio 0 and overlap 1."""

import numpy as np
import pytest

from heedful import AttentionLasso


def by_loop(e, k):
    rows = e.design.to_numpy() / e.design.to_numpy().std(axis=0)
    coef = e.coef.to_numpy() * e.design.to_numpy().std(axis=0)
    ratio, overlap = [], []
    for q in range(len(rows)):
        distance = np.linalg.norm(rows - rows[q], axis=1)
        near = [r for r in np.argsort(distance, kind="stable") if r != q][:k]
        ratio.append(max(np.linalg.norm(coef[q] - coef[r]) / distance[r] for r in near))
        both = [((coef[q] != 0) & (coef[r] != 0)).sum() / max(((coef[q] != 0) | (coef[r] != 0)).sum(), 1) for r in near]
        overlap.append(np.mean(both))
    return np.array(ratio), np.array(overlap)


def test_it_equals_the_loop_over_neighbours(rng):
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + 0.1 * rng.normal(size=60)
    e = AttentionLasso(random_state=0).fit(X, y).explain(X)
    ratio, overlap = by_loop(e, 5)
    found = e.stability()
    np.testing.assert_allclose(found["lipschitz"], ratio, rtol=1e-9)
    np.testing.assert_allclose(found["overlap"], overlap)


def test_one_model_for_all_is_perfectly_stable(rng):
    X = rng.normal(size=(30, 3))
    found = AttentionLasso(mixing=0.0, random_state=0).fit(X, X[:, 0]).explain(X).stability()
    assert (found["lipschitz"] == 0).all()
    assert (found["overlap"] == 1).all()


def test_equal_queries_say_nothing_about_the_ratio(regression):
    model, X, _ = regression
    twice = X.iloc[[0, 0, 1, 1, 2]]
    assert np.isfinite(model.explain(twice.reset_index(drop=True)).stability(2)["lipschitz"]).all()


def test_a_single_query_has_no_neighbours(regression):
    model, X, _ = regression
    with pytest.raises(ValueError, match="at least 2 rows"):
        model.explain(X[:1]).stability()
