"""Stability: neighbours of equal models have ratio 0 and overlap 1."""

import numpy as np
import pytest

from heedful import AttentionLasso, LocalLasso


def by_loop(e, k):
    rows = e.design.to_numpy() / e.design.to_numpy().std(axis=0)
    coef = e.coef.to_numpy() * e.design.to_numpy().std(axis=0)
    ratio, overlap = [], []
    for q in range(len(rows)):
        distance = np.linalg.norm(rows - rows[q], axis=1)
        near = [r for r in np.argsort(distance, kind="stable") if r != q][:k]
        ratio.append(max(np.linalg.norm(coef[q] - coef[r]) / distance[r] for r in near))
        active = [{*np.flatnonzero(coef[r])} for r in (q, *near)]
        shared = [len(active[0] & other) / len(active[0] | other) if active[0] | other else 1.0 for other in active[1:]]
        overlap.append(np.mean(shared))
    return np.array(ratio), np.array(overlap)


SPARSE = {"heads": "single", "temperature": 0.1, "mixing": 1.0, "local": LocalLasso(alpha_ratio=2.0)}


@pytest.mark.parametrize("settings", [{}, SPARSE], ids=["all columns in use", "few columns in use"])
def test_it_equals_the_loop_over_neighbours(rng, settings):
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + 0.1 * rng.normal(size=60)
    e = AttentionLasso(random_state=0, **settings).fit(X, y).explain(X)
    ratio, overlap = by_loop(e, 5)
    assert bool(settings) == ((overlap > 0) & (overlap < 1)).any()
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
