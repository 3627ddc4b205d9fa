"""Tree attention: keep the trees of an ensemble, weigh the trees anew for each query (remark after Algorithm 3)."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from heedful._attention_model.settings import check_settings
from heedful._checks import check_choice, check_grid, is_word
from heedful._models.trees import Shrinkage, TreeModels
from heedful._responses import Regression
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator, Given, check_ensemble, whole_seed

RATIOS = {"lasso": (np.inf, 0.3, 0.1, 0.03, 0.01), "ridge": (np.inf, 1.0, 0.1, 0.01, 0.001)}


@dataclass(eq=False, repr=False)
class TreeAttentionRegressor(AttentionEstimator):
    """Keep an ensemble's trees; fit a weight for each tree and query.

    The trees' predictions are the features of one local lasso or ridge regression per query, which corrects the
    ensemble: without columns it adds the weighted mean of what the ensemble left over, with columns it turns trees up
    or down. So each query has one weight per tree, and those of the plain ensemble are all one.

    Parameters
    ----------
    estimator : ensemble, default=None
        A forest or booster of regression, fitted or not: see :class:`heedful.LeafAttentionRegressor`.
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`. The best one is chosen.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows.
    alpha_ratio : float, list of float or "auto", default="auto"
        Penalties to try, divided by the smallest that changes no tree's weight for all rows together; those of a ridge
        by the number of trees.
    penalty : {"lasso", "ridge"}, default="lasso"
        What is penalised of the trees' weights, in units of what each tree predicts: their size, or their squares.
    shrink_to : {1, 0}, default=1
        What the weights shrink to: 1, those of the ensemble, or 0, as in the paper's remark.
    mixing : float, list of float, "auto", "adaptive" or "weighted", default="auto"
        Share of the local models: see :class:`heedful.AttentionLasso`.
    features : list, callable or dict, default=None
        Columns to use, or ``{"similarity": ..., "model": ...}``: see :class:`heedful.AttentionLasso`.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are scored for tuning; the ensemble is always grown on folds for it.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

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

    estimator: Any = None
    similarity: Any = "forest"
    _: KW_ONLY
    temperature: Any = "auto"
    alpha_ratio: Any = "auto"
    penalty: str = "lasso"
    shrink_to: int = 1
    mixing: Any = "auto"
    features: Any = None
    cv: Any = "oob"
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit to training rows.

        The parameters are those of :meth:`heedful.AttentionLasso.fit`.

        Returns
        -------
        self : the fitted estimator
        """
        check_ensemble(self.estimator, self)
        hint = "Smaller ones change more trees."
        grid = RATIOS[check_choice("penalty", self.penalty, tuple(RATIOS))]
        if isinstance(self.shrink_to, bool) or self.shrink_to not in (0, 1):
            raise ValueError(f"`shrink_to` must be 1 or 0, got {self.shrink_to!r}. 1 is the ensemble as it is.")
        ratios = grid if is_word(self.alpha_ratio, "auto") else check_grid("alpha_ratio", self.alpha_ratio, hint)
        kind = TreeModels(self.estimator, whole_seed(self.random_state), Shrinkage(self.penalty, float(self.shrink_to)))
        shared = (self.similarity, self.temperature, self.mixing, self.cv, groups, kind)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, lambda _: Regression(), kind, check_settings(*shared, ratios=ratios))
