"""``heedful explain``: what predictions were made of, as a page, as a table or as JSON."""

import importlib
from argparse import Namespace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heedful.cli._errors import UserError, one_line
from heedful.cli._model import load_model
from heedful.cli._output import say
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS
from heedful.cli._target import response_if_known
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
    table, X = Queries(arguments, saved).whole()
    y = response_if_known(arguments.table, table, header["task"], header["response"])
    saved.model.set_params(verbose=arguments.verbose, n_jobs=arguments.jobs)
    try:
        explanation = saved.model.explain(X, y)
        features = values_to_write(explanation.top_features(arguments.top))
        rows = explanation.top_rows(arguments.top)
        written = _write(arguments, explanation, features, rows, curves_to_write(explanation.curves))
    except (TypeError, ValueError) as error:
        raise UserError(f"{arguments.table}: the rows cannot be explained: {one_line(error)}") from error
    return {
        "command": "explain",
        "model": str(arguments.model),
        "table": str(arguments.table),
        "task": header["task"],
        **header["response"],
        "rows": len(X),
        "errors": _errors(explanation),
        **written,
    }


def _write(
    arguments: Namespace, explanation: Any, features: pd.DataFrame, rows: pd.DataFrame, curves: pd.DataFrame | None
) -> dict[str, Any]:
    """Write a page or a table; return where it is, or the tables if there is no place to write to."""
    output = arguments.output
    if output is None:
        tables = {"top_features": features.reset_index(), "top_rows": rows.reset_index(), "curves": curves}
        return {"output": None, **tables}
    if output.suffix.lower() in PAGES:
        title = arguments.title or f"{arguments.model.name} on {arguments.table.name}"
        page = render_page(explanation, output, title)
        write_whole(output, lambda file: file.write(page))
    else:
        write_table(output, as_one_table(features, rows, curves), raw=arguments.raw_cells)
    return {"output": str(output)}


def render_page(explanation: Any, output: Path, title: str) -> bytes:
    """Return the page to be written to ``output``; the room that makes it, and what that draws with, are optional."""
    try:
        return importlib.import_module("heedful.report").render(explanation, title=title).encode()
    except ImportError as error:
        raise UserError(
            f"{output.name}: a page needs {error.name or 'plotly'}, which is not installed. Run: pip install "
            "'heedful[report]', or write a table: -o OUT.csv"
        ) from error


def values_to_write(features: pd.DataFrame) -> pd.DataFrame:
    """Return top features with values as files hold them: numbers if all are, else text; missing ones are empty."""
    cells = features["value"].map(lambda cell: cell if is_number(cell) else say_cell(cell), na_action="ignore")
    known = cells.dropna()
    if known.map(is_number).all():
        return features.assign(value=cells.astype(np.float64))
    text = known.map(lambda cell: f"{cell:.15g}" if is_number(cell) else cell)
    return features.assign(value=text.reindex(features.index).astype(object))


def is_number(cell: Any) -> bool:
    """Return whether a cell is a number, and not one of yes and no."""
    return isinstance(cell, Real) and not isinstance(cell, bool | np.bool_)


def curves_to_write(curves: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the curves as files hold them: open ends are empty, missing cells are the level "(missing)"."""
    if curves is None:
        return None
    level = curves["level"].map(str, na_action="ignore").astype(object)
    level[curves["low"].isna() & curves["level"].isna()] = "(missing)"
    ends = {name: curves[name].where(np.isfinite(curves[name])) for name in ("low", "high")}
    return curves.assign(**ends, level=level)


def as_one_table(features: pd.DataFrame, rows: pd.DataFrame, curves: pd.DataFrame | None) -> pd.DataFrame:
    """Return top features, top rows and curves below each other; the column ``part`` says which."""
    given = {name: f"response_{name}" for name in rows if name not in ("row", "weight")}
    below = rows.rename(columns=given).astype({"row": "Int64"})
    parts = [table.reset_index().assign(part=part) for part, table in (("feature", features), ("row", below))]
    order = ["part", "query", "rank", *features, "row", "weight", *given.values()]
    if curves is not None:
        parts = [part.astype({"query": "Int64", "rank": "Int64"}) for part in parts]
        parts.append(curves.assign(part="curve"))
        order += [name for name in curves if name not in order]
    return pd.concat(parts, ignore_index=True)[order]


def _errors(explanation: Any) -> dict[str, float] | None:
    """Return the mean losses of both models where the table has the response."""
    if explanation.loss is None:
        return None
    return {"model": explanation.loss.mean(), "baseline": explanation.baseline_loss.mean()}


def tell(found: dict[str, Any]) -> None:
    """Say what was explained."""
    say(f"wrote  {found['output']}: {found['rows']} rows explained")
    if found["errors"]:
        own, plain = found["errors"]["model"], found["errors"]["baseline"]
        say(f"loss   {own:.4g} on average, {plain:.4g} by one model for all rows")
