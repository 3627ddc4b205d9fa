"""What contributions are held against: plain permutation Shapley values, LIME, and coefficients alone."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import Ridge

Function = Callable[[np.ndarray], np.ndarray]
# Rows that are predicted at a time.
AT_A_TIME = 20_000
# Two halves of the draws must agree so well, on average over the queries.
AGREE, MOST_DRAWS = 0.995, 3000
LIME_SAMPLES = 1000


class Reference(NamedTuple):
    """Shapley values (n_query, n_columns), their standard errors, how well two halves of the draws agree, and draws."""

    values: np.ndarray
    errors: np.ndarray
    agreement: float
    draws: int


def refer(function: Function, queries: np.ndarray, rows: np.ndarray, seed: int, agree: float) -> Reference:
    """Draw orders of the columns, each with its reverse, until two halves of the draws agree."""
    rng, halves = np.random.default_rng(seed), ([], [])
    while True:
        for half in halves:
            half.extend(draw_pair(function, queries, rows, rng) for _ in range(20))
        means = [np.mean(half, axis=0) for half in halves]
        agreement, draws = alike(*means), 2 * len(halves[0])
        if agreement >= agree or draws >= MOST_DRAWS:
            break
    pairs = np.stack([*halves[0], *halves[1]])
    return Reference(pairs.mean(axis=0), pairs.std(axis=0) / np.sqrt(len(pairs)), agreement, 2 * draws)


def draw_pair(function: Function, queries: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return what columns add to each query, one after the other in a random order and in its reverse."""
    (n_query, n_columns), others = queries.shape, rows[rng.integers(len(rows), size=len(queries))]
    order, added = rng.permutation(n_columns), np.zeros(queries.shape)
    for way in (order, order[::-1]):
        mixed = np.repeat(others[None], n_columns + 1, axis=0)
        for place, j in enumerate(way):
            mixed[place + 1 :, :, j] = queries[:, j]
        value = function(mixed.reshape(-1, n_columns)).reshape(n_columns + 1, n_query)
        added[:, way] += np.diff(value, axis=0).T / 2
    return added


def lime(function: Function, queries: np.ndarray, rows: np.ndarray, seed: int) -> np.ndarray:
    """Return LIME's weights: a ridge on whether perturbed cells are in the quarter of their column that the query's is.

    As in its package: cells are drawn column by column, near ones count by a kernel of width 0.75 times the root of the
    number of columns.
    """
    rng, n_columns = np.random.default_rng(seed), queries.shape[1]
    cuts = np.quantile(rows, [0.25, 0.5, 0.75], axis=0)
    found = np.empty(queries.shape)
    for q, query in enumerate(queries):
        drawn = rng.permuted(rows[rng.integers(len(rows), size=LIME_SAMPLES)], axis=0)
        drawn[0] = query
        same = ((drawn[:, None, :] > cuts).sum(axis=1) == (query > cuts).sum(axis=0)).astype(float)
        near = np.exp(-(1 - same).sum(axis=1) / (2 * 0.75**2 * n_columns))
        found[q] = Ridge(1.0).fit(same, function(drawn), sample_weight=near).coef_
    return found


def from_attended_mean(model: Any, explanation: Any) -> np.ndarray:
    """Return coefficient times (value less the mean of the attended rows), and likewise for curves."""
    e, models = explanation, model._model.models
    added = (e.coef * (e.design - e.mean)).to_numpy()
    if e.shape is not None:
        rows = models.rows
        attended = e.attention.toarray() @ models.shape_parts(rows.codes[rows.observations.place])[:, :, 0]
        added = added + e.shape.to_numpy() - e.multiple.to_numpy()[:, None] * attended
    return added


def alike(found: np.ndarray, reference: np.ndarray) -> float:
    """Return the mean correlation over queries."""
    pairs = zip(found, reference, strict=True)
    return float(np.mean([np.corrcoef(a, b)[0, 1] if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0 for a, b in pairs]))


def same_leader(found: np.ndarray, reference: Reference) -> tuple[float, float]:
    """Return how often the largest is the reference's, where that is ahead by two standard errors; and where it is."""
    size, rows = np.abs(reference.values), np.arange(len(found))
    first, second = np.argsort(-size, axis=1)[:, :2].T
    gap = size[rows, first] - size[rows, second]
    clear = gap > 2 * np.hypot(reference.errors[rows, first], reference.errors[rows, second])
    hit = np.abs(found).argmax(axis=1) == first
    return float(hit[clear].mean()) if clear.any() else 0.0, float(clear.mean())
