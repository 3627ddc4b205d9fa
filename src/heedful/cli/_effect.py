"""``heedful effect``: from a table with treatments and outcomes to an effect for each row."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pandas as pd

from heedful.cli._columns import read_line, require_columns
from heedful.cli._errors import naming
from heedful.cli._explain import on_page
from heedful.cli._model import Saved, make_model, make_notes, save_model
from heedful.cli._predict import join_kept, predictions
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS, read_table
from heedful.cli._study import Study, read_study
from heedful.cli._write import PAGES, check_outputs, render_page, write_table, write_whole, wrote
from heedful.explain import OVER, format_cell


def run(arguments: Namespace) -> dict[str, Any]:
    """Estimate effects; write them, and the page and the model if they are asked for."""
    path, queries = arguments.table, arguments.queries
    outputs = {"output": ENDINGS, "report": PAGES, "save": ()}
    check_outputs(arguments, outputs, [path, queries])
    table = read_table(path, arguments.sep)
    study = read_study(arguments, table)
    notes = make_notes("effect", study.named, study.columns, arguments.drop)
    notes["smaller_is_better"] = arguments.smaller_is_better
    X = study.X
    if queries is None:
        require_columns(path, table, arguments.keep, "--keep")
    else:
        (rows,) = Queries(queries, arguments.sep, notes, keep=arguments.keep).blocks()
        X, table = rows.X, rows.table
    model = make_model(arguments, "effect")
    with naming(path, f"no effect of {study.named['treatment']!r} on {study.named['outcome']!r} can be estimated"):
        model.fit(study.X, study.outcome, study.treatment, **study.known)
    saved = Saved(notes, model)
    with naming(queries or path, "the effects on its rows cannot be estimated"):
        effects = predictions(model, X, arguments.interval)
        if queries is None:
            effects["held_out_effect"] = model.held_out_effect_
        written = join_kept(queries or path, table[arguments.keep], effects)
        summary = _summarize(arguments, study, model)
        summary["written"] = _write(arguments, saved, X, written)
    return summary


def _summarize(arguments: Namespace, study: Study, model: Any) -> dict[str, Any]:
    average, overlap = model.average_effect(coverage=arguments.interval), model.overlap()
    differences = model.heterogeneity(smaller_is_better=arguments.smaller_is_better)
    return {
        "table": arguments.table,
        "rows": len(study.X),
        "columns": study.columns,
        "task": "effect",
        **study.named,
        "levels": None if model.treatments_ is None else model.treatments_.tolist(),
        "labels": None if model.outcomes_ is None else model.outcomes_.tolist(),
        "average": {name: getattr(average, name) for name in AVERAGE},
        "heterogeneity": {"verdict": differences.verdict, "tests": differences.tests.reset_index()},
        "overlap": {
            "verdict": overlap.verdict,
            "warnings": overlap.warnings,
            "arms": overlap.arms.reset_index(),
            "balance": overlap.balance.reset_index(),
        },
        "mixing": model.mixing_,
        "seed": arguments.seed,
        **{name: getattr(arguments, name) for name in ("queries", "output", "report", "save")},
    }


AVERAGE = ("effect", "standard_error", "low", "high", "coverage", "p_value", "n_rows", "n_groups", "target", "row_mean")


def _write(arguments: Namespace, saved: Saved, X: pd.DataFrame, effects: pd.DataFrame) -> dict[str, Any]:
    """Write the table, and the page and the model if there are to be any; the page is made before anything is."""
    report, page = arguments.report, b""
    if report is not None:
        title = f"Effects of {saved.header['response']['treatment']} in {arguments.table.name}"
        page = render_page(saved.model.explain(X), report, title, **on_page(saved, X, arguments.interval))
    written = write_table(arguments.output, [effects], raw=arguments.raw_cells)
    if report is not None:
        write_whole(report, lambda file: file.write(page))
    if arguments.save is not None:
        save_model(arguments.save, saved.model, saved.header)
    return written._asdict()


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield the average effect, heterogeneity and overlap."""
    yield read_line(summary)
    yield f"task   effect of {_describe_treatment(summary)} on {_describe_outcome(summary)}"
    average = summary["average"]
    yield (f"mean   {average['effect']:.4g}, {100 * average['coverage']:.3g} % interval {average['low']:.4g} to "
        f"{average['high']:.4g}: average effect {OVER[average['target']]}{average['n_rows']} rows")  # fmt: skip
    yield f"differ {summary['heterogeneity']['verdict']}"
    for line in summary["overlap"]["warnings"] or [summary["overlap"]["verdict"]]:
        yield f"check  {line}"
    yield wrote(summary["written"])
    for name in ("report", "save"):
        if summary[name]:
            yield f"wrote  {summary[name]}"


def _describe_treatment(summary: dict[str, Any]) -> str:
    if summary["levels"] is None:
        return f"one more unit of {summary['treatment']}"
    control, treated = (format_cell(level) for level in summary["levels"])
    return f"{summary['treatment']} = {treated}, compared with {control},"


def _describe_outcome(summary: dict[str, Any]) -> str:
    if summary["labels"] is None:
        return str(summary["outcome"])
    return f"the probability that {summary['outcome']} is {format_cell(summary['labels'][1])}"
