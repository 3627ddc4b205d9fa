"""Rows near a query: predicted from what its own fits took, as if each were asked about alone."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionGLM, AttentionLasso, AttentionLassoClassifier, LocalLasso, _kernels
from heedful._explaining.around import values_near
from heedful._flow.kinds import Run
from heedful._flow.near import can_share
from heedful._flow.predict import Wanted
from heedful._flow.rows import CodedRows
from heedful.similarity import ForestProximity, GaussianSimilarity

N, N_QUERY = 160, 4


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd"))
    X["town"] = rng.choice(["one", "two", "three"], N)
    X.loc[rng.random(N) < 0.05, "b"] = np.nan
    link = np.where(X["a"] > 0, 2.0, -1.0) * X["c"] + (X["town"] == "two") + np.sin(2 * X["d"])
    return X, link.to_numpy(), rng


def outcome(task, link, rng):
    if task == "survival":
        time = rng.exponential(np.exp(-link))
        return np.array(list(zip(time < 2, np.minimum(time, 2), strict=True)), dtype=[("event", bool), ("time", float)])
    return {
        "number": link + 0.3 * rng.normal(size=N),
        "two": link + rng.logistic(size=N) > 0,
        "three": np.digitize(link + rng.normal(size=N), [-1.0, 1.0]),
        "counts": rng.poisson(np.exp(0.5 * link)),
    }[task]


SMALL = ForestProximity(30)
MODELS = {
    "number": AttentionLasso,
    "two": AttentionLassoClassifier,
    "three": AttentionLassoClassifier,
    "counts": AttentionGLM,
    "survival": AttentionCox,
}


def moved_rows(fitted, codes, rng, columns):
    """Return rows with some columns of training rows, and their queries, in no order."""
    train = fitted.models.train_codes()
    source = rng.permutation(np.repeat(np.arange(len(codes)), 6))
    moved = codes[source].copy()
    for i in range(len(moved)):
        chosen = rng.choice(codes.shape[1], columns, replace=False)
        moved[i, chosen] = train[rng.integers(len(train)), chosen]
    return moved, source


def both_ways(model, X, rng, columns):
    """Return what is predicted of rows near queries, and of the same rows alone."""
    fitted = model._fitted
    codes = fitted.rows.read(X)
    moved, source = moved_rows(fitted, codes, rng, columns)
    near = values_near(fitted, CodedRows(codes, None, fitted.models.given_columns), moved, source, Run())
    alone = fitted.predict(fitted.read_rows(CodedRows(moved, None, fitted.models.given_columns)), Wanted(), Run()).value
    return near, alone


@pytest.mark.one_value
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("task", MODELS)
def test_rows_near_a_query_are_predicted_as_if_they_were_alone(table, task, columns):
    X, link, _ = table
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.5, 2.0, N)
    model = MODELS[task](random_state=0).fit(X, outcome(task, link, rng), sample_weight=weight)
    model._fitted.tuned = model._fitted.tuned._replace(
        share=np.full(model._fitted.grid.n_heads, 0.9 / model._fitted.grid.n_heads)
    )
    assert can_share(model._fitted.heads())
    near, alone = both_ways(model, X.iloc[:N_QUERY], rng, columns)
    assert np.abs(alone - alone.mean(axis=0)).max() > 1e-3
    np.testing.assert_allclose(near, alone, atol=2e-6 * max(1.0, np.abs(alone).max()))


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({"local": LocalLasso(tol=1e-11)}, True),
        ({"local": LocalLasso(limits={"a": "+"})}, False),
        ({"local": LocalLasso(penalty="group")}, False),
        ({"mixing": "adaptive"}, False),
        ({"temperature": 0.005}, False),
        ({"similarity": GaussianSimilarity(), "cv": 3}, False),
        ({"local": LocalLasso(standardize="weighted", tol=1e-11)}, True),
    ],
    ids=["plain", "limits", "groups", "own mixing", "cold", "gaussian", "weighted scale"],
)
def test_what_cannot_be_shared_is_asked_about_row_by_row(table, options, shares):
    X, link, _ = table
    rng = np.random.default_rng(2)
    settings = {"heads": "single", "similarity": SMALL, "mixing": 0.7, "random_state": 0} | options
    model = AttentionLasso(**settings).fit(X, outcome("number", link, rng))
    assert can_share(model._fitted.heads()) == shares
    near, alone = both_ways(model, X.iloc[:N_QUERY], rng, 2)
    np.testing.assert_allclose(near, alone, atol=2e-6 * np.abs(alone).max())


def test_wide_tables_share_too(table):
    _, link, _ = table
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 60))
    X[:, 0] = link
    model = AttentionLasso(similarity=SMALL, random_state=0).fit(X, np.abs(link) * X[:, 1] + rng.normal(size=N))
    model._fitted.tuned = model._fitted.tuned._replace(
        share=np.full(model._fitted.grid.n_heads, 0.5 / model._fitted.grid.n_heads)
    )
    assert model._fitted.problem.narrow is not None
    assert can_share(model._fitted.heads())
    near, alone = both_ways(model, X[:N_QUERY], rng, 5)
    np.testing.assert_allclose(near, alone, atol=2e-6 * np.abs(alone).max())


def test_threads_make_no_difference(table):
    X, link, _ = table
    model = AttentionLasso(similarity=SMALL, random_state=0).fit(X, link)
    fitted = model._fitted
    codes = fitted.rows.read(X)
    moved, source = moved_rows(fitted, codes, np.random.default_rng(4), 2)
    queries = CodedRows(codes, None, fitted.models.given_columns)
    one, two = (values_near(fitted, queries, moved, source, Run(n_jobs=jobs)) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_leaves_of_rows_near_a_query_are_their_leaves(table):
    X, link, _ = table
    rng = np.random.default_rng(5)
    fitted = AttentionLasso(similarity=SMALL, random_state=0).fit(X, link)._fitted
    codes = fitted.rows.read(X.iloc[:N_QUERY])
    moved, source = moved_rows(fitted, codes, rng, 2)
    order = np.argsort(source, kind="stable")
    forest = fitted.grid.similarities[0].index.forest
    seen, beside = (fitted.rows.seen_rows(part, "bins") for part in (codes, moved[order]))
    leaves, moved_leaves = forest.near_leaves(seen, beside, source[order])
    np.testing.assert_array_equal(leaves, forest.apply(seen))
    np.testing.assert_array_equal(moved_leaves, forest.apply(beside))
    assert (moved_leaves != leaves[source[order]]).any()


def test_a_query_without_rows_near_it_is_passed_over():
    assert "near_rows" in _kernels.__all__
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 3))
    fitted = AttentionLasso(similarity=SMALL, mixing=0.5, random_state=0).fit(X, X[:, 0])._fitted
    codes = X[:3]
    moved = X[[5, 6]]
    queries = CodedRows(codes, None, fitted.models.given_columns)
    near = values_near(fitted, queries, moved, np.array([2, 0]), Run())
    alone = fitted.predict(fitted.read_rows(CodedRows(moved, None, fitted.models.given_columns)), Wanted(), Run()).value
    np.testing.assert_allclose(near, alone, atol=1e-6)
