"""What attention around an estimator shares: learners that are fitted per query, and ensembles whose trees are kept."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

from heedful._ensembles import ACCEPTED, is_ensemble
from heedful._flow import ModelKind, Settings, check_learner
from heedful._responses import Regression, Response
from heedful._undo import all_or_nothing
from heedful.estimators._base import AttentionEstimator
from heedful.estimators._training_rows import FitInputs


@dataclass(eq=False, repr=False)
class WrappingEstimator(AttentionEstimator):
    """An attention model around an estimator; a subclass says by which kind of local models, and of which response."""

    estimator: Any = None
    _: KW_ONLY
    similarity: Any = "forest"
    temperature: Any = "auto"
    mixing: Any = "auto"
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
        kind, settings = self._plan(groups)
        given = FitInputs(sample_weight, groups, self.features, self.cv, self.random_state)
        return self._fit(X, y, given, self._response, kind, settings)

    def _plan(self, groups: Any) -> tuple[ModelKind, Settings]:
        """Check every argument."""
        raise NotImplementedError

    def _response(self, _: Any) -> Response:
        """Return the kind of response that is learned; ``y`` is given for its labels."""
        return Regression()


def whole_seed(random_state: Any) -> int | None:
    """Return a seed for learners, which take whole numbers only; None for any other."""
    return int(random_state) if isinstance(random_state, Integral) else None


def check_ensemble(estimator: Any, owner: WrappingEstimator) -> None:
    """Raise unless an estimator is None or an ensemble of the owner's kind."""
    if estimator is not None and not is_ensemble(estimator):
        raise TypeError(f"`estimator` must be {ACCEPTED}, got {estimator!r}. Or use None for a LightGBM.")
    check_learner(estimator, owner)
