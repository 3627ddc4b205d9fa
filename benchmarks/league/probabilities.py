"""What probabilities of heedful lack on small tables: a temperature, a ridge, or a smooth part, and blended how.

    python -m benchmarks.league.probabilities [--runs 2] [--jobs -1] [--data DIR] [--fresh] [--smoke]

Log loss on the league's tables of classes but digits, of which ten classes take most of the time. Whatever is added to
heedful has its weights from predictions of training rows by five folds. It is judged twice: within training halves, by
weights in which a row had no say, which is what a choice may rest on, and on test halves.
Writes probabilities.md beside this file; of less, and with ``--smoke``, under build/.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import pages, study
from benchmarks.league.measuring import SMALLEST, cut_rows
from benchmarks.league.methods import CLASSES, LASSO, OURS, find_absent
from benchmarks.league.smooth import SmoothClassifier
from benchmarks.league.tables import make_stand_ins, read_classes, read_numbers
from benchmarks.tables import data_folder, one_hot

HERE, RUNS, FOLDS = Path(__file__).parent, 2, 5
Fit = Callable[[list[np.ndarray], np.ndarray], np.ndarray]
Add = Callable[[list[np.ndarray], np.ndarray], np.ndarray]
RIDGE, SMOOTH = "ridge", "smooth"
RIVALS = [name for name in ("CatBoost", "TabPFN") if not find_absent([name])]
PACKAGES = tuple(dict.fromkeys(["heedful", "scikit-learn", *(p for name in RIVALS for p in CLASSES[name].packages)]))
# In a sum of log probabilities, weights of heedful are near 1 and those of others near 0, by these deviations
SPREAD_OF_OURS, SPREAD_OF_OTHERS = 0.3, 0.5


def make_ridge(_seed: int) -> Any:
    """Return a logistic ridge whose penalty has the smallest cross-validated log loss."""
    return make_pipeline(StandardScaler(), LogisticRegressionCV(cv=5, scoring="neg_log_loss", max_iter=300))


OWN: dict[str, Callable[[int], Any]] = {RIDGE: make_ridge, SMOOTH: lambda _seed: SmoothClassifier()}


def log_loss_of(chance: np.ndarray, y: np.ndarray) -> float:
    """Return the log loss of probabilities."""
    chance = np.clip(chance, SMALLEST, 1.0)
    return float(-np.log((chance / chance.sum(axis=1, keepdims=True))[np.arange(len(y)), y]).mean())


def add_logs(parts: list[np.ndarray], weight: np.ndarray) -> np.ndarray:
    """Return the probabilities whose logarithms are sums of those of some parts."""
    return softmax(sum(w * np.log(np.clip(part, 1e-9, 1.0)) for w, part in zip(weight, parts, strict=True)), axis=1)


def add_chances(parts: list[np.ndarray], weight: np.ndarray) -> np.ndarray:
    """Return sums of probabilities."""
    return sum(w * part for w, part in zip(weight, parts, strict=True))


def fit_logs(parts: list[np.ndarray], y: np.ndarray) -> np.ndarray:
    """Return weights of log probabilities, the first near 1 and the others near 0 if rows do not say otherwise."""
    start = np.eye(len(parts))[0]
    spread = np.where(start > 0, SPREAD_OF_OURS, SPREAD_OF_OTHERS)

    def loss(weight: np.ndarray) -> float:
        return len(y) * log_loss_of(add_logs(parts, weight), y) + 0.5 * (((weight - start) / spread) ** 2).sum()

    return minimize(loss, start, bounds=[(0.0, 2.0)] * len(parts)).x


def fit_chances(parts: list[np.ndarray], y: np.ndarray) -> np.ndarray:
    """Return the shares of probabilities with the smallest log loss, by EM."""
    seen = np.column_stack([np.clip(part, SMALLEST, 1.0)[np.arange(len(y)), y] for part in parts])
    share = np.full(len(parts), 1.0 / len(parts))
    for _ in range(500):
        share = (seen * share / (seen @ share)[:, None]).mean(axis=0)
    return share


BLENDS = {
    "with a temperature": ((OURS,), fit_logs, add_logs),
    "and ridge, probabilities": ((OURS, RIDGE), fit_chances, add_chances),
    "and smooth, probabilities": ((OURS, SMOOTH), fit_chances, add_chances),
    "and ridge, log-odds": ((OURS, RIDGE), fit_logs, add_logs),
    "and smooth, log-odds": ((OURS, SMOOTH), fit_logs, add_logs),
}


def predict(name: str, first: pd.DataFrame, y: np.ndarray, second: pd.DataFrame, seed: int) -> np.ndarray:
    """Return what a method fitted to some rows says of others."""
    make, rows = (OWN[name], one_hot) if name in OWN else (CLASSES[name].make, CLASSES[name].rows)
    train, test = rows(first, second)
    return make(seed).fit(train, y).predict_proba(test)


def predict_left_out(name: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> np.ndarray:
    """Return what a method says of rows that it did not see, by folds."""
    found = np.zeros((len(y), int(y.max()) + 1))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        found[test] = predict(name, X.iloc[train], y[train], X.iloc[test], seed)
    return found


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the log loss of methods and of blends on the test half."""
    train, test = cut_rows("classes", y, seed)
    halves = (X.iloc[train], y[train], X.iloc[test], seed)
    said = {name: predict(name, *halves) for name in (LASSO, *OWN, *RIVALS, OURS)}
    unseen = {name: predict_left_out(name, X.iloc[train], y[train], seed) for name in (*OWN, OURS)}
    for title, (names, fit, add) in BLENDS.items():
        weight = fit([unseen[name] for name in names], y[train])
        said[title] = add([said[name] for name in names], weight)
        unseen[title] = blend_left_out([unseen[name] for name in names], y[train], fit, add)
    found = {name: {"error": log_loss_of(chance, y[test])} for name, chance in said.items()}
    for name, chance in unseen.items():
        found[name]["left out"] = log_loss_of(chance, y[train])
    return found


def blend_left_out(
    parts: list[np.ndarray], y: np.ndarray, fit: Callable[..., Any], add: Callable[..., Any]
) -> np.ndarray:
    """Return blends of rows whose weights are fitted to the others, by ten folds."""
    found = np.zeros_like(parts[0])
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(y, y):
        found[test] = add([part[test] for part in parts], fit([part[train] for part in parts], y[train]))
    return found


def write_page(results: pd.DataFrame) -> str:
    """Return the page: log loss by table, within training halves and on test halves."""
    about = (
        "Log loss, the smaller the better; from `with a temperature` on, what is blended with heedful, its weights by "
        "predictions of training rows that were left out. Ridge: logistic, cross-validated. Smooth: Gaussian processes "
        "with a linear and a Gaussian kernel, a length per column (`smooth.py`). Means of "
        f"{study.tell_splits(results)}, seeds from 0. {pages.stamp(*PACKAGES)}. "
        "Run again: `python -m benchmarks.league.probabilities`."
    )
    sections = {"Within training halves": "left out", "On test halves": "error"}
    return pages.join(
        "Probabilities", about, *(write_section(title, results[what]) for title, what in sections.items())
    )


def write_section(title: str, losses: pd.DataFrame) -> str:
    """Return log losses of each table, and how often a blend is better than heedful alone."""
    means = losses.groupby("table").mean()
    rows = [[table, *(f"{value:.4f}" for value in row)] for table, row in means.iterrows()]
    rows.append(["mean", *(f"{value:.4f}" for value in means.mean())])
    gain = means[list(BLENDS)].rsub(means[OURS], axis=0)
    said = [
        f"heedful {name}: {gain[name].mean():.4f} less on the mean of the tables; better on {(gain[name] > 0).sum()} "
        f"of {len(gain)}, smallest gain {gain[name].min():.4f} ({gain[name].idxmin()})."
        for name in gain
    ]
    return "\n\n".join([f"## {title}", pages.draw_table(["table", *means], rows), pages.bullets(said)])


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json and statlib/manifest.json")


def main() -> None:
    """Measure what is missing and write the page."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    tables = make_stand_ins()["classes"] if options.smoke else read_classes(read_numbers(data_folder(options.data)))
    tables.pop("digits", None)
    results = study.run(study.Study(HERE, one_split, PACKAGES), tables, options, "probabilities")
    study.publish(HERE, options, write_page(results), name="probabilities.md")


if __name__ == "__main__":
    main()
