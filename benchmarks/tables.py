"""The paper's twelve UCI tables and those of StatLib, read from a folder that holds them with their manifests."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from heedful.datasets import load_table, load_us_change
from heedful.datasets._folder import HOW_TO_GET
from heedful.datasets._tables import encode_text

PROJECT = Path(__file__).resolve().parents[1]
TABLES = {
    "airfoil_self_noise": "Airfoil",
    "auto_mpg": "Auto MPG",
    "automobile": "Automobile",
    "communities_and_crime": "Communities",
    "concrete_compressive_strength": "Concrete",
    "facebook_metrics": "Facebook",
    "forest_fires": "Forest Fires",
    "infrared_thermography_temperature": "Infrared",
    "liver_disorders": "Liver",
    "real_estate_valuation": "Real Estate",
    "servo": "Servo",
    "stock_portfolio_performance": "Stock",
}
# How tables are read where the paper leaves it open: first, without a name, as forest and neighbours come nearest
# to its own columns; attention has no say in it.
READINGS: dict[str, dict[str, dict[str, str]]] = {
    "automobile": {"": {"text": "codes"}, "a column per level": {}, "no text": {"text": "drop"}},
    "infrared_thermography_temperature": {"": {"infrared": "0.79"}, "79 kept": {"infrared": "keep"}},
    "servo": {"": {}, "codes": {"text": "codes"}},
    "stock_portfolio_performance": {"": {"stock": "C"}, "B": {"stock": "B"}},
}


def data_folder(given: str | None) -> Path:
    """Return the folder of the tables: the argument, HEEDFUL_DATA, or ../shared/data beside the project."""
    folder = Path(given or os.environ.get("HEEDFUL_DATA", PROJECT.parent / "shared" / "data"))
    if not (folder / "uci" / "manifest.json").exists():
        raise SystemExit(f"No tables in {folder}: need uci/manifest.json there. {HOW_TO_GET}")
    return folder


def load(name: str, folder: Path, **choices: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return features and response as in the paper; a file that is missing or another one ends the program."""
    with one_line():
        return load_table(name, folder, **choices)


def load_series(folder: Path) -> pd.DataFrame:
    """Return the quarters of us_change, the response last."""
    with one_line():
        return load_us_change(folder).reset_index(drop=True)


def load_statlib(folder: Path) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Return features and response of StatLib's tables by their names; none if the folder does not hold them."""
    manifest = folder / "statlib" / "manifest.json"
    found = {}
    for name, about in (
        json.loads(manifest.read_text(encoding="utf-8"))["datasets"].items() if manifest.exists() else ()
    ):
        if about["task"] == "regression":
            table = pd.read_csv(manifest.parent / about["file"])
            levels = dict.fromkeys(about["categorical"], "category")
            found[name] = (table[about["features"]].astype(levels), table[about["target"]].to_numpy(np.float64))
    return found


@contextmanager
def one_line() -> Iterator[None]:
    """Turn what is wrong with the data into the last line of the program."""
    try:
        yield
    except (FileNotFoundError, ValueError) as error:
        raise SystemExit(str(error)) from error


def stand_in(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a generated table with text and missing cells, for trying the benchmark without data."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 4)), columns=list("abcd"))
    frame["kind"] = rng.choice(["red", "green", "blue"], size=n_rows)
    y = np.where(frame["kind"] == "red", 2.0, -1.0) * frame["a"] + frame["b"].abs() + 0.3 * rng.normal(size=n_rows)
    frame.loc[rng.choice(n_rows, n_rows // 20, replace=False), "c"] = np.nan
    return frame, y.to_numpy()


def halves(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training and the test rows of a random split."""
    order = np.random.default_rng(seed).permutation(n_rows)
    return order[: n_rows // 2], order[n_rows // 2 :]


def one_hot(train: pd.DataFrame, test: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return both halves with one column per level and missing values as training means."""
    first, second = fill(encode_text(pd.concat([train, test]), "onehot"), len(train))
    return first.to_numpy(), second.to_numpy()


def integer_codes(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both halves with levels as numbers in the order of their names and missing values as training means."""
    return fill(encode_text(pd.concat([train, test]), "codes"), len(train))


def fill(both: pd.DataFrame, n_train: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return training and test rows as numbers, missing values as training means."""
    both = both.astype(float)
    mean = both.iloc[:n_train].mean().fillna(0.0)
    both = both.fillna(mean)
    return both.iloc[:n_train], both.iloc[n_train:]
