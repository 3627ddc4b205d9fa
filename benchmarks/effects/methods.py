"""The methods, each on one thread: effects on rows that were left out, with intervals where a method has them.

Rivals of econml are here as they come, and with boosted trees for what is expected of outcome and treatment; that of
stochtree is as it comes.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold

from heedful import AttentionEffect
from heedful.datasets import Effects

OURS, ONE, LASSO, FOREST = "AttentionEffect", "one effect for all", "R-lasso", "CausalForestDML"
COVERAGE, FOLDS, CLIP = 0.9, 5, 0.02


class Answer(NamedTuple):
    """Effects on left-out rows, their intervals and that of the average effect; None where a method has none."""

    effect: np.ndarray
    interval: np.ndarray | None = None
    average: tuple[float, float, float] | None = None


def attention(train: Effects, X: np.ndarray, seed: int) -> Answer:
    """Return what heedful says; its average effect is a method of its own."""
    model = AttentionEffect(random_state=seed, n_jobs=1).fit(train.X, train.y, train.treatment)
    average = model.average_effect(coverage=COVERAGE)
    return Answer(model.effect(X), average=(float(average.effect), average.low, average.high))


def r_lasso(train: Effects, X: np.ndarray, seed: int) -> Answer:
    """Return the R-learner of three lassos."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    outcome, propensity = np.empty(len(train.y)), np.empty(len(train.y))
    for inside, left_out in folds.split(train.X, train.treatment):
        chance = LogisticRegressionCV(
            l1_ratios=(1.0,), solver="liblinear", cv=FOLDS, scoring="neg_log_loss", use_legacy_attributes=False
        )
        chance.fit(train.X[inside], train.treatment[inside])
        propensity[left_out] = chance.predict_proba(train.X[left_out])[:, 1]
        model = LassoCV(cv=FOLDS).fit(train.X[inside], train.y[inside])
        outcome[left_out] = model.predict(train.X[left_out])
    left = train.treatment - np.clip(propensity, CLIP, 1 - CLIP)
    model = LassoCV(cv=FOLDS).fit(train.X, (train.y - outcome) / left, sample_weight=left**2)
    return Answer(model.predict(X))


def booster(kind: Any, seed: int) -> Any:
    """Return LightGBM at its defaults."""
    return kind(random_state=seed, n_jobs=1, verbose=-1)


def t_learner(train: Effects, X: np.ndarray, seed: int) -> Answer:
    """Return the difference of a booster for each arm."""
    treated = train.treatment == 1
    with_it, without = (booster(LGBMRegressor, seed).fit(train.X[arm], train.y[arm]) for arm in (treated, ~treated))
    return Answer(with_it.predict(X) - without.predict(X))


def x_learner(train: Effects, X: np.ndarray, seed: int) -> Answer:
    """Return Kuenzel's X-learner: effects imputed by the other arm's booster, learned in each arm, then weighed."""
    treated = train.treatment == 1
    arms = {True: treated, False: ~treated}
    means = {arm: booster(LGBMRegressor, seed).fit(train.X[rows], train.y[rows]) for arm, rows in arms.items()}
    gained = train.y[treated] - means[False].predict(train.X[treated])
    missed = means[True].predict(train.X[~treated]) - train.y[~treated]
    of_treated = booster(LGBMRegressor, seed).fit(train.X[treated], gained).predict(X)
    of_others = booster(LGBMRegressor, seed).fit(train.X[~treated], missed).predict(X)
    chance = booster(LGBMClassifier, seed).fit(train.X, train.treatment).predict_proba(X)[:, 1]
    return Answer(chance * of_others + (1 - chance) * of_treated)


def double_ml(train: Effects, X: np.ndarray, seed: int, *, kind: str, boosted: bool = False) -> Answer:
    """Return what an estimator of econml says."""
    return ask_econml(make_econml(kind, seed, boosted=boosted, **({"n_jobs": 1} if kind == FOREST else {})), train, X)


def make_econml(kind: str, seed: int, *, boosted: bool = False, **how: Any) -> Any:
    """Return an estimator of econml: at its defaults, or with boosted trees in five folds for what is expected."""
    from econml import dml  # noqa: PLC0415 - may be missing

    if boosted:
        outcome, chance = GradientBoostingRegressor(random_state=seed), GradientBoostingClassifier(random_state=seed)
        how |= {"model_y": outcome, "model_t": chance, "cv": FOLDS}
    return getattr(dml, kind)(discrete_treatment=True, random_state=seed, **how)


def ask_econml(model: Any, train: Effects, X: np.ndarray) -> Answer:
    """Fit an estimator of econml and return what it says."""
    model.fit(train.y, train.treatment, X=train.X)
    low, high = model.effect_interval(X, alpha=1 - COVERAGE)
    return Answer(model.effect(X), np.column_stack([low, high]))


def bayesian_forest(train: Effects, X: np.ndarray, seed: int) -> Answer:
    """Return what stochtree's Bayesian causal forest says at its defaults: its own propensity, 100 draws."""
    from stochtree import BCFModel  # noqa: PLC0415 - may be missing

    model, treatment = BCFModel(), train.treatment.astype(np.float64)
    model.sample(train.X, treatment, train.y, general_params={"random_seed": seed, "num_threads": 1})
    drawn, averages = (model.predict(rows, np.ones(len(rows)), terms="cate", type="posterior") for rows in (X, train.X))
    ends = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)
    average = averages.mean(axis=0)
    return Answer(drawn.mean(axis=1), np.quantile(drawn, ends, axis=1).T, (average.mean(), *np.quantile(average, ends)))


class Method(NamedTuple):
    """What a method says of left-out rows, the packages that have a say in it, and the module that it needs."""

    ask: Callable[[Effects, np.ndarray, int], Answer]
    packages: tuple[str, ...]
    module: str


ECONML = (("econml", "scikit-learn"), "econml")
METHODS = {
    OURS: Method(attention, ("heedful", "scikit-learn"), "heedful"),
    LASSO: Method(r_lasso, ("scikit-learn",), "sklearn"),
    "T-learner": Method(t_learner, ("lightgbm",), "lightgbm"),
    "X-learner": Method(x_learner, ("lightgbm",), "lightgbm"),
    "LinearDML": Method(partial(double_ml, kind="LinearDML"), *ECONML),
    FOREST: Method(partial(double_ml, kind=FOREST), *ECONML),
    "CausalForestDML, boosted": Method(partial(double_ml, kind=FOREST, boosted=True), *ECONML),
    "BCF": Method(bayesian_forest, ("stochtree",), "stochtree"),
}


def find_present() -> list[str]:
    """Return the methods whose module is installed."""
    return [name for name, method in METHODS.items() if find_spec(method.module) is not None]
