"""The attention lasso for classes: one L1 logistic model per query, blended on the probability scale."""

import logging

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted, column_or_1d

from heedful._checks import check_classes
from heedful.baseline import LogisticBaseline
from heedful.estimators._attention import TOL, AttentionModel
from heedful.local import Classes

LOG = logging.getLogger("heedful")


class AttentionLassoClassifier(ClassifierMixin, AttentionModel):
    """Predict the class of each row by an L1 logistic model fitted to the training rows that matter for it.

    The flow is that of :class:`heedful.AttentionLasso`: a classification forest says which rows matter, heads turn its
    scores into local models, and probabilities of heads and of one L1 logistic model for all rows are blended by shares
    that have the smallest log loss on unseen rows. Two classes have one linear predictor, more have one for each.

    Parameters
    ----------
    heads : {"multi", "single"}, default="multi"
        Blend many heads, or choose the best one.
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
    similarity_, alpha_, heads_, mixing_, trust_
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
            max_extrapolation,
            verbose,
            n_jobs,
            random_state,
        )
        self.exact = exact
        self.class_weight = class_weight

    def predict(self, X):
        """Return the label of the most probable class per row of ``X``."""
        chance = self.predict_proba(X)
        return self.classes_[chance.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probability of each class, in the order of ``classes_``."""
        return self._blend(X).value

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """Return the log-odds of the second of two classes, or centred log probabilities of all classes."""
        chance = self.predict_proba(X)
        link = self.baseline_.fit_.family.link_of(chance)
        return link[:, 0] if self.classes_.size == 2 else link

    def score(self, X, y, sample_weight=None):
        """Return the accuracy; labels that were not in the training rows are an error."""
        check_is_fitted(self)
        self._codes_of(y)
        return super().score(X, y, sample_weight)

    def _read_response(self, y):
        self.classes_, codes = check_classes(y)
        alone = self.classes_[np.bincount(codes) == 1]
        if alone.size:
            LOG.warning(
                "`y` has a single row of class %r: nothing is known of that class when the row is left out. "
                "Merge the class with another, or drop the row.",
                alone[0],
            )
        return codes.astype(np.float64)

    def _reweigh(self, response, weight):
        labels = self._given_response(response)
        weight = weight * compute_sample_weight(self.class_weight, labels)
        present = np.bincount(response.astype(np.int64), weights=weight, minlength=self.classes_.size) > 0
        if present.sum() < 2:
            raise ValueError(
                "`sample_weight` and `class_weight` leave rows of one class only: give rows of at least 2 classes a "
                "positive weight."
            )
        return weight

    def _given_response(self, response):
        return self.classes_[response.astype(np.int64)]

    def _make_baseline(self):
        return LogisticBaseline(self.alpha, tol=TOL, n_jobs=self.n_jobs)

    def _similarity_response(self, rows):
        # text tells a similarity that the response is a label
        return rows.y.astype(np.int64).astype(str)

    def _strata(self, rows):
        return rows.y

    def _outputs(self):
        return None if self.classes_.size == 2 else list(self.classes_)

    def _query_family(self, y):
        return Classes(self._codes_of(y), self.classes_.size)

    def _codes_of(self, y) -> np.ndarray:
        """Return the numbers of labels that were in the training rows."""
        labels = column_or_1d(y)
        unseen = np.setdiff1d(labels, self.classes_)
        if unseen.size:
            raise ValueError(
                f"`y` holds labels that were not in the training rows: {unseen[:5].tolist()}. The model knows "
                f"{self.classes_[:10].tolist()}; drop those rows or fit again."
            )
        return np.searchsorted(self.classes_, labels)
