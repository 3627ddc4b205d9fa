"""``heedful drift``: a fitted model corrected by recent rows, without refitting it."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from heedful import DriftCorrector
from heedful.cli._columns import count_kinds
from heedful.cli._drift_rows import Recent, read_queries, read_recent, read_reference
from heedful.cli._errors import UserError, naming
from heedful.cli._foreign import Loaded, load_any
from heedful.cli._predict import predictions
from heedful.cli._read import ENDINGS
from heedful.cli._write import PAGES, check_outputs, render_page, write_table, write_whole, wrote

FEWEST, N_MOVED = 2, 3


def run(arguments: Namespace) -> dict[str, Any]:
    """Correct a model by recent rows; write original and corrected predictions of a table."""
    inputs = [arguments.model, arguments.recent, arguments.table, arguments.reference]
    check_outputs(arguments, {"output": ENDINGS, "report": PAGES}, inputs)
    if isinstance(arguments.window, float | str) and arguments.time is None:
        raise UserError(f"--window {arguments.window} is not a number of rows: a length of time needs --time COL.")
    loaded = load_any(arguments.model, trust=arguments.trust)
    recent = read_recent(arguments, loaded)
    queries = read_queries(arguments, loaded, recent)
    reference = None if arguments.reference is None else read_reference(arguments, loaded, recent)
    corrector, plain = _fit(arguments, loaded, recent)
    with naming(arguments.table, "the rows cannot be predicted"):
        corrected, as_is = (predictions(model, queries) for model in (corrector, plain))
    with naming(arguments.reference or arguments.table, "the rows cannot be compared with recent ones"):
        report = corrector.drift_report(queries, reference=reference)
    predicted = _join(corrected, as_is, report.queries["n_eff"].to_numpy())
    return _summary(arguments, loaded, recent, report) | _write(arguments, predicted, report)


def _fit(arguments: Namespace, loaded: Loaded, recent: Recent) -> tuple[DriftCorrector, DriftCorrector]:
    """Return the corrected model, and the model as it is."""
    corrector = DriftCorrector(
        loaded.model,
        temperature=arguments.temperature,
        mixing=arguments.mixing,
        window=arguments.window,
        verbose=arguments.verbose,
        n_jobs=arguments.jobs,
        random_state=0,
    )
    with naming(arguments.recent, "the model cannot be corrected by these rows"):
        corrector.fit(recent.X, recent.y, time=recent.time)
        # nothing of a correction is applied, so that any rows will do
        plain = clone(corrector).set_params(mixing=0.0, window=None)
        return corrector, plain.fit(recent.X[:FEWEST], recent.y[:FEWEST])


def _join(corrected: pd.DataFrame, plain: pd.DataFrame, n_eff: np.ndarray) -> pd.DataFrame:
    """Return what is written: corrected predictions, then those of the model."""
    if list(corrected) == ["prediction"]:
        model = plain["prediction"]
        return corrected.assign(model=model, correction=corrected["prediction"] - model, n_eff=n_eff)
    chances = plain.drop(columns="prediction")
    return corrected.join(chances.rename(columns=lambda name: name.replace("probability_", "model_", 1)))


def _write(arguments: Namespace, predicted: pd.DataFrame, report: Any) -> dict[str, Any]:
    """Write the table, and the page if there is to be one, which is made before anything is written."""
    page = b""
    if arguments.report is not None:
        page = render_page(report, arguments.report, f"{arguments.model.name} on {arguments.recent.name}")
    written = write_table(arguments.output, [predicted], raw=arguments.raw_cells)
    if arguments.report is not None:
        write_whole(arguments.report, lambda file: file.write(page))
    return written._asdict()


def _summary(arguments: Namespace, loaded: Loaded, recent: Recent, report: Any) -> dict[str, Any]:
    return {
        **{name: getattr(arguments, name) for name in ("model", "recent", "table", "target", "reference", "report")},
        "kind": loaded.what,
        "recent_rows": len(recent.y),
        "task": recent.task,
        "features": recent.columns,
        "loss": report.error,
        "finding": report.finding,
        "verdict": report.verdict,
        "tests": report.tests.reset_index(),
        "columns_moved": report.columns.reset_index() if len(report.columns) else [],
        "measures": report.summary["value"].to_dict(),
        "where": report.features.reset_index(),
        "heads": report.heads,
    }


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was found and written."""
    measures, kinds = summary["measures"], count_kinds(summary["features"])
    yield f"read   {summary['model']}: {summary['kind']}, {summary['task']} from columns: {kinds}"
    yield (f"read   {summary['recent']}: {measures['recent rows']} of {summary['recent_rows']} rows used, "
        f"target {summary['target']}")  # fmt: skip
    yield (f"drift  {summary['loss']} of these rows {measures['error before']:.4g} -> {measures['error after']:.4g} "
        f"({measures['error change (%)']:+.1f} %), each corrected by the others")  # fmt: skip
    if summary["reference"]:
        yield (f"read   {summary['reference']}: {measures['reference rows']} rows from the time of training, "
            f"{summary['loss']} {measures['error on the reference']:.4g}")  # fmt: skip
    tests = ", ".join(f"{name} {p:.2g}" for name, p in summary["tests"][["test", "p"]].itertuples(index=False))
    yield f"moved  {summary['finding']}" + (f" (p values: {tests})" if tests else "")
    if summary["finding"] == "not known":
        yield "moved  --reference FILE, rows that the model was not trained on, distinguishes drift from a bad fit"
    elif summary["finding"] != "nothing moved":
        for row in summary["columns_moved"].head(N_MOVED).itertuples():
            yield (f"moved  {row.column}: mean {row.mean_before:.3g} -> {row.mean_after:.3g}, effect "
                f"{row.effect_before:.3g} -> {row.effect_after:.3g}")  # fmt: skip
    shares = summary["heads"].groupby("similarity", sort=False)["share"].sum()
    alike = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    yield (f"model  mixing {measures['mixing']:.2f} ({alike}), guard {measures['guard']:.2f}, "
        f"{measures['queries corrected']:.0%} of the predictions corrected")  # fmt: skip
    yield wrote(summary)
    if summary["report"]:
        yield f"wrote  {summary['report']}"
