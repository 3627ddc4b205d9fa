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
        self.size = max(1, min(EVERY, _blocks.BUDGET // round_bytes))
        self.n_waiting = 0
        self.links = list[np.ndarray]()
        self.losses = np.empty((len(groups), 0))
        self.end: int | None = None

    @property
    def loss(self) -> np.ndarray:
        """Weighted mean loss of all validation rows after each round."""
        return self.losses.sum(axis=0)[: self.end] / self.mass if self.mass > 0.0 else np.empty(0)

    def begin(self, links: list[np.ndarray]) -> None:
        """Note the linear predictors (n_rows, n_models, n_outputs) before the first round, those of the folds last.

        Each entry is of some of the models.
        """
        size = self.size if self.mass > 0.0 else 0
        self.links = [np.empty((size, *link.shape)) for link in links]
        if size:
            for kept, link in zip(self.links, links, strict=True):
                kept[0] = link
            self.filled(1, last=True)

    def room(self, n_rounds: int) -> list[np.ndarray]:
        """Return room for the linear predictors of so many rounds, or of fewer; of none without validation rows."""
        return [links[self.n_waiting : self.n_waiting + n_rounds] for links in self.links]

    def filled(self, n_rounds: int, *, last: bool = False) -> None:
        """Note that the room has been filled by so many rounds."""
        if self.mass > 0.0:
            self.n_waiting += n_rounds
            if last or self.n_waiting == self.size:
                self.losses = np.hstack([self.losses, self._losses()])
                self.n_waiting = 0

    def over(self, patience: int) -> bool:
        """Return whether no group has had a better round for some time; what came later is forgotten."""
        if self.n_waiting:
            return False
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

    def _losses(self) -> np.ndarray:
        """Return the weighted loss of each group (n_groups, n_rounds) in the rounds that wait."""
        total = np.zeros((len(self.groups), self.n_waiting))
        links = [part.swapaxes(0, 1) for each in self.links for part in np.moveaxis(each[: self.n_waiting], 2, 0)]
        for sums, group in zip(total, self.groups, strict=True):
            for k, loss in group:
                sums += loss(links[k - self.n_folds].__getitem__)
        return total


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
