"""A forest of our own trees with the training rows in its leaves."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from heedful._checks import check_count, check_number, is_word
from heedful._file_checks import Compact, require, require_numbers
from heedful._trees import Binned, Growing, grow_forest, smallest
from heedful.similarity._leaf_index import LeafIndex
from heedful.similarity._protocol import check_rows

# Of larger tables a tree draws so many rows: more cost memory and time for little (benchmarks/scale).
MOST_DRAWN = 20_000
# Trees of a default forest by its target, the share of them that is left in the largest tables, and how many times the
# rows that were drawn in it a leaf stores there: fewer trees then find as many.
TREES, FEWEST, TIMES_DRAWN = {"response": 114, "residual": 114, "scores": 41}, 0.25, 3.0


class OwnForest(Compact):
    """Trees grown to outputs (n_rows, n_outputs) by the settings of a ``ForestProximity``."""

    leaves_out = True

    def __init__(self, rows: Binned, outputs: np.ndarray, weight: np.ndarray, settings: dict[str, Any], verbose: int):
        n_rows, n_columns = rows.shape
        draws_fewer = isinstance(settings["max_samples"], str) and n_rows > MOST_DRAWN
        leaf_rows = settings["leaf_rows"]
        if is_word(leaf_rows, "auto"):
            times = TIMES_DRAWN if is_word(settings["n_estimators"], "auto") else 1.0
            leaf_rows = times if draws_fewer else None
        n_drawn = MOST_DRAWN if draws_fewer else count_drawn(settings["max_samples"], n_rows)
        how = Growing(
            n_trees=count_trees(settings["n_estimators"], settings["target"], n_rows),
            n_drawn=n_drawn,
            n_tried=count_tried(settings["max_features"], n_columns),
            min_samples_split=count_least("min_samples_split", settings["min_samples_split"], 2, n_drawn),
            min_samples_leaf=count_least("min_samples_leaf", settings["min_samples_leaf"], 1, n_drawn),
        )
        self.forest, buckets = grow_forest(
            rows,
            outputs,
            how,
            int(check_random_state(settings["random_state"]).randint(np.iinfo(np.int32).max)),
            chances=None if np.ptp(weight) == 0 else weight,
            room=leaf_rows,
            n_jobs=settings["n_jobs"],
            verbose=verbose,
        )
        self.index = LeafIndex(*buckets[:3], count_of_leaves(buckets.draws, buckets.starts), buckets.inside)
        # draws follow the sample weights already, and local fits multiply by them again
        if (weight == 1.0).all():
            self.per_weight = weight
        else:
            self.per_weight = (
                weight.mean() / np.where(weight > 0, weight, 1.0) if leaf_rows is None else np.ones(n_rows)
            )
        self._train = rows

    def __getstate__(self) -> dict[str, Any]:
        """Return what is in files: of leaves only how many rows they have, which says the rest."""
        starts, members, draws, _, inside = self.index
        return vars(self) | {"index": (smallest(np.diff(starts)), smallest(members), draws, inside)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        sizes, members, draws, inside = state["index"]
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        index = LeafIndex(starts, members.astype(np.int32), draws, count_of_leaves(draws, starts), inside)
        vars(self).update(state | {"index": index})

    @property
    def n_trees(self) -> int:
        return self.forest.n_trees

    def read(self, X: Any, owner: Any) -> Binned:
        """Return new rows in the bins of the training rows."""
        if isinstance(X, Binned):
            return X
        X = check_rows(owner, X, self._train.shape[1], dtype=np.float64, ensure_all_finite="allow-nan")
        return self._train.bins.transform(X)

    def leaves(self, rows: Binned) -> np.ndarray:
        """Return the leaf of every row in every tree (n_trees, n_rows)."""
        return self.forest.leaves(rows)

    def train(self, index: np.ndarray) -> Binned:
        return self._train[index]

    def check_loaded(self) -> None:
        """Raise if what came from a file has no leaves, or rows in none."""
        n_train = self.index.check(self.forest.check_loaded(), self.n_trees)
        require_numbers(self.per_weight, n_train)
        codes = self._train.codes
        require(codes.dtype == np.uint8 and codes.shape == (n_train, self.forest.n_features_in_), "codes are missing")
        require(self._train.bins.categories.size == codes.shape[1], "columns are cut nowhere")


def count_trees(n_estimators: Any, target: str, n_rows: int) -> int:
    """Return how many trees are grown."""
    if is_word(n_estimators, "auto"):
        return round(TREES[target] * np.clip(MOST_DRAWN / n_rows, FEWEST, 1.0))
    return check_count("n_estimators", n_estimators, 1, "Use 500, or 'auto'.")


def count_of_leaves(draws: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the draws of each leaf, given those of its rows and where they start."""
    return np.add.reduceat(draws.astype(np.float64), starts[:-1])


def count_drawn(max_samples: Any, n_rows: int) -> int:
    """Return how many rows each tree draws."""
    if max_samples is None or isinstance(max_samples, str):
        return n_rows
    if isinstance(max_samples, int | np.integer):
        return check_count("max_samples", max_samples, 1, "None draws as many as there are.")
    share = check_number("max_samples", max_samples, 0.0, np.inf, open_low=True, hint="0.5 draws half as many.")
    return max(1, round(share * n_rows))


def count_tried(max_features: Any, n_columns: int) -> int:
    """Return how many columns are candidates at a split."""
    if max_features is None:
        return n_columns
    if isinstance(max_features, str):
        if max_features not in ("sqrt", "log2"):
            raise ValueError(f"`max_features` must be 'sqrt', 'log2', a number or None, got {max_features!r}.")
        return max(1, int(np.sqrt(n_columns) if max_features == "sqrt" else np.log2(n_columns)))
    if isinstance(max_features, int | np.integer) and not isinstance(max_features, bool):
        return min(check_count("max_features", max_features, 1, "None tries all columns."), n_columns)
    share = check_number("max_features", max_features, 0.0, 1.0, open_low=True, hint="1.0 tries all columns.")
    return max(1, int(share * n_columns))


def count_least(name: str, value: Any, least: int, n_drawn: int) -> int:
    """Return a smallest number of draws, given as such or as a share of all draws."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return check_count(name, value, least)
    share = check_number(name, value, 0.0, 1.0, open_low=True, hint=f"Or a whole number from {least} on.")
    return max(least, int(np.ceil(share * n_drawn)))
