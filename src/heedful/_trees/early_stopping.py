"""Early stopping: the losses of validation rows, round by round."""

from collections.abc import Sequence

import numpy as np

from heedful import _blocks
from heedful._trees.protocol import Fold, Response, Validation

# Rounds after which hessians are worked out anew, and validation losses at most: both cost more than slopes do.
EVERY = 8


class EarlyStopping:
    """Validation losses of the models of folds, worked out for some rounds at a time: a loss that sorts does so once.

    Each group of validation rows stops by itself.
    """

    def __init__(
        self, family: Response, weight: np.ndarray, splits: Sequence[Fold], groups: Sequence[Sequence[Validation]]
    ):
        self.family, self.weight, self.n_folds = family, weight, len(splits)
        self.groups = [
            [(k, family.left_out_loss(splits[k].train, rows, weight)) for k, rows in group] for group in groups
        ]
        self.mass = sum(weight[rows].sum() for group in groups for _, rows in group)
        round_bytes = 8 * weight.size * family.n_outputs * max(len(splits), 1)
        # rounds whose linear predictors are kept until their losses are worked out
        self.size = max(1, min(EVERY, _blocks.BUDGET // round_bytes))
        self.losses = np.empty((len(groups), 0))
        self.end: int | None = None

    @property
    def loss(self) -> np.ndarray:
        """Weighted mean loss of all validation rows after each round."""
        return self.losses.sum(axis=0)[: self.end] / self.mass if self.mass > 0.0 else np.empty(0)

    def add(self, links: list[np.ndarray]) -> None:
        """Work out the losses of some rounds from linear predictors (n_rounds, n_rows, n_models, n_outputs).

        Each entry is of some of the models, those of the folds last.
        """
        total = np.zeros((len(self.groups), len(links[0])))
        models = [part.swapaxes(0, 1) for each in links for part in np.moveaxis(each, 2, 0)]
        for sums, group in zip(total, self.groups, strict=True):
            for k, loss in group:
                sums += loss(models[k - self.n_folds].__getitem__)
        self.losses = np.hstack([self.losses, total])

    def over(self, patience: int) -> bool:
        """Return whether no group has had a better round for some time; what came later is forgotten."""
        ends = _ends(self.losses, patience)
        if not ends.size or ends.max() > self.losses.shape[1]:
            return False
        self.end = int(ends.max())
        return True

    def best(self, patience: int) -> list[int]:
        """Return the best round of each group, of those until it had no better one for some time."""
        ends = _ends(self.losses, patience)
        known = np.nan_to_num(self.losses, nan=np.inf)
        return [int(np.argmin(loss[:end])) for loss, end in zip(known, ends, strict=True)]


def _ends(losses: np.ndarray, patience: int) -> np.ndarray:
    """Return how many losses of each group there are until none was better for some time; if not yet, one too many."""
    number = np.arange(losses.shape[1])
    least = np.minimum.accumulate(losses, axis=1)
    better = np.full(losses.shape, True)
    better[:, 1:] = losses[:, 1:] < least[:, :-1]
    best = np.maximum.accumulate(np.where(better, number, 0), axis=1)
    late = np.full((len(losses), number.size + 1), True)
    late[:, :-1] = number - best >= patience
    return late.argmax(axis=1) + 1
