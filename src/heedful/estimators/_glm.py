"""The attention lasso for counts and costs: one Poisson, Gamma or Tweedie lasso per query, blended on the log scale."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from heedful._checks import check_choice, check_number
from heedful._responses import CountsOrCosts, Response
from heedful._undo import all_or_nothing
from heedful.estimators._linear import LassoEstimator
from heedful.estimators._training_rows import Offset
from heedful.explain import Explanation

# The power of the mean that the variance grows with.
POWERS = {"poisson": 1.0, "gamma": 2.0, "tweedie": 1.5}


@dataclass(eq=False, repr=False, kw_only=True)
class AttentionGLM(LassoEstimator):
    """Regression of counts or costs by a weighted lasso per query.

    It works as :class:`heedful.AttentionLasso`, with Poisson, Gamma or Tweedie lassos and a log link. The log rates of
    the heads and of the global lasso are blended; the shares minimise the deviance of held-out rows. Contributions add
    up on the log scale, so each one multiplies the prediction by a factor. Rows may have an ``exposure``, such as the
    years that a policy was in force: the expected count of a row is its rate times its exposure.

    Parameters
    ----------
    family : {"poisson", "gamma", "tweedie"} or float, default="poisson"
        "poisson" for counts, "gamma" for costs > 0, "tweedie" for costs of which some are 0. A number from 1 to 2 is
        the variance power: 1 is Poisson, 2 Gamma, and "tweedie" means 1.5. The other parameters are those of
        :class:`heedful.AttentionLasso`; ``alpha`` is cross-validated by deviance.

    Attributes
    ----------
    baseline_ : GlobalModel
        The global lasso; ``predict`` returns means, ``coef_`` and ``intercept_`` are on the log scale.
    similarity_, alpha_, heads_, mixing_, guard_, held_out_error_
        As in :class:`heedful.AttentionLasso`; errors in ``heads_`` are half the mean unit deviance.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, years = rng.normal(size=(400, 3)), rng.uniform(0.5, 2.0, size=400)
    >>> claims = rng.poisson(years * np.exp(X[:, 0] * np.sign(X[:, 1])))
    >>> model = AttentionGLM(heads="single", random_state=0).fit(X[:300], claims[:300], exposure=years[:300])
    >>> bool(model.score(X[300:], claims[300:], exposure=years[300:]) > 0.2)
    True
    >>> per_year, in_two_years = model.predict(X[300:]), model.predict(X[300:], exposure=np.full(100, 2.0))
    >>> bool(np.allclose(in_two_years, 2 * per_year))
    True
    """

    family: Any = "poisson"

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None, *, exposure=None, offset=None) -> Self:
        """Fit to training rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows: a numeric array, or a frame that may hold text, categories and missing cells.
        y : array-like of shape (n_train,)
            Counts or costs of the whole exposure, not rates.
        sample_weight, groups : array-like of shape (n_train,), default=None
            As in :meth:`heedful.AttentionLasso.fit`.
        exposure : array-like of shape (n_train,), default=None
            Time or population over which ``y`` was counted, > 0. None means 1.
        offset : array-like of shape (n_train,), default=None
            The logarithm of the exposure, or any other known part of the linear predictor, in place of ``exposure``.

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, *self._fit_arguments(sample_weight, groups, Offset(exposure, offset)))

    def predict(self, X, exposure=None, offset=None) -> np.ndarray:
        """Return the expected count or cost of each row.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        exposure, offset : array-like of shape (n_query,), default=None
            Exposures > 0, or their logarithms; None predicts per unit of exposure.

        Returns
        -------
        ndarray of shape (n_query,)
            Rates times exposures.
        """
        return self._predict(X, Offset(exposure, offset))

    def predict_interval(self, X, coverage=0.9, exposure=None, offset=None) -> np.ndarray:
        """Return an interval around each prediction, from deviance residuals.

        The first parameters are those of :meth:`heedful.AttentionLasso.predict_interval`.

        Parameters
        ----------
        exposure, offset : array-like of shape (n_query,), default=None
            Exposures > 0, or their logarithms; None is one unit of exposure.

        Returns
        -------
        ndarray of shape (n_query, 2)
            Lower ends >= 0 and upper ends; these are infinite if the training rows are too few for the coverage.

        Notes
        -----
        As in :meth:`heedful.AttentionLasso.predict_interval`, with deviance residuals in place of plain ones: an
        interval contains the values whose deviance residual is no larger than that of a share ``coverage`` of held-out
        rows. Counts are discrete, so its coverage is somewhat above nominal.
        """
        return self._interval(X, coverage, Offset(exposure, offset))

    def score(self, X, y, sample_weight=None, exposure=None, offset=None) -> float:
        """Return D2, the fraction of deviance explained.

        The first parameters are those of :meth:`heedful.AttentionLasso.score`.

        Parameters
        ----------
        exposure, offset : array-like of shape (n_query,), default=None
            Exposures > 0, or their logarithms.

        Returns
        -------
        float
            1 is perfect, 0 is as good as one rate for all rows. Without exposures it equals scikit-learn's
            ``d2_tweedie_score``.
        """
        return self._score(X, y, sample_weight, Offset(exposure, offset))

    def explain(
        self, X, y=None, *, method: str = "fast", max_terms: int = 5, exposure=None, offset=None
    ) -> Explanation:
        """Explain predictions; with ``y``, also measure how good they are.

        The first parameters are those of :meth:`heedful.AttentionLasso.explain`.

        Parameters
        ----------
        exposure, offset : array-like of shape (n_query,), default=None
            Exposures > 0, or their logarithms: predictions are for the whole exposure, the link for one unit.

        Returns
        -------
        Explanation
            ``contributions(scale="factor")`` gives the factor by which each column multiplies the prediction.
        """
        return self._explain(X, y, method, max_terms, Offset(exposure, offset))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _response(self, y: Any) -> Response:  # noqa: ARG002 - others read labels from it
        if isinstance(self.family, str):
            return CountsOrCosts(POWERS[check_choice("family", self.family, tuple(POWERS))])
        hint = "1 is Poisson, 2 Gamma, between are Tweedie's; or use one of these names."
        return CountsOrCosts(check_number("family", self.family, 1.0, 2.0, hint=hint))
