"""The one place that looks into skops: a file is first read as nodes, whose types can be asked, then made."""

import importlib
import io
import json
from functools import cache
from typing import Any
from zipfile import ZIP_DEFLATED

from heedful._file_checks import require
from heedful.saving._archive import Archive
from heedful.saving._scalars import PARTS, Scalar, parts_of


def dump(model: Any) -> io.BytesIO:
    """Return a model as a file of skops."""
    _register_scalars()
    buffer = io.BytesIO()
    importlib.import_module("skops.io").dump(model, buffer, compression=ZIP_DEFLATED, compresslevel=1)
    return buffer


def read_nodes(archive: Archive) -> Any:
    """Return what a file of skops holds as nodes; ``construct`` makes the object."""
    audit, shared = _private("_audit"), _private("_utils")
    schema = json.loads(archive.read("schema.json"))
    # the protocol decides who reads the nodes
    known = type(schema["protocol"]) is int and 0 <= schema["protocol"] <= _private("_protocol").PROTOCOL
    require(known, f"the protocol {schema['protocol']!r} is not known")
    return audit.get_tree(schema, shared.LoadContext(src=archive, protocol=schema["protocol"]), trusted=None)


@cache
def _register_scalars() -> None:
    """Let skops write values of pandas, which it would write in a way that it cannot read."""
    shared = _private("_utils")

    def write(value: Any, context: Any) -> dict[str, Any]:
        made = {
            "__class__": Scalar.__name__,
            "__module__": Scalar.__module__,
            "__loader__": "ConstructorFromReduceNode",
        }
        return made | {"content": shared.get_state(parts_of(value), context)}

    for kind in PARTS:
        shared._get_state.register(kind)(write)


def _private(name: str) -> Any:
    """Return a private module of skops, which takes longer to import than all of heedful."""
    importlib.import_module("skops.io")
    return importlib.import_module(f"skops.io.{name}")
