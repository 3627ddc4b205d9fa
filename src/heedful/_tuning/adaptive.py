"""One mixing per query: how well the heads did on the rows it attends to, shrunk towards how well they did overall."""

from typing import NamedTuple

import numpy as np

from heedful._solver import Family
from heedful.attention import Attention

# A query's own evidence counts as its effective number of rows, the overall value as this many.
PRIOR_ROWS = 30.0


class Evidence(NamedTuple):
    """Per training row, at the overall mixing: what more of the heads would gain (``slope``) and cost (``curve``)."""

    slope: np.ndarray
    curve: np.ndarray
    mean_curve: float
    overall: float


def gather_evidence(
    baseline: np.ndarray, heads: np.ndarray, family: Family, weight: np.ndarray, overall: float
) -> Evidence:
    """Return the evidence from what models said of rows they did not see; rows of which none did give none."""
    known = np.isfinite(baseline) & np.isfinite(heads)
    step = np.where(known, heads - baseline, 0.0)
    _, slope, curve = family.losses(np.where(known, baseline, heads[known].mean()) + overall * step)
    bend = curve * step**2
    return Evidence(-slope * step, bend, float(np.average(bend, weights=weight)), overall)


def adapt(attention: Attention, evidence: Evidence) -> np.ndarray:
    """Return the mixing of each query: one Newton step of its weighted loss, with the overall value as prior."""
    sums = attention @ np.column_stack([evidence.slope, evidence.curve])
    rows = attention.n_eff
    curve = rows * sums[:, 1] + PRIOR_ROWS * evidence.mean_curve
    step = np.divide(rows * sums[:, 0], curve, out=np.zeros(len(rows)), where=curve > 0)
    return np.clip(evidence.overall + step, 0.0, 1.0)
