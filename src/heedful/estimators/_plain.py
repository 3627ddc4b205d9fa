"""The plain learner behind a model: the default one, and what it says of rows left out."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from heedful.baseline import Split, choose_rounds, small_booster
from heedful.estimators._training import Training


def default_booster(model: Any, rows: Training, splits: list[Split]) -> Any:
    """Return a small LightGBM to fit, its number of rounds chosen by left-out rows."""
    x, n_classes = rows.plain_rows(rows.codes), model._n_classes()
    rounds = choose_rounds(x, rows.y, rows.weight, splits, n_classes)
    seed = int(model.random_state) if isinstance(model.random_state, Integral) else None
    return small_booster("estimator=None", n_classes=n_classes, rounds=rounds, random_state=seed)


def predict_left_out(splits: list[Split], said: Callable[[Split], np.ndarray], shape: tuple[int, int]) -> np.ndarray:
    """Return what ``said`` of the test rows of each split, averaged; NaN for rows that are in no test part."""
    total, times = np.zeros(shape), np.zeros((shape[0], 1))
    for split in splits:
        total[split.test] += said(split)
        times[split.test] += 1
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def copies(rows: Training, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some rows as often as they were given, with the weight of each copy; a single one twice.

    Learners ask for two rows at least, and many count rows in leaves, whatever their weights are.
    """
    counts = rows.counts[part]
    counts = np.maximum(counts, 2) if part.size == 1 else counts
    return np.repeat(part, counts), np.repeat(rows.weight[part] / counts, counts)
