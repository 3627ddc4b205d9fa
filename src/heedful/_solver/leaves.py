"""Algorithm 3: the trees of a fitted ensemble stay as they are, and attention moves the values of their leaves."""

import numpy as np
from scipy import sparse
from scipy.special import expit, softmax

from heedful import _kernels
from heedful._checks import check_choice
from heedful._ensembles import Ensemble
from heedful._file_checks import are_offsets, require, require_indices, require_numbers
from heedful._solver.weights import weight_rows

LEAF_VALUES = ("responses", "residuals")
# Curvatures below this count as this much.
FLAT = 1e-6


class LeafTable:
    """Training rows in the leaves of an ensemble, to be averaged under attention weights.

    ``leaf_value="responses"`` averages the responses in the query's leaf of each tree, then the trees. A leaf that no
    row of positive weight is in has the mean of all of them.

    ``leaf_value="residuals"`` respects boosting: tree ``t`` was fitted to Newton steps r = -gradient / curvature at the
    raw scores before it, so its leaf value changes by rate_t * (weighted mean of r - plain mean of r), each row
    counting by weight times curvature. The rate is the slope of the tree's own leaf values on the plain means. So equal
    weights give back the booster, however it was regularised.

    ``leaves`` (n_trees, n_train) are those of the training rows; ``response`` holds numbers, or classes by number if
    ``n_classes`` is given; the background of a query is a share of the prior ``weight``.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        leaves: np.ndarray,
        response: np.ndarray,
        weight: np.ndarray,
        *,
        n_classes: int | None,
        leaf_value: str,
    ):
        check_choice("leaf_value", leaf_value, LEAF_VALUES)
        self.ensemble, self.leaf_value = ensemble, leaf_value
        self.total = float(weight.sum())
        leaves = np.ascontiguousarray(leaves, dtype=np.int32)
        if leaf_value == "responses":
            columns = response[:, None] if n_classes is None else response[:, None] == np.arange(n_classes)
            mass, moment = np.ones((response.size, 1, 1)), columns[:, :, None].astype(np.float64)
        else:
            _check_loss(ensemble, n_classes)
            mass, moment = _newton_steps(ensemble, leaves, response)
        starts, rows, *_ = _kernels.bucket_rows(leaves, ensemble.n_leaves, np.ones(leaves.shape, np.uint8))
        self.plain_mass, self.plain_mean = _plain_means(leaves, mass, moment, weight, ensemble.n_leaves)
        by_tree = (np.ascontiguousarray(part.T) for part in (leaves, mass, moment))
        self._rows = (starts, rows, *by_tree, self.plain_mass, self.plain_mean)
        if leaf_value == "residuals":
            self.rate = _rates(ensemble.value, leaves, self.plain_mass, self.plain_mean[0])

    def check_loaded(self) -> None:
        """Raise if what came from a file has rows in leaves that are not there."""
        starts, rows, leaves, mass, moment, plain_mass, plain_mean = self._rows
        n_leaves, n_trees, n_train = self.ensemble.n_leaves, self.ensemble.n_trees, len(leaves)
        require_indices(starts, rows.size + 1, n_leaves + 1)
        require_indices(rows, n_train, n_trees * n_train)
        require_indices(leaves, n_leaves, n_train, n_trees)
        require(are_offsets(starts, rows.size) and leaves.dtype == np.int32, "the rows of a leaf are not there")
        n_columns = moment.shape[1]
        for part, width in ((mass, 1), (moment, n_columns)):
            require(part.shape[:1] in ((1,), (n_trees,)), "rows have no values")
            require_numbers(part, part.shape[0], width, n_train)
        for mine, part, shape in ((self.plain_mass, plain_mass, ()), (self.plain_mean, plain_mean, (n_columns,))):
            require_numbers(part, *shape, n_leaves)
            require_numbers(mine, *shape, n_leaves)
        require_numbers(self.rate if self.leaf_value == "residuals" else np.zeros(n_trees), n_trees)

    def predict(self, excess: sparse.csr_array, background: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """Return predictions (n_query, 1) or class probabilities (n_query, n_classes).

        Weights are an ``excess`` (n_query, n_train) over a ``background`` share of the prior; ``leaves`` (n_trees,
        n_query) are those of the queries.
        """
        weights = weight_rows(excess, background / self.total)
        means = _kernels.leaf_mean_rows(*weights, np.ascontiguousarray(leaves, dtype=np.int32), *self._rows)
        if self.leaf_value == "responses":
            # rounding takes a class that the weights leave nothing of a little below 0
            return means.mean(axis=1) if means.shape[2] == 1 else np.maximum(means.mean(axis=1), 0.0)
        shift = self.rate * (means[:, :, 0] - self.plain_mean[0, leaves].T)
        raw = self.ensemble.raw(leaves) + shift @ np.eye(self.ensemble.start.size)[self.ensemble.output]
        return raw if self.ensemble.loss == "squared" else _probabilities(raw)


def _check_loss(ensemble: Ensemble, n_classes: int | None) -> None:
    needed = "squared" if n_classes is None else "log"
    if not ensemble.boosted or ensemble.loss != needed:
        kind = f"a booster with {ensemble.loss} loss" if ensemble.boosted else "a forest"
        raise ValueError(
            f"`leaf_value='residuals'` needs a booster fitted with {needed} loss, got {kind}. "
            "Set leaf_value='responses'."
        )


def _newton_steps(ensemble: Ensemble, leaves: np.ndarray, response: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the curvature and minus the gradient of each row's loss (n_train, 1, n_trees) before each tree's round."""
    n_outputs = ensemble.start.size
    rounds = np.stack([np.flatnonzero(ensemble.output == k) for k in range(n_outputs)], axis=1)
    raw = np.tile(ensemble.start, (response.size, 1))
    descent = np.empty((response.size, 1, ensemble.n_trees))
    squared = ensemble.loss == "squared"
    curve = np.ones((response.size, 1, 1)) if squared else np.empty_like(descent)
    # a single output is that of class 1
    happened = response[:, None] == (1 if n_outputs == 1 else np.arange(n_outputs))
    for trees in rounds:
        if squared:
            descent[:, 0, trees] = response[:, None] - raw
        else:
            chance = _probabilities(raw)[:, -n_outputs:]
            descent[:, 0, trees], curve[:, 0, trees] = happened - chance, np.maximum(chance * (1.0 - chance), FLAT)
        raw += ensemble.value[leaves[trees]].T
    return curve, descent


def _probabilities(raw: np.ndarray) -> np.ndarray:
    return np.hstack([expit(-raw), expit(raw)]) if raw.shape[1] == 1 else softmax(raw, axis=1)


def _plain_means(leaves, mass, moment, weight, n_leaves: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mass (n_leaves,) and the means (n_column, n_leaves) of leaves under the prior."""

    def sums(values: np.ndarray) -> np.ndarray:
        return np.bincount(
            leaves.ravel(), np.broadcast_to((weight[:, None] * values).T, leaves.shape).ravel(), n_leaves
        )

    total, moments = sums(mass[:, 0]), np.stack([sums(moment[:, k]) for k in range(moment.shape[1])])
    overall = np.repeat(moments.sum(axis=1, keepdims=True) / total.sum(), n_leaves, axis=1)
    return total, np.divide(moments, total, out=overall, where=total > 0)


def _rates(value: np.ndarray, leaves: np.ndarray, mass: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the slope of each tree's leaf values on its plain means, between 0 and 1; 0 if the means do not differ.

    The line has an intercept: LightGBM keeps the raw score before its first tree in the leaves of that tree.
    """
    n_trees, tree = leaves.shape[0], np.zeros(value.size, np.int64)
    tree[leaves] = np.arange(n_trees)[:, None]

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(tree, mass * values, n_trees)

    away = mean - (total(mean) / total(np.ones_like(mean)))[tree]
    spread = total(away**2)
    differ = spread > 1e-20 * total(mean**2)
    return np.clip(np.divide(total(away * value), spread, out=np.zeros(n_trees), where=differ), 0.0, 1.0)
