"""Shapes: an additive model of boosted stumps, one curve for each column of the table, cross-fitted."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._file_checks import require_numbers
from heedful._flow import TrainingTable
from heedful._folds import Split, average_out_of_fold, cut_all_rows
from heedful._frames import order_rows
from heedful._kernels.shapes import MISSING
from heedful._models.drawn_rows import draw_rows
from heedful._responses import Response
from heedful._trees.stumps import CODES, add_curves, fit_stumps

# Rows that no fold leaves out are left out by folds among themselves, this many.
INNER_FOLDS = 5
# Folds that can leave out two at a time; of others every so many rows of their training part say where to stop.
FEWEST_FOLDS, EVERY = 3, 5


@dataclass
class Shapes:
    """An additive model on the scale of the linear predictor, for each of the outputs.

    ``start`` (n_outputs,) is its mean over the training rows, ``curves`` (n_columns, 256, n_outputs) what each code of
    a column adds to it, ``train`` (n_rows, n_outputs) what models that did not see a training row say of it.
    ``n_rounds`` is the number of stumps of each model.
    """

    start: np.ndarray
    curves: np.ndarray
    train: np.ndarray
    n_rounds: int

    def check_loaded(self) -> None:
        n_outputs = self.start.size
        require_numbers(self.start, n_outputs)
        require_numbers(self.curves, len(self.curves), CODES, n_outputs)
        require_numbers(self.train, len(self.train), n_outputs)

    def parts(self, codes: np.ndarray) -> np.ndarray:
        """Return what each column adds to the linear predictor (n_rows, n_columns, n_outputs) of rows in bins."""
        return np.stack([curve[column] for curve, column in zip(self.curves, codes.T, strict=True)], axis=1)

    def link(self, codes: np.ndarray) -> np.ndarray:
        return add_curves(self.start, self.curves, codes)


def fit_shapes(
    rows: TrainingTable,
    family: Response,
    splits: list[Split],
    verbose: int,
    signs: np.ndarray | None = None,
    most: float | None = None,
    n_jobs: int | None = None,
) -> Shapes:
    """Fit stumps that leave out folds; queries get the mean of these models.

    A training row gets the value of models that were not fitted to its fold, after a number of rounds that its fold had
    no say in either: its own response has none in its value. Curves of columns with a sign of 1 never fall, of -1 never
    rise. Of more than ``most`` rows some are drawn, whose curves all rows get.
    """
    # rows are dealt out by their cells: their order as they are depends on responses
    rank = np.argsort(order_rows([*rows.codes.T])[0])
    folds = [*splits, *_inner(splits, rank)]
    binned, drawn = rows.model_bins(rows.codes), draw_rows(family, rows.weight, folds, rank, most)
    among = [drawn.among(fold) for fold in folds]
    plan = _in_a_circle(among, drawn.rows.size) or _with_validation(among, rank[drawn.rows])
    how: dict[str, Any] = {"validation": plan.validation, "whole": False, "signs": signs, "n_jobs": n_jobs}
    drawn_rows = (binned[drawn.rows], family.part(drawn.rows), drawn.weight)
    boosted = fit_stumps(*drawn_rows, plan.splits, verbose=verbose, **how)

    def predict(k: int, fold: Split) -> np.ndarray:
        models = [boosted.after(j, boosted.best[k]) for j in plan.used[k]]
        return np.mean([model.link(binned[fold.test]) for model in models], axis=0)

    link, level = average_out_of_fold(folds, predict, (rows.weight.size, family.n_outputs)), np.zeros(1)
    if not family.has_level:
        # hazards have no level of their own: this is the one at which events are as many as expected
        level = family.attended_level(link[:, 0], rows.weight / rows.weight.sum(), rows.weight)
    models = boosted.folds[: len(splits)]
    start = np.mean([model.start for model in models], axis=0)
    return Shapes(start + level, np.mean([model.shapes for model in models], axis=0), link + level, boosted.n_rounds)


class _Plan(NamedTuple):
    """What is fitted to which rows, which rows say where to stop for each fold, and whose models its rows get."""

    splits: list[Split]
    validation: list[list[tuple[int, np.ndarray]]]
    used: list[list[int]]


def _in_a_circle(folds: list[Split], n_rows: int) -> _Plan | None:
    """Leave out each fold and the next one: what two models without a fold say of the other ones says where to stop.

    Of folds that do not cut all rows into three parts or more there is none.
    """
    size = len(folds)
    if size < FEWEST_FOLDS or not cut_all_rows(folds, n_rows):
        return None
    after, before = (np.roll(np.arange(size), shift).tolist() for shift in (-1, 1))
    splits = [
        Split(np.intersect1d(fold.train, folds[k].train), np.union1d(fold.test, folds[k].test))
        for fold, k in zip(folds, after, strict=True)
    ]
    validation = [[(k, folds[after[k]].test), (before[k], folds[before[k]].test)] for k in range(size)]
    return _Plan(splits, validation, [[k, before[k]] for k in range(size)])


def _with_validation(folds: list[Split], rank: np.ndarray) -> _Plan:
    """Leave some of the training rows of each fold to say where to stop."""
    ranked = [fold.train[np.argsort(rank[fold.train])] for fold in folds]
    held_out = [train[k % EVERY % train.size :: EVERY] for k, train in enumerate(ranked)]
    fitted = [
        np.setdiff1d(fold.train, rows) if fold.train.size > 1 else fold.train
        for fold, rows in zip(folds, held_out, strict=True)
    ]
    splits = [Split(train, fold.test) for train, fold in zip(fitted, folds, strict=True)]
    numbers = range(len(folds))
    return _Plan(splits, [[(k, held_out[k])] for k in numbers], [[k] for k in numbers])


def _inner(splits: list[Split], rank: np.ndarray) -> list[Split]:
    """Return folds of the rows that no split leaves out, among themselves; of a single one, all others."""
    everyone = np.arange(rank.size)
    others = np.setdiff1d(everyone, np.concatenate([split.test for split in splits]))
    if others.size < 2:
        return [Split(np.delete(everyone, others), others)] if others.size else []
    others = others[np.argsort(rank[others])]
    parts = [others[k::INNER_FOLDS] for k in range(min(INNER_FOLDS, others.size))]
    return [Split(np.setdiff1d(others, part), part) for part in parts]


def table_curves(shapes: Shapes, rows: TrainingTable, outputs: list | None, share: np.ndarray) -> pd.DataFrame:
    """Return the curves as a table: one row for each piece of a column on which the curve is level.

    A piece of numbers goes from ``low`` to ``high``, one of a category is a ``level``, None standing for missing cells;
    ``rows`` is the weight of the training rows there, ``effect`` what it adds to the linear predictor of the global
    model, which has shares (n_outputs, n_outputs) of the curves, and ``curve`` what it adds in the additive model.
    """
    binned, given = rows.model_bins(rows.codes), rows.plain_rows(rows.codes)
    parts = []
    for j, (name, levels) in enumerate(zip(rows.plain_names, rows.model_levels(), strict=True)):
        curve, codes = shapes.curves[j], binned.codes[:, j]
        mass = np.bincount(codes, weights=rows.mass, minlength=CODES)
        if binned.bins.categories[j] and levels is not None:
            parts.append((name, _levels(levels, binned.bins.level_bins(j), given[:, j], rows.mass, curve)))
        else:
            parts.append((name, _steps(binned.bins.edges(j), mass, curve)))
        if mass[MISSING] > 0:
            parts.append((name, _Pieces(NOWHERE, NOWHERE, NOWHERE, mass[[MISSING]], curve[[MISSING]])))
    # one table in the end: a table for each of thousands of columns takes seconds
    labels = [None] if outputs is None else outputs
    pieces = [(name, label, k, part) for name, part in parts for k, label in enumerate(labels)]
    low, high, level, mass = (np.concatenate([part[c] for *_, part in pieces]) for c in range(4))
    table = {
        "feature": [name for name, _, _, part in pieces for _ in part.rows],
        "class": [label for _, label, _, part in pieces for _ in part.rows],
        "low": low,
        "high": high,
        "level": pd.Series(level.astype(object), dtype=object),
        "rows": mass,
        "effect": np.concatenate([part.effect @ share[k] for _, _, k, part in pieces]),
        "curve": np.concatenate([part.effect[:, k] for _, _, k, part in pieces]),
    }
    return pd.DataFrame({name: column for name, column in table.items() if name != "class" or outputs is not None})


# The ends of a piece that is a level, or the level of one of numbers.
NOWHERE = np.array([np.nan])


class _Pieces(NamedTuple):
    """Pieces of a column: their ends or their levels, the weight of their rows, and their heights (n, n_outputs)."""

    low: np.ndarray
    high: np.ndarray
    level: np.ndarray
    rows: np.ndarray
    effect: np.ndarray


def _steps(edges: np.ndarray, mass: np.ndarray, curve: np.ndarray) -> _Pieces:
    """Return the pieces of a column of numbers; those of one height are one piece."""
    known = edges.size - 1
    first = np.flatnonzero(np.append(True, np.any(np.diff(curve[:known], axis=0) != 0, axis=1)))
    low, high = edges[first], edges[np.append(first[1:], known)]
    return _Pieces(low, high, NOWHERE.repeat(first.size), np.add.reduceat(mass[:known], first), curve[first])


def _levels(levels: list, place: np.ndarray, codes: np.ndarray, mass: np.ndarray, curve: np.ndarray) -> _Pieces:
    """Return the levels of a category; rare ones share a bin and its height."""
    known = ~np.isnan(codes)
    count = np.bincount(codes[known].astype(np.int64), weights=mass[known], minlength=place.size)
    level = np.array([*levels[: place.size], None], dtype=object)[:-1]
    none = NOWHERE.repeat(level.size)
    return _Pieces(none, none, level, count, curve[place])
