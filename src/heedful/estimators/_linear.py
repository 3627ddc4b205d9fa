"""What attention lassos share for every response: checks of their arguments, and intervals of coefficients."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from heedful import _explaining
from heedful._checks import check_choice, check_count, check_coverage, check_like, check_number, is_word
from heedful._flow import Settings, check_settings
from heedful._models.linear import LinearModels, LocalLasso, check_local, most_columns
from heedful._responses import Response
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator
from heedful.estimators._training_rows import NO_OFFSET, FitInputs, Offset
from heedful.similarity import ForestProximity


@dataclass(eq=False, repr=False, kw_only=True)
class LassoEstimator(AttentionEstimator):
    """An attention model whose local models are lassos; a subclass says of which response."""

    similarity: Any = "forest"
    temperature: Any = "auto"
    mixing: Any = "auto"
    features: Any = None
    cv: Any = "oob"
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = None
    heads: str = "multi"
    alpha: float | str = "auto"
    local: LocalLasso | None = None

    # whether the loss is a square, so that an anchor is one more row
    _squares = False

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, groups=None) -> Self:
        """Fit global lasso and similarities; choose shares on held-out rows.

        Parameters
        ----------
        X : array-like of shape (n_train, n_features)
            Training rows: a numeric array, or a frame that may hold text, categories and missing cells.
        y : array-like of shape (n_train,)
            Their response.
        sample_weight : array-like of shape (n_train,), default=None
            Weights of the rows: weight 2 means the same row twice, weight 0 leaves the row out.
        groups : array-like of shape (n_train,), default=None
            Groups of rows, such as the visits of a patient, that stay together in folds and count as one observation in
            standard errors; needs a ``cv`` other than "oob".

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, *self._fit_arguments(sample_weight, groups))

    def coef_intervals(self, X, coverage=0.9, n_draws=100) -> pd.DataFrame:
        """Return intervals and selection frequencies of local coefficients.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            Rows to predict.
        coverage : float, default=0.9
            Share of intervals that is meant to contain the true local coefficient, between 0 and 1.
        n_draws : int, default=100
            Randomised refits behind each selection frequency.

        Returns
        -------
        DataFrame of shape (n_query * n_features, 5)
            For each query and feature (for multiclass classification also class): ``coef``, the coefficient of the
            blended lassos; ``estimate``, the slope among the weighted training rows without shrinkage; ``low`` and
            ``high``, the ends of its interval; ``frequency``, the share of randomised refits that select the feature.

        Notes
        -----
        The interval is for the slope among rows similar to the query. It has its nominal coverage of the query's own
        coefficient if these rows follow one linear model and outnumber the columns. It does not account for
        dissimilar rows among them, for coefficients that vary between them, for the estimation of the similarities, or
        for ``limits``: ends may lie outside these. See ``docs/uncertainty.md#coefficients``.

        Examples
        --------
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 3))
        >>> y = 2.0 * X[:, 0] - X[:, 1] + rng.normal(size=300)
        >>> sure = AttentionLasso(random_state=0).fit(X, y).coef_intervals([[0.5, 0.0, 0.0]]).loc[0]
        >>> sure.index[sure["frequency"] > 0.9].tolist()
        ['x0', 'x1']
        >>> bool(sure["low"]["x0"] < 2.0 < sure["high"]["x0"])
        True
        """
        coverage = check_coverage(coverage, "coefficients")
        n_draws = check_count("n_draws", n_draws, 1, "100 give frequencies to about 0.03.")
        return _explaining.coef_intervals(self._fitted, self._read(X), coverage, n_draws, self._run)

    @property
    def alpha_(self) -> float:
        """Penalty of the global lasso."""
        return self.baseline_.alpha_

    def _fit_arguments(self, sample_weight: Any, groups: Any, offset: Offset = NO_OFFSET) -> tuple:
        """Check every argument; return what ``_fit`` takes after the table and the response."""
        kind, settings = plan_linear(self, groups)
        given = FitInputs(sample_weight, groups, self.features, self.cv, self.random_state, offset)
        return given, self._response, kind, settings

    def _response(self, y: Any) -> Response:
        """Return the kind of response that is learned; ``y`` is given for what is read from it, such as labels."""
        raise NotImplementedError


def plan_linear(model: LassoEstimator, groups: Any) -> tuple[LinearModels, Settings]:
    """Check every argument of a model with local lassos."""
    many = check_choice("heads", model.heads, ("multi", "single")) == "multi"
    check_penalty(model.alpha, model.cv)
    local = check_like("local", model.local, LocalLasso(alpha_ratio=1.0))
    ratios = check_local(local)
    if local.standardize == "weighted" and not (model._squares or is_word(local.exact, "tuning")):
        raise ValueError(
            "`standardize='weighted'` needs fits to convergence, as a Newton step uses other weights; got "
            f"exact={local.exact!r}. Set `exact='tuning'`."
        )
    several = bool(many and np.any(model.mixing != 0))
    # a smooth model has a use only where shares are chosen; heads take curves as a column
    chosen = several and isinstance(model.mixing, str)
    others = {"shapes": several and local.shapes, "smooth": chosen and local.smooth and not local.limits}
    most = most_columns(local, many)
    kind = LinearModels(model.alpha, local, most=most, anchors=model._squares, **others)
    shared = (model.similarity, model.temperature, model.mixing, model.cv, groups, kind)
    return kind, check_settings(*shared, ratios=ratios, many=many)


def check_penalty(alpha: Any, cv: Any) -> None:
    """Raise unless the baseline's penalty is a number or a word that goes with ``cv``."""
    if is_word(alpha, "nested"):
        if is_word(cv, "oob"):
            raise ValueError("`alpha='nested'` chooses a penalty in each fold, and cv='oob' has none. Set `cv=10`.")
    elif not is_word(alpha, "auto"):
        check_number("alpha", alpha, 0.0, np.inf, hint="Or use 'auto'.")


def paper_options(**splits: int) -> dict[str, Any]:
    """Return the options of the paper's Algorithm 2; ``splits`` say which nodes R's ranger splits for the response."""
    local = LocalLasso(
        alpha_ratio=1.0,
        max_extrapolation=None,
        tuning_rows=None,
        exact="tuning",
        n_screened=None,
        shapes=False,
        smooth=False,
        standardize="weighted",
        tol=1e-10,
    )
    return {
        "heads": "single",
        "similarity": ForestProximity(**splits),
        "temperature": 1.0,
        "alpha": "nested",
        "local": local,
        "mixing": [tenths / 10 for tenths in range(11)],
        "cv": 10,
    }
