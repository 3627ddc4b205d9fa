"""How the text of section 3.2 may be meant: settings 1, 2 and 4 in several readings, by rivals that cost little.

    python -m benchmarks.paper.table3.readings [--runs 5] [--jobs -1] [--fresh] [--smoke]

Writes readings.md beside this file; of fewer than five runs, and with ``--smoke``, under build/. Each
simulation is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import pages, rivals, study
from benchmarks.paper.table3.published import PAPER, PRINTED, ROWS
from benchmarks.simulations import make_continuous, make_high_dimensional, make_soft_clusters
from heedful.baseline import LassoBaseline
from heedful.datasets import Simulation

MAKERS = {"1": make_continuous, "2": make_high_dimensional, "4": make_soft_clusters}
LASSO, NEAR, SCALED = "lasso", ["LightGBM", "forest", "KNN"], "KNN, scaled"
RATIO, N_TREES = 2.5, 150
# What the ratio of signal to noise compares with the variance of the noise.
SIGNALS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "variance": lambda signal, _: signal.var(),
    "mean square": lambda signal, _: np.mean(signal**2),
    "coefficients": lambda _, coef: np.mean((coef**2).sum(axis=1)),
    "deviation": lambda signal, _: signal.var() / RATIO,
    "as large": lambda signal, _: signal.var() * RATIO,
}


class Reading(NamedTuple):
    """How a text may be meant: how far which columns are shifted, when, and what makes the noise."""

    shift: float = 1.0
    every_column: bool = False
    centred: bool = False
    response_first: bool = False
    signal: str = "variance"
    noisy_test: bool = True


READINGS = {PRINTED: Reading()} | {f"shift {shift}": Reading(shift) for shift in (2, 3, 4, 5)}
READINGS |= {f"all columns, shift {shift}": Reading(shift, every_column=True) for shift in (1, 2, 3)}
READINGS |= {f"position from -1 to 1, shift {shift}": Reading(shift, centred=True) for shift in (1, 2, 3)}
READINGS |= {f"response before the shift, shift {shift}": Reading(shift, response_first=True) for shift in (1, 3)}
READINGS |= {f"ratio of deviations, shift {shift}": Reading(shift, signal="deviation") for shift in (1, 3)}
READINGS |= {f"noise by the coefficients, shift {shift}": Reading(shift, signal="coefficients") for shift in (1, 2, 3)}
READINGS |= {f"noise by the mean square, shift {shift}": Reading(shift, signal="mean square") for shift in (3, 4, 5)}
READINGS |= {f"noise as large as the signal, shift {shift}": Reading(shift, signal="as large") for shift in (3, 4, 5)}
READINGS |= {f"test rows without noise, shift {shift}": Reading(shift, noisy_test=False) for shift in (1, 2)}


def draw(make: Callable[..., Simulation], reading: Reading, n_rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return features, responses with noise, and responses to be held against predictions."""
    rng = np.random.default_rng(seed)
    sim = make(2 * n_rows, shift=0.0, random_state=rng)
    position = 2 * sim.latent - 1 if reading.centred and sim.latent.min() >= 0 else sim.latent
    moved = np.ones(sim.X.shape[1], bool) if reading.every_column else sim.components.any(axis=0)
    X = sim.X + reading.shift * position[:, None] * moved
    signal = ((sim.X if reading.response_first else X) * sim.coef).sum(axis=1)
    noise = np.sqrt(SIGNALS[reading.signal](signal, sim.coef) / RATIO)
    y = signal + noise * rng.normal(size=signal.size)
    return X, y, y if reading.noisy_test else signal


def one_run(setting: str, reading: Reading, n_rows: int, seed: int) -> study.Scores:
    """Return the errors of lasso and rivals in one simulation."""
    X, y, truth = draw(MAKERS[setting], reading, n_rows, seed)
    models: dict[str, Any] = {
        LASSO: LassoBaseline(random_state=seed),
        "LightGBM": rivals.make_lightgbm(seed),
        "forest": rivals.make_forest(seed).set_params(n_estimators=N_TREES),
        "KNN": rivals.make_knn(seed, scaled=False),
        SCALED: rivals.make_knn(seed),
    }
    return study.measure(models, (X[:n_rows], y[:n_rows]), (X[n_rows:], truth[n_rows:]))


STUDY = study.Study(Path(__file__).parent, one_run, ("heedful", "scikit-learn", "lightgbm"))


def run(options: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Return by how many per cent rivals improve on the lasso: for each setting, a row per reading and simulation."""
    # settings and readings stand where other studies have tables
    tables = {
        f"{setting}: {title}": (setting, READINGS[title], options.rows)
        for setting in options.settings
        for title in options.readings
        if not (setting == "1" and READINGS[title].centred)
    }
    percent = study.improvement(study.run(STUDY, tables, options, part="readings"), LASSO)
    found = {}
    for setting in options.settings:
        titles = {f"{setting}: {title}": title for title in options.readings if f"{setting}: {title}" in tables}
        found[setting] = percent.loc[list(titles)].rename(index=titles, level="table")
    return found


def tabulate(percent: pd.DataFrame, setting: str) -> str:
    """Return a markdown table of one setting: each reading, and how far it is from the paper."""
    paper = PAPER.loc[setting].xs("mean", level=1)
    means = percent.groupby("table", sort=False).mean()
    distance = (means[NEAR] - paper[NEAR]).abs().mean(axis=1)
    rows = [["**the paper**", "0.0", *(str(paper[name.split(",")[0]]) for name in means)]]
    rows += [[title, f"{distance[title]:.1f}", *(f"{value:.1f}" for value in row)] for title, row in means.iterrows()]
    closest = f'Closest: "{distance.idxmin()}", off by {distance.min():.1f} points on average.'
    return f"## Setting {setting}\n\n{pages.draw_table(['reading', 'off by', *means], rows)}\n\n{closest}"


def write_page(found: dict[str, pd.DataFrame], n_runs: int) -> str:
    """Return the page."""
    about = (
        f"Per cent improvement in mean squared test error over the lasso, mean of {n_runs} simulations; forests have "
        f"{N_TREES} trees. `off by` is the mean distance of the first three from the paper's. "
        f"{pages.stamp(*STUDY.packages)}. This page is rewritten by `python -m benchmarks.paper.table3.readings`; the "
        "README explains the readings."
    )
    return pages.join("Readings of the simulations", about, *(tabulate(part, title) for title, part in found.items()))


def main() -> None:
    """Run the readings."""
    readings = list(READINGS), [PRINTED, "shift 3"]
    options = study.read_options(__doc__, 5, settings=(list(MAKERS), ["4"]), readings=readings, rows=(ROWS, 60))
    study.publish(STUDY.home, options, write_page(run(options), options.runs), name="readings.md")


if __name__ == "__main__":
    main()
