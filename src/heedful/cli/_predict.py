"""``heedful predict``: from a model and a table to a table of predictions, a block of rows at a time."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from heedful.cli._errors import UserError, naming
from heedful.cli._model import Saved, load_model
from heedful.cli._queries import Queries
from heedful.cli._read import ENDINGS
from heedful.cli._write import check_output, write_table, wrote

# Memory for the rows of a block, and how much one of their numbers takes by the time that it is predicted.
BUDGET = 256 * 2**20
CELL, COEFFICIENT = 200, 50


def run(arguments: Namespace) -> dict[str, Any]:
    """Predict the rows of a table and write the predictions in their order."""
    check_output(arguments.output, [arguments.model, arguments.table], ENDINGS)
    saved = load_model(arguments.model)
    _check_options(arguments, saved)
    queries = Queries(arguments.table, arguments.sep, saved.header, arguments.drop, arguments.keep)
    written = write_table(arguments.output, _predict_blocks(arguments, saved, queries), raw=arguments.raw_cells)
    named = {"model": arguments.model, "table": arguments.table, "task": saved.header["task"]}
    return named | saved.header["response"] | written._asdict()


def _predict_blocks(arguments: Namespace, saved: Saved, queries: Queries) -> Iterator[pd.DataFrame]:
    """Yield the predictions of one block of rows after the other."""
    size = arguments.block_size or rows_at_a_time(saved)
    # one bar: of the blocks of the table, or of the work on the only one
    many = queries.n_rows > size
    saved.model.set_params(verbose=arguments.verbose and not many, n_jobs=arguments.jobs)
    with tqdm(total=queries.n_rows, desc="predicted", unit="row", disable=not (arguments.verbose and many)) as bar:
        for block in queries.blocks(size):
            with naming(arguments.table, "the rows cannot be predicted"):
                predicted = predictions(saved.model, block.X, arguments.interval, arguments.times, **block.known)
            yield join_kept(arguments.table, block.table[arguments.keep], predicted)
            bar.update(len(block.X))


def _check_options(arguments: Namespace, saved: Saved) -> None:
    """Refuse what a model cannot give."""
    task, timed = saved.header["task"], hasattr(saved.model, "predict_survival_function")
    if arguments.interval is not None and (timed or hasattr(saved.model, "classes_")):
        instead = "see --times" if timed else "probabilities are written anyway"
        raise UserError(
            f"--interval is for regression, but the task of {arguments.model} is {task}. Leave it out: {instead}."
        )
    if arguments.times and not timed:
        raise UserError(f"--times is for survival, but the task of {arguments.model} is {task}. Leave it out.")


def join_kept(path: Path, kept: pd.DataFrame, predicted: pd.DataFrame) -> pd.DataFrame:
    """Return the columns to keep before those that are predicted."""
    twice = [name for name in kept if name in predicted]
    if twice:
        raise UserError(f"{path}: column {twice[0]!r} (--keep) has the name of a column of the output. Rename it.")
    return pd.concat([kept.reset_index(drop=True), predicted], axis=1)


def rows_at_a_time(saved: Saved) -> int:
    """Return how many rows can be predicted within the memory for a block."""
    n_outputs = len(getattr(saved.model, "classes_", "1"))
    per_row = CELL * len(saved.header["columns"]) + COEFFICIENT * n_outputs * saved.model.baseline_.n_features_in_
    return max(1, BUDGET // per_row)


def predictions(
    model: Any, X: Any, interval: float | None = None, times: Sequence[float] = (), **known: Any
) -> pd.DataFrame:
    """Return one row per row of ``X``: numbers, log hazards, effects, or labels with probabilities.

    After them come the ends of the interval of that coverage, and the probabilities of survival at those times.
    """
    response = model.response_
    if response.classes is not None:
        chance = model.predict_proba(X)
        named = {f"probability_{name}": chance[:, k] for k, name in enumerate(response.classes)}
        return pd.DataFrame({"prediction": response.predict(chance)} | named)
    table = pd.DataFrame({response.words.prediction.replace(" ", "_"): model.predict(X, **known)})
    if interval is not None:
        ends = model.effect_interval if hasattr(model, "effect_interval") else model.predict_interval
        table[["low", "high"]] = ends(X, interval, **known)
    if times:
        names = [f"survival_{time:.10g}" for time in times]
        table[names] = model.predict_survival_function(X, times).to_numpy()
    return table


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was predicted."""
    yield wrote(summary)
