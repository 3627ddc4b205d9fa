"""The methods, each at its defaults and on one thread: what each expects of rows that were left out.

Rivals know no exposures: they are fitted to rates, with the exposure to the power 2 - p as weights. Under a log link
and a variance that grows with the mean to the power p that is the same as an offset.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from lightgbm import LGBMRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold

from benchmarks import rivals
from benchmarks.counts.tables import GAMMA, POISSON, Draw
from benchmarks.tables import one_hot
from heedful import AttentionGLM
from heedful.baseline import GlmBaseline

OURS, LASSO, TRUTH = "AttentionGLM", "lasso", "truth"
FOLDS = f"{OURS}, five folds"
NAMES = {POISSON: "poisson", GAMMA: "gamma"}
Expect = Callable[[Draw, int], np.ndarray]


def attention(draw: Draw, seed: int, cv: Any = "oob") -> np.ndarray:
    """Return what heedful expects."""
    model = AttentionGLM(family=draw.power, cv=cv, random_state=seed, n_jobs=1)
    model.fit(draw.train.X, draw.train.y, exposure=draw.train.exposure)
    return model.predict(draw.test.X, exposure=draw.test.exposure)


def attention_by_folds(draw: Draw, seed: int) -> np.ndarray:
    """Return what heedful expects if folds, which may part equal rows, choose its shares."""
    return attention(draw, seed, KFold(5, shuffle=True, random_state=seed))


def lasso(draw: Draw, seed: int) -> np.ndarray:
    """Return what a lasso under the same deviance expects."""
    first, second = one_hot(draw.train.X, draw.test.X)
    model = GlmBaseline(NAMES.get(draw.power, "tweedie"), power=draw.power, random_state=seed)
    model.fit(first, draw.train.y, offset=np.log(draw.train.exposure))
    return model.predict(second, offset=np.log(draw.test.exposure))


def by_rates(draw: Draw, fit_predict: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return exposures times predicted rates; rates are in units of their mean, which some rivals start from."""
    train = draw.train
    unit = train.y.sum() / train.exposure.sum()
    rates = fit_predict(train.y / train.exposure / unit, train.exposure ** (2.0 - draw.power))
    return draw.test.exposure * unit * rates


def lightgbm(draw: Draw, seed: int) -> np.ndarray:
    """Return what LightGBM expects."""
    # the power is read with objective "tweedie" alone
    how = {"objective": NAMES.get(draw.power, "tweedie"), "tweedie_variance_power": min(draw.power, 1.99)}
    model = LGBMRegressor(**how, random_state=seed, n_jobs=1, verbose=-1)
    return by_rates(draw, lambda y, weight: model.fit(draw.train.X, y, sample_weight=weight).predict(draw.test.X))


def catboost(draw: Draw, seed: int) -> np.ndarray:
    """Return what CatBoost expects; it has no Gamma."""
    loss = "Poisson" if draw.power == POISSON else f"Tweedie:variance_power={draw.power:g}"
    model = rivals.make_catboost(seed).set_params(loss_function=loss)
    categories = list(draw.train.X.select_dtypes("category"))

    def fit_predict(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        model.fit(draw.train.X, y, sample_weight=weight, cat_features=categories)
        return model.predict(draw.test.X, prediction_type="Exponent")

    return by_rates(draw, fit_predict)


def histogram(draw: Draw, seed: int) -> np.ndarray:
    """Return what scikit-learn's booster expects; it has no Tweedie, for which its Poisson stands in."""
    loss = NAMES.get(draw.power, "poisson")
    model = HistGradientBoostingRegressor(loss=loss, random_state=seed)

    def fit_predict(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        given = draw.train.exposure if draw.power not in NAMES else weight
        return model.fit(draw.train.X, y, sample_weight=given).predict(draw.test.X)

    return by_rates(draw, fit_predict)


def ebm(draw: Draw, seed: int) -> np.ndarray:
    """Return what an explainable boosting machine expects."""
    objective = (
        f"{NAMES[draw.power]}_deviance" if draw.power in NAMES else f"tweedie_deviance:variance_power={draw.power:g}"
    )
    model = rivals.make_ebm(seed, objective=objective)
    return by_rates(draw, lambda y, weight: model.fit(draw.train.X, y, sample_weight=weight).predict(draw.test.X))


def truth(draw: Draw, seed: int) -> np.ndarray:  # noqa: ARG001 - as all methods
    """Return the true means of a simulation."""
    return draw.test.truth


METHODS: dict[str, Expect] = {
    OURS: attention,
    FOLDS: attention_by_folds,
    LASSO: lasso,
    "LightGBM": lightgbm,
    "CatBoost": catboost,
    "scikit-learn": histogram,
    "EBM": ebm,
    TRUTH: truth,
}
PACKAGES = {
    OURS: ("heedful", "scikit-learn"),
    FOLDS: ("heedful", "scikit-learn"),
    LASSO: ("heedful",),
    "LightGBM": ("lightgbm",),
    "CatBoost": ("catboost",),
    "EBM": ("interpret-core",),
    "scikit-learn": ("scikit-learn",),
    TRUTH: ("heedful",),
}


def has_method(name: str, title: str) -> bool:
    """Return whether a method is for a table.

    CatBoost has no Gamma, nobody knows the truth of visits, and folds are for tables in which many rows are equal.
    """
    kind = title.partition(",")[0]
    return kind == "visits" if name == FOLDS else (name, kind) not in {("CatBoost", "severity"), (TRUTH, "visits")}
