"""Leaf attention: keep the trees of an ensemble, weigh the rows in their leaves anew (Algorithm 3)."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

from heedful._attention_model.settings import Settings, check_settings
from heedful._checks import check_choice, is_word
from heedful._models.leaves import LeafModels
from heedful._responses import Classification, Regression
from heedful._solver import LEAF_VALUES
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator, Given, check_ensemble, whole_seed

# Every tree adds what its leaf says of the same few rows, so residuals must be averaged over many.
RESIDUAL_TEMPERATURES = (3.0, 1.0, 0.3)


@dataclass(eq=False, repr=False)
class LeafAttentionRegressor(AttentionEstimator):
    """Keep an ensemble's trees; weigh the responses in each query's leaves.

    No model is fitted per query: in every tree the mean response of the query's leaf becomes a weighted mean, with more
    weight for training rows that are like the query. The result is blended with the ensemble's own prediction.

    Parameters
    ----------
    estimator : ensemble, default=None
        A forest or booster, fitted or not: scikit-learn's forests, gradient boosting and histogram gradient boosting,
        LightGBM, XGBoost, CatBoost. A fitted one is taken as it is and ``fit`` must get its training rows; clones are
        fitted on folds to choose temperature and mixing. None is a small LightGBM (100 rounds at most, 8 leaves).
    similarity : str, object, callable or list of them, default="forest"
        Who is alike: see :class:`heedful.AttentionLasso`. The best one is chosen.
    temperature : float, list of float or "auto", default="auto"
        Softmax temperatures to try; lower attends to fewer rows.
    mixing : float, list of float, "auto", "adaptive" or "weighted", default="auto"
        Share of the weighed leaves: see :class:`heedful.AttentionLasso`.
    leaf_value : {"responses", "residuals"}, default="responses"
        What is averaged in a leaf. "responses", as printed: the responses, and trees are averaged. "residuals", for
        boosters: what the tree was fitted to, and trees are summed.
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
    similarity_, heads_, mixing_, guard_, unseen_error_
        As in :class:`heedful.AttentionLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1] + 0.1 * rng.normal(size=300)
    >>> forest = RandomForestRegressor(50, min_samples_leaf=20, random_state=0).fit(X[:200], y[:200])
    >>> model = LeafAttentionRegressor(forest, random_state=0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > forest.score(X[200:], y[200:]))
    True
    """

    estimator: Any = None
    similarity: Any = "forest"
    _: KW_ONLY
    temperature: Any = "auto"
    mixing: Any = "auto"
    leaf_value: str = "responses"
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
        kind, settings = plan_leaves(self, groups)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, lambda _: Regression(), kind, settings)


@dataclass(eq=False, repr=False)
class LeafAttentionClassifier(AttentionEstimator):
    """Keep an ensemble's trees; weigh the classes in each query's leaves.

    The parameters are those of :class:`heedful.LeafAttentionRegressor`; shares of classes are blended by log loss.
    The default ensemble is a small LightGBM classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_, unseen_error_
        As in :class:`heedful.LeafAttentionRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LeafAttentionClassifier(RandomForestClassifier(20, random_state=0), random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    estimator: Any = None
    similarity: Any = "forest"
    _: KW_ONLY
    temperature: Any = "auto"
    mixing: Any = "auto"
    leaf_value: str = "responses"
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
        kind, settings = plan_leaves(self, groups)
        given = Given(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, Classification.learn, kind, settings)

    def _predicts(self) -> str:
        return "classifier"


def plan_leaves(model: LeafAttentionRegressor | LeafAttentionClassifier, groups: Any) -> tuple[LeafModels, Settings]:
    """Check every argument of a model with leaves weighed anew."""
    check_choice("leaf_value", model.leaf_value, LEAF_VALUES)
    check_ensemble(model.estimator, model)
    kind = LeafModels(model.estimator, model.leaf_value, whole_seed(model.random_state))
    wide = model.leaf_value == "residuals" and is_word(model.temperature, "auto")
    temperature = list(RESIDUAL_TEMPERATURES) if wide else model.temperature
    return kind, check_settings(model.similarity, temperature, model.mixing, model.cv, groups, kind)
