"""A nearly as informative sample of a large table: rows far from the mean are drawn more often, at less weight."""

from typing import NamedTuple

import numpy as np

from heedful._folds import Split
from heedful._responses import Response


class Drawn(NamedTuple):
    """Rows of a table in ascending order, and the weight of each: that of all rows which it stands for.

    ``place`` (n_rows,) is the number of each row of the table among them, -1 for rows that were not drawn.
    """

    rows: np.ndarray
    weight: np.ndarray
    place: np.ndarray

    def among(self, split: Split) -> Split:
        train, test = (own[own >= 0] for own in (self.place[split.train], self.place[split.test]))
        return Split(train, test)


def draw_rows(family: Response, weight: np.ndarray, folds: list[Split], rank: np.ndarray, most: float | None) -> Drawn:
    """Draw about ``most`` rows, or all of a table that has no more.

    A row's chance is in proportion to its weight times one plus the slope of its loss at the mean, in units of
    the usual slope: so rare events are kept. Its weight is divided by its chance, at most 1. Rows are drawn fold by
    fold, so that no response influences which rows of other folds are drawn, evenly along their ``rank``. Each fold
    keeps a row, and so does its training part.
    """
    everyone = np.arange(weight.size)
    if most is None or weight.size <= most:
        return Drawn(everyone, weight, everyone)
    chance, drawn = np.zeros(weight.size), np.zeros(weight.size, dtype=bool)
    total, fresh = weight.sum(), np.ones(weight.size, dtype=bool)
    for fold in folds:
        rows = fold.test[fresh[fold.test]]
        if not rows.size:
            continue
        fresh[rows] = False
        rows = rows[np.argsort(rank[rows])]
        size = _sizes(family.part(rows), weight[rows])
        mass = size.sum()
        chance[rows] = np.minimum(1.0, size * (most * weight[rows].sum() / total / mass if mass > 0.0 else 0.0))
        reached = np.floor(np.append(0.0, np.cumsum(chance[rows])) + 0.5)
        drawn[rows[np.diff(reached) > 0]] = True
        drawn[rows[np.argmax(size)]] = True
    for fold in folds:
        drawn[fold.train[np.argmax(weight[fold.train])]] = True
    kept = np.flatnonzero(drawn)
    place = np.full(weight.size, -1)
    place[kept] = np.arange(kept.size)
    return Drawn(kept, weight[kept] / np.where(chance[kept] > 0.0, chance[kept], 1.0), place)


def _sizes(family: Response, weight: np.ndarray) -> np.ndarray:
    """Return what the chances of rows are to be in proportion to."""
    if not weight.sum() > 0.0:
        return weight
    with np.errstate(divide="ignore"):
        null = np.nan_to_num(family.null_link(weight))
    slope = np.abs(family.residual(np.tile(null, (weight.size, 1)), weight)).sum(axis=1)
    usual = np.average(slope, weights=weight)
    return weight * (1.0 + slope / usual if usual > 0.0 else np.ones(weight.size))
