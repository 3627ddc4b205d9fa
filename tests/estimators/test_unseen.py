"""The error on unseen rows: that of the lasso whatever else is fitted, and near that of new rows."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from heedful import AttentionLasso, DriftCorrector, LocalLasso
from heedful.similarity import ForestProximity


@pytest.fixture(scope="module")
def fits():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(1200, 3))
    y = 2 * X[:, 0] ** 2 + np.abs(X[:, 1]) * 3 + X[:, 2] + 0.3 * rng.normal(size=1200)
    how = {"similarity": ForestProximity(30), "random_state": 0}
    models = [AttentionLasso(local=LocalLasso(shapes=shapes), **how).fit(X[:300], y[:300]) for shapes in (True, False)]
    return X[300:], y[300:], models


def test_the_baseline_is_the_lasso_with_and_without_shapes(fits):
    assert fits[2][0]._model.tuned.additive > 0
    with_shapes, without = (model.held_out_error_["baseline"] for model in fits[2])
    assert with_shapes == pytest.approx(without)


def test_it_is_near_the_error_of_new_rows(fits):
    X, y, models = fits
    for model in models:
        new = [np.sqrt(np.mean((part.predict(X) - y) ** 2)) for part in (model, model.baseline_)]
        # a row is predicted by about a third of the 30 trees only, so its error is rather too large
        np.testing.assert_allclose(model.held_out_error_[:2], new, rtol=0.2)
        assert model.held_out_error_.name == "root mean squared error"


def test_where_nothing_was_tried_nothing_is_known(rng):
    X = rng.normal(size=(40, 2))
    assert AttentionLasso(mixing=0.0).fit(X, X[:, 0]).held_out_error_.isna().all()


def test_a_correction_by_few_rows_is_judged_as_it_is_applied(rng):
    X = rng.normal(size=(430, 2))
    model = GradientBoostingRegressor(random_state=0).fit(X[:400], X[:400, 0])
    corrector = DriftCorrector(model, temperature=1.0, random_state=0).fit(X[400:], X[400:, 0] + 3.0)
    told = corrector.drift_report().summary["value"]
    error = corrector.held_out_error_
    assert error["baseline"] == pytest.approx(told["error before"])
    # shares of the one are fitted without the row, those of the other are the final ones
    assert error["attention"] == pytest.approx(told["error after"], rel=0.02)
