"""How sure the coefficients of queries are, as a table."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._attention_model.centred import centre_outputs
from heedful._attention_model.fitted import FittedAttention, Table
from heedful._attention_model.queries import BlockAnswer, QueryBatch, known_attention
from heedful._intervals.coefficients import Refits
from heedful._models.linear import FittedLinear
from heedful._models.linear_fits import LinearProblem
from heedful._models.protocol import Run

COLUMNS = ["coef", "estimate", "low", "high", "frequency"]


class _Lines(NamedTuple):
    """The models, the coefficients of the global one, and what refits share."""

    models: FittedLinear
    base_coef: np.ndarray
    refits: Refits


def tell_certainty(fitted: FittedAttention, table: Table, coverage: float, n_draws: int, run: Run) -> pd.DataFrame:
    """Return coefficients, estimates with their ends, and selection frequencies for each query and feature.

    Curves have no part in it: what they say of a column is part of its slope among the rows attended to.
    """
    models, problem, rows = fitted.models, fitted.problem, fitted.rows
    if not (isinstance(models, FittedLinear) and isinstance(problem, LinearProblem)):
        raise TypeError(f"Only linear models have coefficients with intervals, got {models!r}.")
    refits = Refits.of_tables(problem.tables, rows.weight, len(models.names), coverage, n_draws)
    summary = partial(_certainty_block, _Lines(models, fitted.fitted_coef, refits))
    found = fitted.summarise(table, summary, 64 * rows.weight.size, run)
    outputs = fitted.response.outputs
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(found))
    levels = {"query": index} | ({} if outputs is None else {"class": outputs}) | {"feature": models.names}
    places = pd.MultiIndex.from_product(levels.values(), names=levels)
    return pd.DataFrame(found.reshape(-1, len(COLUMNS)), places, COLUMNS)


def _certainty_block(lines: _Lines, batch: QueryBatch, found: BlockAnswer) -> np.ndarray:  # noqa: ARG001 - as asked
    """Return what is told of each coefficient (n_query, n_outputs, n_columns, 5), in the units of the table."""
    models, share = lines.models, found.mixing[:, None, None]
    local = models.original(found.coef) if found.coef.size else lines.base_coef
    coef = ((1 - share) * lines.base_coef + share * local)[:, :, : len(models.names)]
    unit = models.scale.unit[: len(models.names)] / models.scale.y_unit
    refits = lines.refits.of(known_attention(found), coef * unit)
    # refits of classes are beside coefficients as they were fitted; all move to where coefficients sum to zero
    moved = (coef - centre_outputs(coef, 1))[..., None]
    told = np.concatenate([coef[..., None], refits[..., :3] / unit[:, None]], axis=3) - moved
    return np.concatenate([told, refits[..., 3:]], axis=3)
