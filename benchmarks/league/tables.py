"""The tables of the league: the paper's, those of StatLib, and classes of scikit-learn's and made by a median."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks.study import Table
from benchmarks.tables import TABLES, load, load_statlib, stand_in

# As table 1 reads them; text is kept for all.
READINGS = {"infrared_thermography_temperature": {"infrared": "0.79"}, "stock_portfolio_performance": {"stock": "C"}}
BUNDLED = {"breast cancer": load_breast_cancer, "digits": load_digits, "iris": load_iris, "wine": load_wine}
MOST_DIGITS = 600
# There are few tables of classes, so these are cut in two: numbers only, categories, missing cells, few values
CUT = ("Airfoil", "Auto MPG", "Concrete", "Real Estate", "colleges_usnews", "plasma_retinol", "rmftsa_ladata", "socmob")


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


def make_stand_ins() -> tuple[dict[str, Table], dict[str, Table]]:
    """Return generated tables of both kinds, for a run without data."""
    X, y = stand_in(120, 0)
    numbers = {"stand-in": (as_frame(X), y)}
    return numbers, cut_at_median(numbers, numbers)
