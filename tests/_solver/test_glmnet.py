"""Local fits equal R's glmnet on every stored case: values on the link scale, in units of their deviation."""

import json
from pathlib import Path

import numpy as np
import pytest

from heedful import local_lasso
from reference.cases import survival

PLAIN = ("gaussian", "binomial", "multinomial", "cox", "poisson")
STORED = (*PLAIN, "poisson_offset", "gamma_log", "gaussian_factors", "binomial_factors", "poisson_factors")
GLMNET = {
    name: json.loads((Path(__file__).parents[1] / "fixtures" / f"glmnet_{name}.json").read_text()) for name in STORED
}
CASES = [
    pytest.param(
        *(name, case),
        id=f"{name}-{case['weights_row']}-{case['lambda']}-{case['standardize']}",
        # kernels of counts within limits are compiled for this alone
        marks=[pytest.mark.more] * (name == "poisson_factors"),
    )
    for name in STORED
    for case in GLMNET[name]["cases"]
]


def response(name):
    stored = GLMNET[name]
    return survival(np.array(stored["status"]), stored["time"]) if name == "cox" else np.array(stored["y"])


def asked(name):
    """Return family, offset, penalty factors and limits of a stored table."""
    stored = GLMNET[name]
    limits = (stored["lower"], stored["upper"]) if "lower" in stored else None
    return {
        "family": name.split("_")[0],
        "offset": stored.get("offset"),
        "penalty_factor": stored.get("penalty_factor"),
        "limits": limits,
    }


def theirs(name, X, coef):
    """Return glmnet's linear predictor (n_rows, n_outputs); it has no intercept for cox."""
    rows = np.atleast_2d(coef)
    return X @ rows.T if name == "cox" else rows[:, 0] + X @ rows[:, 1:].T


@pytest.mark.parametrize(("name", "case"), CASES)
def test_fits_equal_glmnet(name, case):
    X, weights = np.array(GLMNET[name]["X"]), np.array(GLMNET[name]["W"])[[case["weights_row"]]]
    rule = "weighted" if case["standardize"] else False
    fits = local_lasso(X, response(name), weights, alpha=case["lambda"], standardize=rule, **asked(name))
    mine = np.atleast_1d(fits.intercept_[0]) + X @ np.atleast_2d(fits.coef_[0]).T
    expected = theirs(name, X, np.array(case["coef"]))
    if name == "multinomial":
        mine, expected = (link - link.mean(axis=1, keepdims=True) for link in (mine, expected))
    assert np.abs(mine - expected).max() <= 1e-4 * max(expected.std(), 1e-8)


def test_half_of_the_cases_are_standardised_and_none_is_missing():
    assert [len(GLMNET[name]["cases"]) for name in STORED] == [36] * 6 + [34] + [36] * 3
    assert all(2 * sum(case["standardize"] for case in one["cases"]) == len(one["cases"]) for one in GLMNET.values())
