"""Codes as linear models take them: one 0/1 column per level, missing numbers as training means."""

from itertools import chain, count
from typing import NamedTuple

import numpy as np

from heedful._frames.units import center_and_unit

# Levels beyond the most frequent ones of a column share no dummy column of their own.
MOST_LEVELS = 50


class Coding(NamedTuple):
    """How a column is coded: where a missing number is put, the range it is clipped to, and the names of its dummies.

    A column of numbers has one name, and ``kept`` is None; of a category ``kept`` are the codes of the levels with a
    dummy, -1 for missing.
    """

    mean: float
    low: float
    high: float
    kept: list[int] | None
    names: list[str]


class Dummies:
    """Turns codes into numbers for linear models."""

    def fit(self, codes: np.ndarray, names: list[str], levels: list[list | None], weight: np.ndarray) -> "Dummies":
        """Learn the training means, the levels that get a column, and the range of each column."""
        self._parts: list[tuple[int, np.ndarray | None]] = []
        self.names: list[str] = []
        taken = {name for name, known in zip(names, levels, strict=True) if known is None}
        self.mean = np.array([_known_mean(codes[:, j], weight) for j in range(codes.shape[1])])
        for j in range(codes.shape[1]):
            known = levels[j]
            if known is None:
                self._parts.append((j, None))
                self.names.append(names[j])
                continue
            kept = _kept_levels(codes[:, j], weight)
            self._parts.append((j, kept))
            self.names.extend(_distinct_name(names[j], known, code, taken) for code in kept)
        filled = self.transform(codes)
        self.low, self.high = filled.min(axis=0), filled.max(axis=0)
        return self

    def transform(self, codes: np.ndarray) -> np.ndarray:
        """Return (n_rows, number of dummies); a missing category is 0 in all its columns unless it is a level.

        Numbers without a gap are returned as they are, not copied.
        """
        if all(kept is None for _, kept in self._parts) and not np.isnan(codes).any():
            return codes
        parts = []
        for j, kept in self._parts:
            column = codes[:, j]
            numbers = np.where(np.isnan(column), self.mean[j], column)[:, None]
            parts.append(numbers if kept is None else _indicators(column, kept).astype(np.float64))
        return np.hstack(parts)

    @property
    def sources(self) -> np.ndarray:
        """Which column of codes each dummy stands for, in ascending order."""
        return np.repeat([j for j, _ in self._parts], [1 if kept is None else kept.size for _, kept in self._parts])

    def place(self, codes: np.ndarray) -> np.ndarray:
        """Return which column stands for each cell: a number's own, that of its level, or the first of its levels."""
        places, first = np.empty(codes.shape, np.int64), 0
        for at, (j, kept) in enumerate(self._parts):
            if kept is None:
                places[:, at], first = first, first + 1
                continue
            places[:, at] = first + np.argmax(_indicators(codes[:, j], kept), axis=1)
            first += kept.size
        return places

    def limit(self, rows: np.ndarray, margin: float | None) -> np.ndarray:
        """Clip values that lie further outside the training range than ``margin`` times its width."""
        return rows if margin is None else np.clip(rows, *self._ends(margin))

    def codings(self, margin: float | None) -> list[Coding]:
        """Return how each column is coded, with values clipped as ``limit`` does."""
        low, high = self._ends(np.inf if margin is None else margin)
        codings, first = [], 0
        for j, kept in self._parts:
            size = 1 if kept is None else kept.size
            codes = None if kept is None else kept.astype(np.int64).tolist()
            names = self.names[first : first + size]
            codings.append(Coding(float(self.mean[j]), float(low[first]), float(high[first]), codes, names))
            first += size
        return codings

    def _ends(self, margin: float) -> tuple[np.ndarray, np.ndarray]:
        beyond = margin * (self.high - self.low) if np.isfinite(margin) else np.inf
        return self.low - beyond, self.high + beyond


def _indicators(column: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return which of the kept codes each cell has (n_rows, n_kept); -1 stands for missing."""
    return np.where(np.isnan(column), -1.0, column)[:, None] == kept


def _known_mean(column: np.ndarray, weight: np.ndarray) -> float:
    known = ~np.isnan(column)
    return float(center_and_unit(column[known, None], weight[known])[0][0]) if known.any() else 0.0


def _kept_levels(column: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the codes of the most frequent levels in order; -1 stands for missing."""
    codes, inverse = np.unique(np.where(np.isnan(column), -1.0, column), return_inverse=True)
    frequency = np.bincount(inverse, weights=weight)
    return np.sort(codes[np.lexsort((codes, -frequency))[:MOST_LEVELS]])


def _distinct_name(name: str, levels: list, code: float, taken: set[str]) -> str:
    """Return the name of a dummy, and add it to those taken: the level as it is, as Python writes it, or numbered."""
    level = None if code < 0 else levels[int(code)]
    ways = (f"{name}=(missing)",) if code < 0 else (f"{name}={level}", f"{name}={level!r}")
    numbered = (f"{ways[-1]} ({number})" for number in count(2))
    distinct = next(way for way in chain(ways, numbered) if way not in taken)
    taken.add(distinct)
    return distinct
