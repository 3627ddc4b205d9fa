"""Fitted models as files: skops, never pickle, with a header that says what the model needs.

A model is a zip archive as ``skops.io.dump`` writes it, with one more entry, ``heedful.json``: the header.
"""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, is_zipfile

import numpy as np
import sklearn
import skops
from skops import io as skops_io

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, __version__
from heedful.cli._columns import KINDS
from heedful.cli._errors import UserError, one_line
from heedful.cli._read import check_file
from heedful.cli._write import write_whole

FORMAT = 1
HEADER = "heedful.json"
ESTIMATORS = {
    "regression": AttentionLasso,
    "classification": AttentionLassoClassifier,
    "survival": AttentionCox,
}
# What a forest is made of; skops itself trusts the other parts of scikit-learn and numpy that occur.
TRUSTED = ("sklearn.tree._tree.Tree",)


class Saved(NamedTuple):
    """A header and the model that it describes."""

    header: dict[str, Any]
    model: Any


def make_header(task: str, response: dict[str, str], columns: list[dict[str, Any]], dropped: list[str]) -> dict:
    """Return what a table must have for ``predict``, and who wrote the model."""
    return {
        "format": FORMAT,
        "heedful": __version__,
        "libraries": {"numpy": np.__version__, "scikit-learn": sklearn.__version__, "skops": skops.__version__},
        "task": task,
        "response": response,
        "columns": [{"name": entry["name"], "kind": entry["kind"]} for entry in columns],
        "dropped": dropped,
    }


def save_model(path: Path, saved: Saved) -> int:
    """Write a model; return its size in bytes."""
    buffer = io.BytesIO()
    skops_io.dump(saved.model, buffer, compression=ZIP_DEFLATED, compresslevel=1)
    with ZipFile(buffer, "a") as archive:
        archive.writestr(HEADER, json.dumps(saved.header, indent=1))
    write_whole(path, lambda file: file.write(buffer.getbuffer()))
    return buffer.getbuffer().nbytes


def load_model(path: Path) -> Saved:
    """Read a model; refuse types that are no part of one, by name, before anything of theirs is run."""
    check_file(path)
    if not is_zipfile(path):
        raise UserError(f"{path}: not a model of heedful, or a damaged one. Pickle files are never opened: fit again.")
    data = path.read_bytes()
    header = _read_header(path, data)
    try:
        model = read_skops(path, data, is_ours, "heedful")
    except UserError:
        raise
    except Exception as error:
        raise _damaged(path, error, header) from error
    if type(model) is not ESTIMATORS[header["task"]]:
        raise _damaged(path, TypeError(f"a model of type {type(model).__name__} under the task {header['task']!r}"))
    return Saved(header, model)


def read_skops(path: Path, data: bytes, is_known: Callable[[str], bool], whose: str) -> Any:
    """Return what a file of skops holds; refuse types that are not known, before anything of theirs is run."""
    types = skops_io.get_untrusted_types(data=data)
    foreign = [name for name in types if not is_known(name)]
    if foreign:
        raise UserError(
            f"{path}: the file holds {', '.join(map(repr, foreign[:5]))}, which is no part of a model of {whose}. "
            "It was not loaded; do not trust where it came from."
        )
    return skops_io.loads(data, trusted=types)


def is_ours(name: str) -> bool:
    """Return whether a type is a class that heedful itself defines, or a known part of a forest.

    Being found under a module of heedful is not enough: functions, and what a module has imported, are refused.
    """
    module, _, word = name.rpartition(".")
    if name in TRUSTED:
        return True
    found = getattr(sys.modules.get(module), word, None) if module.startswith("heedful.") else None
    return isinstance(found, type) and found.__module__ == module and not module.startswith("heedful.cli")


def _read_header(path: Path, data: bytes) -> dict[str, Any]:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            header = json.loads(archive.read(HEADER))
        if header["format"] > FORMAT:
            raise UserError(
                f"{path}: the model was written by heedful {header['heedful']}, this is {__version__}. "
                "Upgrade: pip install --upgrade heedful"
            )
        names = {"target"} if header["task"] != "survival" else {"event", "time"}
        texts = [*header["response"].values(), *header["dropped"], *(entry["name"] for entry in header["columns"])]
        valid = header["task"] in ESTIMATORS and set(header["response"]) == names
        valid = valid and all(isinstance(text, str) for text in texts)
        if not valid or any(entry["kind"] not in KINDS for entry in header["columns"]):
            raise ValueError("the header is not one of heedful")
    except (BadZipFile, KeyError, ValueError, TypeError, AttributeError, RuntimeError, OSError, EOFError) as error:
        raise _damaged(path, error) from error
    return header


def _damaged(path: Path, error: Exception, header: dict[str, Any] | None = None) -> UserError:
    other = f" It was written by heedful {header['heedful']}, this is {__version__}." if header else ""
    return UserError(f"{path}: not a model of heedful, or a damaged one: {one_line(error)[:200]}.{other} Fit it again.")
