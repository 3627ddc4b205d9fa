"""From a fitted model and queries to their explanation, or to their models alone."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful._explaining.effects import explained_effects
from heedful._explaining.held_out import read_held_out
from heedful._explaining.model import FittedModel
from heedful._explaining.plain import tell_coding
from heedful._explaining.shapley import shapley_values
from heedful._explaining.small import SmallModels, fit_small
from heedful._explaining.tables import GlobalCoef, LocalModels, explain_models, shape_tables, table_models
from heedful._explaining.value_function import add_at_places, drop_noise, value_function_of
from heedful._explaining.what_if import WhatIf
from heedful._flow import (
    CodedRows,
    OutOfFold,
    Prediction,
    QueryBatch,
    Run,
    Wanted,
    known_attention,
    mean_gain,
)
from heedful._responses import with_offset
from heedful.explain import Attribution, Explanation, Pending

# Queries beyond what contributions were checked on of which the model itself is asked: at most, and of a hundred.
MOST_ASKED, ASKED_OF_HUNDRED = 10, 5
# Of fewer queries nobody can say which of two models is better.
FEWEST_JUDGED = 10


def local_models(
    model: FittedModel, table: pd.DataFrame | np.ndarray, max_terms: int, keep_models: bool, run: Run
) -> LocalModels:
    """Return the small model of each query, and the global, the local and the blended one."""
    batch = model.read(table)
    found = model.predict(batch, Wanted(coef=True), run, keep_models=keep_models)
    model.warn(found.n_failed, batch.size)
    small = _small_models(model, table, batch, found, max_terms, run)
    tables = _tables(model, table, batch, found, small)
    return tables._replace(values=_given(model, table), coding=tell_coding(model.models))


def explain(
    model: FittedModel,
    table: pd.DataFrame | np.ndarray,
    y: Any,
    offset: np.ndarray | None,
    method: str,
    max_terms: int,
    run: Run,
) -> Explanation:
    """Return what the predictions of queries were made of; with ``y`` also how good they are."""
    # contributions are worked out later, of the queries as they are now
    table = table.copy()
    batch = model.read(table)
    found = model.predict(batch, Wanted(coef=True, attention=True), run)
    model.warn(found.n_failed, batch.size)
    models, rows, codes = model.models, model.rows, batch.view.codes
    small = _small_models(model, table, batch, found, max_terms, run)
    tables = _tables(model, table, batch, found, small, offset)
    losses = {} if y is None else _losses(model, y, offset, found)
    attention, index, quiet = known_attention(found), tables.coef.index, run._replace(verbose=0)
    work = partial(attribute, model, table, batch, found, method, quiet)
    shown = {
        "mean": attention @ models.train_design() / rows.weight.mean(),
        "attention": rows.give_back(attention),
        "train": models.train_frame(),
        "heads": model.heads_table(),
        "context": rows.context(codes, index),
        "train_context": rows.given_context(),
        "values": _given(model, table),
        "train_values": rows.given_values(),
        "sources": _sources(model),
        "attribution": Pending(work),
        "ask": WhatIf(model, codes, models.given_rows(table), offset, quiet),
        "seen": pd.Series(are_rows_of(codes, rows.codes), index, name="seen"),
    }
    if small is not None:
        shown["tell_effects"] = partial(explained_effects, model, found, codes, small.effect, index)
    shown |= shape_tables(models, tables, model.base_coef) | losses
    if model.held_out is not None and model.response.words.seen:
        shown["held_out"] = read_held_out(model)
    if offset is not None:
        shown["offset"] = pd.Series(offset, index, name="offset")
    return explain_models(tables, model.response, shown)


def attribute(
    model: FittedModel,
    table: pd.DataFrame | np.ndarray,
    batch: QueryBatch,
    found: Prediction,
    method: str,
    run: Run,
) -> Attribution:
    """Return what each column of the table adds to the predictions of queries."""
    game, link, models = value_function_of(model, run), model.problem.family.link_of(found.value), model.models
    queries = CodedRows(batch.view.codes, models.given_rows(table), models.given_columns)
    error, checked = None, np.ones(batch.size, dtype=bool)
    if method == "fast":
        total, far = game.judged(batch, queries.codes, link)
        checked, asked = far <= 1.0, worst_of(far, 0 if models.slow else MOST_ASKED)
        if asked.size:
            part = queries.take(asked)
            total[asked] = shapley_values(game, model.read_rows(part), part, link[asked])[0]
            checked[asked] = True
    else:
        total, error = shapley_values(game, batch, queries, link)
    total = drop_noise(total, total, link)
    mixing = found.mixing[:, None, None]
    both = (1 - mixing) * model.base_coef + mixing * found.coef
    terms = game.model_terms(batch.view, *np.split(both, [len(models.names)], axis=2))
    base, rows = game.compared.base, model.rows
    if terms is None:
        return Attribution(base, total, None, None, error, checked)
    if model.tuned.mixing == 0:
        # one model for all rows: nothing comes through attention
        rest = (total - terms.columns)[:, :, rows.model_columns]
        return Attribution(base, total, total, add_at_places(rows, queries.codes, terms.levels, rest), error, checked)
    smooth = (1 - mixing) * game.smooth_terms(queries.codes, link.shape)
    by_model = total - drop_noise(total - terms.columns - smooth, total, link)
    levels = add_at_places(rows, queries.codes, terms.levels, smooth[:, :, rows.model_columns])
    return Attribution(base, total, by_model, levels, error, checked)


def _small_models(
    model: FittedModel, table: pd.DataFrame | np.ndarray, batch: QueryBatch, found: Prediction, most: int, run: Run
) -> SmallModels | None:
    """Return the small models of queries; None where the models have no slopes of the table's columns."""
    if not model.models.by_column:
        return None
    return fit_small(model, batch.view.codes, model.models.given_rows(table), found.value, most, run)


def _tables(
    model: FittedModel,
    table: pd.DataFrame | np.ndarray,
    batch: QueryBatch,
    found: Prediction,
    small: SmallModels | None,
    offset: np.ndarray | None = None,
) -> LocalModels:
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(batch.size)
    design = model.models.design(table, batch.view)
    base = GlobalCoef(model.base_intercept, model.base_coef, model.tuned.smooth)
    return table_models(index, model.models, model.problem.family, design, batch.view, base, found, small, offset)


def _given(model: FittedModel, table: pd.DataFrame | np.ndarray) -> pd.DataFrame:
    """Return queries as they were given, under the names of the training rows' columns."""
    names = model.rows.reader.names
    return table.set_axis(names, axis=1) if isinstance(table, pd.DataFrame) else pd.DataFrame(table, columns=names)


def _sources(model: FittedModel) -> pd.Series:
    """Return the column of the table that each column of the models comes from; trees come from none."""
    rows, models = model.rows, model.models
    if models.by_column:
        names = np.asarray(rows.plain_names, dtype=object)[rows.model_sources]
    else:
        known = set(rows.reader.names)
        names = [name if name in known else None for name in models.names]
    return pd.Series(names, models.names, dtype=object, name="source")


def _losses(model: FittedModel, y: Any, offset: np.ndarray | None, found: Prediction) -> dict[str, Any]:
    """Return the response of queries under their labels, and the losses of the blend and of the global model."""
    encoded = with_offset(model.response.encode(y), offset)
    check_consistent_length(found.value, encoded)
    family = model.problem.family.new_rows(encoded)
    own, plain = (family.observed(part) for part in (found.value, found.base))
    rows = OutOfFold(np.empty((own.size, 0)), plain, family, np.ones(own.size))
    error = mean_gain(rows, own, reported=True)[1] if own.size >= FEWEST_JUDGED else np.inf
    losses = {"loss": family.reported(own), "baseline_loss": family.reported(plain)}
    alone = family.reported_alone()
    return {"y": y, **losses, **({} if alone is None else {"null_loss": alone}), "loss_error": error}


def are_rows_of(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whether rows of codes are among known ones, cell by cell; missing cells are equal."""
    # adding 0 turns -0 into 0, and one pattern of bits stands for all missing cells
    keys = (np.ascontiguousarray(np.where(np.isnan(part), np.nan, part) + 0.0) for part in (codes, known))
    own, others = ({} if not part.size else [row.tobytes() for row in part] for part in keys)
    found = set(others)
    return np.array([row in found for row in own], dtype=bool) if own else np.zeros(len(codes), dtype=bool)


def worst_of(far: np.ndarray, most: int) -> np.ndarray:
    """Return the queries that are farthest beyond what is known: so many, and of a hundred queries so many, at most."""
    number = min(most, -(-far.size * ASKED_OF_HUNDRED // 100))
    order = np.argsort(-far, kind="stable")[:number]
    return np.sort(order[far[order] > 1.0])
