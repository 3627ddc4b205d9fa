"""Local effects: what the prediction of a query does when one of its columns changes, as a table."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.around import Around, link_effects, look_around, per_unit
from heedful._explaining.effect_ends import NONE, Contrasts, EffectIntervals
from heedful._explaining.model import FittedModel
from heedful._explaining.moves import Compared, columns_to_move, moves_of
from heedful._flow import Prediction, Run, Wanted, known_attention

# How far a link is moved to see what its prediction does.
TINY = 1e-4


class EffectOptions(NamedTuple):
    """What is asked about effects: positions of columns, the scale ("link" or "response") and the coverage."""

    columns: np.ndarray
    scale: str
    coverage: float


def local_effects(
    fitted: FittedModel, table: pd.DataFrame | np.ndarray, options: EffectOptions, run: Run
) -> pd.DataFrame:
    """Return the effects of columns on the predictions of queries, with intervals: a row for each."""
    models, batch = fitted.models, fitted.read(table)
    codes = fitted.rows.read(table)
    found = fitted.predict(batch, Wanted(coef=models.by_column, attention=models.by_column), run)
    fitted.warn(found.n_failed, batch.size)
    # a column that no tree and no model looks at has no effect
    moved = np.intersect1d(options.columns, columns_to_move(fitted, len(codes[0])))
    around = look_around(fitted, codes, models.given_rows(table), found.value, moved, run, joint=False)
    effect = link_effects(fitted, around)
    ends = effect_ends(fitted, found, codes, effect, options.coverage)
    if options.scale == "response":
        effect, ends = _as_predicted(fitted, around, effect, ends)
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(codes))
    told = np.concatenate([effect[..., None], ends], axis=3)
    return table_effects(fitted, around.compared, told, options.columns, index)


def explained_effects(
    fitted: FittedModel,
    found: Prediction,
    codes: np.ndarray,
    effect: np.ndarray,
    index: pd.Index,
    coverage: float,
) -> pd.DataFrame:
    """Return known effects (n_query, n_outputs, n_columns) of explained queries as a table, with intervals."""
    columns = np.flatnonzero(~np.isnan(effect).all(axis=(0, 1)))
    ends = effect_ends(fitted, found, codes, effect, coverage)
    told = np.concatenate([effect[..., None], ends], axis=3)
    return table_effects(fitted, moves_of(fitted).compare(codes), told, columns, index)


def effect_ends(
    fitted: FittedModel, found: Prediction, codes: np.ndarray, effect: np.ndarray, coverage: float
) -> np.ndarray:
    """Return the ends of intervals around effects (n_query, n_outputs, n_columns, 2) on the scale of the link.

    They are infinite where local lassos tell nothing: columns that only similarities see, missing numbers, and models
    of other kinds.
    """
    models = fitted.models
    linear = models.linear_rows(fitted.problem)
    if linear is None:
        return np.stack([np.full(effect.shape, -np.inf), np.full(effect.shape, np.inf)], axis=-1)
    n_names, mixing = len(models.names), found.mixing[:, None, None]
    # working responses of classes are beside coefficients as they were fitted, effects beside those that sum to zero
    apart = (fitted.fitted_coef - fitted.base_coef)[:, :n_names]
    coef = ((1 - mixing) * fitted.base_coef + mixing * found.coef)[:, :, :n_names] + apart
    contrasts = _contrasts(fitted, codes)
    moved = _difference(apart, contrasts)
    intervals = EffectIntervals.of_tables(linear.tables, fitted.rows.weight, linear.unit, coverage)
    ends = intervals.of(known_attention(found), coef, effect + moved, contrasts)
    return ends - moved[..., None]


def _contrasts(fitted: FittedModel, codes: np.ndarray) -> Contrasts:
    """Return the columns of the lassos that tell each column of the table."""
    rows, moves = fitted.rows, moves_of(fitted)
    compared = moves.compare(codes)
    own, other = np.full(codes.shape, NONE), np.full(codes.shape, NONE)
    columns = rows.model_columns
    places, beside = (rows.model_places(part) for part in (codes, compared.below))
    known, known_beside = (rows.model_rows(part) for part in (codes, compared.below))
    number = ~moves.levels[columns] & ~np.isnan(codes[:, columns])
    at = np.arange(len(codes))[:, None]
    # a level without a dummy has no coefficient
    dummies = moves.levels[columns] & (known[at, places] == 1) & (known_beside[at, beside] == 1)
    own[:, columns] = np.where(number | dummies, places, NONE)
    other[:, columns] = np.where(dummies, beside, NONE)
    still = compared.distance == 0
    return Contrasts(np.where(still, 0, own), np.where(still, 0, other))


def _difference(coef: np.ndarray, contrasts: Contrasts) -> np.ndarray:
    """Return differences (n_query, n_outputs, n_columns) of coefficients (n_outputs, n_names)."""
    padded = np.hstack([coef, np.zeros((len(coef), 1))])
    return (padded[:, contrasts.own] - padded[:, contrasts.other]).swapaxes(0, 1)


def _as_predicted(
    fitted: FittedModel, around: Around, effect: np.ndarray, ends: np.ndarray
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
    fitted: FittedModel, compared: Compared, found: np.ndarray, columns: np.ndarray, index: pd.Index
) -> pd.DataFrame:
    """Return effects and their ends (n_query, n_outputs, n_columns, 3) as a table, with what was compared."""
    rows, moves, outputs = fitted.rows, moves_of(fitted), fitted.response.outputs
    names = [rows.reader.names[j] for j in columns]
    levels: dict[str, Any] = {"query": index} | ({} if outputs is None else {"class": outputs}) | {"feature": names}
    # labels of queries may come twice
    places = pd.MultiIndex.from_product([range(len(part)) for part in levels.values()])
    named = [pd.Index(part)[places.get_level_values(at)] for at, part in enumerate(levels.values())]
    table = pd.DataFrame(
        found[:, :, columns].reshape(-1, 3),
        pd.MultiIndex.from_arrays(named, names=list(levels)),
        ["effect", "low", "high"],
    )
    n_outputs = found.shape[1]
    per = np.array(moves.per, dtype=object)[columns]
    for name, side in (("from", compared.below), ("to", compared.above)):
        cells = rows.reader.decode(side, columns, pd.RangeIndex(len(side)))
        every = np.stack([cells[column].to_numpy(dtype=object) for column in names], axis=1)
        table[name] = np.repeat(every[:, None], n_outputs, axis=1).ravel()
    missing = np.isnan(compared.above[:, columns]) & ~moves.levels[columns]
    unit = np.where(missing, "missing", per)
    return table.assign(per=np.repeat(unit[:, None], n_outputs, axis=1).ravel())
