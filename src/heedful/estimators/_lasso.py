"""The attention lasso: one lasso per query, blended with a global lasso (the paper's Algorithm 2)."""

from typing import Any, ClassVar, Self

from heedful._responses import Regression, Response
from heedful.estimators._linear import LassoEstimator, paper_options


class AttentionLasso(LassoEstimator):
    """Regression by a weighted lasso per query, blended with a global lasso.

    Similarities are learned from the response and from the residuals of one lasso for all rows. A *head* (one
    similarity with its temperature and penalty) turns similarity to the query into weights of the training rows and
    fits one weighted lasso per query. The heads and the global lasso are blended; the shares are fitted to predictions
    of held-out rows. A blend of linear models is linear, so the lassos of a query add up to one intercept and one
    coefficient vector.

    Parameters
    ----------
    similarity : str, object, callable or list of them, default="forest"
        "forest" (for many heads :func:`heedful.similarity.default_forests`, for one a single forest), "boosted",
        "teacher", an object of :mod:`heedful.similarity`, a forest or booster, or a function
        ``(X_query, X_train) -> scores``.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows. "auto" tries a grid and two weightings without one.
    mixing : float, list of float, "auto", "adaptive" or "weighted", default="auto"
        Total share of the heads: fixed, fitted to held-out rows ("auto"), or one per query ("adaptive"). From a list,
        the value with the smallest mean error over the folds is chosen. "weighted" chooses among 0, 0.1, ..., 1 for
        each query by the attention-weighted error of held-out rows. A list and "weighted" follow the paper: they use no
        guard and need ``heads="single"``.
    features : list, callable or dict, default=None
        Columns to use, None for all. A dict ``{"similarity": ..., "model": ...}`` names the columns of the similarities
        and those of the global and local models.
    cv : "oob", int, splitter or iterable, default="oob"
        How held-out rows are predicted for tuning: out of bag, or by cross-validation as in the paper.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads, as in scikit-learn: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.
    heads : {"multi", "single"}, default="multi"
        Blend many heads of several forests, or choose the best head of one forest, as in the paper.
    alpha : float, "auto" or "nested", default="auto"
        Penalty of the global lasso. "auto" cross-validates it once; "nested" repeats that in the training part of each
        fold of ``cv``, as in the paper.
    local : LocalLasso, default=None
        Settings of the local models: penalties, limits to extrapolation, rows to tune on. None uses the defaults of
        :class:`heedful.LocalLasso`.

    Attributes
    ----------
    baseline_ : LassoBaseline
        The global lasso.
    similarity_ : list
        The fitted similarities.
    alpha_ : float
        Penalty of the global lasso.
    heads_ : DataFrame
        One row per head tried: similarity, weighting, temperature, alpha ratio, its error on held-out rows, its share.
    mixing_ : float
        Total share of the heads.
    guard_ : float
        How much of the fitted shares the guard kept. The guard shrinks the blend toward the global lasso when held-out
        rows do not support it: 0 is the global lasso alone, 1 the fitted shares.
    held_out_error_ : Series
        Errors on held-out training rows: of the blend ("attention") and of the lasso ("baseline").

    References
    ----------
    Craig and Tibshirani, "Supervised learning pays attention", arXiv 2512.09912.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1] + 0.1 * rng.normal(size=200)
    >>> model = AttentionLasso(random_state=0).fit(X, y)
    >>> X_new = rng.normal(size=(100, 3))
    >>> y_new = np.where(X_new[:, 0] > 0, 3, -3) * X_new[:, 1]
    >>> bool(model.score(X_new, y_new) > 0.5 > model.baseline_.score(X_new, y_new))
    True
    """

    # the kind of response; a subclass for a custom response names another
    reads: ClassVar[Response] = Regression()

    @classmethod
    def as_in_the_paper(cls, **changes: Any) -> Self:
        """Return an estimator with the settings of the paper's Algorithm 2.

        One head: a forest of 500 trees that splits nodes as R's ranger does, and softmax at temperature 1. Local lassos
        are fitted to convergence, with the penalty of the global lasso and columns standardised in each weighted fit.
        The mixing is one of 0, 0.1, ..., 1, chosen by 10-fold cross-validation with a new forest and penalty in each
        fold. No guard, no shape functions, no limit to extrapolation.

        Parameters
        ----------
        changes : keywords
            Parameters to change, such as ``temperature=0.1``.

        Returns
        -------
        AttentionLasso
            Not fitted.

        Examples
        --------
        >>> AttentionLasso.as_in_the_paper(temperature=0.1).cv
        10
        """
        return cls(**paper_options(min_samples_split=6) | changes)

    def _response(self, y: Any) -> Response:  # noqa: ARG002 - others read labels from it
        return self.reads

    @property
    def _squares(self) -> bool:  # type: ignore[override]  # a constant in other estimators
        return self.reads.squared

    def _predicts(self) -> str | None:
        return self.reads.estimator_type

    def _has_intervals(self) -> bool:
        return self.reads.has_intervals
