"""Prediction intervals of a model: what is kept of rows that it did not see, and how wide it is at a query."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from heedful import _blocks
from heedful._checks import check_number
from heedful._intervals.calibration import Calibration, calibrate, half_widths
from heedful._tuning.guard import heads_alone
from heedful._tuning.shares import OutOfFold
from heedful.attention import Attention
from heedful.estimators._training import Training


def rank_residuals(model: Any, rows: Training, oof: OutOfFold, known: np.ndarray, blend: np.ndarray) -> Calibration:
    """Return the residuals of the rows ``known``, which the blend did not see, ranked among rows like them."""
    leaves_out = all(getattr(entry, "leaves_out", True) for entry in model.similarity_)
    if model._evidence is not None and leaves_out:
        blend = _adapted(model, oof.part(known), known)
    residual = np.full(rows.weight.size, np.nan)
    residual[known] = rows.y[known] - blend
    attend = partial(_attend_left_out, model) if leaves_out and model.mixing_ > 0 else None
    splits = [] if isinstance(model.cv, str) else model._splits
    return calibrate(residual, rows.weight, attend, splits, model.n_jobs)


def find_intervals(model: Any, X: Any, coverage: float) -> np.ndarray:
    """Return the ends (n_query, 2) of the intervals of queries."""
    hint = "0.9 means nine of ten new responses."
    coverage = check_number("coverage", coverage, 0.0, 1.0, open_low=True, open_high=True, hint=hint)
    check_is_fitted(model)
    if model._calibration is None:
        raise ValueError(
            f"`predict_interval` needs predictions of left-out rows, and a fit with mixing={model.mixing!r} made none: "
            "nothing was to be chosen. Fit with `mixing='auto'`."
        )
    value, codes = model.predict(X), model._training.read(model, X)
    blocks = _blocks.cut(codes.shape[0], 24 * model._training.weight.size, model.n_jobs)
    attend = partial(model._attend, model._queries(codes))
    half = half_widths(model._calibration, coverage, attend, blocks, model.n_jobs)
    return np.column_stack([value - half, value + half])


def _adapted(model: Any, oof: OutOfFold, known: np.ndarray) -> np.ndarray:
    """Return what the blend says of rows that were left out, each with a mixing of its own."""
    mixing = model._adapt(model._train_queries(known))
    return (1 - mixing) * oof.baseline + mixing * heads_alone(oof, model._share)


def _attend_left_out(model: Any, rows: np.ndarray) -> Attention:
    """Return the attention of training rows as if they were new."""
    return model._attend(model._train_queries(rows), slice(0, rows.size))
