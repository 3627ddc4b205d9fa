"""The family of right-censored survival times, and Breslow's estimator of the hazard."""

from functools import cached_property

import numpy as np

from heedful._kernels.shapes import COX, Outcome
from heedful._solver.families import FLAT, SMOOTH, Links, Losses, like_rows

# Larger linear predictors count as this much where their exponentials are added up.
LARGEST = 500.0


class Survival:
    """Events and times, right-censored: Cox's partial likelihood with Breslow's ties.

    ``hazard`` is the cumulative hazard at each row's time of a row whose linear predictor is 0. Where heads are
    compared it is held fixed: the loss of a row is then that of its number of events, and rows stand on their own.
    """

    n_outputs = n_values = 1
    # A hazard a hundred times as high, or as low: the loss grows with its exponential.
    farthest_step = float(np.log(100.0))
    row_by_row = False
    noisy = False

    def __init__(self, event: np.ndarray, time: np.ndarray, hazard: np.ndarray | None = None):
        self.event, self.time, self.hazard = event, time, hazard

    @property
    def response(self) -> np.ndarray:
        """Return zeros: log hazards have a unit of their own."""
        return np.zeros(self.event.size)

    @property
    def outcome(self) -> Outcome:
        """Return events and times as kernels take them."""
        return Outcome(COX, self.event, self.time, self.by_time[0])

    @cached_property
    def by_time(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows in order of time, and where the rows of each row's time begin and end in it."""
        order = np.argsort(self.time, kind="stable")
        ordered = self.time[order]
        return order, np.searchsorted(ordered, self.time), np.searchsorted(ordered, self.time, side="right")

    def __getstate__(self) -> dict:
        """Return the attributes without what can be had again."""
        return {name: value for name, value in self.__dict__.items() if name != "by_time"}

    def scaled(self, center, unit):
        """Return the family as it is."""
        return self

    def part(self, rows):
        """Return the family of some of the rows."""
        return Survival(self.event[rows], self.time[rows], None if self.hazard is None else self.hazard[rows])

    def new_rows(self, encoded):
        """Return the family of other rows under the hazard of these."""
        event, time = encoded.T
        order = np.argsort(self.time, kind="stable")
        upto = np.searchsorted(self.time[order], time, side="right")
        return Survival(event, time, np.append(0.0, self._fixed_hazard()[order])[upto])

    def keeps_total(self, link, weight):
        """Return True: hazards are relative, and have no total."""
        return True

    def anchored(self, link, weight):
        """Return the family with the cumulative hazard that Breslow's estimator gives under ``link``."""
        return Survival(self.event, self.time, cumulative_hazard(self, link[:, 0], weight))

    def null_link(self, weight):
        """Return 0: the hazard takes up the level."""
        return np.zeros(1)

    def residual(self, link, weight):
        """Return martingale residuals: events less the number expected.

        Columns of ``link`` may be models of their own, with a column of weights for each.
        """
        return self.event[:, None] - self._expected(link, weight)

    def hessian(self, link, weight):
        """Return the expected number of events."""
        return np.maximum(self._expected(link, weight), FLAT)

    def means(self):
        """Return events, and what is expected of a row whose linear predictor is 0."""
        return np.column_stack([self.event, self._fixed_hazard()])

    def mean_link(self, means, overall):
        """Return the log of events over expected ones, moved a little towards that of all rows."""
        moved = (1.0 - SMOOTH) * means + SMOOTH * overall
        return np.log(moved[..., :1]) - np.log(moved[..., 1:])

    def level(self, link: np.ndarray, attention: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what to add to linear predictors (..., n_rows) so that, attended to, events are as many as expected.

        A Cox model has no level of its own; this one is relative to the fixed hazard, and so can be compared.
        """
        events = (attention * self.event).sum(axis=-1)
        expected = (attention * np.exp(np.minimum(link, LARGEST)) * self._fixed_hazard()).sum(axis=-1)
        events = np.broadcast_to(events, expected.shape)
        return self.mean_link(np.stack([events, expected], axis=-1), np.average(self.event, weights=weight))

    def values(self, link):
        """Return the log relative hazard."""
        return link

    def link_of(self, values):
        """Return the log relative hazard."""
        return values

    def dispersion(self, link, weight):
        """Return 1: events are counted."""
        return 1.0

    def surprises(self, observed):
        """Return None: there are no classes."""
        return

    def trust(self, observed, weight):
        """Return ones: losses are those of counts, none of which is that large."""
        return np.ones(observed.shape)

    def observed(self, values):
        """Return the log relative hazard."""
        return values[..., 0]

    def losses(self, observed):
        """Return minus the log likelihood of each row under the fixed hazard."""
        expected = np.exp(np.clip(observed, -50, 50)) * like_rows(self._fixed_hazard(), observed)
        event = like_rows(self.event, observed)
        return Losses(expected - event * observed, expected - event, np.maximum(expected, 1e-12))

    def left_out_loss(self, train, test, weight):
        """Return the partial loss of all rows less that of the training rows (Verweij and van Houwelingen)."""
        rows = np.concatenate([train, test])
        everyone, some = self.part(rows), self.part(train)

        def loss(link: Links) -> np.ndarray:
            both = np.moveaxis(link(rows)[..., 0], 0, -1)
            trained = both[..., : train.size]
            return partial_loss(everyone, both, weight[rows]) - partial_loss(some, trained, weight[train])

        return loss

    def _expected(self, link, weight):
        weight = weight.reshape(len(link), -1)
        seen = np.where(weight > 0.0, link, -np.inf)
        top = seen.max(axis=0)  # hazards that are far apart must not overflow
        return np.exp(np.minimum(link - top, LARGEST)) * cumulative_hazard(self, (seen - top).T, weight.T).T

    def _fixed_hazard(self) -> np.ndarray:
        if self.hazard is None:
            raise ValueError("The hazard is not fixed yet: use `anchored` first.")
        return self.hazard


def risk_sums(family: Survival, mass: np.ndarray) -> np.ndarray:
    """Return the sum of ``mass`` (..., n_rows) over the rows still at risk at each row's time."""
    order, first, _ = family.by_time
    ordered = np.flip(np.cumsum(np.flip(mass[..., order], axis=-1), axis=-1), axis=-1)
    return ordered[..., first]


def partial_loss(family: Survival, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return minus the weighted log partial likelihood of linear predictors (..., n_rows)."""
    top = link.max(axis=-1, keepdims=True)
    at_risk = np.log(np.maximum(risk_sums(family, weight * np.exp(link - top)), 1e-300)) + top
    return ((at_risk - link) * (weight * family.event)).sum(axis=-1)


def cumulative_hazard(family: Survival, link: np.ndarray, weight: np.ndarray, at: np.ndarray | None = None):
    """Return Breslow's cumulative hazard of a row with link 0, at each row's time or ``at`` times.

    ``link`` and ``weight`` may have leading axes: one hazard for each.
    """
    top = link.max(axis=-1, keepdims=True)
    # where no weight is at risk there is no weighted event either
    at_risk = np.maximum(risk_sums(family, weight * np.exp(link - top)), 1e-300)
    order, _, upto = family.by_time
    total = np.cumsum((weight * family.event / at_risk)[..., order], axis=-1)
    if at is not None:
        upto = np.searchsorted(family.time[order], at, side="right")
    padded = np.concatenate([np.zeros((*total.shape[:-1], 1)), total], axis=-1)
    return padded[..., upto] * np.exp(-top)
