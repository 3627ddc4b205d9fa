"""One method on one split: its test error, and the CPU seconds that fitting and predicting took."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from time import process_time
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks import study
from benchmarks.league.methods import METHODS, Method
from benchmarks.league.tables import count_test_rows, make_stand_ins
from benchmarks.tables import halves

SMALLEST = 1e-15
# Packages that compile or load something when they are first used
LOADING = {"heedful", "chimeraboost", "torch"}


class OverTimeError(BaseException):
    """A method took longer than it may; not an Exception, as EBM keeps these back until all its bags are fitted."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise OverTimeError after some CPU seconds; None is no limit."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise OverTimeError

    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def cut_rows(kind: str, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows, the same for all methods: random halves, classes in equal shares.

    Of samples by size the test rows are as many for all.
    """
    if kind == "numbers":
        return halves(len(y), seed)
    if kind == "sizes":
        order = np.random.default_rng(seed).permutation(len(y))
        test_rows = count_test_rows(len(y))
        return order[test_rows:], order[:test_rows]
    return train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)


def test_error(kind: str, model: Any, X: Any, y: np.ndarray) -> float:
    """Return the mean squared error of a fitted model, or its log loss."""
    if kind != "classes":
        return float(np.mean((y - model.predict(X)) ** 2))
    chance = np.clip(model.predict_proba(X), SMALLEST, 1.0)
    return float(log_loss(y, chance / chance.sum(axis=1, keepdims=True), labels=np.arange(chance.shape[1])))


def measure(kind: str, name: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return error and seconds of a method on a split; nothing if it took too long."""
    method = METHODS[kind][name]
    if LOADING & {*method.packages}:
        warm_up(kind, name)
    return measure_method(kind, name, method, (X, y), seed)


@cache
def warm_up(kind: str, name: str) -> None:
    """Let a method load its kernels or weights before its time is taken."""
    for table in make_stand_ins()[kind].values():
        measure_method(kind, name, METHODS[kind][name], table, 0)


def measure_method(kind: str, name: str, method: Method, table: study.Table, seed: int) -> study.Scores:
    """Return error and seconds of a method on a split of a table, or nothing."""
    X, y = table
    train, test = cut_rows(kind, y, seed)
    first, second = method.rows(X.iloc[train], X.iloc[test])
    model, start = method.make(seed), process_time()
    try:
        # anew, for libraries that came with the model
        with threadpool_limits(1), limited(method.seconds):
            error = test_error(kind, model.fit(first, y[train]), second, y[test])
    except OverTimeError:
        return {}
    return {name: {"error": error, "seconds": process_time() - start}}
