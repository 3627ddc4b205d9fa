"""The one place that looks into skops: what a file holds, before any of it is made.

skops can tell types, and not whether what they are made of is sound. So its nodes are looked at between the two steps
in which it reads a file: nodes first, then objects.
"""

import importlib
import io
import json
from collections.abc import Iterator
from functools import cache
from typing import Any
from zipfile import ZIP_DEFLATED

from heedful._file_checks import require
from heedful._sound import check_histogram, check_tree, check_xgboost, read_lightgbm, read_ubjson
from heedful.saving._archive import Archive
from heedful.saving._scalars import PARTS, Scalar, parts_of


def dump(model: Any) -> io.BytesIO:
    """Return a model as a file of skops."""
    _teach()
    buffer = io.BytesIO()
    importlib.import_module("skops.io").dump(model, buffer, compression=ZIP_DEFLATED, compresslevel=1)
    return buffer


def read_nodes(archive: Archive) -> Any:
    """Return what a file of skops holds as nodes; nothing of it is made yet."""
    audit, shared = _part("_audit"), _part("_utils")
    schema = json.loads(archive.read("schema.json"))
    # the protocol decides who reads the nodes
    known = type(schema["protocol"]) is int and 0 <= schema["protocol"] <= _part("_protocol").PROTOCOL
    require(known, f"the protocol {schema['protocol']!r} is not known")
    return audit.get_tree(schema, shared.LoadContext(src=archive, protocol=schema["protocol"]), trusted=None)


def make(tree: Any) -> Any:
    """Return the object of nodes whose types are trusted; raise if a tree or a booster among them is not sound."""
    for node in _walk(tree):
        check = CHECKS.get(f"{node.module_name}.{node.class_name}")
        kind = type(node).__name__
        if check is not None and kind not in ("TypeNode", "CachedNode"):
            require(
                kind == ("TreeNode" if check is _check_tree else "ObjectNode"),
                "a tree or booster is made in another way",
            )
            check(node)
    return tree.construct()


def _walk(tree: Any) -> Iterator[Any]:
    """Yield every node once, those inside of a node before it."""
    seen: set[int] = set()
    waiting = [(tree, False)]
    while waiting:
        node, entered = waiting.pop()
        if entered:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting += [(child, False) for child in _children(node)]


def _children(node: Any) -> Iterator[Any]:
    kind = _part("_audit").Node
    for child in [*node.children.values(), getattr(node, "cached", None)]:
        inside = child if isinstance(child, list) else list(child.values()) if isinstance(child, dict) else [child]
        yield from (entry for entry in inside if isinstance(entry, kind))


def _state(node: Any) -> Any:
    """Return the attributes that an object will be made with; skops takes the very same."""
    require(node.children.get("attrs") is not None, "a tree or booster is empty")
    return node.children["attrs"].construct()


def _check_tree(node: Any) -> None:
    n_features, n_classes, n_outputs = node.children["args"].construct()
    check_tree(n_features, n_classes, n_outputs, _state(node))


def _check_histogram(node: Any) -> None:
    check_histogram(_state(node))


def _check_lightgbm(node: Any) -> None:
    state = _state(node)
    names = [name for name in ("_handle", "handle") if state.get(name) is not None]
    for name in names:
        state[name] = read_lightgbm(state[name].encode())


def _check_xgboost(node: Any) -> None:
    """Check a booster, and hand on what was read of it instead of what the file says of settings."""
    state = _state(node)
    if state["handle"] is None:
        return
    saved = read_ubjson(bytes(state["handle"]))
    check_xgboost(saved["Model"])
    booster = importlib.import_module("xgboost").Booster()
    booster.load_model(bytearray(json.dumps(saved["Model"]).encode()))
    threads = saved["Config"]["learner"]["generic_param"].get("nthread", "0")
    booster.set_param({"nthread": int(threads)})
    state["handle"] = booster.__getstate__()["handle"]


CHECKS = {
    "sklearn.tree._tree.Tree": _check_tree,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _check_histogram,
    "lightgbm.basic.Booster": _check_lightgbm,
    "xgboost.core.Booster": _check_xgboost,
}


@cache
def _teach() -> None:
    """Let skops write values of pandas, which it would write in a way that it cannot read."""
    shared = _part("_utils")

    def write(value: Any, context: Any) -> dict[str, Any]:
        made = {
            "__class__": Scalar.__name__,
            "__module__": Scalar.__module__,
            "__loader__": "ConstructorFromReduceNode",
        }
        return made | {"content": shared.get_state(parts_of(value), context)}

    for kind in PARTS:
        shared._get_state.register(kind)(write)


def _part(name: str) -> Any:
    """Return a private module of skops, which takes longer to import than all of heedful."""
    importlib.import_module("skops.io")
    return importlib.import_module(f"skops.io.{name}")
