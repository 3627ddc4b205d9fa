import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import heedful

pytestmark = [pytest.mark.more, pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")]

USE = """
import numpy as np
from heedful import _kernels
from heedful._kernels._notice import COMPILED
one = np.ones(1)
rows = np.array([0, 1]), np.zeros(1, np.int32), one, one, one, 1.0
print(_kernels.weigh_rows(*rows, np.zeros(1, np.int64), one)[0][0, 0], len(COMPILED))
"""


def use(folder, package=None, **more):
    """Use a kernel in a process of its own; return its result, and how many kernels were compiled."""
    path = package or Path(heedful.__file__).parents[1]
    variables = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(path), "HEEDFUL_QUIET": "1"} | more
    command = [sys.executable, "-W", "error", "-c", USE]
    found = subprocess.run(command, check=True, env=variables, capture_output=True, text=True, timeout=300)
    value, n_compiled = found.stdout.split()
    return float(value), int(n_compiled)


def test_a_change_in_what_a_kernel_calls_from_another_file_is_seen(tmp_path):
    package = tmp_path / "package"
    shutil.copytree(Path(heedful.__file__).parent, package / "heedful", ignore=shutil.ignore_patterns("__pycache__"))
    before, _ = use(tmp_path / "cache", package)
    assert use(tmp_path / "cache", package) == (before, 0)
    called = package / "heedful" / "_kernels" / "weighting.py"
    source = called.read_text()
    changed = source.replace("    return base * total / norm", "    excess[0] += 1.0\n    return base * total / norm")
    assert changed != source
    called.write_text(changed)
    assert use(tmp_path / "cache", package) == (before + 1.0, 1)


@pytest.mark.parametrize(("ending", "content"), [("nbi", b""), ("nbi", b"no pickle at all"), ("nbc", b"\x80\x05")])
def test_a_damaged_file_of_the_cache_is_replaced(tmp_path, ending, content):
    expected, _ = use(tmp_path)
    (damaged,) = tmp_path.rglob(f"*weigh_rows*.{ending}")
    damaged.write_bytes(content)
    assert use(tmp_path) == (expected, 1)
    assert use(tmp_path) == (expected, 0)


def test_a_cache_that_turned_read_only_is_still_read(tmp_path):
    expected, _ = use(tmp_path)
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert use(tmp_path)[0] == expected


def test_kernels_whose_indices_are_checked_and_those_whose_are_not_are_never_taken_for_each_other(tmp_path):
    expected, _ = use(tmp_path, NUMBA_BOUNDSCHECK="0")
    assert use(tmp_path, NUMBA_BOUNDSCHECK="1") == (expected, 1)
    assert use(tmp_path, NUMBA_BOUNDSCHECK="1") == (expected, 0)
