"""A forest of scikit-learn that was handed in, fitted or as a template, with the training rows in its leaves."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from heedful import _kernels
from heedful._ensembles import check_flat, flatten
from heedful._file_checks import require, require_numbers
from heedful._trees import leaf_sizes
from heedful.similarity._leaf_index import count_draws, index_all, index_some
from heedful.similarity._protocol import check_rows


def is_fitted_forest(forest: Any) -> bool:
    return forest is not None and hasattr(forest, "estimators_")


class GivenForest:
    """A forest of scikit-learn: one that is fitted is taken as it is, of any other a clone is fitted."""

    def __init__(self, X: Any, y: np.ndarray, weight: np.ndarray, settings: dict[str, Any]):
        forest = settings["forest"]
        self._train = check_array(X, ensure_all_finite="allow-nan", input_name="X")
        rows = check_array(self._train, dtype=np.float32, ensure_all_finite="allow-nan", input_name="X")
        _check_forest(forest, rows)
        self._fitted = is_fitted_forest(forest)
        self.forest = forest if self._fitted else _fit(forest, rows, y, weight)
        *trees, n_leaves = flatten(self.forest.estimators_)
        self._trees = tuple(trees)
        drawn = self._drawn(rows.shape[0])
        self._check_rows(rows, drawn)
        if settings["leaf_rows"] in (None, "auto"):
            self.index = index_all(self.leaves(rows), n_leaves, self._counts(drawn, weight))
            # what rows count follows the sample weights already, and local fits multiply by them again
            self.per_weight = weight.mean() / np.where(weight > 0, weight, 1.0)
        else:
            seed = check_random_state(settings["random_state"])
            self.index = index_some(
                self._trees, rows, drawn, self._room(settings["leaf_rows"]), seed, settings["n_jobs"]
            )
            self.per_weight = np.ones(rows.shape[0])

    @property
    def n_trees(self) -> int:
        return len(self.forest.estimators_)

    @property
    def leaves_out(self) -> bool:
        """Whether training rows can be scored as if they were new."""
        return bool(self.forest.bootstrap)

    def read(self, X: Any, owner: Any) -> np.ndarray:
        """Return new rows as the trees take them."""
        return check_rows(owner, X, self._train.shape[1], dtype=np.float32, ensure_all_finite="allow-nan")

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """Return the leaf of every row in every tree (n_trees, n_rows)."""
        return _kernels.leaf_rows(np.ascontiguousarray(X, dtype=np.float32), *self._trees)

    def train(self, index: np.ndarray) -> np.ndarray:
        return self._train[index]

    def check_loaded(self) -> None:
        """Raise if what came from a file has no leaves, or rows in none."""
        nodes, thresholds, roots = self._trees
        n_train = self.index.check(check_flat(nodes, thresholds, roots, self._train.shape[1]), roots.size)
        require_numbers(self.per_weight, n_train)
        require(self._train.shape[0] == n_train and len(self.forest.estimators_) == self.n_trees, "rows are missing")

    def _room(self, leaf_rows: float) -> list[np.ndarray]:
        """Return how many rows each leaf may keep, one array per tree."""
        leaves = [(tree.tree_.children_left < 0, tree.tree_.n_node_samples) for tree in self.forest.estimators_]
        return [leaf_sizes(leaf_rows, sizes[leaf], len(self._train)) for leaf, sizes in leaves]

    def _check_rows(self, X: np.ndarray, drawn: list[np.ndarray]) -> None:
        """Raise if a fitted forest does not find as many drawn rows in its first leaves as it had."""
        if not self._fitted or not drawn:
            return
        for tree, rows in zip(self.forest.estimators_, drawn, strict=True):
            leaf = tree.tree_.apply(X)
            n_drawn = np.bincount(leaf[np.unique(rows)], minlength=tree.tree_.node_count)
            if not np.array_equal(n_drawn[leaf], tree.tree_.n_node_samples[leaf]):
                raise ValueError(
                    "`forest` was fitted on other rows than those given. Use a forest fitted on the same rows."
                )

    def _counts(self, drawn: list[np.ndarray], weight: np.ndarray) -> np.ndarray:
        """Return how much each row counts in each tree (n_trees, n_train), by its draws and its sample weight."""
        if not drawn:
            return np.tile(weight, (self.n_trees, 1))
        draws = count_draws(drawn, weight.size)
        # scikit-learn draws by weight since 1.9; before, it drew evenly, and roots had the sum of the weights drawn
        roots = [tree.tree_.weighted_n_node_samples[0] for tree in self.forest.estimators_]
        even = np.ptp(weight) > 0 and np.allclose(roots, draws @ weight, rtol=1e-9)
        return draws * weight if even else draws

    def _drawn(self, n_train: int) -> list[np.ndarray]:
        """Return the rows that each tree drew; nothing for a forest without draws."""
        if not self.forest.bootstrap:
            return []
        drawn = self.forest.estimators_samples_
        last = max(rows.max() for rows in drawn)
        if last >= n_train or (self.forest.max_samples is None and drawn[0].size != n_train):
            raise ValueError(
                f"`forest` was fitted on another number of rows than the {n_train} given. Fit it on the same rows."
            )
        return drawn


def _check_forest(forest: Any, X: np.ndarray) -> None:
    if not (hasattr(forest, "apply") and hasattr(forest, "bootstrap")):
        raise TypeError(f"`forest` must be a random forest of scikit-learn, got {forest!r}.")
    if is_fitted_forest(forest) and forest.n_features_in_ != X.shape[1]:
        raise ValueError(f"`forest` was fitted on {forest.n_features_in_} columns, got {X.shape[1]}.")


def _fit(template: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Any:
    if is_regressor(template) and y.dtype.kind not in "fiu":
        y = np.unique(y, return_inverse=True)[1].astype(np.float64)
    return clone(template).fit(X, y, sample_weight=None if np.ptp(weight) == 0 else weight)
