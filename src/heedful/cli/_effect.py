"""``heedful effect``: from a table of what rows got and what came of it to an effect for each row."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from heedful.cli._columns import count_kinds
from heedful.cli._errors import UserError, naming
from heedful.cli._explain import PAGES, check_page, on_page, render_page
from heedful.cli._fit import forests
from heedful.cli._model import Saved, make_notes, save_model
from heedful.cli._predict import join_kept, predictions
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS, read_table
from heedful.cli._study import Study, read_study
from heedful.cli._tasks import TASKS
from heedful.cli._write import check_output, write_table, write_whole
from heedful.explain import OVER, say_cell


def run(arguments: Namespace) -> dict[str, Any]:
    """Estimate effects; write them, and the page and the model if they are asked for."""
    start = perf_counter()
    _check_outputs(arguments)
    study = read_study(arguments, read_table(arguments.table, arguments.sep))
    notes = make_notes("effect", study.named, study.columns, arguments.drop)
    notes["smaller_is_better"] = arguments.smaller_is_better
    X, kept = _rows_to_write(arguments, study, notes)
    saved = Saved(notes, _fit(arguments, study))
    with naming(arguments.queries or arguments.table, "the effects of its rows cannot be told"):
        effects = predictions(saved.model, X, arguments.interval)
        if arguments.queries is None:
            effects["unseen_effect"] = saved.model.unseen_effect_
        written = join_kept(arguments.queries or arguments.table, kept, effects)
        summary = _summarize(arguments, saved)
        _write(arguments, saved, X, written)
    return summary | {
        "columns": study.columns,
        "rows": len(study.X),
        "written": {"rows": len(written), "columns": list(written)},
        "seconds": round(perf_counter() - start, 3),
    }


def _check_outputs(arguments: Namespace) -> None:
    """Refuse places that cannot be written to, or that are one and the same."""
    inputs = [path for path in (arguments.table, arguments.queries) if path is not None]
    taken = dict[Path, str]()
    for option, endings in {"output": ENDINGS, "report": PAGES, "save": ()}.items():
        path = getattr(arguments, option)
        if path is None:
            continue
        check_output(path, inputs, endings)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise UserError(f"{path}: --{other} and --{option} would be one file. Give another name.")
    if arguments.report is not None:
        check_page(arguments.report)


def _rows_to_write(arguments: Namespace, study: Study, notes: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows whose effects are written, and their columns to keep."""
    if arguments.queries is None:
        return study.X, study.kept
    asked = Namespace(table=arguments.queries, sep=arguments.sep, drop=[], keep=arguments.keep)
    table, rows = Queries(asked, Saved(notes, None)).whole()
    return rows.X, table[arguments.keep]


def _fit(arguments: Namespace, study: Study) -> Any:
    model = TASKS["effect"].make(
        heads=arguments.heads,
        similarity=forests(arguments.trees, arguments.heads),
        verbose=arguments.verbose,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
    )
    named = study.named
    with naming(arguments.table, f"no effect of {named['treatment']!r} on {named['outcome']!r} can be estimated"):
        return model.fit(study.X, study.outcome, study.treatment, **study.known)


def _summarize(arguments: Namespace, saved: Saved) -> dict[str, Any]:
    model = saved.model
    average = model.average_effect(coverage=arguments.interval)
    differences = model.heterogeneity(smaller_is_better=arguments.smaller_is_better)
    overlap = model.overlap()
    return {
        "command": "effect",
        "table": str(arguments.table),
        "task": "effect",
        **saved.header["response"],
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
        **{name: _text(getattr(arguments, name)) for name in ("queries", "output", "report", "save")},
    }


AVERAGE = ("effect", "standard_error", "low", "high", "coverage", "p_value", "n_rows", "n_groups", "target", "row_mean")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _write(arguments: Namespace, saved: Saved, X: pd.DataFrame, written: pd.DataFrame) -> None:
    """Write the table, and the page and the model if there are to be any; the page is made before anything is."""
    page = b""
    if arguments.report is not None:
        title = f"Effects of {saved.header['response']['treatment']} in {arguments.table.name}"
        page = render_page(saved.model.explain(X), arguments.report, title, on_page(saved, X, arguments.interval))
    write_table(arguments.output, [written], raw=arguments.raw_cells)
    if arguments.report is not None:
        write_whole(arguments.report, lambda file: file.write(page))
    if arguments.save is not None:
        save_model(arguments.save, saved.model, saved.header)


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what the treatment does, whether that differs, and what speaks against it."""
    yield (
        f"read   {summary['table']}: {summary['rows']} rows, columns to predict from: {count_kinds(summary['columns'])}"
    )
    yield f"task   effect of {_describe_treatment(summary)} on {_describe_outcome(summary)}"
    average = summary["average"]
    yield (f"mean   {average['effect']:.4g}, {100 * average['coverage']:.3g} % interval {average['low']:.4g} to "
        f"{average['high']:.4g}: average effect {OVER[average['target']]}{average['n_rows']} rows")  # fmt: skip
    yield f"differ {summary['heterogeneity']['verdict']}"
    for line in summary["overlap"]["warnings"] or [summary["overlap"]["verdict"]]:
        yield f"check  {line}"
    written = summary["written"]
    yield f"wrote  {summary['output']}: {written['rows']} rows, columns {', '.join(written['columns'])}"
    for name in ("report", "save"):
        if summary[name]:
            yield f"wrote  {summary[name]}"


def _describe_treatment(summary: dict[str, Any]) -> str:
    if summary["levels"] is None:
        return f"one unit more of {summary['treatment']}"
    control, treated = (say_cell(level) for level in summary["levels"])
    return f"{summary['treatment']} = {treated}, against {control},"


def _describe_outcome(summary: dict[str, Any]) -> str:
    if summary["labels"] is None:
        return str(summary["outcome"])
    return f"the chance that {summary['outcome']} is {say_cell(summary['labels'][1])}"
