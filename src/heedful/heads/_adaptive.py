"""One mixing per query: how well the heads did on the rows it attends to, shrunk towards how well they did overall."""

from typing import NamedTuple

import numpy as np

from heedful.attention import Attention

# A query's own evidence counts as its effective number of rows, the overall value as this many.
PRIOR_ROWS = 30.0


class Evidence(NamedTuple):
    """Per training row: what moving from baseline to heads explains (``slope``) and what it costs (``curve``)."""

    slope: np.ndarray
    curve: np.ndarray
    mean_curve: float


def gather_evidence(baseline: np.ndarray, heads: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Evidence:
    """Return the evidence from predictions of rows by models that did not see them; rows without one give none."""
    known = np.isfinite(baseline) & np.isfinite(heads)
    step = np.where(known, heads - baseline, 0.0)
    slope = np.where(known, step * (y - baseline), 0.0)
    return Evidence(slope, step**2, float(np.average(step**2, weights=weight)))


def adapt(attention: Attention, evidence: Evidence, overall: float) -> np.ndarray:
    """Return the mixing of each query: the closed form of the weighted error, with ``overall`` as prior."""
    sums = attention @ np.column_stack([evidence.slope, evidence.curve])
    rows = attention.n_eff
    slope = rows * sums[:, 0] + PRIOR_ROWS * overall * evidence.mean_curve
    curve = rows * sums[:, 1] + PRIOR_ROWS * evidence.mean_curve
    return np.clip(np.divide(slope, curve, out=np.full(len(rows), overall), where=curve > 0), 0.0, 1.0)
