"""Families of responses: the loss of each, seen from the linear predictor and from what heads are blended on.

A family holds the response of some rows. ``link`` arrays end in one axis for the outputs: one for numbers, two
classes and survival, one per class otherwise. ``values`` are what heads and baseline are blended on: predictions,
class probabilities, log relative hazards. ``observed`` is the part of them that the loss looks at: one number per row.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from heedful._kernels.shapes import BINOMIAL, GAUSSIAN, MULTINOMIAL, OTHER, Outcome

# Curvatures below this count as this much in a working response, and a weighted share is moved to all rows by it.
FLAT, SMOOTH = 0.01 * 0.99, 0.01
# The log-odds of the most and the least probable class are at most this far apart: 1 - 1e-13 is still less than 1.
FARTHEST = 30.0
# The level of two classes with offsets takes so many Newton steps, each with the curvature of all rows.
NULL_STEPS = 25


# Up to so many columns are added one by one, as NumPy does with so few numbers.
FEW_COLUMNS = 7
# Newton steps to the largest eigenvalue of the curvature of classes: 200 classes, of which most are next to impossible,
# take eight. Where the two largest entries are equal there is nothing to divide by.
NEWTON_STEPS, TINY = 9, 1e-100


# The linear predictors (n_rows, n_models, n_outputs) of some models at the rows asked for.
Links = Callable[[np.ndarray], np.ndarray]
# The weighted loss of left-out rows, in sum, for each of some models.
LeftOutLoss = Callable[[Links], np.ndarray]


class Losses(NamedTuple):
    """Loss of each row with its first and second derivative by the observed value."""

    value: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray


class Family(Protocol):
    """What a family must offer."""

    n_outputs: int
    n_values: int
    # How far from its start the linear predictor of one Newton step is believed
    farthest_step: float
    # Whether the loss of a row does not depend on other rows
    row_by_row: bool
    # Whether the response is mostly noise
    noisy: bool

    @property
    def outcome(self) -> Outcome:
        """Return the response as kernels take it."""

    @property
    def response(self) -> np.ndarray:
        """Return the numbers that set the unit of the linear predictor: zeros if it has its own."""

    def scaled(self, center: float, unit: float) -> "Family":
        """Return the family with a linear predictor in these units, where it has none of its own."""

    def part(self, rows: np.ndarray) -> "Family":
        """Return the family of some of the rows."""

    def new_rows(self, encoded: np.ndarray) -> "Family":
        """Return the family of other rows, with what their loss needs of these."""

    def keeps_total(self, link: np.ndarray, weight: np.ndarray) -> bool:
        """Return whether a fit expects about as much of all rows as they had; where it always does, it is not asked."""

    def anchored(self, link: np.ndarray, weight: np.ndarray) -> "Family":
        """Return the family with all that the loss of a row needs of the other rows, held at ``link``."""

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        """Return the linear predictor (n_outputs,) of the model without columns."""

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return minus the slope of each row's loss by its linear predictor (n_rows, n_outputs)."""

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
        """Return an upper bound of the curvature of each row's loss, kept away from 0; None if it is 1 everywhere."""

    def dispersion(self, link: np.ndarray, weight: np.ndarray) -> float:
        """Return how much more the slopes of rows vary than their curvature says; 1 where a loss has no unit."""

    def means(self) -> np.ndarray | None:
        """Return the columns whose weighted means make the model without columns; None if the lasso's own does."""

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        """Return the linear predictor of models without columns from weighted means of ``means``."""

    def values(self, link: np.ndarray) -> np.ndarray:
        """Return what is blended."""

    def link_of(self, values: np.ndarray) -> np.ndarray:
        """Return the linear predictor on the original scale that gives these values."""

    def observed(self, values: np.ndarray) -> np.ndarray:
        """Return the part of the values of these rows that their loss looks at."""

    def losses(self, observed: np.ndarray) -> Losses:
        """Return the loss of each row."""

    def reported(self, observed: np.ndarray) -> np.ndarray:
        """Return the loss of each row (n_rows,) as people are told of it: mostly the one that is minimised."""

    def reported_alone(self) -> np.ndarray | None:
        """Return the same of an estimate without columns, if people compare with it; else None."""

    def surprises(self, observed: np.ndarray) -> np.ndarray | None:
        """Return the loss of each row had it been of another class; None for a response without classes."""

    def trust(self, observed: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return how much each row counts, at most 1, when predictions are compared by these of them."""

    def left_out_loss(self, train: np.ndarray, test: np.ndarray, weight: np.ndarray) -> LeftOutLoss:
        """Return what gives the weighted loss of test rows, in sum, for models of the training rows."""


# Deviations beyond which a residual counts no more, and those of the median of absolute ones of a normal distribution.
EXTREME, DEVIATION = 4.0, 1.4826


class RowByRow:
    """Families in which the loss of a row does not depend on other rows, with what most of them share.

    A family of its own keeps its encoded response as ``y``, has one output whose unit is its own, and no kernel.
    """

    y: np.ndarray
    part: Any
    losses: Any
    n_outputs = n_values = 1
    farthest_step = np.inf
    row_by_row = True
    noisy = False

    def keeps_total(self, link: np.ndarray, weight: np.ndarray) -> bool:
        """Return True: at the minimum of most losses the slope by the intercept says so."""
        return True

    @property
    def outcome(self) -> Outcome:
        """Return a response that no kernel knows."""
        return Outcome(OTHER, self.y, np.empty(0), np.arange(self.y.size))

    @property
    def response(self) -> np.ndarray:
        """Return zeros: the linear predictor has a unit of its own."""
        return np.zeros(self.y.size)

    def scaled(self, center, unit):
        """Return the family as it is."""
        return self

    def observed(self, values):
        """Return the single value of a row."""
        return values[..., 0]

    def anchored(self, link, weight):
        """Return the family as it is."""
        return self

    def dispersion(self, link, weight):
        """Return 1: the loss has no unit, or that of a standardised response."""
        return 1.0

    def reported(self, observed):
        """Return the losses that are minimised."""
        return self.losses(observed).value

    def reported_alone(self):
        """Return None: the model for all rows is what is compared with."""
        return

    def surprises(self, observed):
        """Return None: there are no classes."""
        return

    def trust(self, observed, weight):
        """Return ones: no loss of a row is that large."""
        return np.ones(observed.shape)

    def left_out_loss(self, train, test, weight):
        """Return the sum over test rows."""
        there, mass = self.part(test), weight[test]
        return lambda link: mass @ there.losses(there.observed(there.values(link(test)))).value


class Numbers(RowByRow):
    """A response of numbers under squared error; ``center`` and ``unit`` are those of the linear predictor."""

    def __init__(self, y: np.ndarray, center: float = 0.0, unit: float = 1.0):
        self.y, self.center, self.unit = y, center, unit

    @property
    def response(self) -> np.ndarray:
        """Return the numbers."""
        return self.y

    @property
    def outcome(self) -> Outcome:
        """Return the response as kernels take it."""
        return Outcome(GAUSSIAN, self.y, np.empty(0), np.arange(self.y.size))

    def scaled(self, center, unit):
        """Return the family with a linear predictor of this centre and unit."""
        return type(self)(self.y, center, unit)

    def part(self, rows):
        """Return the family of some of the rows."""
        return type(self)(self.y[rows], self.center, self.unit)

    def new_rows(self, encoded):
        """Return the family of other numbers."""
        return type(self)(encoded, self.center, self.unit)

    def null_link(self, weight):
        """Return the mean."""
        return np.array([(np.average(self.y, weights=weight) - self.center) / self.unit])

    def residual(self, link, weight):
        """Return the residual in units of the linear predictor."""
        return (self.y[:, None] - self.center) / self.unit - link

    def hessian(self, link, weight):
        """Return None: a square bends the same everywhere."""
        return

    def means(self):
        """Return None: the lasso's own weighted mean is the model without columns."""
        return

    def mean_link(self, means, overall):
        """Return the means themselves."""
        return means

    def values(self, link):
        """Return predictions in units of the response."""
        return self.center + self.unit * link

    def link_of(self, values):
        """Return the predictions themselves."""
        return values

    def losses(self, observed):
        """Return squared errors."""
        away = observed - like_rows(self.y, observed)
        return Losses(away**2, 2.0 * away, np.full(away.shape, 2.0))

    def trust(self, observed, weight):
        """Return the weights with which no squared residual counts more than that of four deviations.

        Deviations are those of a normal distribution with the same median of absolute residuals.
        """
        away = np.abs(observed - self.y)
        order = np.argsort(away)
        half = np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())
        far = EXTREME * DEVIATION * away[order[min(half, away.size - 1)]]
        return np.minimum(1.0, far / np.maximum(away, 1e-300)) ** 2 if far > 0 else np.ones(away.size)


class PseudoOutcomes(Numbers):
    """Numbers whose mean is sought, and which hardly show it one by one."""

    noisy = True


class Classes(RowByRow):
    """Classes by number, under log loss.

    Two classes have one output, the log-odds of the second, unless they are to be treated as alike (``symmetric``).
    Only then may rows have an ``offset``, which their loss adds to it; what is blended are probabilities without it.
    """

    def __init__(self, y: np.ndarray, n_classes: int, *, symmetric: bool = False, offset: np.ndarray | None = None):
        self.y, self.n_classes, self.symmetric = np.asarray(y, dtype=np.int64), n_classes, symmetric
        self.n_outputs = 1 if n_classes == 2 and not symmetric else n_classes
        self.n_values, self.offset = n_classes, offset

    @property
    def outcome(self) -> Outcome:
        """Return the classes as kernels take them."""
        kind = BINOMIAL if self.n_outputs == 1 else MULTINOMIAL
        offset = np.empty(0) if self.offset is None else self.offset
        return Outcome(kind, self.y.astype(np.float64), np.empty(0), np.arange(self.y.size), offset=offset)

    def part(self, rows):
        """Return the family of some of the rows."""
        offset = None if self.offset is None else self.offset[rows]
        return Classes(self.y[rows], self.n_classes, symmetric=self.symmetric, offset=offset)

    def new_rows(self, encoded):
        """Return the family of other rows: classes, or these and offsets as two columns."""
        y, *offset = encoded.reshape(len(encoded), -1).T
        return Classes(y, self.n_classes, symmetric=self.symmetric, offset=offset[0] if offset else None)

    def null_link(self, weight):
        """Return the log-odds of the class shares, or their centred logarithms."""
        share = np.average(self.means(), axis=0, weights=weight)
        link = self.mean_link(share, share)
        if self.offset is not None:
            for _ in range(NULL_STEPS):
                rows = np.tile(link, (self.y.size, 1))
                link = link + weight @ self.residual(rows, weight) / (weight @ self.hessian(rows, weight))
        return link

    def residual(self, link, weight):
        """Return 0 or 1 less the probability."""
        return self._outputs(np.eye(self.n_classes))[self.y] - self._outputs(self.values(self._shifted(link)))

    def hessian(self, link, weight):
        """Return p (1 - p), times what makes it a bound for all classes together.

        The curvature of a softmax is not diagonal. The largest eigenvalue of ``V^-1/2 (diag(p) - pp') V^-1/2``, with V
        the diagonal ``p (1 - p)``, is 2 for two classes and close to 1 for many equal ones.
        """
        chance = np.clip(self.values(self._shifted(link)), 1e-6, 1.0 - 1e-6)
        bend = np.maximum(chance * (1.0 - chance), FLAT)
        if self.n_outputs == 1:
            return bend[:, 1:]
        return bend * largest_eigenvalue(1.0 / (1.0 - chance), chance / (1.0 - chance))[:, None]

    def means(self):
        """Return one 0/1 column per output; with offsets another of the probabilities that these alone would give."""
        happened = self._outputs(np.eye(self.n_classes))[self.y]
        if self.offset is None:
            return happened
        return np.column_stack([happened, self._outputs(self.values(self.offset[:, None]))])

    def mean_link(self, means, overall):
        """Return the link of class shares, moved a little towards the overall ones so that none is 0 or 1."""
        share = (1.0 - SMOOTH) * means + SMOOTH * overall
        if self.n_outputs == 1:
            odds = np.log(share) - np.log1p(-share)
            return odds if self.offset is None else odds[..., :1] - odds[..., 1:]
        logarithm = np.log(np.maximum(share, 1e-12))
        return logarithm - logarithm.mean(axis=-1, keepdims=True)

    def values(self, link):
        """Return the probabilities of all classes, none of which is 0 or 1."""
        if self.n_outputs == 1:
            # NumPy takes its time for the maximum and the sum of two columns
            top = np.maximum(link, 0.0)
            mass = np.exp(np.maximum(np.concatenate([-top, link - top], axis=-1), -FARTHEST))
            return mass / (mass[..., :1] + mass[..., 1:])
        mass = np.exp(np.maximum(link - over_columns(np.maximum, link), -FARTHEST))
        return mass / over_columns(np.add, mass)

    def link_of(self, values):
        """Return log-odds, or centred logarithms of probabilities."""
        logarithm = np.log(np.clip(values, 1e-15, None))
        if self.n_outputs == 1:
            return logarithm[..., 1:] - logarithm[..., :1]
        return logarithm - logarithm.mean(axis=-1, keepdims=True)

    def observed(self, values):
        """Return the probability of the class that was observed."""
        index = self.y.reshape(-1, *([1] * (values.ndim - 1)))
        return np.take_along_axis(values, index, axis=-1)[..., 0]

    def losses(self, observed):
        """Return minus log probabilities."""
        chance = np.maximum(observed, 1e-15)
        if self.offset is None:
            return Losses(-np.log(chance), -1.0 / chance, chance**-2.0)
        # odds are multiplied by what an offset is the logarithm of, towards the class that was observed
        odds = np.exp(like_rows(np.where(self.y == 1, self.offset, -self.offset), observed))
        total = 1.0 - chance + chance * odds
        slope = (odds - 1.0) / total
        curve = np.maximum(chance**-2.0 - slope**2, FLAT)
        return Losses(np.log(total) - np.log(chance * odds), slope - 1.0 / chance, curve)

    def surprises(self, observed):
        """Return minus log probabilities of all other classes together."""
        if self.n_outputs == 1:
            return Classes(1 - self.y, 2, offset=self.offset).losses(1.0 - observed).value
        return -np.log(np.maximum(1.0 - observed, 1e-15))

    def _shifted(self, link: np.ndarray) -> np.ndarray:
        """Return the linear predictor that the loss looks at."""
        return link if self.offset is None else link + self.offset[:, None]

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        """Return the class columns that have an output."""
        return columns[..., 1:] if self.n_outputs == 1 else columns


def over_columns(function: np.ufunc, table: np.ndarray) -> np.ndarray:
    """Return the maximum or the sum over the last axis, which is kept; of few columns NumPy's own takes its time."""
    if table.shape[-1] > FEW_COLUMNS:
        return function.reduce(table, axis=-1, keepdims=True)
    return reduce(function, np.moveaxis(table, -1, 0))[..., None]


def like_rows(values: np.ndarray, shaped: np.ndarray) -> np.ndarray:
    """Return one value per row with as many axes as ``shaped``."""
    return values.reshape(-1, *([1] * (shaped.ndim - 1)))


def largest_eigenvalue(diagonal: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return the largest eigenvalue of ``diag(d) - u u'`` for rows of ``d`` and of the squares of ``u``, all above 0.

    It lies between the two largest entries of ``d``, above the second by ``s`` and below the first by ``t``, where
    ``t (1 + sum(u^2 / (d_second - d + s)))`` over all entries but the first is the square of the first. This falls and
    bends upwards in ``s``, so Newton's steps from an ``s`` that is too small never pass the solution; the first two
    entries alone give one. The cost grows with the length of ``d``, not with its cube.
    """
    order = np.argpartition(diagonal, -2, axis=1)
    entries, squares = (np.ascontiguousarray(np.take_along_axis(part, order, 1).T) for part in (diagonal, squares))
    second, gap = entries[-2], entries[-1] - entries[-2]
    below, others, own = second - entries[:-1], squares[:-1], squares[-1]
    room, product = own + others[-1] - gap, gap * others[-1]
    root = np.sqrt(room * room + 4.0 * product)
    above = np.where(room > 0.0, 2.0 * product / (room + root), 0.5 * (root - room))
    for _ in range(NEWTON_STEPS):
        away = np.maximum(below + above, TINY)
        part = others / away
        total = 1.0 + part.sum(axis=0)
        left = gap - above
        step = (left * total - own) / (total + left * (part / away).sum(axis=0))
        above = np.minimum(above + np.maximum(step, 0.0), gap)
    return second + above
