"""Models that ``heedful fit`` and ``heedful effect`` write: files whose header says what a table must have."""

from pathlib import Path
from typing import Any, NamedTuple

from heedful import AttentionCox, AttentionEffect, AttentionGLM, AttentionLasso, AttentionLassoClassifier, saving
from heedful.cli._columns import KINDS
from heedful.cli._errors import UserError, one_line
from heedful.cli._read import check_file
from heedful.cli._write import write_whole

ESTIMATORS = {
    "regression": AttentionLasso,
    "classification": AttentionLassoClassifier,
    "survival": AttentionCox,
    "poisson": AttentionGLM,
    "gamma": AttentionGLM,
    "tweedie": AttentionGLM,
    "effect": AttentionEffect,
}
# Columns that a model learned from beside its features: those it must have, and those it may have.
RESPONSES = {
    "survival": ({"event", "time"}, set[str]()),
    "effect": ({"outcome", "treatment"}, {"weight", "group", "propensity"}),
}
# Tasks that an estimator knows as its family, and whose rows may have exposures.
FAMILIES = tuple(task for task, estimator in ESTIMATORS.items() if estimator is AttentionGLM)


class Saved(NamedTuple):
    """A header and the model that it describes."""

    header: dict[str, Any]
    model: Any


def make_estimator(task: str, **settings: Any) -> Any:
    """Return the estimator of a task, not fitted."""
    return ESTIMATORS[task](**settings, **({"family": task} if task in FAMILIES else {}))


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
    write_whole(path, lambda file: saving.save_model(model, file, notes))
    return path.stat().st_size


def load_model(path: Path) -> Saved:
    """Read a model; types that are no part of one are refused by name, before anything of theirs is run."""
    check_file(path)
    try:
        header = saving.read_header(path)
        _check_notes(path, header)
        model = saving.load_model(path)
    except ValueError as error:
        raise UserError(one_line(error)) from error
    if type(model) is not ESTIMATORS[header["task"]]:
        raise _damaged(path, f"a model of type {type(model).__name__} under the task {header['task']!r}")
    return Saved(header, model)


def _check_notes(path: Path, header: dict[str, Any]) -> None:
    try:
        more = {"exposure"} if header["task"] in FAMILIES else set()
        names, optional = RESPONSES.get(header["task"], ({"target"}, more))
        names = names | (optional & set(header["response"]))
        texts = [*header["response"].values(), *header["dropped"], *(entry["name"] for entry in header["columns"])]
        valid = header["task"] in ESTIMATORS and set(header["response"]) == names
        valid = valid and all(isinstance(text, str) for text in texts)
        valid = valid and all(entry["kind"] in KINDS for entry in header["columns"])
    except (KeyError, TypeError, AttributeError):
        valid = False
    if not valid:
        raise _damaged(path, "its header is not one of `heedful fit`")


def _damaged(path: Path, what: str) -> UserError:
    return UserError(f"{path}: not a model of `heedful fit`, or a damaged one: {what}. Fit it again.")
