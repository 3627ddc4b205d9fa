"""The attention lasso: one lasso per query, blended with one lasso for all (the paper's Algorithm 2)."""

from typing import Any, ClassVar, Self

from heedful._responses import Regression, Response
from heedful.estimators._linear import LassoEstimator, paper_options


class AttentionLasso(LassoEstimator):
    """Predict each row by a lasso fitted to the training rows that matter for it.

    Similarities learned from the response, and from what one lasso for all rows leaves of it, say which training rows
    matter; a head turns scores into weights and fits one weighted lasso per query; heads and the lasso for all rows are
    blended by shares that are fitted to predictions of held-out rows. A blend of linear models is a linear model, so
    every query has one intercept and one coefficient vector.

    Parameters
    ----------
    similarity : str, object, callable or list of them, default="forest"
        "forest" (for many heads :func:`heedful.similarity.default_forests`, for one a single forest), "boosted",
        "teacher", an object of :mod:`heedful.similarity`, a forest or booster, or a function
        ``(X_query, X_train) -> scores``.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows. "auto" tries a grid and two weightings without one.
    mixing : float, list of float, "auto", "adaptive" or "weighted", default="auto"
        Total share of the heads: fixed, fitted, or one per query ("adaptive"). Of a list the one with the smallest mean
        error over the folds is taken; "weighted" takes for each query the one of 0, 0.1, ..., 1 with the smallest
        attention-weighted error of rows left out. Both as in the paper: no guard, for ``heads="single"``.
    features : list, callable or dict, default=None
        Columns to use; a dict ``{"similarity": ..., "model": ...}`` names those that similarities see and those that
        baseline and local models use. None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How held-out rows are predicted for tuning: out of bag, or by folds as in the paper.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads, as in scikit-learn: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.
    heads : {"multi", "single"}, default="multi"
        Blend many heads of several forests, or choose the best one of one forest as in the paper.
    alpha : float, "auto" or "nested", default="auto"
        The baseline's lasso penalty; "auto" cross-validates it once, "nested" also anew in the training part of each
        fold of ``cv``, as the paper does.
    local : LocalLasso, default=None
        Settings of the local models: their penalties, how far they may extrapolate, rows to tune on. None takes the
        defaults of :class:`heedful.LocalLasso`.

    Attributes
    ----------
    baseline_ : LassoBaseline
        The lasso for all rows.
    similarity_ : list
        The fitted similarities.
    alpha_ : float
        The baseline's penalty.
    heads_ : DataFrame
        One row per head tried: similarity, weighting, temperature, alpha ratio, its error on held-out rows, its share.
    mixing_ : float
        Total share of the heads.
    guard_ : float
        Share of the fitted blend that the guard let through.
    unseen_error_ : Series
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

    # what it is fitted to; a subclass for a response of one's own names another
    reads: ClassVar[Response] = Regression()

    @classmethod
    def as_in_the_paper(cls, **changes: Any) -> Self:
        """Return the paper's Algorithm 2, made of plain options.

        One head; a forest of 500 trees that splits nodes as R's ranger does; softmax at temperature 1; local lassos,
        fitted to convergence, with the baseline's penalty and columns standardised in each weighted fit; a mixing of 0,
        0.1, ..., 1 chosen by ten folds, each with a forest and a penalty of its own. No guard, no shapes, no limit to
        extrapolation.

        Parameters
        ----------
        changes : keywords
            Parameters to set otherwise, such as ``temperature=0.1``.

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

    def _response(self, y: Any) -> Response:  # noqa: ARG002
        return self.reads

    @property
    def _squares(self) -> bool:  # type: ignore[override]
        return self.reads.squared

    def _predicts(self) -> str | None:
        return self.reads.estimator_type

    def _has_intervals(self) -> bool:
        return self.reads.has_intervals
