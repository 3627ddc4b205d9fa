"""Tests of drift keep their level whatever the model."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, norm
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from estimators.test_drift_reference import draw
from heedful._models.recent import Recent
from heedful.estimators._drift_tests import compare_periods

MODELS = {
    "underfitted": LinearRegression,
    "overfitted": lambda: RandomForestRegressor(10, min_samples_leaf=1, random_state=0),
}


def as_rows(X, y, predicted):
    n_rows = len(y)
    parts = (np.ones(n_rows), np.full(n_rows, np.nan), predicted[:, None], np.empty((n_rows, 0), np.int32))
    return Recent(X, pd.DataFrame({"y": y}), y, *parts)


@pytest.mark.parametrize("name", MODELS)
def test_p_values_are_uniform_if_nothing_moved(name):
    z = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = MODELS[name]().fit(*draw(rng, 100))
        periods = [(X, y, model.predict(X)) for X, y in (draw(rng, 80), draw(rng, 100))]
        found, _ = compare_periods(*(as_rows(*period) for period in periods), seed=seed, n_jobs=1)
        z.append([found["rows moved"], found["relation moved"]])
    p = norm.sf(z)
    assert (p <= 0.01).mean(axis=0).max() <= 0.05
    assert (p <= 0.1).mean(axis=0).max() <= 0.22
    assert min(kstest(column, "uniform").pvalue for column in p.T) > 0.005
