"""A batch of queries, read once and scored once per block: local models, mixing and attention come from one pass."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from heedful import _blocks
from heedful._flow.adaptive import Evidence, RowErrors, adapt
from heedful._flow.heads import Grid, Queries
from heedful._flow.kinds import Problem, Run, View
from heedful._frames import take
from heedful._kernels.shapes import ScoreRows
from heedful.attention import Attention, Weighting, blend_attention, stack_attention, weigh, weigh_each


class Heads(NamedTuple):
    """Heads in use: what to fit, the share of each head in the heads' blend, and its share in attention.

    ``evidence`` gives each query a mixing of its own, which ``guard`` multiplies; without it all have ``mixing``.
    """

    grid: Grid
    problem: Problem
    share: np.ndarray
    attention_share: np.ndarray
    mixing: float
    guard: float
    evidence: Evidence | RowErrors | None


class QueryBatch(NamedTuple):
    """Queries as the models take them, and as each similarity sees them; training rows are given by ``number``."""

    view: View
    seen: list[np.ndarray]
    number: np.ndarray | None = None

    @property
    def size(self) -> int:
        return len(self.view.base)

    def take(self, rows: np.ndarray | slice) -> "QueryBatch":
        """Return some of the queries, as new rows."""
        view = self.view
        some: dict[str, Any] = {
            name: None if (values := getattr(view, name)) is None else take(values, rows)
            for name in ("codes", "design", "x", "base", "additive", "smooth")
        }
        return QueryBatch(view._replace(**some), [seen[rows] for seen in self.seen])

    def block(self, group: int, block: slice) -> Queries:
        return Queries(self.view.x, self.seen[group], self.number).block(block)


class BlockPrediction(NamedTuple):
    """What a block of queries gives: heads' blended values and coefficients, mixing, attention where it is wanted.

    ``summary`` is what was worked out from the others in their place.
    """

    block: slice
    local: np.ndarray
    coef: np.ndarray
    mixing: np.ndarray
    attention: Attention | None
    failed: int = 0
    models: tuple[Any, ...] = ()
    summary: np.ndarray = np.empty(0)


class Wanted(NamedTuple):
    """What is wanted of queries: their models, coefficients and attention kept, or a summary of each block.

    A summary sees attention; ``bytes_per_query`` is what it takes beside that.
    """

    models: bool = True
    coef: bool = False
    attention: bool = False
    summary: Callable[[BlockPrediction], np.ndarray] | None = None
    bytes_per_query: int = 0


class Prediction(NamedTuple):
    """What a batch of queries gives; ``value`` is the blend of the global model (``base``) and the heads (``local``).

    Values are what is blended: predictions, class probabilities, log hazards. Coefficients (n_query, n_outputs,
    n_features) are as heads give them.
    """

    value: np.ndarray
    base: np.ndarray
    local: np.ndarray
    coef: np.ndarray
    mixing: np.ndarray
    attention: Attention | None
    n_failed: int
    models: list[Any]
    summary: np.ndarray


def predict_blocks(batch: QueryBatch, heads: Heads, wanted: Wanted, run: Run) -> Prediction:
    largest = heads.problem.largest_block
    blocks = _blocks.cut(batch.size, _bytes_per_query(heads, wanted), run.n_jobs, largest)
    shared = (batch, heads, wanted)
    parts = list(
        _blocks.run(_predict_block, blocks, *shared, n_jobs=run.n_jobs, verbose=run.verbose, label="local models")
    )
    local, coef, mixing, summary = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("local", "coef", "mixing", "summary")
    )
    base = batch.view.base
    return Prediction(
        value=(1 - mixing)[:, None] * base + mixing[:, None] * local if wanted.models else base,
        base=base,
        local=local,
        coef=coef,
        mixing=mixing,
        attention=stack_attention([part.attention for part in parts if part.attention is not None]),
        n_failed=sum(part.failed for part in parts),
        models=[model for part in parts for model in part.models],
        summary=summary,
    )


def known_attention(prediction: Prediction | BlockPrediction) -> Attention:
    """Return the attention of an answer that was asked for it."""
    if prediction.attention is None:
        raise ValueError("Attention was not asked for.")
    return prediction.attention


def _needs_attention(heads: Heads, wanted: Wanted) -> bool:
    return wanted.attention or wanted.summary is not None or heads.evidence is not None


def _bytes_per_query(heads: Heads, wanted: Wanted) -> int:
    """Return an upper estimate of the memory that one query of a block takes."""
    scores = max(group.similarity.bytes_per_query for group in heads.grid.groups)
    attention = 24 * heads.problem.weight.size if _needs_attention(heads, wanted) else 0
    return max(scores, attention, wanted.bytes_per_query)


def _predict_block(block: slice, batch: QueryBatch, heads: Heads, wanted: Wanted) -> BlockPrediction:
    """Score a block once for each similarity in use; fit, weigh and summarise."""
    n_query = len(batch.seen[0][block])
    local, coef = np.zeros((n_query, heads.problem.family.n_values)), np.zeros((n_query, 0, 0))
    failed, models = 0, list[Any]()
    parts = list[tuple[Any, np.ndarray]]()
    attends, fits_any = _needs_attention(heads, wanted), False
    shares = zip(heads.grid.groups, heads.grid.split(heads.share), heads.grid.split(heads.attention_share), strict=True)
    for number, (group, share, attention_share) in enumerate(shares):
        fitting, attending = wanted.models and share.any(), attends and attention_share.any()
        if not (fitting or attending):
            continue
        queries = batch.block(number, block)
        rows = group.score(queries)
        if fitting:
            fits = heads.problem.fit(rows, queries.x, group.weightings, share > 0, share, group.anchor(queries))
            local += blend_values(fits.values, share)
            coef = coef + fits.coef if fits_any else fits.coef
            fits_any, failed = True, failed + fits.failed
            models += fits.models
        if attending:
            # each head has its share of all attention
            part = attention_share.sum(axis=1) / heads.attention_share.sum()
            parts += weigh_each(rows, group.weightings, part, heads.problem.weight)
    attention = _attend(parts, n_query, heads) if attends else None
    mixing = np.full(n_query, heads.mixing)
    if attention is not None and heads.evidence is not None:
        # the guard's doubt holds for each query as for all
        mixing = heads.guard * adapt(attention, heads.evidence)
    prediction = BlockPrediction(block, local, coef, mixing, attention, failed, tuple(models))
    summary = np.zeros((n_query, 0)) if wanted.summary is None else wanted.summary(prediction)
    nothing = np.zeros((n_query, 0, 0))
    return prediction._replace(
        coef=coef if wanted.coef else nothing, attention=attention if wanted.attention else None, summary=summary
    )


def centre_outputs(values: np.ndarray, axis: int) -> np.ndarray:
    """Return linear predictors of classes, which softmax knows up to a constant, less their mean over the classes."""
    return values if values.shape[axis] == 1 else values - values.mean(axis=axis, keepdims=True)


def blend_values(values: np.ndarray, share: np.ndarray) -> np.ndarray:
    value = np.zeros((values.shape[0], values.shape[-1]))
    for w, t in zip(*np.nonzero(share > 0), strict=True):
        # one by one: a product of matrices would add up in an order that depends on the size of the block
        value += share[w, t] * values[:, w, t]
    return value


def _attend(parts: list[tuple], n_query: int, heads: Heads) -> Attention:
    """Return attention blended over heads; equal for all rows if there is none."""
    weight = heads.problem.weight
    if not parts:
        nothing = ScoreRows(np.zeros(n_query + 1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))
        parts = [weigh(nothing, Weighting("share"), weight)]
    return blend_attention(parts, weight)
