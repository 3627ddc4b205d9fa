"""What boosted stumps ask of a response and of folds, and how they are boosted."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np


class Response(Protocol):
    """What stumps ask of a response; ``_responses`` says what it returns.

    Of one that is not ``row_by_row``, columns of ``link`` are models, whose weights (n_rows, n_models) may differ.
    """

    n_outputs: int
    farthest_step: float
    row_by_row: bool

    @property
    def response(self) -> np.ndarray: ...
    def scaled(self, center: float, unit: float) -> Any: ...
    def part(self, rows: np.ndarray) -> Any: ...
    def null_link(self, weight: np.ndarray) -> np.ndarray: ...
    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray: ...
    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray | None: ...
    def dispersion(self, link: np.ndarray, weight: np.ndarray) -> float: ...
    def left_out_loss(self, train: np.ndarray, test: np.ndarray, weight: np.ndarray) -> Callable: ...


class Fold(Protocol):
    """Rows to fit on and rows to predict."""

    @property
    def train(self) -> np.ndarray: ...
    @property
    def test(self) -> np.ndarray: ...


# Validation rows for the number of rounds: the fold whose model predicts them, and the rows.
Validation = tuple[int, np.ndarray]


class Boosting(NamedTuple):
    """How stumps are boosted: at most ``n_rounds``, until the left-out loss has not improved for ``patience`` of them.

    ``ridge`` is added to the hessian of a side before its step, ``min_hessian`` is what a side must have; both count in
    rows of weight 1 under squared error, and in less than rows where a loss is flatter. Gradients and hessians of
    losses with a unit, such as those of costs, are divided by their dispersion, so that no currency changes a curve.
    """

    n_rounds: int = 800
    learning_rate: float = 0.15
    ridge: float = 1.0
    min_hessian: float = 3.0
    patience: int = 40
