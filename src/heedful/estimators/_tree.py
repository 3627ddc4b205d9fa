"""Tree attention: keep the trees of an ensemble, reweight them for each query (remark after Algorithm 3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from heedful._checks import check_choice, check_grid, check_like, is_word
from heedful._flow import ModelKind, Settings, check_settings
from heedful._models.trees import LocalTrees, TreeModels
from heedful.estimators._wrapping import WrappingEstimator, check_ensemble, whole_seed

RATIOS = {"lasso": (np.inf, 0.3, 0.1, 0.03, 0.01), "ridge": (np.inf, 1.0, 0.1, 0.01, 0.001)}


@dataclass(eq=False, repr=False, kw_only=True)
class TreeAttentionRegressor(WrappingEstimator):
    """Regression by an ensemble whose trees are reweighted for each query.

    The trees' predictions are the features of one local lasso or ridge regression per query, which corrects the
    ensemble. Its intercept adds the weighted mean residual of the ensemble; its coefficients change the weights of the
    trees. In the plain ensemble all these weights are one.

    Parameters
    ----------
    estimator : ensemble, default=None
        A regression forest or booster, fitted or not: see :class:`heedful.LeafAttentionRegressor`.
    similarity, temperature, mixing, features, cv, verbose, n_jobs, random_state
        As in :class:`heedful.AttentionLasso`. Of several similarities the best is chosen. Tuning always refits the
        ensemble on folds.
    local : LocalTrees, default=None
        Settings of the local models: penalties, and the value that weights shrink to. None uses the defaults of
        :class:`heedful.LocalTrees`.

    Attributes
    ----------
    baseline_ : estimator
        The fitted ensemble.
    similarity_, heads_, mixing_, guard_
        As in :class:`heedful.AttentionLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1]
    >>> forest = RandomForestRegressor(20, max_depth=3, random_state=0)
    >>> model = TreeAttentionRegressor(forest, random_state=0).fit(X, y)
    >>> model.local_models(X[:5]).coef.shape
    (5, 20)
    """

    local: LocalTrees | None = None

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        check_ensemble(self.estimator, self)
        local = check_like("local", self.local, LocalTrees(penalty="ridge"))
        ratios: tuple[float, ...] = RATIOS[check_choice("penalty", local.penalty, tuple(RATIOS))]
        if isinstance(local.shrink_to, bool) or local.shrink_to not in (0, 1):
            raise ValueError(f"`shrink_to` must be 1 or 0, got {local.shrink_to!r}. 1 is the ensemble as it is.")
        if not is_word(local.alpha_ratio, "auto"):
            ratios = check_grid("alpha_ratio", local.alpha_ratio, "Smaller ones change more trees.")
        kind = TreeModels(self.estimator, local, whole_seed(self.random_state))
        shared = (self.similarity, self.temperature, self.mixing, self.cv, groups, kind)
        return kind, check_settings(*shared, ratios=ratios)
