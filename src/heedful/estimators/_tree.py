"""Tree attention: keep the trees of an ensemble, weigh the trees anew for each query (remark after Algorithm 3)."""

import numpy as np

from heedful._checks import check_grid
from heedful._models.trees import TreeProblem, tree_outputs
from heedful.estimators._blending import View
from heedful.estimators._ensembles import EnsembleAttention
from heedful.estimators._responses import NumberResponse
from heedful.estimators._settings import Settings, check_settings, is_word

RATIOS = (np.inf, 0.3, 0.1, 0.03, 0.01)


class TreeAttentionRegressor(NumberResponse, EnsembleAttention):
    """Keep the trees of an ensemble; fit a weight for each tree and query by an attention-weighted lasso.

    The trees' predictions are the features of one local lasso per query, which corrects the ensemble: without columns
    it adds the weighted mean of what the ensemble left over, with columns it turns trees up or down. So each query has
    one weight per tree, and those of the plain ensemble are all one.

    Parameters
    ----------
    estimator : ensemble, default=None
        A forest or booster of regression, fitted or not: see :class:`heedful.LeafAttentionRegressor`.
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`. The best one is chosen.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows.
    alpha_ratio : float, list of float or "auto", default="auto"
        Penalties to try, divided by the smallest that changes no tree's weight for all rows together.
    mixing : float, "auto" or "adaptive", default="auto"
        Share of the local models: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that the ensemble uses; None means all.
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

    def __init__(
        self,
        estimator=None,
        similarity="forest",
        temperature="auto",
        alpha_ratio="auto",
        mixing="auto",
        similarity_features=None,
        model_features=None,
        cv="oob",
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.similarity = similarity
        self.temperature = temperature
        self.alpha_ratio = alpha_ratio
        self.mixing = mixing
        self.similarity_features = similarity_features
        self.model_features = model_features
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_settings(self, groups) -> Settings:
        self._check_estimator()
        hint = "Smaller ones change more trees."
        given = RATIOS if is_word(self.alpha_ratio, "auto") else check_grid("alpha_ratio", self.alpha_ratio, hint)
        return check_settings(self, groups, many=False, ratios=given)

    def _fit_baseline(self, rows):
        super()._fit_baseline(rows)
        self._leaves = self._leaves_of(self._ensemble, rows.codes)
        total = self._ensemble.start[0] + tree_outputs(self._ensemble, self._leaves).sum(axis=1)
        said = self._said(self.baseline_, self._table(rows))[:, 0]
        if not np.allclose(total, said, rtol=1e-4, atol=1e-4 * np.ptp(rows.y)):
            raise ValueError(
                f"`estimator` must predict the sum or mean of its trees, got {self.estimator!r}, whose loss has a "
                "link. Take one with squared loss."
            )

    def _make_problem(self, rows, seed) -> TreeProblem:
        folds = () if self._fixed else self._fold_ensembles(rows)
        return TreeProblem(self._ensemble, self._leaves, rows.y, rows.weight, self._grid.ratios, folds)

    def _view(self, X, codes) -> View:
        view = super()._view(X, codes)
        return view._replace(design=tree_outputs(self._ensemble, view.x))

    def _base_coef(self):
        return np.ones((1, self._ensemble.n_trees))

    def _base_intercept(self, frames):
        return float(self._ensemble.start[0])

    def _original(self, coef):
        return 1.0 + self._problem.scale.original(coef)

    def _names(self):
        return [f"tree {t + 1}" for t in range(self._ensemble.n_trees)]

    def _train_design(self):
        return tree_outputs(self._ensemble, self._leaves)
