"""Local effects: what the prediction of a query does when one of its columns changes, as a table."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._attention_model.around import Around, link_effects, look_around, per_unit
from heedful._attention_model.moves import Compared
from heedful._attention_model.queries import Ask
from heedful._models.protocol import Run

if TYPE_CHECKING:
    from heedful._attention_model.fitted import FittedAttention, Table

# How far a link is moved to see what its prediction does.
TINY = 1e-4


class Asked(NamedTuple):
    """What is asked about effects: positions of columns, the scale ("link" or "response") and the coverage."""

    columns: np.ndarray
    scale: str
    coverage: float


def tell_effects(fitted: "FittedAttention", table: "Table", asked: Asked, run: Run) -> pd.DataFrame:
    """Return the effects of columns on the predictions of queries, with intervals: a row for each."""
    models, batch = fitted.models, fitted.read(table)
    codes = fitted.rows.read(table)
    found = fitted.ask(batch, Ask(coef=models.by_column, attention=models.by_column), run)
    fitted.warn(found.n_failed, batch.size)
    given = models.given_rows(table)
    around = look_around(fitted, codes, given, found.value, asked.columns, run, joint=False)
    effect = link_effects(fitted, around)
    ends = np.full((*effect.shape, 2), np.nan)
    if asked.scale == "response":
        effect, ends = _as_predicted(fitted, around, effect, ends)
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(codes))
    found = np.concatenate([effect[..., None], ends], axis=3)
    return table_effects(fitted, around.compared, found, asked.columns, index)


def explained_effects(
    fitted: "FittedAttention", codes: np.ndarray, effect: np.ndarray, index: pd.Index, coverage: float
) -> pd.DataFrame:
    """Return known effects (n_query, n_outputs, n_columns) of explained queries as a table, with intervals."""
    ends = np.full((*effect.shape, 2), np.nan)
    columns = np.flatnonzero(~np.isnan(effect).all(axis=(0, 1)))
    found = np.concatenate([effect[..., None], ends], axis=3)
    return table_effects(fitted, fitted.moves.compare(codes), found, columns, index)


def _as_predicted(
    fitted: "FittedAttention", around: Around, effect: np.ndarray, ends: np.ndarray
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
    fitted: "FittedAttention", compared: Compared, found: np.ndarray, columns: np.ndarray, index: pd.Index
) -> pd.DataFrame:
    """Return effects and their ends (n_query, n_outputs, n_columns, 3) as a table, with what was compared."""
    rows, moves, outputs = fitted.rows, fitted.moves, fitted.response.outputs
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
