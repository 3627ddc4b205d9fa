"""What heads need of local models, whatever kind of model is fitted to a query's weights."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from heedful._kernels.shapes import ScoreRows
from heedful._solver import Family
from heedful.attention import Weighting
from heedful.baseline import Split


class BlockFits(NamedTuple):
    """Local models of a block of queries.

    ``values`` (n_query, n_weighting, n_ratio, n_values) are what each head says; ``coef`` (n_query, n_outputs,
    n_features) is blended by share; ``failed`` counts fits that did not converge; ``models`` holds fitted learners if
    they are kept.
    """

    values: np.ndarray
    coef: np.ndarray
    failed: int = 0
    models: tuple[Any, ...] = ()


class Anchor(NamedTuple):
    """What a teacher says of a block of queries, on the scale of the table, and ``pull``, how much it is worth.

    It is one more row of each local fit, of weight ``pull / sqrt(n_eff)`` beside the others, which sum to one.
    """

    said: np.ndarray
    pull: float


class HeldOut(NamedTuple):
    """Training rows ``number``, as local models take them in ``x``, and a problem that has not seen what happened."""

    problem: "Problem"
    x: Any
    number: np.ndarray


class Problem(Protocol):
    """Local models to fit: training rows with what happened to them, and a way to fit them under any weights."""

    @property
    def family(self) -> Family:
        """Return what happened to the training rows."""

    @property
    def weight(self) -> np.ndarray:
        """Return their sample weights."""

    @property
    def largest_block(self) -> int:
        """Return how many queries to fit at a time at most."""

    def fit(
        self,
        rows: ScoreRows,
        x: Any,
        weightings: list[Weighting],
        wanted: np.ndarray,
        shares: np.ndarray,
        anchor: Anchor | None,
    ) -> BlockFits:
        """Fit the wanted heads (n_weighting, n_ratio) of a block of queries."""

    def held_out(self, splits: list[Split]) -> Iterable[HeldOut]:
        """Return the training rows to try heads on, with problems that leave out no more than they must.

        The row itself is masked in the weights.
        """

    def fold(self, number: int, split: Split) -> HeldOut:
        """Return the problem of one fold's training part, and the rows of its other part to try heads on."""
