"""Intervals around effects: what rows like a query leave of their pseudo-outcomes, and how noisy that is.

Under the attention of a query, a step of least squares fits a plane to what models that did not see a row left of its
pseudo-outcome. At the query, the plane is what the effect may be off by; the residuals tell its noise. Both make the
interval: half its width is the root of the squared step plus the squared width that noise alone would have.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from heedful._attention_model.fitted import FittedAttention, Table
from heedful._attention_model.queries import BlockAnswer, QueryBatch, known_attention
from heedful._models.protocol import Run

# Rows whose weight is this small beside the largest add nothing; a smaller variance, relative to all rows, is 0.
NEGLIGIBLE, CONSTANT = 1e-9, 1e-10


class Steps(NamedTuple):
    """Training rows: columns on a unit scale, residuals of unseen pseudo-outcomes, and how many rows each stands for.

    Rows whose ``residual`` is NaN are not looked at. ``deviations`` is how many standard errors noise reaches.
    """

    x: np.ndarray
    residual: np.ndarray
    copies: np.ndarray
    deviations: float

    def reach(self, attention: np.ndarray, query: np.ndarray) -> np.ndarray:
        """Return how far the interval of each query (n_query, n_columns) reaches from its effect."""
        pairs = zip(attention, query, strict=True)
        found = np.array([self.step(*pair) for pair in pairs]).reshape(-1, 2)
        return np.hypot(found[:, 0], self.deviations * found[:, 1])

    def step(self, weight: np.ndarray, query: np.ndarray) -> tuple[float, float]:
        """Return what one query's effect is off by, as its rows have it, and the standard error of that."""
        kept = np.flatnonzero((weight > NEGLIGIBLE * weight.max()) & np.isfinite(self.residual))
        weight, residual, copies = weight[kept] / weight[kept].sum(), self.residual[kept], self.copies[kept]
        mean = weight @ self.x[kept]
        away = self.x[kept] - mean
        unit = np.sqrt(weight @ away**2)
        varies = unit > np.sqrt(CONSTANT)
        away = away[:, varies] / unit[varies]
        # a ridge of as many rows as there are columns, beside those attended to
        ridge = varies.sum() * float(weight**2 @ (1.0 / copies))
        gram = (away * weight[:, None]).T @ away + ridge * np.eye(away.shape[1])
        say = weight * (1.0 + away @ np.linalg.solve(gram, (query - mean)[varies] / unit[varies]))
        return float(say @ residual), float(np.sqrt((say * residual) ** 2 @ (1.0 / copies)))


def reach_of(fitted: FittedAttention, table: Table, copies: np.ndarray, coverage: float, run: Run) -> np.ndarray:
    """Return how far the intervals of queries reach to each side of their effects."""
    if fitted.residuals is None:
        raise ValueError(
            "`effect_interval` needs effects of left-out rows, and a fit with a fixed `mixing` of one head makes none. "
            "Fit with `mixing='auto'`."
        )
    design = fitted.models.train_design()
    center = np.average(design, axis=0, weights=fitted.rows.weight)
    unit = np.sqrt(np.average((design - center) ** 2, axis=0, weights=fitted.rows.weight))
    unit = np.where(unit > 0, unit, 1.0)
    steps = Steps((design - center) / unit, fitted.residuals.residual, copies, float(ndtri(0.5 + coverage / 2)))

    def summary(batch: QueryBatch, found: BlockAnswer) -> np.ndarray:
        own = fitted.rows.model_rows(batch.view.codes[found.block])
        return steps.reach(known_attention(found).toarray(), (own - center) / unit)

    return fitted.summarise(table, summary, 64 * fitted.rows.weight.size, run, attends=True)
