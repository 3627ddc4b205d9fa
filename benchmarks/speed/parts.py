"""What the measurements of speed share, whatever version of heedful they are of: a clock, and a generated table."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def once(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_of(times: int, work: Callable[[], object]) -> float:
    """Return the shortest of several timings, in seconds."""
    return min(once(work) for _ in range(times))


def make_table(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose coefficients depend on the sign of the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + X[:, 2:8].sum(axis=1) + rng.normal(size=n)
    return X, y


def status(name: str) -> int:
    """Return a figure of this process's memory in kB, as Linux tells it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{name}:")))
