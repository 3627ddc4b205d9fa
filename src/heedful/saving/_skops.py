"""The one place that looks into skops: a file is first read as nodes, whose types can be asked, then made."""

import importlib
import io
import json
import zlib
from functools import cache
from importlib.metadata import version
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from heedful._file_checks import Compact, require
from heedful.saving._archive import Archive
from heedful.saving._scalars import PARTS, Scalar, parts_of

# An entry is packed if so many bytes from its middle shrink to this share: leaves of forests are as good as random.
SAMPLE, SHRUNK = 2**14, 0.85


class Packing(ZipFile):
    """A zip archive to write to, which packs entries that become smaller by it."""

    def writestr(self, name: Any, data: Any, *_: Any) -> None:
        """Write an entry, packed or as it is."""
        content = memoryview(data.encode() if isinstance(data, str) else data)
        middle = max(0, len(content) - SAMPLE) // 2
        sample = content[middle : middle + SAMPLE]
        shrinks = len(zlib.compress(sample, 1)) <= SHRUNK * len(sample)
        super().writestr(name, content, ZIP_DEFLATED if shrinks else ZIP_STORED, 1)


def dump(model: Any) -> io.BytesIO:
    """Return a model as a file of skops."""
    _register_kinds()
    shared, buffer = _private("_utils"), io.BytesIO()
    with Packing(buffer, "w") as archive:
        context = shared.SaveContext(zip_file=archive)
        state = shared.get_state(model, context)
        context.clear_memo()
        versions = {"protocol": context.protocol, "_skops_version": version("skops")}
        # without skops' indents, json writes ten times as fast
        archive.writestr("schema.json", json.dumps(state | versions))
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
def _register_kinds() -> None:
    """Let skops write values of pandas, which it would write in a way that it cannot read, and ask states once."""
    shared = _private("_utils")

    def write_state(value: Any, context: Any) -> dict[str, Any]:
        kind = {"__class__": type(value).__name__, "__module__": type(value).__module__, "__loader__": "ObjectNode"}
        return kind | {"content": shared.get_state(value.__getstate__(), context)}

    def write(value: Any, context: Any) -> dict[str, Any]:
        made = {
            "__class__": Scalar.__name__,
            "__module__": Scalar.__module__,
            "__loader__": "ConstructorFromReduceNode",
        }
        return made | {"content": shared.get_state(parts_of(value), context)}

    shared._get_state.register(Compact)(write_state)
    for kind in PARTS:
        shared._get_state.register(kind)(write)


def _private(name: str) -> Any:
    """Return a private module of skops, which takes longer to import than all of heedful."""
    importlib.import_module("skops.io")
    return importlib.import_module(f"skops.io.{name}")
