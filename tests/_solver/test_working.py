"""A family without a kernel of its own is fitted by lassos of working responses: R's glmnet has the same minimum."""

import json
from pathlib import Path

import numpy as np
import pytest

from heedful._kernels.shapes import OTHER, Rule
from heedful._solver import Classes, Deviance, RowByRow, build_table, fit_family, measure, no_model
from heedful._solver.weights import read_weights

GLMNET = json.loads((Path(__file__).parents[1] / "fixtures" / "glmnet_poisson.json").read_text())
CASES = [pytest.param(case, id="-".join(map(str, list(case.values())[:3]))) for case in GLMNET["cases"]]


def fit(X, family, weights, alpha, standardize):
    rows, prior = read_weights(weights, X.shape[0])
    scale = measure(X, family.response)
    table = build_table(X, family.response, prior, scale)
    penalty_scale = scale.pad(np.ones(X.shape[1]) if standardize else 1.0 / scale.unit)
    rule = Rule(penalty_scale, standardize, np.zeros(scale.width), 1e-9, 10_000)
    paths = fit_family(rows, table, family, np.array([alpha]), rule, no_model(1, scale.width))
    assert paths.n_failed == 0
    intercept, coef = paths.unscaled(scale)
    return intercept[:, 0] + coef[:, 0, 0] @ X.T


class KernelFreeCounts(Deviance):
    """Counts whose loss no kernel is told of."""

    outcome = RowByRow.outcome


@pytest.mark.parametrize("case", CASES)
def test_counts_equal_glmnet(case):
    X, weights = np.array(GLMNET["X"]), np.array(GLMNET["W"])[[case["weights_row"]]]
    found = fit(
        X, KernelFreeCounts(np.array(GLMNET["y"], dtype=float), 1.0), weights, case["lambda"], case["standardize"]
    )[0]
    expected = case["coef"][0] + X @ np.array(case["coef"][1:])
    assert np.abs(found - expected).max() <= 1e-4 * max(expected.std(), 1e-8)


class KernelFree(Classes):
    """Two classes whose loss no kernel is told of."""

    @property
    def outcome(self):
        return super().outcome._replace(kind=OTHER)


@pytest.mark.parametrize("standardize", [True, False])
def test_working_responses_and_the_kernel_have_the_same_minimum(rng, standardize):
    X = rng.normal(size=(80, 5))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(float)
    weights = rng.uniform(size=(3, 80)) * (rng.uniform(size=(3, 80)) > 0.3)
    found, expected = (fit(X, family(y, 2), weights, 0.02, standardize) for family in (KernelFree, Classes))
    np.testing.assert_allclose(found, expected, atol=1e-5)
