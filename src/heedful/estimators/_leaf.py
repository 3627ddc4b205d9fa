"""Leaf attention: keep the trees of an ensemble, weigh the rows in their leaves anew (Algorithm 3)."""

from heedful._checks import check_choice
from heedful._models.leaves import LeafProblem
from heedful._solver import importance_of
from heedful.estimators._ensembles import EnsembleAttention
from heedful.estimators._responses import LabelResponse, NumberResponse
from heedful.estimators._settings import Settings, check_settings

READINGS = ("responses", "residuals")
# Every tree adds what its leaf says of the same few rows, so residuals must be averaged over many.
RESIDUAL_TEMPERATURES = (3.0, 1.0, 0.3)


class LeafAttention(EnsembleAttention):
    """Leaves of a kept ensemble; a subclass knows its response."""

    _slopes = False

    def __init__(
        self,
        estimator=None,
        similarity="forest",
        temperature="auto",
        mixing="auto",
        reading="responses",
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
        self.mixing = mixing
        self.reading = reading
        self.similarity_features = similarity_features
        self.model_features = model_features
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_settings(self, groups) -> Settings:
        check_choice("reading", self.reading, READINGS)
        self._check_estimator()
        settings = check_settings(self, groups, many=False, ratios=(1.0,))
        if self.reading == "residuals" and settings.temperatures is None:
            return settings._replace(temperatures=RESIDUAL_TEMPERATURES)
        return settings

    def _make_problem(self, rows, seed) -> LeafProblem:
        leaves = self._leaves_of(self._ensemble, rows.codes)
        importance = importance_of(self.baseline_, self._table(rows))
        folds = () if self._fixed else self._fold_ensembles(rows)
        return LeafProblem(self._ensemble, leaves, self._row_family(rows), rows.weight, self.reading, importance, folds)

    def _base_coef(self):
        return self._problem.importance[None]


class LeafAttentionRegressor(NumberResponse, LeafAttention):
    """Keep the trees of an ensemble; weigh the responses in each query's leaves by attention.

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
    mixing : float, "auto" or "adaptive", default="auto"
        Share of the weighed leaves: fixed, fitted, or one per query.
    reading : {"responses", "residuals"}, default="responses"
        What is averaged in a leaf. "responses", as printed: the responses, and trees are averaged. "residuals", for
        boosters: what the tree was fitted to, and trees are summed.
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
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.where(X[:, 0] > 0, 3, -3) * X[:, 1] + 0.1 * rng.normal(size=300)
    >>> forest = RandomForestRegressor(50, min_samples_leaf=20, random_state=0).fit(X[:200], y[:200])
    >>> model = LeafAttentionRegressor(forest, random_state=0).fit(X[:200], y[:200])
    >>> bool(model.score(X[200:], y[200:]) > forest.score(X[200:], y[200:]))
    True
    """


class LeafAttentionClassifier(LabelResponse, LeafAttention):
    """Keep the trees of an ensemble; weigh the classes in each query's leaves by attention.

    The parameters are those of :class:`heedful.LeafAttentionRegressor`; shares of classes are blended by log loss.
    The default ensemble is a small LightGBM classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    baseline_, similarity_, heads_, mixing_, guard_
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
