"""Whether rows, or what they say of the response, moved between a reference and recent rows: sequential tests.

Rows of each period are cut into blocks at random. Whatever is learned is learned on the blocks before the one that it
is tested on, so that statistics of blocks are uncorrelated and their sum has the variance that it should have (Wager,
"Sequential validation of treatment heterogeneity", 2024).

To be recent is treated like a treatment. Residuals less what the model misses in both periods are multiplied by what is
left of the chance to be recent (Robinson 1988): neither a model that fits badly, nor rows that moved to where it does,
look like a relation that moved.
"""

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from heedful._flow import Columns, GivenRows, TrainingTable
from heedful._models.recent import Recent, shown
from heedful._trees import Binned, Growing, grow_forest
from heedful.explain._drift_measures import IMPROVABLE, REFERENCE_IMPROVABLE, RELATION_MOVED, ROWS_MOVED

BLOCKS, TREES, LEAST = 5, 50, 10
# Rows of a period that tests need at least, and take at most.
FEWEST, MOST = 40, 5000
# Rows that slopes of zero count as; in tables of slopes only so many that there is always one solution.
PENALTY, SLIGHT = 10.0, 0.01
# What left-out rows do not speak for is kept to this share: statistics without any spread would be no test.
SMALLEST = 0.05
# Relations are compared where the chance to be recent is between these.
OVERLAP = (0.1, 0.9)


class Rows(NamedTuple):
    """Rows of both periods: columns as numbers of unit deviation and in bins, residual, weight, 1 for recent ones."""

    design: np.ndarray
    bins: Binned
    residual: np.ndarray
    weight: np.ndarray
    recent: np.ndarray

    def part(self, rows: np.ndarray) -> "Rows":
        """Return some of the rows."""
        return Rows(self.design[rows], self.bins[rows], self.residual[rows], self.weight[rows], self.recent[rows])


class Expected:
    """What is expected of rows: ridge regression, and a forest of what it leaves, as far as left-out rows agree."""

    def __init__(self, rows: Rows, y: np.ndarray, weight: np.ndarray, n_jobs: int | None):
        weight = weight / weight.mean()
        self._level, self._centre = np.average(y, weights=weight), np.average(rows.design, axis=0, weights=weight)
        centred, solve = rows.design - self._centre, _solve_ridge(rows.design, weight, PENALTY)
        self._slopes = solve @ y
        leverage = (centred * solve.T).sum(axis=1) + weight / weight.sum()
        left = y - self._level - centred @ self._slopes
        left_out = left / (1.0 - np.minimum(leverage, 0.99))
        by_slopes, by_forest = y - self._level - left_out, self._grow(rows.bins, left, weight, n_jobs)
        self._shares = _share(y - self._level, by_slopes, weight), _share(left_out, by_forest, weight)
        self.left_out = self._level + self._shares[0] * by_slopes + self._shares[1] * by_forest

    def _grow(self, bins: Binned, y: np.ndarray, weight: np.ndarray, n_jobs: int | None) -> np.ndarray:
        """Grow the forest; return what trees that did not draw a row expect of it."""
        how = Growing(TREES, y.size, bins.shape[1], 2 * LEAST, LEAST)
        # all rows are drawn alike: a heavy one would else never be left out
        self._forest, (starts, members, draws, inside) = grow_forest(
            bins, y, how, 0, split_weight=weight, n_jobs=n_jobs
        )
        mass = draws * weight[members]
        moment, total = (np.add.reduceat(part, starts[:-1]) for part in (mass * y[members], mass))
        self._means = moment / total
        left_out = np.unpackbits(inside, axis=1, count=TREES) == 0
        means = np.where(left_out, self._means[self._forest.leaves(bins).T], 0.0)
        return means.sum(axis=1) / np.maximum(left_out.sum(axis=1), 1)

    def of(self, rows: Rows) -> np.ndarray:
        """Return what is expected of other rows."""
        by_slopes = (rows.design - self._centre) @ self._slopes
        by_forest = self._means[self._forest.leaves(rows.bins)].mean(axis=0)
        return self._level + self._shares[0] * by_slopes + self._shares[1] * by_forest


def compare_periods(
    recent: Recent, reference: Recent | None, seed: int, n_jobs: int | None
) -> tuple[dict[str, float], pd.DataFrame]:
    """Return the statistics of the tests, and each column before and after; nothing if recent rows are too few.

    Statistics are standard normal if there is nothing to be found, and larger if there is.
    """
    if recent.y.size < FEWEST:
        return {}, pd.DataFrame()
    given = recent if reference is None else recent.add(reference._replace(time=np.full(reference.y.size, np.nan)))
    table, draws = _read(given, np.arange(given.y.size) < recent.y.size), np.random.RandomState(seed)
    kept = np.concatenate([draws.permutation(np.flatnonzero(table.y[:, 1] == one))[:MOST] for one in (0, 1)])
    rows = _tested(table, kept)
    steps = list(_steps(rows, n_jobs))
    statistics = {name: sum(step[name] for step in steps) / np.sqrt(len(steps)) for name in steps[0]}
    if reference is None:
        return statistics, pd.DataFrame()
    base = shown(given.base, given.base)[table.first_given[kept]]
    return statistics, _compare_columns(rows, table.names, table.model_rows(table.codes[kept]), base, n_jobs)


def _read(given: Recent, recent: np.ndarray) -> TrainingTable:
    """Return the rows of both periods in an order of their own."""
    columns = np.arange(given.table.shape[1])
    y = np.column_stack([given.residuals(), recent])
    rows, used = GivenRows(np.ones(len(y)), []), Columns(columns, columns)
    return TrainingTable(given.table, y, given.weight, given.response, used, rows, merge=False, told=False)


def _tested(table: TrainingTable, kept: np.ndarray) -> Rows:
    """Return rows as tests see them; both periods weigh the same."""
    codes, (residual, recent) = table.codes[kept], table.y[kept].T
    period = recent.astype(np.int64)
    weight = table.weight[kept] / np.bincount(period, table.weight[kept], 2)[period]
    weight = weight / weight.mean()
    design = table.model_rows(codes)
    bins = cast("Binned", table.seen_rows(codes, "bins"))
    return Rows(design / _spread(design, weight), bins, residual, weight, recent)


def _steps(rows: Rows, n_jobs: int | None) -> Iterator[dict[str, float]]:
    """Yield the statistics of one block after the other, by what the blocks before it say; rows are in any order."""
    block = np.empty(rows.recent.size, np.int64)
    for period in (0, 1):
        in_period = np.flatnonzero(rows.recent == period)
        block[in_period] = np.arange(in_period.size) * BLOCKS // max(in_period.size, 1)
    for number in range(1, BLOCKS):
        yield _step(rows.part(np.flatnonzero(block < number)), rows.part(np.flatnonzero(block == number)), n_jobs)


def _step(known: Rows, new: Rows, n_jobs: int | None) -> dict[str, float]:
    """Return the statistics of new rows by what known ones say."""
    missed, recent = Expected(known, known.residual, known.weight, n_jobs), new.recent == 1
    expected = missed.of(new)
    mended = new.residual * expected
    improvable = {IMPROVABLE: _z(*_mean(mended, new.weight, recent))}
    if recent.all():
        return improvable
    chance = Expected(known, known.recent, known.weight, n_jobs)
    apart, left = known.recent - np.clip(chance.left_out, *OVERLAP), known.residual - missed.left_out
    change = Expected(known, left / apart, known.weight * apart**2, n_jobs).of(new)
    here = chance.of(new)
    both = (here > OVERLAP[0]) & (here < OVERLAP[1])
    moved = both * (new.residual - expected) * (new.recent - here) * change
    (late, late_error), (early, early_error) = (_mean(here, new.weight, part) for part in (recent, ~recent))
    return {
        ROWS_MOVED: _z(late - early, np.hypot(late_error, early_error)),
        RELATION_MOVED: _z(*_mean(moved, new.weight, np.full(moved.size, True))),
        **improvable,
        REFERENCE_IMPROVABLE: _z(*_mean(mended, new.weight, ~recent)),
    }


def _compare_columns(
    rows: Rows, names: list[str], values: np.ndarray, base: np.ndarray, n_jobs: int | None
) -> pd.DataFrame:
    """Return for each column its mean and its slope before and after; slopes at rows that both periods have alike.

    A slope is that of what the model predicts, the same in both periods, plus that of the residuals of a period.
    """
    recent, spread = rows.recent == 1, _spread(values, rows.weight)
    chance = Expected(rows, rows.recent, rows.weight, n_jobs).left_out
    alike = (chance > OVERLAP[0]) & (chance < OVERLAP[1])
    weight = rows.weight * np.where(recent, 1.0 - chance, chance)
    common = _slopes(rows._replace(residual=base), weight, alike)[0]
    (before, error), (after, later) = (_slopes(rows, weight, alike & part) for part in (~recent, recent))
    means = [np.average(values[part], axis=0, weights=rows.weight[part]) for part in (~recent, recent)]
    measures = {
        "mean_before": means[0],
        "mean_after": means[1],
        "separation": [_separation(column, rows.weight, recent) for column in values.T],
        "effect_before": (common + before) / spread,
        "effect_after": (common + after) / spread,
        "change": (after - before) / spread,
        "standard_error": np.hypot(error, later) / spread,
    }
    return pd.DataFrame(measures, pd.Index(names, name="column"))


def _slopes(rows: Rows, weight: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes of the residuals of some rows, and their standard errors whatever the noise; NaN of few rows."""
    if np.count_nonzero(part) < FEWEST:
        return (np.full(rows.design.shape[1], np.nan),) * 2
    rows, weight = rows.part(np.flatnonzero(part)), weight[part]
    solve = _solve_ridge(rows.design, weight, SLIGHT)
    slopes = solve @ rows.residual
    centred = rows.design - np.average(rows.design, axis=0, weights=weight)
    left = rows.residual - np.average(rows.residual, weights=weight) - centred @ slopes
    return slopes, np.sqrt(solve**2 @ left**2)


def _separation(values: np.ndarray, weight: np.ndarray, recent: np.ndarray) -> float:
    """Return the largest difference of the distribution functions of both periods (Kolmogorov-Smirnov)."""
    order = np.argsort(values, kind="stable")
    below = [np.cumsum(np.where(part, weight, 0.0)[order]) / weight[part].sum() for part in (recent, ~recent)]
    last = np.append(np.diff(values[order]) > 0, True)
    return float(np.abs(below[0] - below[1])[last].max())


def _solve_ridge(design: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    """Return what turns a response into slopes (n_columns, n_rows)."""
    root = np.sqrt(weight)
    centred = design - np.average(design, axis=0, weights=weight)
    left, size, right = np.linalg.svd(root[:, None] * centred, full_matrices=False)
    return (right.T * (size / (size**2 + penalty))) @ left.T * root


def _share(y: np.ndarray, expected: np.ndarray, weight: np.ndarray) -> float:
    """Return the share of what is expected that comes closest to a response."""
    total = (weight * expected**2).sum()
    return float(np.clip((weight * y * expected).sum() / total, SMALLEST, 1.0)) if total > 0 else 1.0


def _mean(values: np.ndarray, weight: np.ndarray, part: np.ndarray) -> tuple[float, float]:
    """Return the weighted mean of some values and its standard error."""
    values, weight = values[part], weight[part] / weight[part].sum()
    mean = weight @ values
    return float(mean), float(np.sqrt(weight**2 @ (values - mean) ** 2))


def _z(mean: float, error: float) -> float:
    return mean / error if error > 0 else 0.0


def _spread(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the deviation of each column, 1 for constant ones."""
    spread = np.sqrt(np.average((values - np.average(values, axis=0, weights=weight)) ** 2, axis=0, weights=weight))
    return np.where(spread > 1e-12 * np.abs(values).max(axis=0, initial=0.0), spread, 1.0)
