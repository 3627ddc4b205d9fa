"""Models in files: the same to the bit, described by a header, and never a way to run code."""

import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from skops import io as skops_io
from tests.cli.conftest import FEATURES, TARGETS, make_table, write

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier
from heedful.cli._model import load_model
from heedful.saving._trust import is_ours
from heedful.similarity import default_forests

MODELS = {
    "regression": (AttentionLasso, "yield"),
    "classification": (AttentionLassoClassifier, "grade"),
    "survival": (AttentionCox, ["event", "time"]),
}


@pytest.mark.one_value
@pytest.mark.parametrize("heads", ["multi", "single"])
@pytest.mark.parametrize("task", MODELS)
def test_skops_keeps_models_to_the_bit(task, heads):
    kind, target = MODELS[task]
    table = make_table()
    X, values = table[FEATURES], "predict_proba" if task == "classification" else "predict"
    model = kind(heads=heads, similarity=default_forests(40), random_state=0).fit(X, table[target])
    data = skops_io.dumps(model)
    types = skops_io.get_untrusted_types(data=data)
    assert all(name.startswith("heedful.") for name in types)
    assert all(map(is_ours, types))
    again = skops_io.loads(data, trusted=types)
    np.testing.assert_array_equal(getattr(again, values)(X), getattr(model, values)(X))
    pd.testing.assert_frame_equal(again.heads_, model.heads_)
    pd.testing.assert_frame_equal(again.explain(X[:3]).top_rows(), model.explain(X[:3]).top_rows())


@pytest.mark.parametrize("task", TARGETS)
def test_the_header_says_what_predict_needs(made, task):
    with zipfile.ZipFile(made / f"{task}.skops") as archive:
        header = json.loads(archive.read("heedful.json"))
    assert (header["format"], header["task"]) == (1, task)
    assert list(header["response"].values()) == TARGETS[task]
    assert [entry["name"] for entry in header["columns"]] == FEATURES
    assert [entry["kind"] for entry in header["columns"]] == ["number", "number", "text", "boolean"]


def test_a_model_file_is_what_skops_loads(made):
    path = made / "regression.skops"
    model = skops_io.load(path, trusted=skops_io.get_untrusted_types(file=path))
    X = pd.read_csv(made / "new.csv")
    np.testing.assert_array_equal(model.predict(X), load_model(path).model.predict(X))


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_is_never_opened(refused, made, tmp_path):
    mark = tmp_path / "it_ran"
    (tmp_path / "m.skops").write_bytes(pickle.dumps(Bomb(mark)))
    naming = ["m.skops", "Pickle files are never opened"]
    refused("predict", tmp_path / "m.skops", made / "new.csv", "-o", tmp_path / "p.csv", naming=naming)
    assert not mark.exists()


def forge(made, path, module, name, content):
    """Write a model whose tree calls ``module.name(*content)`` when it is built."""
    arguments = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "__id__": 2}
    arguments["content"] = [
        {
            "__class__": "str",
            "__module__": "builtins",
            "__loader__": "JsonNode",
            "content": json.dumps(entry),
            "__id__": k,
        }
        for k, entry in enumerate(content, 3)
    ]
    schema = {"__class__": name, "__module__": module, "__loader__": "ConstructorFromReduceNode", "__id__": 1}
    schema |= {"content": arguments, "protocol": 2, "_skops_version": "0.16.0"}
    with zipfile.ZipFile(made / "regression.skops") as real, zipfile.ZipFile(path, "w") as archive:
        archive.writestr("heedful.json", real.read("heedful.json"))
        archive.writestr("schema.json", json.dumps(schema))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "open"),
        ("pathlib", "Path"),
        ("pandas", "read_pickle"),
        ("heedful.cli._read", "Path"),
        ("heedful.cli._write", "write_whole"),
        ("heedful.similarity._forest", "clone"),
    ],
)
def test_a_foreign_type_is_refused_by_name(refused, made, tmp_path, module, name):
    mark = tmp_path / "it_ran"
    forge(made, tmp_path / "m.skops", module, name, [str(mark), "w"])
    naming = ["m.skops", f"{module}.{name}", "not loaded"]
    refused("predict", tmp_path / "m.skops", made / "new.csv", "-o", tmp_path / "p.csv", naming=naming)
    assert not mark.exists()


def test_damaged_models_are_refused(refused, made, tmp_path):
    whole = (made / "regression.skops").read_bytes()
    path = tmp_path / "m.skops"
    rest = ["predict", path, made / "new.csv", "-o", tmp_path / "p.csv"]
    for data in (b"", b"no model", whole[: len(whole) // 2], whole[:2000] + bytes(500) + whole[2500:]):
        path.write_bytes(data)
        refused(*rest, naming=["m.skops", "damaged", "it again" if zipfile.is_zipfile(path) else "fit again"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    refused(*rest, naming=["m.skops", "heedful.json"])


def test_a_model_of_another_kind_or_of_a_later_version_is_refused(refused, made, tmp_path):
    rest = [made / "new.csv", "-o", tmp_path / "p.csv"]
    path = tmp_path / "m.skops"
    forge(made, path, "heedful.similarity._gaussian", "GaussianSimilarity", [])
    refused("predict", path, *rest, naming=["GaussianSimilarity", "regression"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("heedful.json", json.dumps({"format": 99, "heedful": "9.0"}))
    refused("predict", path, *rest, naming=["written by heedful 9.0", "Upgrade"])
    refused("predict", write(tmp_path / "t.txt", "x"), *rest, naming=["t.txt"])
