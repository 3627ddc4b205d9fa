"""What small models and effects are read on: halves of tables, a switch, classes; truths with known effects."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.league.tables import as_frame
from benchmarks.tables import TABLES, halves, load, load_statlib, stand_in

NAMES = ("auto_mpg", "concrete_compressive_strength", "real_estate_valuation", "airfoil_self_noise")
STATLIB = ("space_ga", "wind")


class Rows(NamedTuple):
    """Rows to fit, their responses, and queries."""

    X: pd.DataFrame
    y: np.ndarray
    queries: pd.DataFrame


class Truth(NamedTuple):
    """What draws a table of numbers, the mean of its response, the deviation of its noise, and the rows to fit.

    The last ``n_levels`` columns are given as text.
    """

    draw: Callable[[np.random.Generator, int], np.ndarray]
    mean: Callable[[np.ndarray], np.ndarray]
    noise: float
    rows: int
    n_levels: int = 0


def half_of(X: pd.DataFrame, y: np.ndarray, n_query: int, seed: int) -> Rows:
    """Return a random half of a table, and queries of the other half."""
    train, test = halves(len(y), seed)
    return Rows(X.iloc[train], y[train], X.iloc[test[:n_query]])


def as_table(X: np.ndarray, n_levels: int = 0) -> pd.DataFrame:
    """Return an array with its columns called a, b, c, ..., the last ``n_levels`` of them as text."""
    table = pd.DataFrame(X, columns=[chr(ord("a") + j) for j in range(X.shape[1])])
    text = table.columns[X.shape[1] - n_levels :]
    return table.assign(**{name: [f"l{cell:.0f}" for cell in table[name]] for name in text})


def switch(n_train: int, n_query: int, seed: int) -> Rows:
    """Draw six columns, the sign of the first of which says whether the slope of the second is 3 or -1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_train + n_query, 6))
    y = turned(X) + 0.5 * rng.normal(size=len(X))
    return Rows(as_table(X[:n_train]), y[:n_train], as_table(X[n_train:]))


def turned(X: np.ndarray) -> np.ndarray:
    """Return the mean of the switch."""
    return np.where(X[:, 0] > 0, 3.0, -1.0) * X[:, 1] + X[:, 2]


def classes(n_train: int, n_query: int, seed: int) -> Rows:
    """Draw three classes whose log-odds are a product of two columns, a switch, and a line."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_train + n_query, 6))
    odds = np.stack([2 * X[:, 0] * X[:, 1], np.where(X[:, 2] > 0, 2.0, -1.0) * X[:, 3], X[:, 4]], axis=1)
    y = np.array(["p", "q", "r"])[np.argmax(odds + rng.gumbel(size=odds.shape), axis=1)]
    return Rows(as_table(X[:n_train]), y[:n_train], as_table(X[n_train:]))


def draw_linear(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Draw 20 columns, the first two of which are correlated."""
    X = rng.normal(size=(n_rows, 20))
    X[:, 1] += 0.7 * X[:, 0]
    return X


def curved(X: np.ndarray) -> np.ndarray:
    """Return a sum of a wave, a parabola, a line and an exponential."""
    return np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + 0.7 * X[:, 2] + np.exp(X[:, 3] / 2)


def draw_levels(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Draw six numbers and ten columns of 5 to 23 levels, some of them rare."""
    sizes = np.arange(5, 25, 2)
    levels = [rng.choice(size, n_rows, p=rng.dirichlet(np.full(size, 2.0))) for size in sizes]
    return np.column_stack([rng.normal(size=(n_rows, 6)), *levels]).astype(np.float64)


def levelled(X: np.ndarray) -> np.ndarray:
    """Return a line in two numbers and steps of three columns of levels."""
    return X[:, 0] - 0.5 * X[:, 1] + np.sin(3 * X[:, 6]) + np.sin(5 * X[:, 9]) + 0.5 * np.sin(7 * X[:, 15])


TRUTHS = {
    "linear": Truth(draw_linear, lambda X: X[:, :5] @ [1.0, -1.0, 0.5, 0.5, 2.0], 1.5, 500),
    "switch": Truth(lambda rng, n: rng.normal(size=(n, 6)), turned, 1.0, 750),
    "curved": Truth(lambda rng, n: rng.uniform(-2, 2, size=(n, 8)), curved, 0.5, 750),
    "levels": Truth(draw_levels, levelled, 1.0, 500, n_levels=10),
}


def read_tables(folder: Path, n_query: int) -> dict[str, tuple[Any, ...]]:
    """Return what draws each table's rows and queries from a seed, and whether it is the switch, by its title."""
    found = {TABLES[name]: load(name, folder) for name in NAMES}
    found |= {name: table for name, table in load_statlib(folder).items() if name in STATLIB}
    tables = {title: (partial(half_of, as_frame(X), y, n_query), False) for title, (X, y) in found.items()}
    tables |= {f"switch, {n:,} rows": (partial(switch, n, n_query), True) for n in (750, 2000)}
    return tables | {"three classes": (partial(classes, 1000, n_query), False)}


def make_stand_ins(n_query: int) -> dict[str, tuple[Any, ...]]:
    """Return small tables of each kind, for a run without data."""
    return {
        "stand-in": (partial(half_of, *stand_in(160, 0), n_query), False),
        "switch, 120 rows": (partial(switch, 120, n_query), True),
        "three classes": (partial(classes, 120, n_query), False),
    }
