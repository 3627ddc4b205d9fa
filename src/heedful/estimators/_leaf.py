"""Leaf attention: keep the trees of an ensemble, reweight the rows in their leaves (Algorithm 3)."""

from dataclasses import dataclass
from typing import Any

from heedful._checks import check_choice, is_word
from heedful._flow import ModelKind, Settings, check_settings
from heedful._models.leaves import LeafModels
from heedful._solver.leaves import LEAF_VALUES
from heedful.estimators._classifier import ClassifierMethods
from heedful.estimators._wrapping import WrappingEstimator, check_ensemble, whole_seed

# Every tree adds what its leaf says of the same few rows, so residuals must be averaged over many.
RESIDUAL_TEMPERATURES = (3.0, 1.0, 0.3)


@dataclass(eq=False, repr=False, kw_only=True)
class LeafAttentionRegressor(WrappingEstimator):
    """Regression by an ensemble whose leaf means are reweighted for each query.

    The trees stay as they are and no model is fitted per query. In every tree the mean response of the query's leaf
    becomes a weighted mean, with more weight for training rows similar to the query. The result is blended with the
    ensemble's own prediction.

    Parameters
    ----------
    estimator : ensemble, default=None
        A forest or booster, fitted or not: scikit-learn's forests, gradient boosting and histogram gradient boosting,
        LightGBM, XGBoost, CatBoost. A fitted ensemble is used as it is, and ``fit`` must get its training rows; clones
        are fitted on folds to choose temperature and mixing. None is a small LightGBM (up to 100 rounds, 8 leaves).
    similarity, temperature, mixing, features, cv, verbose, n_jobs, random_state
        As in :class:`heedful.AttentionLasso`. Of several similarities the best is chosen. Tuning always refits the
        ensemble on folds.
    leaf_value : {"responses", "residuals"}, default="responses"
        What is averaged in a leaf. "responses", as in the paper: responses are averaged in leaves and over trees.
        "residuals", for boosters: the residuals that each tree was fitted to are averaged in leaves and summed over
        trees.

    Attributes
    ----------
    baseline_ : estimator
        The fitted ensemble.
    similarity_, heads_, mixing_, guard_, held_out_error_
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

    leaf_value: str = "responses"

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        return plan_leaves(self, groups)


@dataclass(eq=False, repr=False, kw_only=True)
class LeafAttentionClassifier(ClassifierMethods, WrappingEstimator):
    """Classification by an ensemble whose leaves are reweighted per query.

    The parameters are those of :class:`heedful.LeafAttentionRegressor`; probabilities are blended, and tuning minimises
    log loss. The default ensemble is a small LightGBM classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_, held_out_error_
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

    leaf_value: str = "responses"

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        return plan_leaves(self, groups)


def plan_leaves(model: LeafAttentionRegressor | LeafAttentionClassifier, groups: Any) -> tuple[ModelKind, Settings]:
    """Check every argument of a model with leaves weighed anew."""
    check_choice("leaf_value", model.leaf_value, LEAF_VALUES)
    check_ensemble(model.estimator, model)
    kind = LeafModels(model.estimator, model.leaf_value, whole_seed(model.random_state))
    wide = model.leaf_value == "residuals" and is_word(model.temperature, "auto")
    temperature = list(RESIDUAL_TEMPERATURES) if wide else model.temperature
    return kind, check_settings(model.similarity, temperature, model.mixing, model.cv, groups, kind)
