"""Every kernel with its indices checked (`make test-bounds`), by small uses of every kind and by tests of the rooms."""

import importlib
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import heedful
from heedful import _first_use, _kernels
from heedful.similarity import ForestProximity

ROOT = Path(__file__).parents[1]
CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
checked = pytest.mark.skipif(not CHECKED, reason="indices are not checked")
# Rooms that hand kernels their arrays only through others.
THROUGH_OTHERS = {"_kernels", "cli", "_first_use.py"}


def rooms_with_kernels():
    """Return the rooms whose sources call kernels."""
    source = Path(heedful.__file__).parent
    calls = [path for path in source.rglob("*.py") if re.search(r"_kernels\.[a-z_]+_rows\(", path.read_text())]
    return {path.relative_to(source).parts[0] for path in calls} - THROUGH_OTHERS


def test_tests_of_every_room_that_calls_kernels_are_run_with_indices_checked():
    listed = re.search(r"^WITH_BOUNDS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    run = {entry.split("/")[0].removeprefix("test_").removesuffix(".py") for entry in listed.split() if entry != "\\"}
    assert {room.removesuffix(".py") for room in rooms_with_kernels()} - run - {"_ensembles"} == set()
    assert {"ensembles", "bounds"} <= run
    check = re.search(r"^check: (.*?)##", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    assert "test-bounds" in check.split()
    assert "test-bounds" in (ROOT / ".ci" / "run").read_text()


@checked
@pytest.mark.parametrize("index", [5, -1, -6])
def test_an_index_that_is_out_of_bounds_is_an_error(index):
    from heedful._kernels._jit import many_rows

    with pytest.raises(IndexError):
        many_rows(lambda values, at: values[at])(np.zeros(5), index)


def keep_few_rows_of_leaves():
    X = np.random.default_rng(0).normal(size=(60, 3))
    ForestProximity(forest=RandomForestRegressor(4), leaf_rows=2).fit(X, X[:, 0])


USES = [*_first_use.small_uses(), ("a forest handed in", keep_few_rows_of_leaves)]


@checked
@pytest.mark.parametrize("use", [pytest.param(use, id=label) for label, use in USES])
def test_no_use_reads_or_writes_out_of_bounds(use):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        use()


@checked
def test_all_kernels_were_among_the_uses():
    from heedful._kernels._jit import Kernel

    for home in set(_kernels._HOME.values()):
        entries = vars(importlib.import_module(f"heedful._kernels.{home}")).values()
        used = {entry.__name__: bool(entry.signatures) for entry in entries if isinstance(entry, Kernel)}
        assert used, home
        assert all(used.values()), used
