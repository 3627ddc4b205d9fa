"""Fixtures for every room; kernels are compiled once, by processes that share the work."""

import os
import tempfile
import time
import zlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from heedful import AttentionLasso, local_lasso
from heedful.similarity import ForestProximity

PATIENCE = 240.0
# tests read standard error and logs; whether a kernel was compiled before is no part of what they say
os.environ.setdefault("HEEDFUL_QUIET", "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave settings of ``each_value`` and ``one_value`` tests to `make test-more`, but a few and one of them.

    What is marked ``more`` is a ``setting`` too if the test is run in another one.
    """
    for group in settings_of(items):
        left = [item for item in group if item.get_closest_marker("more")]
        for item in {*left} - {*(one_of(left) if left == group else [])}:
            item.add_marker("setting")
    for mark, choose in (("each_value", covering), ("one_value", one_of)):
        marked = [item for item in items if item.get_closest_marker(mark) and not item.get_closest_marker("more")]
        for group in settings_of(marked):
            for item in {*group} - {*choose(group)}:
                item.add_marker("more")
                item.add_marker("setting")


def settings_of(items):
    """Return lists of the items that are one test in several settings."""
    groups = {}
    for item in items:
        groups.setdefault((item.parent, getattr(item, "originalname", item.name)), []).append(item)
    return groups.values()


def one_of(items):
    """Return one setting of a test, always the same; tests of the same settings have different ones."""
    return [items[zlib.crc32(items[0].name.split("[")[0].encode()) % len(items)]]


def covering(items):
    """Return few settings of one test, always the same, in which each value of each parameter is there."""
    values = {item: {(name, id(value)) for name, value in item.callspec.params.items()} for item in items}
    missing = set().union(*values.values())
    chosen = []
    while missing:
        chosen.append(max(items, key=lambda item: len(values[item] & missing)))
        missing -= values[chosen[-1]]
    return chosen


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def compile_lassos():
    """Compile what regression needs: leaves, weights, local lassos, heads."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = AttentionLasso(similarity=ForestProximity(4), random_state=0).fit(X, X[:, 0])
    model.explain(X)


def compile_fits(**how):
    """Compile local lassos of a family, within limits, or with groups."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    local_lasso(X, (X[:, 0] > 0).astype(int), np.ones((2, 40)), alpha=0.1, n_jobs=1, **how)


PARTS = [
    compile_lassos,
    partial(compile_fits, family="binomial"),
    partial(compile_fits, limits=(-1.0, 1.0)),
    partial(compile_fits, family="poisson"),
    partial(compile_fits, groups=[0, 0, 1]),
    partial(compile_fits, family="binomial", limits=(-1.0, 1.0)),
]


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    """Let each process of a run compile its part while the others compile theirs, and wait for all of them.

    With an empty cache every process would otherwise compile every kernel, at the same time as the others.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    # those who name files may do without limits, groups and counts
    whole = [Path(arg).name for arg in session.config.args] == ["tests"]
    parts = PARTS if whole else PARTS[:2]
    marks = Path(tempfile.gettempdir()) / f"heedful-{worker['testrunuid']}"
    marks.mkdir(exist_ok=True)
    for part in parts[number::count]:
        part()
    (marks / str(number)).touch()
    start = time.monotonic()
    while len(list(marks.iterdir())) < min(count, len(parts)) and time.monotonic() - start < PATIENCE:
        time.sleep(0.1)
