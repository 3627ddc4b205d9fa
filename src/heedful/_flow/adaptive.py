"""One mixing per query: how heads did on the rows it attends to, shrunk towards how they did overall or as it is."""

from typing import NamedTuple

import numpy as np

from heedful._flow.guard import heads_alone
from heedful._flow.shares import OutOfFold
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


def gather_errors(oof: OutOfFold, share: np.ndarray, n_train: int, mixings: tuple[float, ...]) -> RowErrors:
    """Return errors of held-out rows; those of other training rows are 0."""
    step = (heads_alone(oof, share) - oof.baseline)[:, None]
    error = np.zeros((n_train, len(mixings)))
    error[oof.number] = oof.family.losses(oof.baseline[:, None] + np.array(mixings) * step).value
    return RowErrors(np.array(mixings), error)


def gather_evidence(oof: OutOfFold, share: np.ndarray, weight: np.ndarray, overall: float) -> Evidence:
    """Return what held-out rows say; other training rows, of which ``weight`` has one each too, say nothing."""
    step = heads_alone(oof, share) - oof.baseline
    _, gradient, hessian = oof.family.losses(oof.baseline + overall * step)
    gains, curvatures = evidence = np.zeros((2, weight.size))
    evidence[:, oof.number] = -gradient * step, hessian * step**2
    return Evidence(gains, curvatures, float(np.average(curvatures, weights=weight)), overall)


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
