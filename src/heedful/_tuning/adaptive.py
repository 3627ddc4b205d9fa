"""One mixing per query: how well the heads did on the rows it attends to, shrunk towards how well they did overall."""

from typing import NamedTuple

import numpy as np

from heedful._solver import Family
from heedful.attention import Attention

# A query's own evidence counts as its effective number of rows, the overall value as this many.
PRIOR_ROWS = 30.0


class Evidence(NamedTuple):
    """Per training row, at the overall mixing: the gain of more of the heads (``gradient``) and its ``hessian``."""

    gradient: np.ndarray
    hessian: np.ndarray
    mean_hessian: float
    overall: float


def gather_evidence(
    baseline: np.ndarray, heads: np.ndarray, family: Family, weight: np.ndarray, overall: float
) -> Evidence:
    """Return the evidence from out-of-fold predictions; rows without any give none."""
    known = np.isfinite(baseline) & np.isfinite(heads)
    step = np.where(known, heads - baseline, 0.0)
    _, gradient, hessian = family.losses(np.where(known, baseline, heads[known].mean()) + overall * step)
    bend = hessian * step**2
    return Evidence(-gradient * step, bend, float(np.average(bend, weights=weight)), overall)


def adapt(attention: Attention, evidence: Evidence) -> np.ndarray:
    """Return the mixing of each query: one Newton step of its weighted loss, with the overall value as prior."""
    sums = attention @ np.column_stack([evidence.gradient, evidence.hessian])
    rows = attention.n_eff
    hessian = rows * sums[:, 1] + PRIOR_ROWS * evidence.mean_hessian
    step = np.divide(rows * sums[:, 0], hessian, out=np.zeros(len(rows)), where=hessian > 0)
    return np.clip(evidence.overall + step, 0.0, 1.0)
