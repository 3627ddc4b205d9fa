"""Files of models: versions in their header, whole or not at all, and never a way to run code."""

import io
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
import warnings
import zipfile

import joblib
import numpy as np
import pytest

import heedful
from heedful import ProtoClust, load_model, save_model
from heedful.saving import _header, read_header
from heedful.saving._archive import Archive


@pytest.fixture
def model(rng):
    return ProtoClust(n_clusters=3).fit(rng.normal(size=(30, 2)))


def edit(path, name, change):
    """Change one entry of an archive."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for entry, content in entries.items():
            archive.writestr(entry, change(content) if entry == name else content)


def edit_header(path, **values):
    edit(path, "heedful.json", lambda content: json.dumps(json.loads(content) | values))


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_file_is_written_and_read_by_name(model, tmp_path, kind):
    path = tmp_path / "m.skops"
    save_model(model, kind(path))
    np.testing.assert_array_equal(load_model(kind(path)).labels_, model.labels_)
    assert list(tmp_path.iterdir()) == [path]


def test_the_header_names_format_versions_and_notes(model, tmp_path):
    save_model(model, tmp_path / "m", notes={"of": "thirty rows"})
    header = read_header(tmp_path / "m")
    assert (header["format"], header["heedful"], header["of"]) == (1, heedful.__version__, "thirty rows")
    assert set(header["libraries"]) == {"numpy", "scikit-learn", "skops"}


def test_an_interrupted_save_leaves_the_old_file_and_no_other(model, tmp_path, monkeypatch):
    path = tmp_path / "m"
    save_model(model, path)
    before = path.read_bytes()

    def interrupt(number):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_model(model, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_another_version_of_the_same_format_is_read(model, tmp_path):
    save_model(model, tmp_path / "m")
    edit_header(tmp_path / "m", heedful="0.0.9")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_model(tmp_path / "m").n_clusters == 3


@pytest.mark.parametrize(
    ("own", "found", "remedy"),
    [(1, 2, "Upgrade: pip install --upgrade heedful"), (2, 1, r"Fit it again, or .*pip install heedful==7\.0")],
)
def test_another_format_is_refused_and_the_error_says_what_to_do(model, tmp_path, monkeypatch, own, found, remedy):
    save_model(model, tmp_path / "m")
    edit_header(tmp_path / "m", format=found, heedful="7.0")
    monkeypatch.setattr(_header, "FORMAT", own)
    for read in (load_model, read_header):
        with pytest.raises(ValueError, match=rf"written by heedful 7\.0 \(format {found}\).*{remedy}"):
            read(tmp_path / "m")


def test_a_class_that_is_gone_is_an_error_that_names_both_versions(model, tmp_path):
    save_model(model, tmp_path / "m")
    edit_header(tmp_path / "m", heedful="0.0.9", libraries={"scikit-learn": "0.1"})
    edit(tmp_path / "m", "schema.json", lambda content: content.replace(b"ProtoClust", b"OldClust"))
    with pytest.raises(ValueError, match=r"OldClust.* written with heedful 0\.0\.9"):
        load_model(tmp_path / "m")
    edit(tmp_path / "m", "schema.json", lambda _: b"{}")
    with pytest.raises(ValueError, match=r"written with heedful 0\.0\.9 \(this is .*scikit-learn 0\.1 .*Fit it again"):
        load_model(tmp_path / "m")


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("dump", [pickle.dump, joblib.dump])
def test_a_pickle_is_refused_and_not_opened(tmp_path, dump):
    file = io.BytesIO()
    dump(Bomb(tmp_path / "it_ran"), file)
    with pytest.raises(ValueError, match="Pickle files are never opened"):
        load_model(file)
    assert not list(tmp_path.iterdir())


def test_a_foreign_type_is_refused_by_name_unless_it_is_trusted(model, tmp_path):
    path, mark = tmp_path / "m", tmp_path / "it_ran"
    save_model(model, path)
    edit(path, "schema.json", lambda _: call("builtins", "open", [str(mark), "w"]))
    with pytest.raises(ValueError, match=r"holds 'builtins\.open', .* not loaded; .*trusted="):
        load_model(path)
    assert not mark.exists()
    edit(path, "schema.json", lambda _: call("fractions", "Fraction", ["1/3"]))
    assert load_model(path, trusted=["fractions.Fraction"]) * 3 == 1


def call(module, name, content):
    """Return a schema of skops that calls ``module.name(*content)`` when it is loaded."""
    plain = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    texts = [plain | {"content": json.dumps(entry), "__id__": k} for k, entry in enumerate(content, 3)]
    arguments = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "__id__": 2}
    arguments["content"] = texts
    schema = {"__class__": name, "__module__": module, "__loader__": "ConstructorFromReduceNode", "__id__": 1}
    return json.dumps(schema | {"content": arguments, "protocol": 2, "_skops_version": "0.16.0"})


@pytest.mark.parametrize("header", [b"", b"[]", b"{}", b'{"format": "1"}', None])
def test_a_file_without_a_sound_header_is_refused(model, tmp_path, header):
    path = tmp_path / "m"
    save_model(model, path)
    if header is None:
        path.write_bytes(path.read_bytes()[:200])
    else:
        edit(path, "heedful.json", lambda _: header)
    with pytest.raises(ValueError, match="not a model of heedful, or a damaged one"):
        load_model(path)


def test_a_missing_file_is_what_python_says(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none")


FRESH = "import sys, heedful; print(type(heedful.load_model(sys.argv[1])).__name__)"


@pytest.mark.more
def test_a_process_that_has_loaded_nothing_else_reads_a_model(model, tmp_path):
    save_model(model, tmp_path / "m")
    done = subprocess.run([sys.executable, "-c", FRESH, tmp_path / "m"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ProtoClust\n", 0), done.stderr


def chain(mark):
    """Return schemas that would run code: a called function, a bound method, an operator, a partial, a key type."""
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(str(mark))}
    pair = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": [text]}
    path = {
        "__class__": "PosixPath",
        "__module__": "pathlib",
        "__loader__": "ConstructorFromReduceNode",
        "content": pair,
    }
    touch = path | {"__loader__": "MethodNode", "content": {"func": "touch", "obj": path}}
    caller = {"__class__": "methodcaller", "__module__": "operator", "__loader__": "OperatorFuncNode", "attrs": pair}
    nothing = {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode", "content": {}}
    nothing["key_types"] = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": []}
    run = {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"}
    half = {"func": run, "args": pair, "kwds": nothing, "namespace": nothing}
    keys = nothing["key_types"] | {"content": [run | {"__loader__": "TypeNode"}]}
    return {
        "function": {**run, "__loader__": "ConstructorFromReduceNode", "content": pair},
        "function of an operator": {**caller, "__class__": "call", "attrs": pair | {"content": [run, text]}},
        "another module under an operator": {**caller, "__module__": "os", "__class__": "system"},
        "method": touch,
        "method of a trusted type under another name": touch
        | {"__class__": "ProtoClust", "__module__": "heedful.cluster"},
        "caller": caller,
        "partial": {"__class__": "partial", "__module__": "functools", "__loader__": "PartialNode", "content": half},
        "key type": nothing | {"content": {f"touch {mark}": text}, "key_types": keys},
        "type as an object": {**run, "__loader__": "ObjectNode"},
        "old reader": {**caller, "protocol": 0},
        "future reader": {**caller, "protocol": 99},
        "no number for a reader": {**caller, "protocol": True},
    }


@pytest.mark.parametrize("link", chain("mark"))
def test_a_crafted_chain_is_refused_and_nothing_of_it_runs(model, tmp_path, link):
    path, mark = tmp_path / "m", tmp_path / "it_ran"
    save_model(model, path)
    schema = {"protocol": 2, "_skops_version": "0.16.0"} | chain(mark)[link]
    edit(path, "schema.json", lambda _: json.dumps(schema))
    with pytest.raises(ValueError, match=r"It was not loaded|damaged one"):
        load_model(path)
    assert list(tmp_path.iterdir()) == [path]


def bomb(path, size, declared=None):
    """Add an entry of zeros to an archive, which may say that it is smaller than it is."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", bytes(size))
        if declared is not None:
            archive.getinfo("zeros.npy").file_size = declared


@pytest.mark.more
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(model, tmp_path):
    save_model(model, tmp_path / "m")
    bomb(tmp_path / "m", 300 * 2**20)
    assert (tmp_path / "m").stat().st_size < 2**20
    for read in (load_model, read_header):
        with pytest.raises(
            ValueError, match=r"unpacks to 31\d,\d+,\d+ bytes or more, and 268,435,456 are allowed.*max_size="
        ):
            read(tmp_path / "m")
    assert load_model(tmp_path / "m", max_size=2**30).n_clusters == 3
    with pytest.raises(ValueError, match="1,000 are allowed"):
        load_model(tmp_path / "m", max_size=1000)


def test_an_entry_that_is_larger_than_it_says_is_never_unpacked_whole(model, tmp_path):
    save_model(model, tmp_path / "m")
    bomb(tmp_path / "m", 50 * 2**20, declared=100)
    tracemalloc.start()
    with pytest.raises(zipfile.BadZipFile):
        Archive((tmp_path / "m").read_bytes()).read("zeros.npy")
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()


def test_what_is_read_twice_counts_twice_and_other_packings_are_refused(model, tmp_path):
    save_model(model, tmp_path / "m")
    bomb(tmp_path / "m", 10_000)
    archive = Archive((tmp_path / "m").read_bytes(), 40_000)
    with pytest.raises(ValueError, match="40,000 are allowed"):
        [archive.read("zeros.npy") for _ in range(5)]
    with zipfile.ZipFile(tmp_path / "m", "a", zipfile.ZIP_BZIP2) as packed:
        packed.writestr("other.npy", b"0" * 100)
    with pytest.raises(ValueError, match="packed in an unknown way"):
        load_model(tmp_path / "m")
