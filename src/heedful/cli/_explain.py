"""``heedful explain``: what predictions were made of, as a page, as a table or as JSON."""

import importlib
from argparse import Namespace
from collections.abc import Iterator
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from heedful.cli._errors import UserError, naming
from heedful.cli._model import Saved, load_model
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS
from heedful.cli._tasks import response_if_known
from heedful.cli._write import check_output, write_table, write_whole
from heedful.explain import say_cell

PAGES = (".html", ".htm")


def run(arguments: Namespace) -> dict[str, Any]:
    """Explain the predictions of a table's rows; write a page or a table, or return the tables."""
    output = arguments.output
    if output is None and not arguments.json:
        raise UserError("-o OUT is required (a page .html, a table .csv or .parquet), or --json.")
    if output is not None:
        check_output(output, [arguments.model, arguments.table], (*PAGES, *ENDINGS))
    saved = load_model(arguments.model)
    header = saved.header
    table, rows = Queries(arguments, saved).whole()
    y = response_if_known(arguments.table, table, header["task"], header["response"])
    saved.model.set_params(verbose=arguments.verbose, n_jobs=arguments.jobs)
    known = {} if rows.exposure is None else {"exposure": rows.exposure}
    with naming(arguments.table, "the rows cannot be explained"):
        explanation = saved.model.explain(rows.X, y, **known)
        written = _write(arguments, explanation, saved, rows.X)
    return {
        "command": "explain",
        "model": str(arguments.model),
        "table": str(arguments.table),
        "task": header["task"],
        **header["response"],
        "rows": len(rows.X),
        "training_rows": int(explanation.seen.sum()),
        "errors": _errors(explanation),
        **written,
    }


class Tables(NamedTuple):
    """The tables of an explanation; clusters are None for a single query, curves if models have none.

    Small models and effects are None where models have no slopes.
    """

    top_features: pd.DataFrame
    models: pd.DataFrame | None
    effects: pd.DataFrame | None
    top_rows: pd.DataFrame
    clusters: pd.DataFrame | None
    query_clusters: pd.DataFrame | None
    curves: pd.DataFrame | None

    @classmethod
    def of(cls, explanation: Any, k: int) -> Self:
        """Return the tables with ``k`` features and rows per query."""
        known = len(explanation.index) > 1
        clusters, labels = clusters_to_write(explanation.clusters()) if known else (None, None)
        features, rows = explanation.top_features(k), explanation.top_rows(k)
        small = None, None
        if explanation.terms is not None:
            small = models_to_write(explanation), effects_to_write(explanation, features)
        return cls(features, *small, rows, clusters, labels, curves_to_write(explanation.curves))


def _write(arguments: Namespace, explanation: Any, saved: Saved, X: pd.DataFrame) -> dict[str, Any]:
    """Write a page or a table; return where it is, or the tables if there is no place to write to."""
    output, tables = arguments.output, Tables.of(explanation, arguments.top)
    if output is None:
        indexed = {name: getattr(tables, name).reset_index() for name in ("top_features", "top_rows")}
        known = {name: table for name, table in (tables._asdict() | indexed).items() if table is not None}
        plain = {name: values_to_write(table) for name, table in known.items()}
        return {"output": None, **tables._asdict(), **plain}
    if output.suffix.lower() in PAGES:
        title = arguments.title or f"{arguments.model.name} on {arguments.table.name}"
        page = render_page(explanation, output, title, on_page(saved, X))
        write_whole(output, lambda file: file.write(page))
    else:
        write_table(output, [as_one_table(tables)], raw=arguments.raw_cells)
    return {"output": str(output)}


def on_page(saved: Saved, X: pd.DataFrame, coverage: float = 0.9) -> dict[str, Any]:
    """Return what a page of effects shows with the explanation."""
    model, better = saved.model, bool(saved.header.get("smaller_is_better"))
    if not hasattr(model, "effect_interval"):
        return {}
    answers = [model.average_effect(coverage=coverage), model.heterogeneity(smaller_is_better=better), model.overlap()]
    return {"interval": model.effect_interval(X, coverage), "answers": answers}


def render_page(explanation: Any, output: Path, title: str, known: dict[str, Any] | None = None) -> bytes:
    """Return the page to be written to ``output``; the room that makes it, and what that draws with, are optional."""
    check_page(output)
    return importlib.import_module("heedful.report").render(explanation, title=title, **known or {}).encode()


def check_page(output: Path) -> None:
    """Refuse a page if what draws it is not installed."""
    try:
        for name in ("heedful.report", "plotly.offline"):
            importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"{output.name}: a page needs {error.name or 'plotly'}, which is not installed. Run: pip install "
            "'heedful[report]', or write a table: -o OUT.csv"
        ) from error


def models_to_write(explanation: Any) -> pd.DataFrame:
    """Return the small models term by term, below where they start, at rank 0."""
    terms = explanation.small_models().reset_index()
    start = explanation.start
    if isinstance(start, pd.DataFrame):
        likely = explanation.link.idxmax(axis=1)
        start = pd.Series([start.loc[query, name] for query, name in likely.items()], start.index)
        terms = pd.concat([pd.DataFrame({"class": likely, "query": start.index, "rank": 0, "term": start}), terms])
    else:
        terms = pd.concat([pd.DataFrame({"query": start.index, "rank": 0, "term": start}), terms])
    order = [
        "query",
        "rank",
        *(["class"] if "class" in terms else []),
        "feature",
        "value",
        "reference",
        "slope",
        "term",
    ]
    return terms.sort_values(["query", "rank"], kind="stable", ignore_index=True)[order]


def effects_to_write(explanation: Any, features: pd.DataFrame) -> pd.DataFrame:
    """Return the effects of the columns that drove each query, with the two values compared."""
    asked = features.reset_index()
    keys = [name for name in ("query", "class", "feature") if name in asked]
    return asked[keys].merge(explanation.effects().reset_index(), how="inner", on=keys)


def values_to_write(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with cells as files hold them: numbers if all are, else text; missing ones are empty."""
    plain = table.copy(deep=False)
    for name in ("value", "reference", "from", "to"):
        if name in table:
            plain[name] = _cells_to_write(table[name])
    return plain


def _cells_to_write(column: pd.Series) -> pd.Series:
    cells = column.map(lambda cell: cell if is_number(cell) else say_cell(cell), na_action="ignore")
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


def curves_to_write(curves: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the curves as files hold them: open ends are empty, missing cells are the level "(missing)"."""
    if curves is None:
        return None
    level = curves["level"].map(str, na_action="ignore").astype(object)
    level[curves["low"].isna() & curves["level"].isna()] = "(missing)"
    ends = {name: curves[name].where(np.isfinite(curves[name])) for name in ("low", "high")}
    return curves.assign(**ends, level=level)


def as_one_table(tables: Tables) -> pd.DataFrame:
    """Return all tables below each other; the column ``part`` says which."""
    rows = tables.top_rows
    given = {name: f"response_{name}" for name in rows if name not in ("row", "weight")}
    named = {
        "feature": tables.top_features.reset_index(),
        "model": tables.models,
        "effect": tables.effects,
        "row": rows.rename(columns=given).astype({"row": "Int64"}).reset_index(),
        "query": tables.query_clusters,
        "cluster": tables.clusters,
        "curve": tables.curves,
    }
    known = {part: table for part, table in named.items() if table is not None and len(table)}
    parts = [
        table.astype({name: "Int64" for name in ("query", "rank", "size") if name in table}).assign(part=part)
        for part, table in known.items()
    ]
    order = dict.fromkeys(["part", "query", "rank", *(name for part in parts for name in part)])
    return values_to_write(pd.concat(parts, ignore_index=True)[list(order)])


def _errors(explanation: Any) -> dict[str, Any] | None:
    """Return the errors of both models where the table has the response, and what they are called."""
    if explanation.loss is None:
        return None
    own, plain = (explanation.words.measured(part.mean()) for part in (explanation.loss, explanation.baseline_loss))
    return {"error": explanation.words.error, "model": own, "baseline": plain, "verdict": explanation.verdict}


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was explained."""
    yield f"wrote  {summary['output']}: {summary['rows']} rows explained"
    errors = summary["errors"]
    if errors:
        own, plain = (
            f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
            for value in (errors["model"], errors["baseline"])
        )
        yield f"error  {errors['error']} {own}, {plain} by one model for all rows: {errors['verdict']}"
    n_training = summary["training_rows"]
    if n_training:
        yield f"note   {n_training} of {summary['rows']} rows are training rows: their errors are in-sample"
