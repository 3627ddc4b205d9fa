"""The attention lasso: one lasso per query, blended with one lasso for all (the paper's Algorithm 2)."""

from heedful.baseline import LassoBaseline
from heedful.estimators._linear import TOL, LinearAttention
from heedful.estimators._responses import NumberResponse


class AttentionLasso(NumberResponse, LinearAttention):
    """Predict each row by a lasso fitted to the training rows that matter for it.

    Similarities learned from the response, and from what one lasso for all rows leaves of it, say which training rows
    matter; a head turns scores into weights and fits one weighted lasso per query; heads and the lasso for all rows are
    blended by shares that are fitted to predictions of unseen rows. A blend of linear models is a linear model, so
    every query has one intercept and one coefficient vector.

    Parameters
    ----------
    heads : {"multi", "single"}, default="multi"
        Blend many heads of several forests, or choose the best one of one forest as in the paper.
    similarity : str, object, callable or list of them, default="forest"
        "forest" (for many heads :func:`heedful.similarity.default_forests`, for one a single forest), "boosted",
        "teacher", an object of :mod:`heedful.similarity`, a forest or booster, or a function
        ``(X_query, X_train) -> scores``.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows. "auto" tries a grid and two weightings without one.
    alpha : float or "auto", default="auto"
        The baseline's lasso penalty; "auto" cross-validates it.
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the baseline's; infinity makes the local model a weighted mean.
    mixing : float, "auto" or "adaptive", default="auto"
        Total share of the heads: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that baseline and local models use; None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning: out of bag, or by folds as in the paper.
    tuning_rows : int or None, default=10_000
        Training rows on which heads are tried, drawn at random from a larger table; None tries all.
    max_extrapolation : float or None, default=0.5
        How far outside the range of what it was fitted to a linear model may go, in widths of that range: a query's
        value outside its column's training range, a local prediction outside the responses attended to (the range
        being two standard deviations to each side). Farther ones are pulled back. None sets no limit.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads, as in scikit-learn: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

    Attributes
    ----------
    baseline_ : LassoBaseline
        The lasso for all rows.
    similarity_ : list
        The fitted similarities.
    alpha_ : float
        The baseline's penalty.
    heads_ : DataFrame
        One row per head tried: similarity, weighting, temperature, alpha ratio, its error on unseen rows, its share.
    mixing_ : float
        Total share of the heads.
    guard_ : float
        Share of the fitted blend that the guard let through.

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

    _anchors = True

    def _make_baseline(self):
        return LassoBaseline(self.alpha, tol=TOL, n_jobs=self.n_jobs)

    def _fit_similarities(self, rows, settings, seed):
        super()._fit_similarities(rows, settings, seed)
        left_out = self.baseline_.cv_error_.min() / self.baseline_.fit_.scale.y_unit**2
        for entry in self.similarity_:
            if getattr(entry, "anchor", False):
                # how many times the lasso's error is that of the teacher; a teacher that is no better has no pull
                entry.pull_ = left_out / entry.teacher_loss_
