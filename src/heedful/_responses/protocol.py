"""What a kind of response offers; estimators, drift correction, explanations and the report ask nothing else."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from heedful._solver import Family
from heedful.baseline._model import GlobalModel


class Words(NamedTuple):
    """How people call a response, its prediction, the scale on which contributions add up, and its error.

    ``root`` says that the square root of the mean loss is what is shown, ``times`` how many times the loss: deviances
    are twice the losses that are minimised. ``factor`` is what the exponential of a
    contribution is called, empty where contributions are no logarithms; ``multiplies`` says that it multiplies the
    prediction itself. ``lasso`` is what its linear model is called.
    """

    response: str
    prediction: str
    link: str
    error: str
    root: bool = False
    factor: str = ""
    multiplies: bool = False
    times: float = 1.0
    lasso: str = "lasso"

    def measured(self, loss: Any) -> Any:
        """Return mean losses as the error that ``error`` names, in the units that people know it in."""
        return (self.times * loss) ** (0.5 if self.root else 1.0)


class Response(Protocol):
    """One kind of response. An encoded response is an array of numbers: one per row, or several columns of them.

    Offsets, where there are any, are the last column: what is added to the linear predictor of a row before it is a
    prediction. Blended values are without them.

    ``task`` names the kind, ``estimator_type`` is scikit-learn's word for what predicts it (None if it has none).
    ``classes`` are the labels if it has any, ``outputs`` the names of several linear predictors, ``n_values`` how many
    numbers a prediction has where heads are blended, ``n_encoded`` how many columns the response itself has encoded.
    """

    n_encoded: int

    @property
    def estimator_type(self) -> str | None:
        """Return "regressor", "classifier" or None."""

    @property
    def task(self) -> str:
        """Return "regression", "binary", "multiclass", "survival" or a word of its own."""

    @property
    def words(self) -> Words:
        """Return what people call it."""

    @property
    def classes(self) -> np.ndarray | None:
        """Return the labels, None if there are none."""

    @property
    def outputs(self) -> list[Any] | None:
        """Return the names of several linear predictors, None for a single one."""

    @property
    def n_values(self) -> int:
        """Return how many numbers are blended for each row."""

    def encode(self, y: Any) -> np.ndarray:
        """Check a response as users give it and return it as numbers."""

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return an encoded response in the terms of the user, as the baseline takes it."""

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return sample weights with what the response adds to them; raise if they leave nothing to learn from."""

    def family(self, encoded: np.ndarray) -> Family:
        """Return the rows with their loss."""

    def strata(self, encoded: np.ndarray) -> np.ndarray | None:
        """Return the groups of rows that random folds share out evenly."""

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return what similarities are fitted to; text tells them that it is a label."""

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> GlobalModel:
        """Return the linear model for all rows, not fitted."""

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the response as a learner of any kind is taught it."""

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return what a fitted learner predicts, as it is blended (n_rows, n_values)."""

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return blended values with their offsets, as predictions are shown (n_rows, n_values)."""

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return what ``predict`` returns for values that are expected."""

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return how good blended values are for an encoded response: larger is better."""


@runtime_checkable
class Measured(Protocol):
    """What a response offers beside, if intervals around its predictions are made of residuals."""

    def residuals(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return how far each response is from one blended value (n_rows,); the same for rows of any level."""

    def around(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
        """Return the lowest and the highest response (n_rows, 2) with a residual of at most this size."""


def with_offset(encoded: np.ndarray, offset: np.ndarray | None) -> np.ndarray:
    """Return an encoded response with its offsets as one more column, if there are any."""
    return encoded if offset is None else np.column_stack([encoded, offset])


def split_offset(encoded: np.ndarray, n_encoded: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return an encoded response as it is without offsets, and these, None if there are none."""
    if encoded.ndim == 1 or encoded.shape[1] == n_encoded:
        return encoded, None
    own = encoded[:, :n_encoded]
    return own[:, 0] if n_encoded == 1 else own, encoded[:, n_encoded]


def no_offset(values: np.ndarray, offset: np.ndarray | None) -> np.ndarray:
    """Return values as they are; raise for offsets where a response has none."""
    if offset is not None:
        raise ValueError("`offset` must be None: this response has no offsets.")
    return values


def unit_response(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return a response with mean 0 and deviation 1, rounded to nine digits, as similarities are fitted to.

    Trees do not split tiny variances and break ties between equal splits by the last bits of sums; neither the unit nor
    the origin of the response must decide.
    """
    centred = y - np.average(y, weights=weight)
    unit = np.sqrt(np.average(centred**2, weights=weight))
    return np.round(centred / unit, 9) if unit > 1e-12 * np.abs(y).max() else np.zeros(y.size)
