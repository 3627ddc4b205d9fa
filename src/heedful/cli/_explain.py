"""``heedful explain``: explanations of predictions, as a page, as a table or as JSON."""

from argparse import Namespace
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from heedful.cli._errors import UserError, naming
from heedful.cli._model import Saved, load_model
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS
from heedful.cli._tasks import response_if_known
from heedful.cli._write import PAGES, check_output, render_page, write_table, write_whole
from heedful.explain import format_cell

# The tables of an explanation, and what they are called in the column "part" where all are written as one.
PARTS = {
    "top_features": "feature",
    "models": "model",
    "effects": "effect",
    "top_rows": "row",
    "query_clusters": "query",
    "clusters": "cluster",
    "curves": "curve",
}


def run(arguments: Namespace) -> dict[str, Any]:
    """Explain the predictions of a table's rows; write a page or a table, or return the tables."""
    output, path = arguments.output, arguments.table
    if output is None and not arguments.json:
        raise UserError("-o OUT is required (a page .html, a table .csv or .parquet), or --json.")
    if output is not None:
        check_output(output, [arguments.model, path], (*PAGES, *ENDINGS))
    saved = load_model(arguments.model)
    task, response = saved.header["task"], saved.header["response"]
    labels = getattr(saved.model, "classes_", None)
    text = [response["target"]] if labels is not None and labels.dtype == object else []
    (rows,) = Queries(path, arguments.sep, saved.header, arguments.drop).blocks(text=text)
    y = response_if_known(path, rows.table, task, response)
    saved.model.set_params(verbose=arguments.verbose, n_jobs=arguments.jobs)
    with naming(path, "the rows cannot be explained"):
        explanation = saved.model.explain(rows.X, y, **rows.known)
        written = _write(arguments, explanation, saved, rows.X)
    named = {"model": arguments.model, "table": path, "task": task, **response}
    seen = int(explanation.seen.sum())
    return named | {"rows": len(rows.X), "training_rows": seen, "errors": _errors(explanation), **written}


def _write(arguments: Namespace, explanation: Any, saved: Saved, X: pd.DataFrame) -> dict[str, Any]:
    """Write a page or a table; return where it is, or the tables if there is no place to write to."""
    output = arguments.output
    if output is not None and output.suffix.lower() in PAGES:
        title = arguments.title or f"{arguments.model.name} on {arguments.table.name}"
        page = render_page(explanation, output, title, **on_page(saved, X))
        write_whole(output, lambda file: file.write(page))
        return {"output": output}
    tables = _make_tables(explanation, arguments.top)
    if output is None:
        tables["top_rows"] = tables["top_rows"].reset_index()
        written = {name: values_to_write(table) for name, table in tables.items()}
        return {"output": None, **dict.fromkeys(PARTS), **written}
    write_table(output, [_as_one_table(tables)], raw=arguments.raw_cells)
    return {"output": output}


def _make_tables(explanation: Any, k: int) -> dict[str, pd.DataFrame]:
    """Return the tables that a model has, with ``k`` features and rows per query; clusters take several queries."""
    tables = {"top_features": explanation.top_features(k).reset_index()}
    if explanation.terms is not None:
        tables["models"] = models_to_write(explanation)
        tables["effects"] = effects_to_write(explanation, tables["top_features"])
    tables["top_rows"] = explanation.top_rows(k)
    if len(explanation.index) > 1:
        tables["clusters"], tables["query_clusters"] = clusters_to_write(explanation.clusters())
    if explanation.curves is not None:
        tables["curves"] = curves_to_write(explanation.curves)
    return tables


def on_page(saved: Saved, X: pd.DataFrame, coverage: float = 0.9) -> dict[str, Any]:
    """Return what a page of effects shows with the explanation."""
    model, better = saved.model, bool(saved.header.get("smaller_is_better"))
    if not hasattr(model, "effect_interval"):
        return {}
    answers = [model.average_effect(coverage=coverage), model.heterogeneity(smaller_is_better=better), model.overlap()]
    return {"interval": model.effect_interval(X, coverage), "answers": answers}


def models_to_write(explanation: Any) -> pd.DataFrame:
    """Return the small models term by term, below where they start, at rank 0."""
    terms, start = explanation.small_models().reset_index(), explanation.start
    first: dict[str, Any] = {}
    if isinstance(start, pd.DataFrame):
        likely = explanation.link.idxmax(axis=1)
        first["class"] = likely
        start = pd.Series([start.loc[query, name] for query, name in likely.items()], start.index)
    terms = pd.concat([pd.DataFrame(first | {"query": start.index, "rank": 0, "term": start}), terms])
    order = ["query", "rank", *first, "feature", "value", "reference", "slope", "term"]
    return terms.sort_values(["query", "rank"], kind="stable", ignore_index=True)[order]


def effects_to_write(explanation: Any, features: pd.DataFrame) -> pd.DataFrame:
    """Return the effects of the columns that drove each query, with the two values compared."""
    keys = [name for name in ("query", "class", "feature") if name in features]
    return features[keys].merge(explanation.effects().reset_index(), how="inner", on=keys)


def values_to_write(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with cells as files hold them: numbers if all are, else text; missing ones are empty."""
    plain = table.copy(deep=False)
    for name in ("value", "reference", "from", "to"):
        if name in table:
            plain[name] = _cells_to_write(table[name])
    return plain


def _cells_to_write(column: pd.Series) -> pd.Series:
    cells = column.map(lambda cell: cell if is_number(cell) else format_cell(cell), na_action="ignore")
    known = cells.dropna()
    if known.map(is_number).all():
        return cells.astype(np.float64)
    text = known.map(lambda cell: f"{cell:.15g}" if is_number(cell) else cell)
    return text.reindex(column.index).astype(object)


def is_number(cell: Any) -> bool:
    """Return whether a cell is a number, and not one of yes and no."""
    return isinstance(cell, Real) and not isinstance(cell, bool | np.bool_)


def clusters_to_write(groups: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the clusters with what their queries have in common, and the cluster of each query."""
    words = groups.describe()[["rows", "levels", "coefficients"]].rename(columns={"rows": "values"})
    names = {cluster: str(cluster) for cluster in groups.named.index}
    table = groups.table.join(words).rename(index=lambda cluster: names.get(cluster, "others")).reset_index()
    labels = groups.labels.map(names).fillna("others")
    return table.astype({"prototype": "Int64"}), labels.rename_axis("query").reset_index()


def curves_to_write(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the curves as files hold them: open ends are empty, missing cells are the level "(missing)"."""
    level = curves["level"].map(str, na_action="ignore").astype(object)
    level[curves["low"].isna() & curves["level"].isna()] = "(missing)"
    ends = {name: curves[name].where(np.isfinite(curves[name])) for name in ("low", "high")}
    return curves.assign(**ends, level=level)


def _as_one_table(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return all tables below each other; the column ``part`` says which."""
    parts = []
    for name, part in PARTS.items():
        if not len(tables.get(name, ())):
            continue
        table = tables[name]
        if part == "row":
            response = {column: f"response_{column}" for column in table if column not in ("row", "weight")}
            table = table.rename(columns=response).reset_index()
        whole = [column for column in ("query", "rank", "size", "row") if column in table]
        parts.append(table.astype(dict.fromkeys(whole, "Int64")).assign(part=part))
    order = dict.fromkeys(["part", "query", "rank", *(name for part in parts for name in part)])
    return values_to_write(pd.concat(parts, ignore_index=True)[list(order)])


def _errors(explanation: Any) -> dict[str, Any] | None:
    """Return the errors of both models where the table has the response, and what they are called."""
    if explanation.loss is None:
        return None
    words = explanation.words
    model, baseline = (words.measured(part.mean()) for part in (explanation.loss, explanation.baseline_loss))
    return {"error": words.error, "model": model, "baseline": baseline, "verdict": explanation.verdict}


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was explained."""
    yield f"wrote  {summary['output']}: {summary['rows']} rows explained"
    errors = summary["errors"]
    if errors:
        model, baseline = (
            f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
            for value in (errors["model"], errors["baseline"])
        )
        yield f"error  {errors['error']} {model}, {baseline} by one model for all rows: {errors['verdict']}"
    n_training = summary["training_rows"]
    if n_training:
        yield f"note   {n_training} of {summary['rows']} rows are training rows: their errors are in-sample"
