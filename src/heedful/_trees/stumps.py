"""Boosted stumps on binned columns: additive models, one of all rows and one for each fold, grown round by round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from heedful import _blocks, _kernels
from heedful._trees.bins import Binned, Bins
from heedful._trees.early_stopping import EarlyStopping
from heedful._trees.protocol import Boosting, Fold, Response, Validation
from heedful._trees.rounds import CODES, Part, boost


@dataclass
class Stumps:
    """An additive model: ``start`` (n_outputs,), and what each code of a column adds to it.

    ``shapes`` (n_columns, 256, n_outputs) have weighted mean 0 over the training rows, each; the last code of a column
    stands for missing cells. A code that no training row has, unless it lies in the order of numbers, got no step.
    """

    start: np.ndarray
    shapes: np.ndarray
    bins: Bins

    def link(self, rows: Binned) -> np.ndarray:
        """Return the linear predictor of rows (n_rows, n_outputs): the start, and one look-up for each column."""
        return add_curves(self.start, self.shapes, rows.codes)


class BoostedFolds(NamedTuple):
    """The model of all rows, that of each fold, and how well they predict left-out rows.

    ``loss`` is the weighted mean loss of left-out rows after 0, 1, ... rounds, ``n_rounds`` the number
    with the smallest, which all models have; without folds it is empty. ``best`` is the number that each group of
    validation rows alone takes, and ``after`` gives the model of a fold after any number of rounds.
    """

    model: Stumps | None
    folds: list[Stumps]
    loss: np.ndarray
    n_rounds: int
    best: list[int]
    after: Callable[[int, int], Stumps]


def fit_stumps(
    rows: Binned,
    family: Response,
    weight: np.ndarray,
    splits: Sequence[Fold],
    how: Boosting | None = None,
    verbose: int = 0,
    validation: Sequence[Sequence[Validation]] | None = None,
    whole: bool = True,
    signs: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> BoostedFolds:
    """Boost stumps on all rows and on the training part of each split together, and stop where left-out rows say so.

    One round gives every output of every model the stump with the largest Newton gain. Linear predictors are on the
    original scale of the response. A row of weight 2 counts as the row twice, one of weight 0 not at all. Sums follow
    the order of the rows, so another order changes their last digits; of stumps whose gains differ by less than 1e-9
    of them the first is taken, so that it changes no stump unless two are that close to this limit.

    ``validation`` are groups of rows that say, each group alone, where to stop; rounds end when all of them have. None
    stands for one group, the rows that each fold leaves out. Without ``whole`` there is no model of all rows. Curves of
    numbers whose entry of ``signs`` is 1 never fall, those of -1 never rise; missing cells may have any value. Threads
    (``n_jobs``) share the models of large tables, which changes no bit.
    """
    how, weight = how or Boosting(), np.asarray(weight, dtype=np.float64)
    center, unit = _unit(family.response, weight)
    inner = family.scaled(center, unit)
    fitted = [*([np.arange(weight.size)] if whole else []), *(split.train for split in splits)]
    parts = [Part(inner, weight, train) for train in fitted]
    everyone = [list(enumerate(split.test for split in splits))] if splits else []
    stopping = EarlyStopping(inner, weight, splits, everyone if validation is None else validation)
    with _blocks.one_blas_thread():
        rounds = boost(rows, stopping, parts, how, verbose, signs, n_jobs)
    loss = stopping.loss
    n_rounds = int(np.argmin(np.nan_to_num(loss, nan=np.inf))) if loss.size else len(rounds.columns)

    def after(fold: int, number: int) -> Stumps:
        m = fold + whole
        series = range(m * inner.n_outputs, (m + 1) * inner.n_outputs)
        shapes = np.stack([rounds.shapes(k, number, rows.shape[1]) for k in series], axis=-1)
        return _centred(center + unit * parts[m].start, unit * shapes, rows, parts[m])

    folds = [after(k, n_rounds) for k in range(len(splits))]
    model = after(-1, n_rounds) if whole else None
    return BoostedFolds(model, folds, loss, n_rounds, stopping.best(how.patience), after)


def add_curves(start: np.ndarray, curves: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return a start and what the codes of each row add to it (n_rows, n_outputs)."""
    return _kernels.curve_rows(codes, start, curves, used_columns(curves))


def used_columns(shapes: np.ndarray) -> np.ndarray:
    """Return the columns that add anything; of very many columns most add nothing."""
    return np.flatnonzero(shapes.any(axis=(1, 2)))


def _unit(y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    center = float(np.average(y, weights=weight))
    largest = float(np.abs(y - center)[weight > 0.0].max())
    if largest == 0.0:
        return center, 1.0
    return center, largest * float(np.sqrt(np.average(((y - center) / largest) ** 2, weights=weight)))


def _centred(start: np.ndarray, shapes: np.ndarray, rows: Binned, part: Part) -> Stumps:
    """Return the model with the means of its shapes over the training rows moved to its start."""
    total = part.weight.sum()
    for j in used_columns(shapes):
        mean = np.bincount(rows.codes[part.rows, j], weights=part.weight, minlength=CODES) @ shapes[j] / total
        shapes[j] -= mean
        start = start + mean
    return Stumps(start, shapes, rows.bins)
