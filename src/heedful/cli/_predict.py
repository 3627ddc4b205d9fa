"""``heedful predict``: from a model and a table to a table of predictions."""

from argparse import Namespace
from typing import Any

import pandas as pd

from heedful.cli._columns import conform, need_column
from heedful.cli._errors import UserError, one_line
from heedful.cli._model import Saved, load_model
from heedful.cli._output import say
from heedful.cli._read import ENDINGS, read_table
from heedful.cli._write import check_output, write_table


def predict(arguments: Namespace) -> dict[str, Any]:
    """Predict the rows of a table and write the predictions in their order."""
    check_output(arguments.output, [arguments.model, arguments.table], ENDINGS)
    saved = load_model(arguments.model)
    _, X = read_queries(arguments, saved)
    saved.model.set_params(verbose=arguments.verbose, n_jobs=arguments.jobs)
    try:
        predicted = predictions(saved, X)
    except (TypeError, ValueError) as error:
        raise UserError(f"{arguments.table}: the rows cannot be predicted: {one_line(error)}") from error
    write_table(arguments.output, predicted)
    return {
        "command": "predict",
        "model": str(arguments.model),
        "table": str(arguments.table),
        "task": saved.header["task"],
        **saved.header["response"],
        "rows": len(predicted),
        "columns": list(predicted),
        "output": str(arguments.output),
    }


def read_queries(arguments: Namespace, saved: Saved) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table as it is, and its columns as the model needs them."""
    header, path = saved.header, arguments.table
    text = [entry["name"] for entry in header["columns"] if entry["kind"] == "text"]
    if header["task"] == "classification" and saved.model.classes_.dtype == object:
        text.append(header["response"]["target"])
    table = read_table(path, arguments.sep, text)
    for name in arguments.drop:
        need_column(path, table, name, "--drop")
    known = {*header["response"].values(), *header["dropped"], *arguments.drop}
    return table, conform(path, table, header["columns"], known)


def predictions(saved: Saved, X: pd.DataFrame) -> pd.DataFrame:
    """Return one row per row of ``X``: numbers, labels with their probabilities, or log hazards."""
    model, task = saved.model, saved.header["task"]
    if task != "classification":
        return pd.DataFrame({"prediction" if task == "regression" else "log_hazard": model.predict(X)})
    chance = model.predict_proba(X)
    labels = {"prediction": model.classes_[chance.argmax(axis=1)]}
    return pd.DataFrame(labels | {f"probability_{name}": chance[:, k] for k, name in enumerate(model.classes_)})


def tell_predict(found: dict[str, Any]) -> None:
    """Say what was predicted."""
    say(f"wrote  {found['output']}: {found['rows']} rows, columns {', '.join(found['columns'])}")
