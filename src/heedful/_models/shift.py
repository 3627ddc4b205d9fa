"""A model that is kept and shifted for each query, by how far it was off for rows like the query (Algorithm 4)."""

from typing import Any

import numpy as np

from heedful._models.protocol import BlockFits, HeldOut
from heedful._solver import Classes, Numbers
from heedful.attention import Weighting, blend_attention, weigh
from heedful.similarity import LeafScores

# Class shares are moved so far to what the model says of the same rows, which bounds the shift of log-odds.
SMOOTH = 0.01


class ShiftProblem:
    """Recent rows with what happened to them (``family``) and what a model that has not seen them says (``base``).

    A query's shift is the link of the weighted mean of what happened less that of what the model said: the weighted
    mean residual of numbers, a difference of log-odds for classes.
    """

    largest_block = 2048

    def __init__(self, family: Numbers | Classes, base: np.ndarray, weight: np.ndarray):
        self.family, self.base, self.weight = family, base, weight
        numbers = family.n_values == 1
        self._columns = (
            family.response[:, None] - base if numbers else np.hstack([np.eye(base.shape[1])[family.y], base])
        )

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        """Shift what the model says (``x``) of a block of queries."""
        shift = self.shift(rows, weightings)
        values = self.family.values(self.family.link_of(x)[:, None] + shift)
        return BlockFits(values[:, :, None], np.empty((x.shape[0], 0, 0)))

    def shift(self, rows: Any, weightings: list[Weighting]) -> np.ndarray:
        """Return the shifts (n_query, n_weighting, n_outputs) on the scale of the link."""
        means = attended_means(rows, weightings, self.weight, self._columns)
        if self.family.n_values == 1:
            return means
        happened, said = np.split(means, 2, axis=-1)
        return self.family.link_of((1.0 - SMOOTH) * happened + SMOOTH * said) - self.family.link_of(said)

    def held_out(self, splits=()) -> list[HeldOut]:
        """Return all rows: the model has seen none of them, and each is masked in its own weights."""
        return [HeldOut(self, self.base, np.arange(self.weight.size))]

    def fold(self, number, split) -> HeldOut:
        """Return the problem of one fold's training part, and its other rows."""
        part = ShiftProblem(self.family.part(split.train), self.base[split.train], self.weight[split.train])
        return HeldOut(part, self.base[split.test], split.test)


def attended_means(
    rows: Any, weightings: list[Weighting], sample_weight: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return the weighted means (n_query, n_weighting, n_column) of columns (n_train, n_column)."""
    plain = np.average(columns, axis=0, weights=sample_weight)
    temperatures = [weighting.temperature for weighting in weightings]
    if isinstance(rows, LeafScores) and rows.can_sum(temperatures):
        sums = rows.sums(np.column_stack([sample_weight, sample_weight[:, None] * columns]), temperatures)
        total = sums[:, :, :1]
        return np.where(total > 0, sums[:, :, 1:] / np.where(total > 0, total, 1.0), plain)
    means = []
    for weighting in weightings:
        bumps, background = weigh(rows, weighting, sample_weight)
        means.append(bumps @ columns + np.multiply.outer(background, plain))
    return np.stack(means, axis=1)


def effective_rows(rows: Any, weighting: Weighting, sample_weight: np.ndarray) -> np.ndarray:
    """Return the effective number of rows per query, ``1 / sum(weight ** 2)``."""
    half = weighting.temperature / 2
    if isinstance(rows, LeafScores) and rows.can_sum([half]):
        # a weight of a softmax, squared, is one at half the temperature
        sums = rows.sums(np.column_stack([sample_weight, sample_weight**2]), [weighting.temperature, half])
        return sums[:, 0, 0] ** 2 / sums[:, 1, 1]
    return blend_attention([(1.0, *weigh(rows, weighting, sample_weight))], sample_weight).n_eff
