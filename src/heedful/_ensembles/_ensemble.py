"""What an ensemble is, whatever package fitted it: leaves, and what each leaf adds."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from heedful._file_checks import require, require_indices, require_numbers

ACCEPTED = "a random forest, extra trees or gradient boosting of scikit-learn, LightGBM, XGBoost or CatBoost"
LOSSES = {
    "squared": ("regression", "reg:squarederror", "squared_error", "RMSE"),
    "log": (
        *("binary", "multiclass", "binary:logistic", "binary:logitraw", "multi:softprob", "multi:softmax"),
        *("log_loss", "Logloss", "MultiClass"),
    ),
    "poisson": ("poisson", "count:poisson", "Poisson"),
    "gamma": ("gamma", "reg:gamma"),
    "tweedie": ("tweedie", "reg:tweedie", "Tweedie"),
}


@dataclass(kw_only=True)
class Ensemble:
    """A fitted tree ensemble as leaves; a leaf has one number in the whole ensemble.

    ``output`` (n_trees,) is the output (class) that a tree adds to. ``value`` (n_leaves,) is what a leaf adds to its
    raw score, learning rate included, or the response that a leaf of a regression forest predicts; it is empty for
    classification forests. ``start`` (n_outputs,) is the raw score before the first tree. ``boosted`` says that trees
    are summed and not averaged, ``loss`` ("squared", "log", "other", or the name of a deviance under a log link) what a
    booster was fitted to. ``bare_chances``
    says that a bare booster of classes predicts their probabilities, not labels or raw scores.
    """

    n_features: int
    n_leaves: int
    output: np.ndarray
    value: np.ndarray
    start: np.ndarray
    loss: str = "other"
    boosted: bool = True
    bare_chances: bool = True
    takes_frames: ClassVar[bool] = False

    @property
    def n_trees(self) -> int:
        return self.output.size

    def leaves(self, X: Any) -> np.ndarray:
        """Return the leaf of every row in every tree (n_trees, n_rows).

        Frames are for packages that have categories of their own: LightGBM and XGBoost.
        """
        return self._find(self._rows(X))

    def row_leaves(self, X: Any) -> np.ndarray:
        """Return the leaves row by row (n_rows, n_trees)."""
        return self._find_rows(self._rows(X))

    def raw(self, leaves: np.ndarray) -> np.ndarray:
        """Return the raw scores (n_rows, n_outputs) of rows given by their leaves."""
        if self.value.size == 0:
            raise ValueError("A classification forest has no raw scores: its leaves hold classes.")
        total = np.zeros((leaves.shape[1], self.start.size))
        for output, part in zip(self.output, leaves, strict=True):
            total[:, output] += self.value[part]
        return self.start + (total if self.boosted else total / np.bincount(self.output))

    def check_loaded(self) -> None:
        """Raise if what came from a file has no values for its leaves, or trees of no output."""
        require(self.n_leaves > 0 and self.n_features > 0 and self.n_trees > 0, "an ensemble is empty")
        require_numbers(self.value, self.n_leaves if self.value.size else 0)
        require_numbers(self.start, self.start.size)
        require_indices(self.output, self.start.size, self.n_trees)

    def _rows(self, X: Any) -> Any:
        if not (isinstance(X, pd.DataFrame) and self.takes_frames):
            X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"`X` must have {self.n_features} columns as the ensemble has, got shape {X.shape}.")
        return X

    def _find(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def _find_rows(self, X: Any) -> np.ndarray:
        return np.ascontiguousarray(self._find(X).T)


def with_start(ensemble: Ensemble, own: np.ndarray) -> Ensemble:
    """Return an ensemble that starts from what its trees leave of its own raw score of a row of zeros."""
    trees = ensemble.raw(ensemble.leaves(np.zeros((1, ensemble.n_features))))
    return replace(ensemble, start=np.ravel(own).astype(np.float64) - trees[0])


def starts(sizes: Any) -> np.ndarray:
    """Return where each tree's part begins when all are put one after the other."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)


def number_leaves(is_leaf: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first node of each tree, and the leaf number of every node."""
    number = np.cumsum(np.concatenate(is_leaf), dtype=np.int32) - np.int32(1)
    return starts([part.size for part in is_leaf]), number


def loss_of(name: Any) -> str:
    """Return the kind of a loss by its package's name for it."""
    # CatBoost writes settings after a colon
    plain = name.split(":variance_power")[0] if isinstance(name, str) else name
    return next((kind for kind, names in LOSSES.items() if plain in names), "other")
