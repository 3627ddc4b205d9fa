"""``heedful fit``: from a table to a model in a file."""

from argparse import Namespace
from time import perf_counter
from typing import Any

import pandas as pd

from heedful import LocalLasso
from heedful.cli._columns import conform, count_kinds, describe_columns, need_column
from heedful.cli._errors import UserError, one_line
from heedful.cli._model import make_estimator, make_notes, save_model
from heedful.cli._output import say
from heedful.cli._read import read_table
from heedful.cli._target import Response, read_response
from heedful.cli._write import check_output
from heedful.explain import say_error
from heedful.similarity import ForestProximity, default_forests


def run(arguments: Namespace) -> dict[str, Any]:
    """Fit a model and write it; return what is worth knowing of it."""
    start, path = perf_counter(), arguments.table
    check_output(arguments.output, [path])
    table = read_table(path, arguments.sep)
    for name in arguments.drop:
        need_column(path, table, name, "--drop")
    for name, _ in arguments.limit:
        need_column(path, table, name, "--limit")
    response = read_response(path, table, arguments)
    features = table.drop(columns=[*arguments.drop, *response.columns.values()], errors="ignore")
    if not features.shape[1]:
        raise UserError(f"{path}: no column is left to predict from. Drop fewer columns.")
    columns = describe_columns(path, features, arguments.dates)
    X = conform(path, features, columns)
    model = _fit_model(arguments, X, response)
    notes = make_notes(response.task, response.columns, columns, arguments.drop)
    size = save_model(arguments.output, model, notes)
    return _summary(arguments, response, columns, model) | {
        "rows": len(X),
        "model": str(arguments.output),
        "bytes": size,
        "seconds": round(perf_counter() - start, 3),
    }


def _fit_model(arguments: Namespace, X: pd.DataFrame, response: Response) -> Any:
    model = make_estimator(
        response.task,
        heads=arguments.heads,
        similarity=forests(arguments.trees, arguments.heads),
        local=LocalLasso(limits=dict(arguments.limit)) if arguments.limit else None,
        verbose=arguments.verbose,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
    )
    try:
        model.fit(X, response.y, **({} if response.exposure is None else {"exposure": response.exposure}))
    except (TypeError, ValueError) as error:
        names = " and ".join(repr(name) for name in response.columns.values())
        raise UserError(f"{arguments.table}: no model of {names} can be fitted: {one_line(error)}") from error
    # how it is shown and run is the choice of who predicts
    return model.set_params(verbose=0, n_jobs=None)


def forests(n_trees: int | None, heads: str) -> Any:
    """Return the forests that similarity="forest" stands for, with another number of trees."""
    if n_trees is None:
        return "forest"
    return ForestProximity(n_trees) if heads == "single" else default_forests(n_trees)


def _summary(arguments: Namespace, response: Response, columns: list[dict[str, Any]], model: Any) -> dict[str, Any]:
    heads = model.heads_
    found = {
        "command": "fit",
        "table": str(arguments.table),
        "task": response.task,
        "reason": response.reason,
        **response.columns,
        "columns": columns,
        "dropped": arguments.drop,
        "limits": dict(arguments.limit),
        "heads": {"tried": len(heads), "used": int((heads["share"] > 0).sum())},
        "mixing": model.mixing_,
        "alpha": model.alpha_,
        "guard": model.guard_,
        "errors": {"baseline": min(model.baseline_.cv_error_), "best_head": heads["error"].min()},
        "unseen": {"error": model.response_.words.error, **model.unseen_error_.to_dict()},
        "beside": _beside(model),
        "seed": arguments.seed,
    }
    return found | ({"classes": model.classes_.tolist()} if response.task == "classification" else {})


def _beside(model: Any) -> dict[str, Any]:
    """Return what is told beside the error; nothing where no predictions of held-out rows were kept."""
    try:
        return model.held_out().measures().T.to_dict()
    except ValueError:
        return {}


def tell(found: dict[str, Any]) -> None:
    """Say what was fitted."""
    what = found.get("target") or f"{found['event']}, {found['time']}"
    classes = f", {len(found['classes'])} classes" if "classes" in found else ""
    say(f"read   {found['table']}: {found['rows']} rows, columns to predict from: {count_kinds(found['columns'])}")
    per = f" per unit of {found['exposure']}" if "exposure" in found else ""
    say(f"task   {found['task']} of {what}{per} ({found['reason']}){classes}")
    say(f"model  {found['heads']['used']} of {found['heads']['tried']} heads in use, mixing {found['mixing']:.2f}, "
        f"alpha {found['alpha']:.3g}, guard {found['guard']:.2f}")  # fmt: skip
    unseen = pd.Series(found["unseen"]).drop("error").rename(found["unseen"]["error"])
    rival = f"one {'Cox lasso' if found['task'] == 'survival' else 'lasso'} for all rows"
    say(f"error  {say_error(unseen, found['mixing'], rival)}")
    for name, both in found["beside"].items():
        say(f"also   {name} {both['attention']:.3g}, {rival} {both['baseline']:.3g}")
    say(f"wrote  {found['model']}: {found['bytes'] / 1e6:.1f} MB, {found['seconds']:.1f} s in all")
