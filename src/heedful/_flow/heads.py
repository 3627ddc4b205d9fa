"""What a head is: a similarity, a weighting of its scores and a local penalty; and the grid of heads to try."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._flow.kinds import Anchor, Variants
from heedful._frames import take
from heedful._kernels.shapes import ScoreRows
from heedful.attention import Weighting
from heedful.similarity import Similarity, TeacherSimilarity

RATIOS = (np.inf, 10.0, 3.0, 1.0, 0.3)
# A blend of heads makes up for what lies between two of them.
BLENDED = (np.inf, 10.0, 1.0, 0.3)
# With heads that use shapes fewer without do.
LINES, CURVES = (np.inf, 10.0, 0.3), (1.0, 0.3)


class Queries(NamedTuple):
    """Rows as local models take them (``x``) and as one similarity sees them, or training rows by ``number``."""

    x: Any
    seen: np.ndarray
    number: np.ndarray | None = None

    def block(self, block: slice) -> "Queries":
        number = None if self.number is None else self.number[block]
        return Queries(take(self.x, block), self.seen[block], number)


class HeadGroup(NamedTuple):
    """Heads that share the scores of one similarity; ``anchor_weight`` is the weight of its teacher's predictions."""

    similarity: Similarity
    weightings: list[Weighting]
    anchor_weight: float = 0.0

    def score(self, queries: Queries) -> ScoreRows:
        """Return the scores of a block of rows; training rows are scored as if they were new."""
        if queries.number is not None:
            return self.similarity.train_rows(queries.number)
        return self.similarity.score_rows(queries.seen)

    def anchor(self, queries: Queries) -> Anchor | None:
        """Return what the teacher predicts of a block, if local fits are to be pulled to it."""
        if self.anchor_weight <= 1.0 or not isinstance(self.similarity, TeacherSimilarity):
            return None
        if queries.number is not None:
            return Anchor(self.similarity.teach_train(queries.number), self.anchor_weight)
        return Anchor(self.similarity.teach(queries.seen), self.anchor_weight)


class Grid(NamedTuple):
    """Groups of heads, and the variants of local models that all of them share.

    Heads are numbered group by group, weighting by weighting, variant by variant.
    """

    groups: list[HeadGroup]
    variants: Variants

    @property
    def n_heads(self) -> int:
        return sum(len(group.weightings) for group in self.groups) * self.variants.size

    @property
    def similarities(self) -> list[Similarity]:
        return [group.similarity for group in self.groups]

    @property
    def ratios(self) -> np.ndarray:
        return self.variants.ratios

    @property
    def shaped(self) -> np.ndarray:
        """Return whether each head uses shapes."""
        return np.tile(self.variants.shaped, sum(len(group.weightings) for group in self.groups))

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """Cut one value per head into one matrix (n_weighting, n_variant) per group."""
        whole = values.reshape(-1, self.variants.size)
        ends = [0, *accumulate(len(group.weightings) for group in self.groups)]
        return [whole[first:end] for first, end in pairwise(ends)]

    def table(self, error: np.ndarray, share: np.ndarray) -> pd.DataFrame:
        rows = [
            (group.similarity.label_at(weighting.width), *weighting, ratio, bool(shaped))
            for group in self.groups
            for weighting in group.weightings
            for ratio, shaped in zip(*self.variants, strict=True)
        ]
        columns = ["similarity", "weighting", "temperature", "width", "alpha_ratio", "shapes"]
        table = pd.DataFrame(rows, columns=columns).assign(error=error, share=share)
        # a width says something only where a kernel was tried
        return table.drop(columns="width") if np.isinf(table["width"]).all() else table


def make_grid(
    similarities: Sequence[Similarity],
    temperatures: tuple[float, ...] | None,
    ratios: tuple[float, ...] | None,
    *,
    anchor_weights: Sequence[float] | None = None,
    many: bool = False,
    few: bool = False,
    shapes: bool = False,
) -> Grid:
    """Return the heads to try; None stands for "auto".

    ``few`` takes about half of the temperatures and one weighting without. ``many`` heads are blended, so fewer
    temperatures and penalties do: those between two others add nothing (benchmarks/defaults). With ``shapes`` there are
    heads with and without them, and one weighting without temperature. The widest kernel has all of these weightings,
    narrower ones the first that has no temperature, as a softmax under a kernel has a weight for every row. Unless
    temperatures are given, a kernel is tried alone too, once.
    """
    groups, alone = [], set[tuple]()
    for similarity, anchor_weight in zip(similarities, anchor_weights or [0.0] * len(similarities), strict=True):
        tried, free_names = similarity.temperatures_, similarity.weightings
        if few:
            tried, free_names = tried[::2], free_names[:1]
        elif many and len(free_names) > 1:
            tried, free_names = tried[1::2], free_names[:1] if shapes else free_names
        softmax = [Weighting("softmax", t) for t in temperatures or tried]
        free = [] if temperatures else [Weighting(name) for name in free_names]
        kernel = [] if temperatures or similarity.places in alone else [Weighting("kernel")]
        alone.add(similarity.places)
        some = softmax if temperatures else (free[:1] or softmax[:1]) + kernel
        weightings = spread(similarity.widths_, softmax + free, kernel, some)
        groups.append(HeadGroup(similarity, weightings, anchor_weight))
    lines = sorted(ratios or (LINES if shapes else BLENDED if many else RATIOS), reverse=True)
    curves = [ratio for ratio in ratios or CURVES if np.isfinite(ratio)] if shapes else []
    curves = sorted(curves, reverse=True)
    return Grid(groups, Variants(np.array(lines + curves), np.arange(len(lines + curves)) >= len(lines)))


def spread(
    widths: tuple[float, ...], many: list[Weighting], kernel: list[Weighting], some: list[Weighting]
) -> list[Weighting]:
    """Return weightings under each width: many under the widest, where a kernel alone is nothing without a width."""
    wide, *narrow = widths
    first = many if np.isinf(wide) else many + kernel
    ways = [(first, wide), *((some, width) for width in narrow)]
    return [weighting._replace(width=width) for part, width in ways for weighting in part]
