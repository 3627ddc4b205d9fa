"""Local effects: what the prediction of a query does when one of its columns changes, as a table."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._blocks import one_blas_thread
from heedful._explaining.around import Around, link_effects, per_unit, predict_around, queries_of
from heedful._explaining.debiased import WorkingRows
from heedful._explaining.effect_ends import NONE, Contrasts, ends_of, estimate_errors
from heedful._explaining.moves import Compared, columns_to_move, moves_of
from heedful._explaining.tables import index_features, labels_of
from heedful._flow import FittedAttention, Prediction, Run, Wanted, known_attention

# How far a link is moved to see what its prediction does.
TINY = 1e-4


class EffectOptions(NamedTuple):
    """What is asked about effects: positions of columns, the scale ("link" or "response") and the coverage."""

    columns: np.ndarray
    scale: str
    coverage: float


@one_blas_thread()
def local_effects(
    fitted: FittedAttention, table: pd.DataFrame | np.ndarray, options: EffectOptions, run: Run
) -> pd.DataFrame:
    """Return the effects of columns on the predictions of queries, with intervals: a row for each."""
    models, batch = fitted.models, fitted.read(table)
    queries = queries_of(fitted, table, batch)
    prediction = fitted.predict(batch, Wanted(coef=models.by_column, attention=models.by_column), run)
    fitted.warn(prediction.n_failed, batch.size)
    # a column that no tree and no model looks at has no effect
    moved = np.intersect1d(options.columns, columns_to_move(fitted, queries.codes.shape[1]))
    around = predict_around(fitted, queries, prediction.value, moved, run, joint=False)
    effect = link_effects(fitted, around)
    errors = errors_of(fitted, prediction, queries.codes, effect, run)
    ends = ends_of(effect, errors, options.coverage)
    if options.scale == "response":
        effect, ends = _as_predicted(fitted, around, effect, ends)
    return table_effects(fitted, around.compared, effect, ends, options.columns, labels_of(table))


def explained_effects(
    fitted: FittedAttention,
    codes: np.ndarray,
    effect: np.ndarray,
    index: pd.Index,
    errors: Callable[[], np.ndarray],
    coverage: float,
) -> pd.DataFrame:
    """Return known effects (n_query, n_outputs, n_columns) of explained queries as a table, with intervals."""
    columns = np.flatnonzero(~np.isnan(effect).all(axis=(0, 1)))
    ends = ends_of(effect, errors(), coverage)
    return table_effects(fitted, moves_of(fitted).compare(codes), effect, ends, columns, index)


def errors_of(
    fitted: FittedAttention, prediction: Prediction, codes: np.ndarray, effect: np.ndarray, run: Run
) -> np.ndarray:
    """Return the errors of effects (n_query, n_outputs, n_columns) on the scale of the link.

    They are infinite where local lassos tell nothing: columns that only similarities see, missing numbers, and models
    of other kinds.
    """
    models = fitted.models
    linear = models.linear_rows(fitted.problem)
    if linear is None:
        return np.full(effect.shape, np.inf)
    n_names, mixing = len(models.names), prediction.mixing[:, None, None]
    # working responses of classes go with coefficients as they were fitted, effects with those that sum to zero
    apart = (fitted.fitted_coef - fitted.base_coef)[:, :n_names]
    coef = ((1 - mixing) * fitted.base_coef + mixing * prediction.coef)[:, :, :n_names] + apart
    contrasts = _contrasts(fitted, codes)
    effect = effect + _difference(apart, contrasts)
    working = WorkingRows(linear.tables, fitted.rows.weight, n_names)
    attention = known_attention(prediction)
    return estimate_errors(working, linear.unit, attention, coef, effect, contrasts, run)


def _contrasts(fitted: FittedAttention, codes: np.ndarray) -> Contrasts:
    """Return the columns of the lassos that tell each column of the table."""
    rows, moves = fitted.rows, moves_of(fitted)
    compared = moves.compare(codes)
    own, other = np.full(codes.shape, NONE), np.full(codes.shape, NONE)
    columns = rows.model_columns
    places, other_places = (rows.model_places(part) for part in (codes, compared.below))
    design, other_design = (rows.model_rows(part) for part in (codes, compared.below))
    number = ~moves.levels[columns] & ~np.isnan(codes[:, columns])
    at = np.arange(len(codes))[:, None]
    # a level without a dummy has no coefficient
    dummies = moves.levels[columns] & (design[at, places] == 1) & (other_design[at, other_places] == 1)
    own[:, columns] = np.where(number | dummies, places, NONE)
    other[:, columns] = np.where(dummies, other_places, NONE)
    still = compared.distance == 0
    return Contrasts(np.where(still, 0, own), np.where(still, 0, other))


def _difference(coef: np.ndarray, contrasts: Contrasts) -> np.ndarray:
    """Return differences (n_query, n_outputs, n_columns) of coefficients (n_outputs, n_names)."""
    padded = np.hstack([coef, np.zeros((len(coef), 1))])
    return (padded[:, contrasts.own] - padded[:, contrasts.other]).swapaxes(0, 1)


def _as_predicted(
    fitted: FittedAttention, around: Around, effect: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return effects and ends in the units of the prediction.

    Ends are as far from the effect as on the scale of the link, times what the prediction does per unit of its link.
    """
    response, family = fitted.response, fitted.problem.family
    n_outputs = effect.shape[1]

    def predicted(values: np.ndarray) -> np.ndarray:
        flat = response.expected(values.reshape(-1, values.shape[-1]))
        return flat[:, -n_outputs:].reshape(*values.shape[:-1], n_outputs)

    link = family.link_of(around.own)
    plain = family.scaled(0.0, 1.0)
    slope = np.empty((len(link), n_outputs))
    for k in range(n_outputs):
        step = np.zeros(n_outputs)
        step[k] = TINY
        high, low = (predicted(plain.values(link + side * step))[:, k] for side in (0.5, -0.5))
        slope[:, k] = (high - low) / TINY
    own = per_unit(predicted(around.above) - predicted(around.below), around.compared)
    return own, own[..., None] + (ends - effect[..., None]) * slope[:, :, None, None]


def table_effects(
    fitted: FittedAttention,
    compared: Compared,
    effect: np.ndarray,
    ends: np.ndarray,
    columns: np.ndarray,
    index: pd.Index,
) -> pd.DataFrame:
    """Return effects of some columns and their ends as a table, with what was compared."""
    rows, moves = fitted.rows, moves_of(fitted)
    missing = np.isnan(compared.above[:, columns]) & ~moves.levels[columns]
    values = {"effect": effect, "low": ends[..., 0], "high": ends[..., 1]}
    # of a query and a column, the same for all outputs
    cells = {
        "from": rows.reader.decode_cells(compared.below, columns),
        "to": rows.reader.decode_cells(compared.above, columns),
        "per": np.where(missing, "missing", np.array(moves.per, dtype=object)[columns]),
    }
    # one table of all columns: each that is added later takes as long
    table = {name: part[:, :, columns].ravel() for name, part in values.items()}
    table |= {name: np.repeat(part[:, None], effect.shape[1], axis=1).ravel() for name, part in cells.items()}
    return pd.DataFrame(table, index_features(fitted, index, [rows.reader.names[j] for j in columns]))
