"""``heedful fit``: from a table to a model in a file."""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pandas as pd

from heedful import LocalLasso
from heedful.cli._columns import read_features, read_line, require_columns
from heedful.cli._errors import naming
from heedful.cli._model import make_model, make_notes, save_model
from heedful.cli._read import read_table
from heedful.cli._tasks import Response, read_response
from heedful.cli._write import check_output
from heedful.explain import describe_error


def run(arguments: Namespace) -> dict[str, Any]:
    """Fit a model and write it; return what is worth knowing of it."""
    path = arguments.table
    check_output(arguments.output, [path])
    table = read_table(path, arguments.sep)
    require_columns(path, table, arguments.drop, "--drop")
    require_columns(path, table, dict(arguments.limit), "--limit")
    response = read_response(path, table, arguments)
    X, columns = read_features(arguments, table, response.columns)
    local = LocalLasso(limits=dict(arguments.limit)) if arguments.limit else None
    names = " and ".join(repr(name) for name in response.columns.values())
    with naming(path, f"no model of {names} can be fitted"):
        known = {} if response.exposure is None else {"exposure": response.exposure}
        model = make_model(arguments, response.task, local=local).fit(X, response.y, **known)
    notes = make_notes(response.task, response.columns, columns, arguments.drop)
    size = save_model(arguments.output, model, notes)
    return _summarize(arguments, response, columns, model) | {"rows": len(X), "bytes": size}


def _summarize(arguments: Namespace, response: Response, columns: list[dict[str, Any]], model: Any) -> dict[str, Any]:
    heads, words = model.heads_, model.response_.words
    summary = {
        "table": arguments.table,
        "model": arguments.output,
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
        "unseen": {"error": words.error, **model.held_out_error_.to_dict()},
        "beside": _other_measures(model),
        "rival": f"one {words.lasso} for all rows",
        "seed": arguments.seed,
    }
    return summary | ({"classes": model.classes_.tolist()} if hasattr(model, "classes_") else {})


def _other_measures(model: Any) -> dict[str, Any]:
    """Return other measures than the error; nothing where no predictions of held-out rows were kept."""
    try:
        return model.held_out().measures().T.to_dict()
    except ValueError:
        return {}


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was fitted."""
    response = summary.get("target") or f"{summary['event']}, {summary['time']}"
    classes = f", {len(summary['classes'])} classes" if "classes" in summary else ""
    yield read_line(summary)
    per = f" per unit of {summary['exposure']}" if "exposure" in summary else ""
    yield f"task   {summary['task']} of {response}{per} ({summary['reason']}){classes}"
    heads, rival = summary["heads"], summary["rival"]
    yield (f"model  {heads['used']} of {heads['tried']} heads have weight, mixing {summary['mixing']:.2f}, "
               f"alpha {summary['alpha']:.3g}, guard {summary['guard']:.2f}")  # fmt: skip
    unseen = pd.Series(summary["unseen"]).drop("error").rename(summary["unseen"]["error"])
    yield f"error  {describe_error(unseen, summary['mixing'], rival)}"
    for name, both in summary["beside"].items():
        yield f"also   {name} {both['attention']:.3g}, {rival} {both['baseline']:.3g}"
    yield f"wrote  {summary['model']}: {summary['bytes'] / 1e6:.1f} MB, {summary['seconds']:.1f} s in all"
