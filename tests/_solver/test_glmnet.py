"""Local fits equal R's glmnet on every stored case: values on the link scale, in units of their deviation."""

import json
from pathlib import Path

import numpy as np
import pytest

from heedful import local_lasso
from reference.cases import survival

FAMILIES = ("gaussian", "binomial", "multinomial", "cox")
GLMNET = {
    family: json.loads((Path(__file__).parents[1] / "fixtures" / f"glmnet_{family}.json").read_text())
    for family in FAMILIES
}
CASES = [
    pytest.param(family, case, id=f"{family}-{case['weights_row']}-{case['lambda']}-{case['standardize']}")
    for family in FAMILIES
    for case in GLMNET[family]["cases"]
]


def response(family):
    stored = GLMNET[family]
    return survival(np.array(stored["status"]), stored["time"]) if family == "cox" else np.array(stored["y"])


def theirs(family, X, coef):
    """Return glmnet's linear predictor (n_rows, n_outputs); it has no intercept for cox."""
    rows = np.atleast_2d(coef)
    return X @ rows.T if family == "cox" else rows[:, 0] + X @ rows[:, 1:].T


@pytest.mark.parametrize(("family", "case"), CASES)
def test_fits_equal_glmnet(family, case):
    X, weights = np.array(GLMNET[family]["X"]), np.array(GLMNET[family]["W"])[[case["weights_row"]]]
    rule = "weighted" if case["standardize"] else False
    fits = local_lasso(X, response(family), weights, alpha=case["lambda"], family=family, standardize=rule)
    mine = np.atleast_1d(fits.intercept_[0]) + X @ np.atleast_2d(fits.coef_[0]).T
    expected = theirs(family, X, np.array(case["coef"]))
    if family == "multinomial":
        mine, expected = (link - link.mean(axis=1, keepdims=True) for link in (mine, expected))
    assert np.abs(mine - expected).max() <= 1e-4 * max(expected.std(), 1e-8)


def test_half_of_the_cases_are_standardised_and_none_is_missing():
    assert [len(GLMNET[family]["cases"]) for family in FAMILIES] == [36] * 4
    assert all(2 * sum(case["standardize"] for case in GLMNET[family]["cases"]) == 36 for family in FAMILIES)
