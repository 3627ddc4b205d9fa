"""One mixing per query: how heads did on the rows it attends to, shrunk towards how they did overall or as it is."""

from typing import NamedTuple

import numpy as np

from heedful._responses import Response
from heedful.attention import Attention

# A query's own evidence counts as its effective number of rows, the overall value as this many.
PRIOR_ROWS = 30.0


class Evidence(NamedTuple):
    """Per training row, at the overall mixing: the gain of more of the heads (``gradient``) and its ``hessian``."""

    gradient: np.ndarray
    hessian: np.ndarray
    mean_hessian: float
    overall: float


class RowErrors(NamedTuple):
    """Error of each training row (n_train, n_mixings), by models that did not see it, at each of some mixings."""

    mixings: np.ndarray
    error: np.ndarray


def gather_errors(baseline: np.ndarray, heads: np.ndarray, family: Response, mixings: tuple[float, ...]) -> RowErrors:
    known = np.isfinite(baseline) & np.isfinite(heads)
    start, step = baseline[known, None], (heads - baseline)[known, None]
    error = np.zeros((known.size, len(mixings)))
    error[known] = family.part(np.flatnonzero(known)).losses(start + np.array(mixings) * step).value
    return RowErrors(np.array(mixings), error)


def gather_evidence(
    baseline: np.ndarray, heads: np.ndarray, family: Response, weight: np.ndarray, overall: float
) -> Evidence:
    known = np.isfinite(baseline) & np.isfinite(heads)
    step = np.where(known, heads - baseline, 0.0)
    _, gradient, hessian = family.losses(np.where(known, baseline, heads[known].mean()) + overall * step)
    bend = hessian * step**2
    return Evidence(-gradient * step, bend, float(np.average(bend, weights=weight)), overall)


def adapt(attention: Attention, evidence: Evidence | RowErrors) -> np.ndarray:
    """Return the mixing of each query: one Newton step of its weighted loss, with the overall value as prior.

    Of errors at some mixings it is the one whose attention-weighted error is the smallest, as in the paper's remark.
    """
    if isinstance(evidence, RowErrors):
        return evidence.mixings[np.argmin(attention @ evidence.error, axis=1)]
    sums = attention @ np.column_stack([evidence.gradient, evidence.hessian])
    rows = attention.n_eff
    hessian = rows * sums[:, 1] + PRIOR_ROWS * evidence.mean_hessian
    step = np.divide(rows * sums[:, 0], hessian, out=np.zeros(len(rows)), where=hessian > 0)
    return np.clip(evidence.overall + step, 0.0, 1.0)
