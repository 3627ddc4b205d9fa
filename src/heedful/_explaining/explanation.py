"""From a fitted model and queries to their explanation, or to their models alone."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful._explaining.around import queries_of
from heedful._explaining.effects import errors_of, explained_effects
from heedful._explaining.held_out import read_held_out
from heedful._explaining.shapley import shapley_values
from heedful._explaining.small import fit_small
from heedful._explaining.tables import LocalModels, table_models
from heedful._explaining.value_function import add_at_places, drop_noise, value_function_of
from heedful._explaining.what_if import what_if
from heedful._flow import (
    CodedRows,
    FittedAttention,
    OutOfFold,
    Prediction,
    QueryBatch,
    Run,
    Wanted,
    as_frame,
    known_attention,
    mean_gain,
)
from heedful._responses import with_offset
from heedful.explain import Attribution, Deferred, Explanation

# Queries beyond what contributions were checked on of which the model itself is asked: at most, and of a hundred.
MOST_ASKED, ASKED_OF_HUNDRED = 10, 5
# Of fewer queries nobody can say which of two models is better.
FEWEST_JUDGED = 10
# What an explanation takes over from the models as it is.
SHARED = (
    *("prediction", "link", "intercept", "coef", "design", "mixing", "baseline_prediction", "baseline_coef"),
    *("local_coef", "lasso_intercept", "lasso_coef", "lasso_design", "slopes", "local_name"),
    *("start", "terms", "reference", "fidelity", "effect", "values"),
)


def local_models(
    model: FittedAttention, table: pd.DataFrame | np.ndarray, max_terms: int, keep_models: bool, run: Run
) -> LocalModels:
    """Return the small model of each query, and the global, the local and the blended one."""
    batch = model.read(table)
    prediction = model.predict(batch, Wanted(coef=True), run, keep_models=keep_models)
    return _tables(model, table, batch, prediction, max_terms, run)


def explain(
    model: FittedAttention,
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
    prediction = model.predict(batch, Wanted(coef=True, attention=True), run)
    tables = _tables(model, table, batch, prediction, max_terms, run, offset)
    models, rows, response, index = model.models, model.rows, model.response, tables.coef.index
    attention, queries, quiet = known_attention(prediction), queries_of(model, table, batch), run._replace(verbose=0)
    given = rows.give_back(attention)
    weight = given.sample_weight
    # where the model for all rows predicts alone all rows have a say
    n_eff = np.where(tables.mixing == 0, weight.sum() ** 2 / (weight**2).sum(), given.n_eff)
    optional: dict[str, Any] = {} if y is None else _losses(model, y, offset, prediction, index)
    if tables.effect is not None:
        effect = tables.effect.to_numpy().reshape(batch.size, -1, len(rows.reader.names))
        errors = Deferred(partial(errors_of, model, prediction, queries.codes, effect, quiet))
        optional["compute_effects"] = partial(explained_effects, model, queries.codes, effect, index, errors)
    if models.shapes is not None:
        share = model.base_coef[:, len(models.names) :]
        curved = share.any() or tables.multiple.to_numpy().any()
        optional["curves"] = models.curves(share) if curved else None
        optional |= {"multiple": tables.multiple, "shape": tables.shape}
    if model.held_out is not None and response.words.seen:
        optional["held_out"] = read_held_out(model)
    if offset is not None:
        optional["offset"] = pd.Series(offset, index, name="offset")
    return Explanation(
        **{name: getattr(tables, name) for name in SHARED},
        n_eff=pd.Series(n_eff, index, name="n_eff"),
        mean=pd.DataFrame(attention @ models.train_design() / rows.weight.mean(), index, tables.lasso_design.columns),
        attention=given,
        train=models.train_frame(),
        heads=model.heads_table(),
        context=rows.context(queries.codes, index),
        train_context=rows.given_context(),
        train_values=rows.given_values(),
        sources=_sources(model),
        attribution=Deferred(partial(attribute, model, batch, queries, prediction, method, quiet)),
        ask=partial(what_if, model, queries, offset, quiet),
        seen=pd.Series(are_rows_of(queries.codes, rows.codes), index, name="seen"),
        task=response.task,
        words=response.words,
        **optional,
    )


def attribute(
    model: FittedAttention, batch: QueryBatch, queries: CodedRows, prediction: Prediction, method: str, run: Run
) -> Attribution:
    """Return what each column of the table adds to the predictions of queries."""
    function, link, models = value_function_of(model, run), model.problem.family.link_of(prediction.value), model.models
    error, checked = None, np.ones(batch.size, dtype=bool)
    if method == "fast":
        total, far = function.fast(batch, queries.codes, link)
        checked, asked = far <= 1.0, worst_of(far, 0 if models.slow else MOST_ASKED)
        if asked.size:
            part = queries.take(asked)
            total[asked] = shapley_values(function, model.read_rows(part), part, link[asked])[0]
            checked[asked] = True
    else:
        total, error = shapley_values(function, batch, queries, link)
    total = drop_noise(total, total, link)
    mixing = prediction.mixing[:, None, None]
    blended = (1 - mixing) * model.base_coef + mixing * prediction.coef
    terms = function.model_terms(batch.view, *np.split(blended, [len(models.names)], axis=2))
    base, rows = function.compared.base, model.rows
    if terms is None:
        return Attribution(base, total, None, None, error, checked)
    if model.tuned.mixing == 0:
        # one model for all rows: nothing comes through attention
        rest = (total - terms.columns)[:, :, rows.model_columns]
        return Attribution(base, total, total, add_at_places(rows, queries.codes, terms.levels, rest), error, checked)
    smooth = (1 - mixing) * function.smooth_terms(queries.codes, link.shape)
    by_model = total - drop_noise(total - terms.columns - smooth, total, link)
    levels = add_at_places(rows, queries.codes, terms.levels, smooth[:, :, rows.model_columns])
    return Attribution(base, total, by_model, levels, error, checked)


def _tables(
    model: FittedAttention,
    table: pd.DataFrame | np.ndarray,
    batch: QueryBatch,
    prediction: Prediction,
    max_terms: int,
    run: Run,
    offset: np.ndarray | None = None,
) -> LocalModels:
    """Return the models of queries as tables; without small ones where models have no slopes of the table's columns."""
    model.warn(prediction.n_failed, batch.size)
    small = None
    if model.models.by_column:
        small = fit_small(model, queries_of(model, table, batch), prediction.value, max_terms, run)
    return table_models(model, table, batch, prediction, small, offset)


def _sources(model: FittedAttention) -> pd.Series:
    """Return the column of the table that each column of the models comes from; trees come from none."""
    rows, models = model.rows, model.models
    if models.by_column:
        names = np.asarray(rows.plain_names, dtype=object)[rows.model_sources]
    else:
        known = set(rows.reader.names)
        names = [name if name in known else None for name in models.names]
    return pd.Series(names, models.names, dtype=object, name="source")


def _losses(
    model: FittedAttention, y: Any, offset: np.ndarray | None, prediction: Prediction, index: pd.Index
) -> dict[str, Any]:
    """Return the response of queries under their labels, and the losses of the blend and of the global model."""
    encoded = with_offset(model.response.encode(y), offset)
    check_consistent_length(prediction.value, encoded)
    family = model.problem.family.new_rows(encoded)
    own, plain = (family.observed(part) for part in (prediction.value, prediction.base))
    rows = OutOfFold(np.empty((own.size, 0)), plain, family, np.ones(own.size))
    error = mean_gain(rows, own, reported=True)[1] if own.size >= FEWEST_JUDGED else np.inf
    losses = {
        "loss": family.reported(own),
        "baseline_loss": family.reported(plain),
        "null_loss": family.reported_alone(),
    }
    known = {name: pd.Series(part, index, name=name) for name, part in losses.items() if part is not None}
    return known | {"y": as_frame(y, index), "loss_error": error}


def are_rows_of(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whether rows of codes are among known ones, cell by cell; missing cells are equal."""
    # adding 0 turns -0 into 0, and one pattern of bits stands for all missing cells
    keys = (np.ascontiguousarray(np.where(np.isnan(part), np.nan, part) + 0.0) for part in (codes, known))
    rows, others = ([row.tobytes() for row in part] for part in keys)
    known_rows = set(others)
    return np.array([row in known_rows for row in rows], dtype=bool)


def worst_of(far: np.ndarray, most: int) -> np.ndarray:
    """Return the queries that are farthest beyond what is known: so many, and of a hundred queries so many, at most."""
    number = min(most, -(-far.size * ASKED_OF_HUNDRED // 100))
    order = np.argsort(-far, kind="stable")[:number]
    return np.sort(order[far[order] > 1.0])
