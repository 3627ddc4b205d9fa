"""How the text of section 3.2 may be meant: settings 1, 2 and 4 in several readings, by rivals that cost little.

    python benchmarks/paper/table3/readings.py [--runs 5] [--jobs -1] [--smoke]

Prints the tables and writes them to readings.md beside this file. ``--smoke`` runs one small simulation of two
readings and writes nothing.
"""

import argparse
import datetime as dt
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from heedful.baseline import LassoBaseline
from heedful.datasets import Simulation, make_continuous, make_high_dimensional, make_soft_clusters

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from run import PAPER, PRINTED, ROWS, make_knn

import rivals

MAKERS = {"1": make_continuous, "2": make_high_dimensional, "4": make_soft_clusters}
NEAR, SCALED = ["LightGBM", "forest", "KNN"], "KNN, scaled"
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


def measure(setting: str, reading: Reading, n_rows: int, seed: int) -> dict[str, float]:
    """Return by how many per cent the rivals improve on the lasso in one simulation."""
    X, y, truth = draw(MAKERS[setting], reading, n_rows, seed)
    models: dict[str, Any] = {
        "lasso": LassoBaseline(random_state=seed),
        "LightGBM": rivals.make_lightgbm(seed),
        "forest": rivals.make_forest(seed).set_params(n_estimators=N_TREES),
        "KNN": make_knn(seed),
        SCALED: rivals.make_knn(seed),
    }
    with threadpool_limits(1):
        guesses = {name: model.fit(X[:n_rows], y[:n_rows]).predict(X[n_rows:]) for name, model in models.items()}
    errors = {name: np.mean((truth[n_rows:] - guess) ** 2) for name, guess in guesses.items()}
    return {name: 100 * (1 - error / errors["lasso"]) for name, error in errors.items() if name != "lasso"}


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return one row per setting, reading and simulation."""
    jobs = [
        (setting, title, seed)
        for setting in options.settings
        for title in options.readings
        for seed in range(options.runs)
        if not (setting == "1" and READINGS[title].centred)
    ]
    work = (delayed(measure)(setting, READINGS[title], options.rows, seed) for setting, title, seed in jobs)
    done = list(tqdm(Parallel(options.jobs, return_as="generator")(work), total=len(jobs), unit="simulation"))
    return pd.DataFrame(done, pd.MultiIndex.from_tuples(jobs, names=["setting", "reading", "seed"]))


def tabulate(percent: pd.DataFrame, setting: str) -> str:
    """Return a markdown table of one setting: each reading, and how far it is from the paper."""
    paper = PAPER.loc[setting].xs("mean", level=1)
    means = percent.loc[setting].groupby("reading", sort=False).mean()
    lines = [f"| reading | off by | {' | '.join(means)} |", "|---" * (means.shape[1] + 2) + "|"]
    lines.append(f"| **the paper** | 0.0 | {' | '.join(str(paper[name.split(',')[0]]) for name in means)} |")
    distance = (means[NEAR] - paper[NEAR]).abs().mean(axis=1)
    for title, row in means.iterrows():
        lines.append(f"| {title} | {distance[title]:.1f} | {' | '.join(f'{value:.1f}' for value in row)} |")
    closest = f'Closest: "{distance.idxmin()}", off by {distance.min():.1f} points on average.'
    return "\n".join([f"## Setting {setting}", "", *lines, "", closest])


def write_page(percent: pd.DataFrame) -> str:
    """Return the page."""
    n_runs = percent.index.unique("seed").size
    about = (
        f"Per cent improvement in mean squared test error over the lasso, mean of {n_runs} simulations; forests have "
        f"{N_TREES} trees. `off by` is the mean distance of the first three from the paper's. {dt.date.today()}. This "
        "page is rewritten by `python benchmarks/paper/table3/readings.py`; the README explains the readings."
    )
    tables = [tabulate(percent, setting) for setting in percent.index.unique("setting")]
    return "\n\n".join(["# Readings of the simulations", about, *tables]) + "\n"


def read_options() -> argparse.Namespace:
    """Return the options; a smoke run has one small simulation of two readings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="simulations of each reading")
    parser.add_argument("--jobs", type=int, default=-1, help="simulations at a time, each on one core")
    parser.add_argument(
        "--smoke", action="store_true", help="one small simulation of two readings, to see that it runs"
    )
    options = vars(parser.parse_args()) | {"settings": list(MAKERS), "readings": list(READINGS), "rows": ROWS}
    if options["smoke"]:
        options |= {"settings": ["4"], "readings": [PRINTED, "shift 3"], "rows": 60, "runs": 1, "jobs": 1}
    return argparse.Namespace(**options)


def main() -> None:
    """Run the readings."""
    options = read_options()
    page = write_page(run(options))
    print(page)
    if not options.smoke:
        (Path(__file__).parent / "readings.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
