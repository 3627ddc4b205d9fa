"""Models that ``heedful fit`` and ``heedful effect`` make and write: files whose header says what a table must have."""

from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

from heedful import saving
from heedful.cli._columns import CONVERTERS
from heedful.cli._errors import UserError, one_line
from heedful.cli._read import check_file
from heedful.cli._tasks import TASKS
from heedful.cli._write import write_whole
from heedful.similarity import ForestProximity, default_forests


class Saved(NamedTuple):
    """A header and the model that it describes."""

    header: dict[str, Any]
    model: Any


def make_model(arguments: Namespace, task: str, **settings: Any) -> Any:
    """Return the estimator of a task with the settings that the options name, not fitted."""
    similarity: Any = "forest"
    if arguments.trees is not None:
        n_trees = arguments.trees
        similarity = ForestProximity(n_trees) if arguments.heads == "single" else default_forests(n_trees)
    settings |= dict(TASKS[task].settings)
    return TASKS[task].estimator(
        heads=arguments.heads,
        similarity=similarity,
        verbose=arguments.verbose,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        **settings,
    )


def make_notes(task: str, response: dict[str, str], columns: list[dict[str, Any]], dropped: list[str]) -> dict:
    """Return what a table must have for ``predict``."""
    return {
        "task": task,
        "response": response,
        "columns": [{"name": entry["name"], "kind": entry["kind"]} for entry in columns],
        "dropped": dropped,
    }


def save_model(path: Path, model: Any, notes: dict[str, Any]) -> int:
    """Write a model; return its size in bytes."""
    # how it is shown and run is the choice of who predicts
    model.set_params(verbose=0, n_jobs=None)
    write_whole(path, lambda file: saving.save_model(model, file, notes))
    return path.stat().st_size


def load_model(path: Path) -> Saved:
    """Read a model; types that are no part of one are refused by name, before anything of theirs is run."""
    check_file(path)
    try:
        header = saving.read_header(path)
        if not _are_notes(header):
            raise _damaged(path, "its header is not one of `heedful fit`")
        model = saving.load_model(path)
    except ValueError as error:
        raise UserError(one_line(error)) from error
    if type(model) is not TASKS[header["task"]].estimator:
        raise _damaged(path, f"a model of type {type(model).__name__} under the task {header['task']!r}")
    return Saved(header, model)


def _are_notes(header: dict[str, Any]) -> bool:
    """Return whether a header has all that ``make_notes`` writes."""
    try:
        task, options = TASKS[header["task"]], set(header["response"])
        texts = [*header["response"].values(), *header["dropped"], *(entry["name"] for entry in header["columns"])]
        kinds = {entry["kind"] for entry in header["columns"]}
    except (KeyError, TypeError, AttributeError):
        return False
    named = set(task.columns) <= options <= set(task.options)
    return named and kinds <= set(CONVERTERS) and all(isinstance(text, str) for text in texts)


def _damaged(path: Path, what: str) -> UserError:
    return UserError(f"{path}: not a model of `heedful fit`, or a damaged one: {what}. Fit it again.")
