"""The tables of the league: the paper's, StatLib's, classes of scikit-learn's and made by a median, samples by size."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_friedman1

from benchmarks.study import Table
from benchmarks.tables import TABLES, load, load_statlib, stand_in

# As table 1 reads them; text is kept for all.
READINGS = {"infrared_thermography_temperature": {"infrared": "0.79"}, "stock_portfolio_performance": {"stock": "C"}}
BUNDLED = {"breast cancer": load_breast_cancer, "digits": load_digits, "iris": load_iris, "wine": load_wine}
MOST_DIGITS = 600
# There are few tables of classes, so these are cut in two: numbers only, categories, missing cells, few values
CUT = ("Airfoil", "Auto MPG", "Concrete", "Real Estate", "colleges_usnews", "plasma_retinol", "rmftsa_ladata", "socmob")

# Samples of so many training rows, or of all but the test rows; of two simulations and two large tables
SIZES, TEST_ROWS = (100, 300, 1000, 5000), 1000
LARGE = ("space_ga", "wind")
SIMULATED_COLUMNS = 20


def as_frame(X: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with text and levels as categories of text; columns are x0, x1, ..., as LightGBM refuses some."""
    X = X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)
    levels = {name: X[name].astype(object) for name in X.select_dtypes(exclude="number")}
    text = {name: cells.where(cells.isna(), cells.astype(str)) for name, cells in levels.items()}
    return X.assign(**text).astype(dict.fromkeys(text, "category"))


def read_numbers(folder: Path) -> dict[str, Table]:
    """Return the tables with a number to predict, by their titles."""
    found = {title: load(name, folder, **READINGS.get(name, {})) for name, title in TABLES.items()}
    return {title: (as_frame(X), y) for title, (X, y) in (found | load_statlib(folder)).items()}


def cut_at_median(tables: dict[str, Table], titles: Iterable[str]) -> dict[str, Table]:
    """Return tables whose classes are a number above its median, and the others."""
    return {
        f"{title}, above the median": (tables[title][0], (tables[title][1] > np.median(tables[title][1])).astype(int))
        for title in titles
        if title in tables
    }


def read_classes(numbers: dict[str, Table]) -> dict[str, Table]:
    """Return the tables with classes to predict, by their titles: scikit-learn's, and numbers cut at their median."""
    found = {}
    for title, fetch in BUNDLED.items():
        X, y = fetch(return_X_y=True)
        found[title] = (as_frame(pd.DataFrame(X).iloc[:MOST_DIGITS]), y[:MOST_DIGITS])
    return found | cut_at_median(numbers, CUT)


def draw_switch(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in which the sign of one column decides the slope of another."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, SIMULATED_COLUMNS))
    return X, np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + X[:, 2] + rng.normal(size=n_rows)


def read_sizes(numbers: dict[str, Table]) -> dict[str, Table]:
    """Return samples of several sizes, test rows included: Friedman's first function, a switch, and large tables."""
    most = max(SIZES) + TEST_ROWS
    drawn = {"Friedman 1": make_friedman1(most, SIMULATED_COLUMNS, noise=1.0, random_state=0)}
    drawn["switch"] = draw_switch(most, 0)
    found = {title: (as_frame(pd.DataFrame(X)), y) for title, (X, y) in drawn.items()}
    return cut_to_sizes(found | {title: numbers[title] for title in LARGE if title in numbers}, SIZES, TEST_ROWS)


def count_test_rows(n_rows: int) -> int:
    """Return how many rows of a sample by size are predicted; of a stand-in, which is small, half."""
    return TEST_ROWS if n_rows > TEST_ROWS else n_rows // 2


def cut_to_sizes(tables: dict[str, Table], sizes: Iterable[int], test_rows: int) -> dict[str, Table]:
    """Return random rows of each table: so many for training, or all that there are, and those to test."""
    found = {}
    for title, (X, y) in tables.items():
        order = np.random.default_rng(0).permutation(len(y))
        for size in sorted({min(size, len(y) - test_rows) for size in sizes}):
            rows = order[: size + test_rows]
            found[f"{title}, n = {size}"] = (X.iloc[rows], y[rows])
    return found


def make_stand_ins() -> dict[str, dict[str, Table]]:
    """Return generated tables of each kind, for a run without data."""
    X, y = stand_in(120, 0)
    numbers = {"stand-in": (as_frame(X), y)}
    return {"numbers": numbers, "classes": cut_at_median(numbers, numbers), "sizes": cut_to_sizes(numbers, (60,), 60)}
