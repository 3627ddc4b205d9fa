"""A model that is kept and shifted for each query, by how far it was off for rows like the query (Algorithm 4)."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._flow import BlockFits, FittedModels, HeldOut, Problem, Run, TrainingTable, Variants, View, fill_missing
from heedful._frames import take
from heedful._models.recent import Recent, beside
from heedful._models.served import ServedModel
from heedful._responses import Response, unit_response
from heedful._solver.contract import importance_of
from heedful.attention import Weighting, blend_attention, weigh
from heedful.similarity import LeafScores

# A correction counts as if so many rows more had spoken against it. With 30 a model that has not drifted loses less
# than 1 % to any number of recent rows; with 10 to 20 of them a correction gains about two thirds of what it could.
ROWS_AGAINST = 30.0


class FittedShift(FittedModels):
    """A model as it is served, and recent rows with what it predicts of them and where its trees put them.

    ``recent`` are as they were given, ``rows`` in an order of their own. ``by_rows`` says whether a similarity looks at
    their cells; ``seed`` is what forests and halves are drawn from, however often rows are added.
    """

    attends_when_idle = True
    given = True
    rival = "the model as it is"
    share = "of the correction estimated from similar recent rows is applied"

    def __init__(self, rows: TrainingTable, served: ServedModel, recent: Recent, *, by_rows: bool, seed: int):
        super().__init__(rows, served.response)
        self.served, self.baseline, self.recent = served, served.model, recent
        self.by_rows, self.seed, self.leaves = by_rows, seed, recent.leaves[rows.first_given]
        self.names, self.coef = rows.reader.names, importance_of(served.model, recent.table)[None]

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the recent rows once, and as arrays: skops cannot save a frame.

        They are in the order of ``rows``, with the very arrays that similarities hold; rows without weight come after.
        """
        kept, others = self.recent.part(self.rows.first_given)._replace(leaves=self.leaves), self._others()
        codes = self.rows.codes
        if isinstance(kept.table, np.ndarray) and kept.table.dtype == np.float64:
            kept = kept._replace(table=codes if np.array_equal(kept.table, codes, equal_nan=True) else kept.table)
        rest = self.recent.part(others).frozen() if others.size else None
        return vars(self) | {"recent": kept.frozen(), "rest": rest}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rest, recent = state["rest"], state["recent"].thawed()
        vars(self).update({name: value for name, value in state.items() if name != "rest"} | {"recent": recent})
        known = np.concatenate([self.rows.first_given, self._others()])
        whole = recent if rest is None else recent.add(rest.thawed())
        self.recent = whole.part(np.argsort(known))

    def _others(self) -> np.ndarray:
        """Return the positions of recent rows without weight."""
        return np.setdiff1d(np.arange(len(self.rows.response)), self.rows.first_given)

    @property
    def by_leaves(self) -> bool:
        """Whether a similarity looks at the leaves of the model."""
        return self.recent.leaves.size > 0

    @property
    def base(self) -> np.ndarray:
        """What the model predicts of the rows, in their own order."""
        return self.recent.base[self.rows.first_given]

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> "ShiftProblem":
        return ShiftProblem(self.response.with_rows(self.rows.y), self.base, self.rows.weight)

    def left_out(self, problem: Problem, out_of_bag: bool, run: Run) -> np.ndarray:
        return self.base

    def similarity_target(self) -> np.ndarray:
        """Return what the model leaves unexplained: residuals of numbers and of two classes, else the classes."""
        base = self.base
        if base.shape[1] > 2:
            return self.response.similarity_target(self.rows.y, self.rows.weight)
        return unit_response(self.rows.y - base[:, -1], self.rows.weight)

    def view(self, table: pd.DataFrame | np.ndarray) -> View:
        """Return queries by what the model predicts of them, and their leaves and codes where somebody looks."""
        return self.view_of(self.rows.read(table) if self.by_rows else np.empty((len(table), 0)), table)

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        """Return rows as the model was given them, with their leaves where somebody looks."""
        if self.by_leaves:
            base, leaves = self.served.values_and_leaves(given)
            return View(codes, base, base, base, leaves)
        base = self.served.values(given)
        return View(codes, base, base, base)

    def given_rows(self, table: pd.DataFrame | np.ndarray) -> Any:
        """Return all columns: the model reads them itself."""
        return table

    @property
    def given_columns(self) -> np.ndarray:
        return np.arange(len(self.names))

    def train_given(self, problem: Problem) -> Any:
        return take(self.recent.table, self.rows.first_given)

    def train_view(self) -> View:
        return super().train_view()._replace(leaves=self.leaves)

    def base_values(self, table: pd.DataFrame | np.ndarray) -> np.ndarray:
        return self.served.values(table)

    def design(self, table: pd.DataFrame | np.ndarray, view: View) -> np.ndarray:
        return view.codes if self.by_rows else self.rows.read(table)

    def train_design(self) -> np.ndarray:
        return fill_missing(self.train_codes(), self.rows.weight)

    def train_frame(self) -> pd.DataFrame:
        return beside(self.rows.response, residual=self.recent.residuals())

    def original(self, coef: np.ndarray) -> np.ndarray:
        return np.tile(self.coef, (len(coef), 1, 1))

    def shrink(self, share: np.ndarray) -> np.ndarray:
        weight = self.rows.weight
        n_rows = weight.sum() ** 2 / (weight**2).sum()
        return share * n_rows / (n_rows + ROWS_AGAINST)


class ShiftProblem:
    """Recent rows with their response (``family``) and what a model that has not seen them predicts (``base``).

    A query's shift is the link of the weighted mean response less that of the weighted mean prediction: the weighted
    mean residual of numbers, a difference of log-odds for classes, the log of a ratio for counts and costs.
    """

    largest_block = 2048

    def __init__(self, family: Response, base: np.ndarray, weight: np.ndarray):
        self.family, self.base, self.weight = family, base, weight
        self._columns = family.shift_columns(base)

    def fit(self, rows, x, weightings, wanted, shares, anchor=None) -> BlockFits:
        used = np.flatnonzero(wanted.any(axis=1))
        values = np.full((x.shape[0], *wanted.shape, self.family.n_values), np.nan)
        shift = self.shift(rows, [weightings[w] for w in used])
        values[:, used, 0] = self.family.values(self.family.link_of(x)[:, None] + shift)
        return BlockFits(values, np.empty((x.shape[0], 0, 0)))

    def shift(self, rows: Any, weightings: list[Weighting]) -> np.ndarray:
        return self.family.shift(attended_means(rows, weightings, self.weight, self._columns))

    def held_out(self, splits=()) -> list[HeldOut]:
        """Return all rows: the model has seen none of them, and each is masked in its own weights."""
        return [HeldOut(self, self.base, np.arange(self.weight.size))]

    def fold(self, number, split) -> HeldOut:
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
        excess, background = weigh(rows, weighting, sample_weight)
        means.append(excess @ columns + np.multiply.outer(background, plain))
    return np.stack(means, axis=1)


def effective_rows(rows: Any, weighting: Weighting, sample_weight: np.ndarray) -> np.ndarray:
    """Return the effective number of rows per query, ``1 / sum(weight ** 2)``."""
    half = weighting.temperature / 2
    if isinstance(rows, LeafScores) and rows.can_sum([half]):
        # a weight of a softmax, squared, is one at half the temperature
        sums = rows.sums(np.column_stack([sample_weight, sample_weight**2]), [weighting.temperature, half])
        return sums[:, 0, 0] ** 2 / sums[:, 1, 1]
    return blend_attention([weigh(rows, weighting, sample_weight)], sample_weight).n_eff
