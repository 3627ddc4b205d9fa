"""The attention lasso for classes: one L1 logistic model per query, blended on the probability scale."""

from heedful.baseline import LogisticBaseline
from heedful.estimators._linear import TOL, LinearAttention
from heedful.estimators._responses import LabelResponse


class AttentionLassoClassifier(LabelResponse, LinearAttention):
    """Predict the class of each row by an L1 logistic model fitted to the training rows that matter for it.

    The flow is that of :class:`heedful.AttentionLasso`: forests on the classes, and on what the baseline leaves of
    them, say which rows matter, heads turn their scores into local models, and probabilities of heads and of one L1
    logistic model for all rows are blended by shares that have the smallest log loss on unseen rows. Two classes have
    one linear predictor, more have one for each.

    Parameters
    ----------
    heads : {"multi", "single"}, default="multi"
        Blend many heads of several forests, or choose the best one of one forest.
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows.
    alpha : float or "auto", default="auto"
        The baseline's penalty; "auto" cross-validates it by log loss.
    alpha_ratio : float, list of float or "auto", default="auto"
        Local penalty divided by the baseline's; infinity makes the head the share of each class among attended rows.
    mixing : float, "auto" or "adaptive", default="auto"
        Total share of the heads: fixed, fitted, or one per query.
    similarity_features, model_features : list, callable or None, default=None
        Columns that the similarity sees, and columns that baseline and local models use; None means all.
    cv : "oob", int, splitter or iterable, default="oob"
        How unseen rows are predicted for tuning.
    tuning_rows : int or None, default=10_000
        Training rows on which heads are tried, drawn at random from a larger table; None tries all.
    max_extrapolation : float or None, default=0.5
        How far outside its training range a linear model may go: see :class:`heedful.AttentionLasso`.
    exact : bool, default=False
        Fit the local models of ``predict`` to convergence. The default takes one Newton step from the baseline, at the
        price of a local lasso; tuning always does.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, as in scikit-learn: they multiply the sample weights.
    verbose : int, default=0
        1 shows progress.
    n_jobs : int, default=None
        Threads: None is one, -1 all cores. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of forests and folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_ : LogisticBaseline
        The model for all rows.
    similarity_, alpha_, heads_, mixing_, guard_
        As in :class:`heedful.AttentionLasso`; errors in ``heads_`` are log losses.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0, "same", "other")
    >>> model = AttentionLassoClassifier(random_state=0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > 0.7 > model.baseline_.score(X[200:], y[200:]))
    True
    """

    def __init__(
        self,
        heads="multi",
        similarity="forest",
        temperature="auto",
        alpha="auto",
        alpha_ratio="auto",
        mixing="auto",
        similarity_features=None,
        model_features=None,
        cv="oob",
        tuning_rows=10_000,
        max_extrapolation=0.5,
        exact=False,
        class_weight=None,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            heads,
            similarity,
            temperature,
            alpha,
            alpha_ratio,
            mixing,
            similarity_features,
            model_features,
            cv,
            tuning_rows,
            max_extrapolation,
            verbose,
            n_jobs,
            random_state,
        )
        self.exact = exact
        self.class_weight = class_weight

    def _make_baseline(self):
        return LogisticBaseline(self.alpha, tol=TOL, n_jobs=self.n_jobs)
