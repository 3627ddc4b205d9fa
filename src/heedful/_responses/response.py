"""The base of all responses: reading ``y``, loss, link, scores and names."""

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np

from heedful._kernels.shapes import OTHER, Outcome
from heedful._responses.encoding import no_offset, split_offset
from heedful._responses.words import Words

# Curvatures below this count as this much in a working response, and a weighted share is moved to all rows by it.
FLAT, SMOOTH = 0.01 * 0.99, 0.01
# Rows whose losses are worked out at once, of many models.
AT_ONCE = 8_192

# The linear predictors (n_rows, n_models, n_outputs) of some models at the rows asked for.
Links = Callable[[np.ndarray], np.ndarray]
# The weighted loss of left-out rows, in sum, for each of some models.
LeftOutLoss = Callable[[Links], np.ndarray]


class Losses(NamedTuple):
    """Loss of each row with its first and second derivative by the observed value."""

    value: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray


class Response:
    """A kind of response, and with rows their loss; derive a custom response from it.

    ``encode`` turns ``y`` into numbers: one per row, or several columns. An offset, which is added to the linear
    predictor of a row, is the last column. ``with_rows`` returns the same response with rows to fit to, which have a
    loss.

    There are three scales: ``link``, the linear predictor, with a last axis for the outputs (one, or one per class);
    ``values``, on which heads and global model are blended (predictions, class probabilities, log relative hazards),
    without offsets; and ``observed``, the part of the values that the loss of a row depends on, one number per row.

    A custom response must define ``task``, ``words``, ``encode`` and ``score``; ``null_link``, ``residual``,
    ``hessian``, ``means``, ``mean_link`` and ``losses``; and, unless the values are the linear predictor itself,
    ``values`` and ``link_of``. Everything else has a default.

    Attributes
    ----------
    task : str
        Kind of response: "regression", "binary", or any other word.
    words : Words
        Names of response, prediction and error.
    estimator_type : str or None
        Estimator type of scikit-learn: "regressor", "classifier" or None.
    classes : ndarray or None
        Class labels.
    outputs : list or None
        Names of the linear predictors; None for a single one.
    n_encoded, n_outputs, n_values : int
        Number of encoded columns, of linear predictors, and of blended values per row.
    squared : bool
        Whether the loss is the squared error.
    has_level : bool
        Whether the loss depends on the level of the linear predictor; for relative hazards it does not.
    has_intervals : bool
        Whether ``conformity`` and ``interval`` are defined.
    suits_learners : bool
        Whether learners of any kind and leaves of trees can predict it.
    noisy : bool
        Whether it is mostly noise, so that the guard is stricter with slopes of the global model and with local models.
    level : float or None
        A known constant prediction for all rows.
    row_by_row : bool
        Whether the loss of a row does not depend on other rows.
    farthest_step : float
        Largest accepted change of the linear predictor in one Newton step.
    y, offset : ndarray
        The encoded rows, and their offsets if they have any.
    """

    estimator_type: str | None = "regressor"
    classes: np.ndarray | None = None
    outputs: list[Any] | None = None
    n_encoded: int = 1
    n_outputs: int = 1
    n_values: int = 1
    squared: bool = False
    has_level: bool = True
    has_intervals: bool = False
    suits_learners: bool = False
    noisy: bool = False
    level: float | None = None
    row_by_row: bool = True
    farthest_step: float = np.inf
    y: np.ndarray
    offset: np.ndarray | None = None

    @property
    def task(self) -> str:
        """Return the kind of response in a word."""
        raise NotImplementedError

    @property
    def words(self) -> Words:
        """Return the names of response, prediction and error."""
        raise NotImplementedError

    # how it is read and given back

    def encode(self, y: Any) -> np.ndarray:
        """Check a response as given and return it as numbers."""
        raise NotImplementedError

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        """Return an encoded response in the terms of the user."""
        return split_offset(encoded, self.n_encoded)[0]

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return sample weights with what the response adds to them; raise if they leave nothing to learn from."""
        return sample_weight

    def strata(self, encoded: np.ndarray) -> np.ndarray | None:
        """Return the groups of rows that random folds share out evenly; None draws folds at random."""
        return None

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the target of similarities; text marks labels."""
        return unit_response(self.decode(encoded), sample_weight)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the response as the target of a learner."""
        return self.decode(encoded)

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return what a fitted learner predicts, as it is blended (n_rows, n_values)."""
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return blended values with their offsets, as predictions are shown (n_rows, n_values)."""
        return no_offset(values, offset)

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return what ``predict`` returns for values that are expected."""
        return expected[:, 0]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return the score of blended values; larger is better."""
        raise NotImplementedError

    def conformity(self, encoded: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return conformity scores: distances of responses from a blended value (n_rows,), comparable at any level."""
        raise TypeError(f"Responses of task {self.task!r} have no intervals.")

    def interval(self, values: np.ndarray, offset: np.ndarray | None, size: np.ndarray) -> np.ndarray:
        """Return the lowest and the highest response (n_rows, 2) whose conformity has this size at most."""
        raise TypeError(f"Responses of task {self.task!r} have no intervals.")

    def served(self) -> "Response | None":
        """Return the response that a fitted model predicts; None if predictions are plain numbers."""
        return None

    # rows

    def with_rows(self, encoded: np.ndarray) -> Self:
        """Return the response with these rows."""
        rows = copy(self)
        rows.y, rows.offset = split_offset(encoded, self.n_encoded)
        return rows

    def new_rows(self, encoded: np.ndarray) -> Self:
        """Return the response with other rows, and what their loss needs of the rows it has."""
        return self.with_rows(encoded)

    def part(self, rows: np.ndarray) -> Self:
        """Return the response with some of its rows."""
        some = copy(self)
        some.y, some.offset = self.y[rows], None if self.offset is None else self.offset[rows]
        return some

    @property
    def outcome(self) -> Outcome:
        """Return the rows as kernels take them; by default as a response that no kernel knows."""
        return Outcome(OTHER, self.y, np.empty(0), np.arange(self.y.size))

    @property
    def response(self) -> np.ndarray:
        """Return the numbers that set the unit of the linear predictor: zeros if it has its own."""
        return np.zeros(len(self.y))

    def scaled(self, center: float, unit: float) -> Self:
        """Return the response with a linear predictor in these units, where it has none of its own."""
        return self

    def anchored(self, link: np.ndarray, weight: np.ndarray) -> Self:
        """Return the response with all that the loss of a row needs of the other rows, held at ``link``."""
        return self

    # its loss as a function of the linear predictor

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        """Return the linear predictor (n_outputs,) of the model without columns."""
        raise NotImplementedError

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return minus the gradient of each row's loss by its linear predictor (n_rows, n_outputs)."""
        raise NotImplementedError

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """Return an upper bound of the curvature of each row's loss, kept away from 0; None if it is 1 everywhere."""
        raise NotImplementedError

    def dispersion(self, link: np.ndarray, weight: np.ndarray) -> float:
        """Return the dispersion: variance of the gradients relative to the curvature; 1 for a loss without unit."""
        return 1.0

    def means(self) -> np.ndarray | None:
        """Return the columns whose weighted means make the model without columns; None if the lasso's own does."""
        raise NotImplementedError

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        """Return the linear predictor of models without columns from weighted means of ``means``."""
        raise NotImplementedError

    def keeps_total(self, link: np.ndarray, weight: np.ndarray) -> bool:
        """Return whether a fit expects about as much of all rows as they had: at most minima of losses it does."""
        return True

    def attended_level(self, link: np.ndarray, attention: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what to add to linear predictors (..., n_rows) of a response whose loss does not know their level."""
        raise TypeError(f"The loss of task {self.task!r} knows the level of linear predictors.")

    # its loss as a function of what is blended

    def values(self, link: np.ndarray) -> np.ndarray:
        """Return what is blended."""
        return link

    def link_of(self, values: np.ndarray) -> np.ndarray:
        """Return the linear predictor on the original scale that gives these values."""
        return values

    def observed(self, values: np.ndarray) -> np.ndarray:
        """Return the part of the values of these rows that their loss looks at."""
        return values[..., 0]

    def values_of(self, observed: np.ndarray) -> np.ndarray:
        """Return the values (n_rows, n_values) that have this observed part, where it says all."""
        return observed[:, None]

    def losses(self, observed: np.ndarray) -> Losses:
        """Return the loss of each row."""
        raise NotImplementedError

    def left_out_loss(self, train: np.ndarray, test: np.ndarray, weight: np.ndarray) -> LeftOutLoss:
        """Return what gives the weighted loss of test rows, in sum, for models of the training rows."""
        parts = [test[first : first + AT_ONCE] for first in range(0, max(test.size, 1), AT_ONCE)]
        known = [(rows, self.part(rows), weight[rows]) for rows in parts]
        return lambda link: np.sum(
            [mass @ there.losses(there.observed(there.values(link(rows)))).value for rows, there, mass in known], axis=0
        )

    def reported(self, observed: np.ndarray) -> np.ndarray:
        """Return the reported loss of each row (n_rows,), usually the one that is minimised."""
        return self.losses(observed).value

    def reported_alone(self) -> np.ndarray | None:
        """Return the reported loss of a null model without columns, if there is a usual one; else None."""
        return None

    def survival_curves(self, values: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the survival probabilities (n_rows, n_times) that values stand for."""
        raise TypeError(f"Responses of task {self.task!r} have no survival curves.")

    def losses_of_others(self, observed: np.ndarray) -> np.ndarray | None:
        """Return the loss of each row had it been of another class; None for a response without classes."""
        return None

    def robust_weight(self, observed: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return how much each row counts, at most 1, when predictions are compared by these of them."""
        return np.ones(observed.shape)

    # how a model that has drifted is corrected

    def shift_columns(self, base: np.ndarray) -> np.ndarray:
        """Return the columns whose weighted means say how far predictions ``base`` are off."""
        raise TypeError(f"`model` must predict a numeric response, classes, counts or costs, got {self.task!r}.")

    def shift(self, means: np.ndarray) -> np.ndarray:
        """Return how far linear predictors are to be moved by weighted means of ``shift_columns``."""
        observed, predicted = np.split(means, 2, axis=-1)
        return self.link_of((1.0 - SMOOTH) * observed + SMOOTH * predicted) - self.link_of(predicted)


def unit_response(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return a response with mean 0 and deviation 1, rounded to nine digits, as similarities are fitted to.

    Trees do not split tiny variances and break ties between equal splits by the last bits of sums; neither the unit nor
    the origin of the response must decide.
    """
    centred = y - np.average(y, weights=weight)
    unit = np.sqrt(np.average(centred**2, weights=weight))
    return np.round(centred / unit, 9) if unit > 1e-12 * np.abs(y).max() else np.zeros(y.size)


def log_ratio(means: np.ndarray, overall: np.ndarray) -> np.ndarray:
    """Return the log of the ratio of two means, moved a little towards that of all rows so that it is finite."""
    moved = (1.0 - SMOOTH) * means + SMOOTH * overall
    return np.log(moved[..., :1]) - np.log(moved[..., 1:])


def like_rows(values: np.ndarray, shaped: np.ndarray) -> np.ndarray:
    """Return one value per row with as many axes as ``shaped``."""
    return values.reshape(-1, *([1] * (shaped.ndim - 1)))
