"""Boosters of counts and costs, whose predictions are corrected by factors."""

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.metrics import mean_poisson_deviance
from tests.reference.differences import differences

from heedful import AttentionGLM, DriftCorrector, load_model, save_model
from heedful._models.served import ServedModel
from heedful._responses import Regression, ServedCosts
from heedful.similarity import GaussianSimilarity
from reference.rows import served_costs_of

LGBM = {"n_estimators": 8, "verbose": -1, "n_jobs": 1}
MODELS = {
    "LightGBM": (lambda: lightgbm.LGBMRegressor(objective="poisson", **LGBM), 1.0),
    "LightGBM Tweedie": (lambda: lightgbm.LGBMRegressor(objective="tweedie", **LGBM), 1.5),
    "XGBoost": (lambda: xgboost.XGBRegressor(objective="count:poisson", n_estimators=8), 1.0),
    "XGBoost Gamma": (lambda: xgboost.XGBRegressor(objective="reg:gamma", n_estimators=8), 2.0),
    "CatBoost": (lambda: catboost.CatBoostRegressor(loss_function="Tweedie:variance_power=1.5", iterations=8, verbose=0,
                                                    allow_writing_files=False), 1.5),
    "scikit-learn": (lambda: HistGradientBoostingRegressor(loss="poisson", max_iter=8), 1.0),
    "heedful": (lambda: AttentionGLM(family="gamma", heads="single", mixing=0.0, alpha=0.1), 2.0),
}  # fmt: skip


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(400, 3))
    return X, rng.poisson(np.exp(1 + X[:, 0])) + 1.0


@pytest.mark.one_value
@pytest.mark.parametrize("name", MODELS)
def test_equal_attention_multiplies_by_the_factor_of_smallest_deviance(rows, name):
    X, y = rows
    make, power = MODELS[name]
    model = make().fit(X[:200], y[:200])
    assert ServedModel(model, needs_leaves=False).response.power == power
    later, recent = X[200:300], 3.0 * y[200:300]
    corrector = DriftCorrector(model, similarity=GaussianSimilarity(), temperature=1e9, mixing=1.0, random_state=0).fit(
        later, recent
    )
    before = np.asarray(model.predict(later), float)
    ratio = (recent * before ** (1 - power)).sum() / (before ** (2 - power)).sum()
    expected = (0.99 * ratio + 0.01) * model.predict(X[300:])
    np.testing.assert_allclose(corrector.predict(X[300:]), expected, rtol=1e-5)


def test_a_segment_whose_rate_doubled_is_found_and_saved(rows, tmp_path, rng):
    X, y = rows
    model = MODELS["scikit-learn"][0]().fit(X[:200], y[:200])
    X = rng.normal(size=(800, 3))
    y = rng.poisson(np.exp(1 + X[:, 0]) * np.where(X[:, 1] > 0, 4.0, 1.0)) + 1.0
    corrector = DriftCorrector(model, similarity=GaussianSimilarity(), random_state=0).fit(X[:400], y[:400])
    corrected = corrector.predict(X[400:])
    assert corrected.min() > 0
    before, after = (mean_poisson_deviance(y[400:], part) for part in (model.predict(X[400:]), corrected))
    assert after < 0.6 * before
    report = corrector.drift_report()
    assert report.error == "half Poisson deviance"
    assert report.summary.loc["error before", "value"] == pytest.approx(
        mean_poisson_deviance(y[:400], model.predict(X[:400])) / 2
    )
    assert corrector.score(X[400:], y[400:]) > 0
    assert corrector.explain(X[400:405], y[400:405]).prediction.tolist() == corrected[:5].tolist()
    save_model(corrector, tmp_path / "corrector.skops")
    # trees of another package take a word of trust
    trusted = ["sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"]
    again = load_model(tmp_path / "corrector.skops", trusted=trusted)
    np.testing.assert_array_equal(again.predict(X[400:]), corrected)


def test_forests_have_no_link_whatever_their_criterion(rows):
    forest = RandomForestRegressor(5, criterion="poisson", random_state=0).fit(*rows)
    assert type(ServedModel(forest, needs_leaves=True).response) is Regression
    booster = lightgbm.LGBMRegressor(**LGBM).fit(*rows)
    assert not isinstance(ServedModel(booster, needs_leaves=True).response, ServedCosts)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_loss_of_means_has_its_gradient(rng, power):
    family, mean = served_costs_of(rng.gamma(2.0, size=20) + 0.1, power), rng.gamma(2.0, size=20) + 0.1
    np.testing.assert_allclose(
        family.losses(mean).gradient, differences(lambda at: family.losses(at).value.sum(), mean), rtol=1e-5, atol=1e-7
    )
    np.testing.assert_allclose(family.link_of(family.values(np.log(mean))), np.log(mean))
