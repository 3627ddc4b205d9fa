"""Stability: neighbours of equal models have ratio 0 and overlap 1."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso
from heedful.explain._stability import compare_neighbours


def by_loop(rows, coef, k):
    ratio, overlap = [], []
    for q in range(len(rows)):
        distance = np.linalg.norm(rows - rows[q], axis=1)
        near = [r for r in np.argsort(distance, kind="stable") if r != q][:k]
        ratio.append(max(np.linalg.norm(coef[q] - coef[r]) / distance[r] for r in near))
        active = [{*np.flatnonzero(coef[r])} for r in (q, *near)]
        shared = [len(active[0] & other) / len(active[0] | other) if active[0] | other else 1.0 for other in active[1:]]
        overlap.append(np.mean(shared))
    return np.array(ratio), np.array(overlap)


def test_it_is_that_of_models_and_queries_per_deviation_of_the_columns(rng):
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + 0.1 * rng.normal(size=60)
    e = AttentionLasso(random_state=0).fit(X, y).explain(X)
    deviation = e.lasso_design.to_numpy().std(axis=0)
    ratio, overlap = by_loop(e.lasso_design.to_numpy() / deviation, e.lasso_coef.to_numpy() * deviation, 5)
    found = e.stability()
    np.testing.assert_allclose(found["lipschitz"], ratio, rtol=1e-9)
    np.testing.assert_allclose(found["overlap"], overlap)


def test_neighbours_of_models_with_few_columns_equal_the_loop(rng):
    rows, models = rng.normal(size=(40, 2)), rng.normal(size=(40, 4)) * (rng.uniform(size=(40, 4)) < 0.4)
    assert (models == 0).all(axis=1).sum() > 1
    found = compare_neighbours(rows, pd.DataFrame(models), 6)
    ratio, overlap = by_loop(rows, models, 6)
    np.testing.assert_allclose(found["lipschitz"], ratio)
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
