"""How sure the coefficients of queries are, as a table."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.model import FittedModel
from heedful._explaining.refits import Refits
from heedful._flow import (
    BlockPrediction,
    FittedModels,
    LinearRows,
    Run,
    Wanted,
    centre_outputs,
    known_attention,
)

COLUMNS = ["coef", "estimate", "low", "high", "frequency"]


class _Lines(NamedTuple):
    """The models, the coefficients of the global one, and what refits share."""

    models: FittedModels
    rows: LinearRows
    base_coef: np.ndarray
    refits: Refits


def coef_intervals(
    model: FittedModel, table: pd.DataFrame | np.ndarray, coverage: float, n_draws: int, run: Run
) -> pd.DataFrame:
    """Return coefficients, estimates with their ends, and selection frequencies for each query and feature.

    Curves have no part in it: what they say of a column is part of its slope among the rows attended to.
    """
    models, weight, linear = model.models, model.rows.weight, model.models.linear_rows(model.problem)
    if linear is None:
        raise TypeError(f"Only linear models have coefficients with intervals, got {models!r}.")
    refits = Refits.of_tables(linear.tables, weight, len(models.names), coverage, n_draws)
    summary = partial(_refit_block, _Lines(models, linear, model.fitted_coef, refits))
    batch = model.read(table)
    found = model.predict(batch, Wanted(summary=summary, bytes_per_query=64 * weight.size), run)
    model.warn(found.n_failed, batch.size)
    outputs = model.response.outputs
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(batch.size)
    levels = {"query": index} | ({} if outputs is None else {"class": outputs}) | {"feature": models.names}
    places = pd.MultiIndex.from_product(levels.values(), names=levels)
    return pd.DataFrame(found.summary.reshape(-1, len(COLUMNS)), places, COLUMNS)


def _refit_block(lines: _Lines, block: BlockPrediction) -> np.ndarray:
    """Return the columns of the table for each coefficient (n_query, n_outputs, n_names, 5), in the user's units."""
    models, share, unit = lines.models, block.mixing[:, None, None], lines.rows.unit
    local = models.original(block.coef) if block.coef.size else lines.base_coef
    coef = ((1 - share) * lines.base_coef + share * local)[:, :, : len(models.names)]
    refits = lines.refits.of(known_attention(block), coef * unit)
    # refits of classes are beside coefficients as they were fitted; all move to where coefficients sum to zero
    moved = (coef - centre_outputs(coef, 1))[..., None]
    ends = np.concatenate([coef[..., None], refits[..., :3] / unit[:, None]], axis=3) - moved
    return np.concatenate([ends, refits[..., 3:]], axis=3)
