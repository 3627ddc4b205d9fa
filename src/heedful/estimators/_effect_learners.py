"""What learns the expected outcome and treatment of rows, for a model of effects: the user's, or our own."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_weights
from heedful._effects.boosted import BoostedClassifier, BoostedRegressor
from heedful._effects.inputs import Column
from heedful._effects.nuisance import Learner, check_known, check_learner, draw_folds
from heedful._effects.survival import CensoredTimes, check_followed, uncensor
from heedful._folds import Split
from heedful._models.linear import LocalLasso
from heedful.estimators._cox import AttentionCox
from heedful.estimators._lasso import AttentionLasso
from heedful.estimators._logistic import AttentionLassoClassifier
from heedful.similarity import ForestProximity

# Trees of models of outcome and treatment, and rows that these are tuned on: more hardly help, and cost much time.
TREES, TUNING_ROWS = 200, 250


class NuisanceLearners(NamedTuple):
    """The learners of outcome and propensity as they were given, and how they are cross-fitted."""

    outcome: Any
    propensity: Any
    cv: int | list[Split]
    n_jobs: int | None
    seed: np.random.RandomState

    def uncensor(self, times: CensoredTimes, arms: Column, table: Any, sample_weight: Any, groups: Any) -> Column:
        """Return censored outcomes as numbers that have the mean of those not censored."""
        weight = check_weights(sample_weight, len(table))
        if self.outcome is not None:
            check_learner("outcome", self.outcome, Column(times.time, None), sample_weight is not None)
        check_followed(times, arms, weight)
        if not times.censored[weight > 0].any():
            return Column(times.outcome, None)
        rows = draw_folds(table, [arms, *times.columns], weight, groups, self.cv, self.seed)
        return uncensor(rows, times, arms, AttentionCox(**self._settings()), weight)

    def known_propensity(self, propensity: Any, arms: Column) -> np.ndarray | None:
        """Return propensities that need not be learned, None if they must."""
        if propensity is not None:
            return check_known(propensity, arms)
        is_number = isinstance(self.propensity, Real) and not isinstance(self.propensity, bool)
        if isinstance(self.propensity, np.ndarray | list | tuple | pd.Series):
            raise TypeError("`propensity` must be an estimator or a number here. One for each row goes to `fit`.")
        return check_known(self.propensity, arms) if is_number else None

    def of(self, name: str, column: Column, weighted: bool) -> Learner:
        """Return what learns a column: the user's, or an attention lasso with one head beside boosted trees."""
        model = getattr(self, name)
        if model is not None:
            check_learner(name, model, column, weighted)
            return Learner((model,), ours=False)
        kind, boosted = (
            (AttentionLassoClassifier, BoostedClassifier) if column.binary else (AttentionLasso, BoostedRegressor)
        )
        settings = self._settings()
        return Learner((kind(**settings), boosted(settings["random_state"])), ours=True)

    def _settings(self) -> dict[str, Any]:
        """Return settings of an attention lasso with one head that learns what is expected."""
        return {
            "heads": "single",
            "similarity": ForestProximity(TREES),
            "local": LocalLasso(tuning_rows=TUNING_ROWS),
            "n_jobs": self.n_jobs,
            "random_state": int(self.seed.randint(2**31 - 1)),
        }
