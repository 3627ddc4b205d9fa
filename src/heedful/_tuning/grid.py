"""What a head is: a similarity, a weighting of its scores and a local penalty; and the grid of heads to try."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful.attention import Weighting
from heedful.similarity import describe

RATIOS = (np.inf, 10.0, 3.0, 1.0, 0.3)
# A blend of heads makes up for what lies between two of them.
BLENDED = (np.inf, 10.0, 1.0, 0.3)


class Grid(NamedTuple):
    """Weightings of each similarity, and penalty ratios (descending) that all of them share.

    Heads are numbered similarity by similarity, weighting by weighting, ratio by ratio.
    """

    weightings: list[list[Weighting]]
    ratios: np.ndarray

    @property
    def n_heads(self) -> int:
        """Return the number of heads."""
        return sum(len(part) for part in self.weightings) * self.ratios.size

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """Cut one value per head into one matrix (n_weighting, n_ratio) per similarity."""
        ends = np.cumsum([len(part) * self.ratios.size for part in self.weightings])[:-1]
        return [part.reshape(-1, self.ratios.size) for part in np.split(values, ends)]

    def table(self, similarities: list[Any], error: np.ndarray, share: np.ndarray) -> pd.DataFrame:
        """Return one row per head."""
        rows = [
            (describe(similarity), weighting.name, weighting.temperature, ratio)
            for similarity, part in zip(similarities, self.weightings, strict=True)
            for weighting in part
            for ratio in self.ratios
        ]
        table = pd.DataFrame(rows, columns=["similarity", "weighting", "temperature", "alpha_ratio"])
        return table.assign(error=error, share=share)


def make_grid(
    similarities: list[Any],
    temperatures: tuple[float, ...] | None,
    ratios: tuple[float, ...] | None,
    *,
    many: bool = False,
    few: bool = False,
) -> Grid:
    """Return the heads to try; None stands for "auto".

    ``few`` takes about half of the temperatures and one weighting without. ``many`` heads are blended, so fewer
    temperatures and penalties do: those between two others add nothing (benchmarks/defaults).
    """
    weightings = []
    for similarity in similarities:
        own, free_names = similarity.temperatures_, similarity.weightings
        if few:
            own, free_names = own[::2], free_names[:1]
        elif many and len(free_names) > 1:
            own = own[1::2]
        softmax = [Weighting("softmax", t) for t in temperatures or own]
        free = [] if temperatures else [Weighting(name) for name in free_names]
        weightings.append(softmax + free)
    return Grid(weightings, np.array(sorted(ratios or (BLENDED if many else RATIOS), reverse=True)))
