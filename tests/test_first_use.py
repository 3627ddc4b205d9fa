import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numba
import numpy as np
import pandas as pd
import pytest

import heedful
from heedful import _first_use
from heedful._kernels._jit import Kernel
from heedful._kernels._notice import is_main_process

pytestmark = pytest.mark.more

HEAVY = {"numba", "scipy", "sklearn", "pandas"}
USE_A_KERNEL = """
import numpy as np
from heedful import _kernels
for leaves in (np.zeros(1, np.int64), np.zeros(1, np.int32)):
    print(_kernels.keep_rows(leaves, np.array([0]), 0, np.array([1]))[1][0])
"""
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def run(code, warnings="error", **environment):
    """Run code in a process of its own; a variable that is None is unset."""
    variables = {name: value for name, value in (os.environ | environment).items() if value is not None}
    command = [sys.executable, "-W", warnings, "-c", code]
    return subprocess.run(command, check=False, env=variables, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["fit", "--help"], ["drift", "--help"], ["compile", "--help"], ["fit"], ["nonsense"],
     ["fit", "a.csv", "-o", "m", "--trees", "none", "--json"], ["drift", "m", "r", "t", "--window", "long"]],
)  # fmt: skip
def test_help_and_usage_errors_load_no_numerical_package(arguments):
    code = f"""
import sys
from heedful.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print("loaded:", sorted({HEAVY!r} & set(sys.modules)))
"""
    assert run(code).stdout.splitlines()[-1] == "loaded: []"


def test_importing_the_package_loads_no_numerical_package():
    assert run(f"import heedful, sys; print(sorted({HEAVY!r} & set(sys.modules)))").stdout == "[]\n"


def test_every_public_name_is_there_and_listed():
    code = "from heedful import *; import heedful; print(sorted(set(heedful.__all__) - set(globals())))"
    assert run(code).stdout == "[]\n"
    assert set(heedful.__all__) <= set(dir(heedful))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = heedful.nonsense


@compiled
def test_compiling_is_said_once_and_only_where_something_is_compiled(tmp_path):
    folder = {"NUMBA_CACHE_DIR": str(tmp_path), "HEEDFUL_QUIET": None}
    first, second = run(USE_A_KERNEL, **folder), run(USE_A_KERNEL, **folder)
    assert first.stdout == second.stdout == "0\n0\n"
    said = "compiling functions at their first use, up to a minute; they are kept for later ones"
    assert first.stderr == f"heedful: {said} (heedful compile: all at once)\n"
    assert second.stderr == ""


def test_workers_do_not_repeat_that_something_is_compiled():
    assert joblib.Parallel(2)(joblib.delayed(is_main_process)() for _ in range(2)) == [False, False]
    assert is_main_process()


@compiled
def test_the_notice_can_be_silenced(tmp_path):
    assert run(USE_A_KERNEL, NUMBA_CACHE_DIR=str(tmp_path), HEEDFUL_QUIET="1").stderr == ""


@compiled
@pytest.mark.parametrize(
    "hinder",
    ["caching.FunctionCache._impl_class._locator_classes = []",
     "caching.IndexDataCacheFile.save = lambda *_: open('/nowhere/at/all', 'w')"],
)  # fmt: skip
def test_without_a_folder_to_keep_kernels_in_they_work_and_the_remedy_is_said_once(tmp_path, hinder):
    code = f"from numba.core import caching\n{hinder}\n{USE_A_KERNEL}"
    found = run(code, NUMBA_CACHE_DIR=str(tmp_path), HEEDFUL_QUIET=None)
    assert found.stdout == "0\n0\n"
    assert (
        found.stderr.count("cannot be kept") == found.stderr.count("Set the environment variable NUMBA_CACHE_DIR") == 1
    )


def ordinary_table(n_rows, *, text):
    """Return a table as people have them, and its regression."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n_rows, 5)), columns=list("abcde"))
    y = X["a"] * (X["b"] > 0) + X["c"] + 0.1 * rng.normal(size=n_rows)
    if text:
        X["kind"] = np.where(X["d"] > 0, "up", "down")
        X.loc[3, "e"] = np.nan
    return X, y.to_numpy()


def ordinary_response(y, task):
    if task == "survival":
        return pd.DataFrame({"event": y > -1, "time": np.exp(y)})
    return {
        "regression": y,
        "effect": y,
        "poisson": np.exp(y),
        "binary": np.where(y > 0, "yes", "no"),
        "multiclass": np.digitize(y, [-1, 1]),
    }[task]


def ordinary_uses():
    """Return every public estimator with each of its tasks."""
    kinds = [getattr(heedful, name) for name in heedful.__all__ if hasattr(getattr(heedful, name), "explain")]
    return [(kind.__name__, task) for kind in kinds for task in _first_use.tasks_of(kind)]


def use_as_people_do(name, task, folder):
    """Fit, predict, explain, and predict by a model that is mapped from disk."""
    drift, kind = name == "DriftCorrector", getattr(heedful, name)
    X, y = ordinary_table(90, text=not drift)
    model = _first_use.make(kind) if drift else kind(random_state=0, n_jobs=2)
    X = X.iloc[:, : _first_use.N_FEATURES].to_numpy() if drift else X
    more = {"treatment": np.arange(len(X)) % 2} if task == "effect" else {}
    model.fit(X, ordinary_response(y, task), sample_weight=np.linspace(1, 2, len(X)), **more)
    expected = model.predict(X)
    model.explain(X[:20]).clusters(3)
    joblib.dump(model, folder / "model")
    mapped = joblib.load(folder / "model", mmap_mode="r")
    np.testing.assert_array_equal(mapped.predict(X), expected)


def signatures():
    """Return every kernel with the kinds of arguments that it was compiled or loaded for."""
    kernels = [entry for entry in gc.get_objects() if isinstance(entry, Kernel)]
    return {f"{kernel.__name__}{signature}" for kernel in kernels for signature in kernel.signatures}


def print_new_signatures(folder):
    """Compile ahead, then use every estimator; print what each of them needs beyond what was compiled."""
    _first_use.compile_kernels(lambda label: None)
    ahead = signatures()
    for name, task in ordinary_uses():
        use_as_people_do(name, task, Path(folder))
        sys.stdout.write(json.dumps([name, task, sorted(signatures() - ahead)]) + "\n")


@pytest.fixture(scope="module")
def needed(tmp_path_factory):
    """Return what ordinary uses need to be compiled after everything was compiled ahead, in a process of its own."""
    here, folder = str(Path(__file__).parent), str(tmp_path_factory.mktemp("models"))
    code = f"import sys; sys.path.insert(0, {here!r}); import test_first_use as t; t.print_new_signatures({folder!r})"
    found = run(code, warnings="default")
    assert found.returncode == 0, found.stderr
    lines = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("[")]
    return {(name, task): new for name, task, new in lines}


@pytest.mark.filterwarnings("ignore")
def test_compiling_ahead_does_without_extras(monkeypatch):
    wanted = ("AttentionRegressor: regression", "AttentionLasso: TeacherSimilarity", "ProtoClust")
    uses = [(label, use) for label, use in _first_use.small_uses() if label in wanted]
    assert len(uses) >= len(wanted)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"heedful\[lightgbm\]"):
        uses[0][1]()
    monkeypatch.setattr(_first_use, "small_uses", lambda: uses)
    tried = []
    _first_use.compile_kernels(tried.append)
    assert tried == [label for label, _ in uses]


@pytest.mark.long
@compiled
@pytest.mark.parametrize(("name", "task"), ordinary_uses())
def test_after_compiling_ahead_an_ordinary_use_compiles_nothing(needed, name, task):
    assert needed[name, task] == []
