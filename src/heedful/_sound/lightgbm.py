"""Models of LightGBM as text, checked before LightGBM sees them."""

import json
import re

import numpy as np

from heedful._file_checks import are_offsets, in_range, require
from heedful._sound.laws import reached, sized

NUMBER = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)"
NUMBERS = re.compile(rf"(?:{NUMBER}(?: {NUMBER})*)?")
WHOLE = re.compile(r"(?:-?\d{1,10}(?: -?\d{1,10})*)?")
OBJECTIVES = (
    *("regression", "regression_l1", "huber", "fair", "poisson", "quantile", "mape", "gamma", "tweedie", "binary"),
    *("multiclass", "multiclassova", "cross_entropy", "cross_entropy_lambda", "lambdarank", "rank_xendcg", "custom"),
)
# Settings that LightGBM cannot do without.
REQUIRED = {"binary": "sigmoid", "multiclass": "num_class", "multiclassova": "sigmoid"}
# What a tree has for each of its splits and for each of its leaves, besides what is looked at more closely.
PER_SPLIT = ("split_gain", "internal_value", "internal_weight", "internal_count")
PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")


def read_lightgbm(data: bytes) -> str:
    """Return what predictions need of a model's text, if it is whole and sound."""
    head = data.partition(b"\n\n")[0]
    header, end = _read_lines(head), len(head) + 2
    sizes = _whole(header["tree_sizes"])
    n_features = _check_header(header, sizes.size)
    for number, size in enumerate(sizes):
        block = data[end : end + max(size, 0)]
        lines = _read_lines(block.rstrip(b"\n"))
        require(
            lines.pop("Tree", None) == str(number) and len(block) == size, f"tree {number} is not where it should be"
        )
        _check_tree(lines, n_features)
        end += len(block)
    require(data[end:].startswith(b"end of trees\n"), "the end of the trees is missing")
    return f"{data[:end].decode()}end of trees\n\npandas_categorical:{_read_levels(data[end:])}\n"


def _read_levels(tail: bytes) -> str:
    """Return the categories of the table that a model was fitted to; only Python writes them, at the very end."""
    found = re.search(rb"\npandas_categorical:(.*)\n", tail)
    require(found or tail.rstrip().endswith(b"end of parameters"), "the end of the file is missing")
    levels = json.loads(found[1]) if found else None
    require(all(isinstance(part, list) for part in levels or []), "the categories are wrong")
    return json.dumps(levels)


def _read_lines(text: bytes) -> dict[str, str]:
    """Return lines of names and values."""
    found: dict[str, str] = {}
    for line in text.decode().split("\n"):
        name, _, value = line.partition("=")
        # LightGBM ends a line at these two as well
        one_line = "\r" not in line and "\0" not in line
        require(one_line and name.isidentifier() and name not in found, f"the line {line[:30]!r} is wrong")
        found[name] = value
    return found


def _check_header(header: dict[str, str], n_trees: int) -> int:
    """Return the number of columns."""
    require("Tree" not in header, "the end of the header is missing")
    require(header["version"] in ("v3", "v4"), f"the version {header['version'][:10]!r} is not known")
    n_features, n_outputs = _one(header["max_feature_idx"]) + 1, _one(header["num_class"])
    names, infos = header["feature_names"].split(" "), header["feature_infos"].split(" ")
    require(len(names) == len(infos) == n_features, "the names of columns are not as many as the columns")
    per_round, _ = _one(header["num_tree_per_iteration"]), _one(header["label_index"])
    require(per_round == n_outputs > 0 and n_trees > 0 and n_trees % per_round == 0, "the number of trees is wrong")
    _check_objective(header.get("objective", "custom"), n_outputs)
    return n_features


def _check_objective(text: str, n_outputs: int) -> None:
    """Check a name and its settings; none at all is an objective of the user's own."""
    name, *settings = text.split(" ")
    given = dict(entry.split(":") for entry in settings if entry != "sqrt")
    require(name in OBJECTIVES and all(float(value) > 0 for value in given.values()), "the objective is wrong")
    require(name not in REQUIRED or REQUIRED[name] in given, "the objective is not whole")
    classes = given.get("num_class", str(n_outputs) if name == "custom" else "1")
    require(classes == str(n_outputs), "the number of classes is wrong")


def _check_tree(lines: dict[str, str], n_features: int) -> None:
    require(lines.get("is_linear", "0") == "0", "trees with a linear model in each leaf cannot be used")
    n_leaves, n_categorical = _one(lines["num_leaves"]), _one(lines["num_cat"])
    require(n_leaves > 0, "a tree has no leaf")
    _one_number(lines["shrinkage"])
    require(_numbers(lines["leaf_value"]).size == n_leaves, "values of leaves are missing")
    if n_leaves == 1:
        return
    sizes = dict.fromkeys(PER_SPLIT, n_leaves - 1) | dict.fromkeys(PER_LEAF, n_leaves)
    require(all(_numbers(lines[name]).size == size for name, size in sizes.items()), "a tree is not whole")
    names = ("left_child", "right_child", "split_feature", "decision_type")
    left, right, feature, decision = (_whole(lines[name], n_leaves - 1) for name in names)
    require(max(left.max(), right.max()) < n_leaves - 1, "a tree has a split that is not there")
    # leaves, which are counted down from -1, come after the splits
    children = [np.where(part < 0, n_leaves - 2 - part, part) for part in (left, right)]
    ends = np.full(n_leaves, -1)
    seen = reached(*(np.concatenate([part, ends]) for part in children))
    require(seen.all(), "a part of a tree cannot be reached")
    require(in_range(feature, n_features), "a tree splits a column that is not there")
    require(in_range(decision, 16), "a split is of no known kind")
    threshold = _numbers(lines["threshold"], n_leaves - 1)
    _check_categories(lines, threshold[decision % 2 == 1], n_categorical)


def _check_categories(lines: dict[str, str], numbers: np.ndarray, n_categorical: int) -> None:
    """Check the sets of categories, and the numbers by which splits name them."""
    require((numbers % 1 == 0).all() and in_range(numbers, n_categorical), "a set of categories is missing")
    if n_categorical != 0:
        bounds, bits = _whole(lines["cat_boundaries"], n_categorical + 1), _whole(lines["cat_threshold"])
        require(are_offsets(bounds, bits.size) and in_range(bits, 2**32), "a set of categories is wrong")


def _whole(text: str, size: int | None = None) -> np.ndarray:
    """Return whole numbers written with blanks between them."""
    require(WHOLE.fullmatch(text), f"{text[:20]!r} are no whole numbers")
    return sized(np.array(text.split(), dtype=np.int64), size)


def _numbers(text: str, size: int | None = None) -> np.ndarray:
    """Return numbers written with blanks between them."""
    require(NUMBERS.fullmatch(text), f"{text[:20]!r} are no numbers")
    return sized(np.array(text.split(), dtype=np.float64), size)


def _one(text: str) -> int:
    return int(_whole(text, 1)[0])


def _one_number(text: str) -> float:
    return float(_numbers(text, 1)[0])
