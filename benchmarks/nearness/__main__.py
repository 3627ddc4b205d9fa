"""A kernel of nearness in time or space: where relations move, where they do not, on hours and on US consumption.

    python -m benchmarks.nearness [--data DIR] [--runs 10] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of fewer than ten draws, and with ``--smoke``, under build/. Each draw is kept in
splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

from benchmarks import pages, study
from benchmarks.nearness.simulations import HOURS, make_hourly, make_moving
from benchmarks.tables import data_folder, load_series
from heedful import AttentionLasso
from heedful.context import lag_features
from heedful.similarity import NearSimilarity

RUNS, HORIZON, LAGS = 10, 7, 10
LASSO, BLIND, PLAIN, NEAR = "lasso", "attention, place not seen", "attention", "attention with the kernel"
# Bars: per cent that the kernel must take off, and may add, against attention without it.
GAIN, COST = 10.0, 1.0
FRACTIONS = (0.5, 0.6, 0.7, 0.8, 0.9)


class Task(NamedTuple):
    """Rows to learn from and to predict, the columns that say when or where, and the folds to tune by.

    ``model`` are the columns that models use, None for all.
    """

    train: tuple[pd.DataFrame, np.ndarray]
    test: tuple[pd.DataFrame, np.ndarray]
    places: list[str]
    cv: Any = "oob"
    model: list[str] | None = None


def moving(over: str, turns: float, forward: bool, n: int, seed: int) -> Task:
    """Return rows whose coefficients turn; forward, the last ones are predicted, else some at random."""
    sim = make_moving(n, over=over, turns=turns, random_state=seed)
    places = ["time"] if over == "time" else ["east", "north"]
    frame = pd.DataFrame(sim.X, columns=[*places, *(f"x{j + 1}" for j in range(sim.X.shape[1] - len(places)))])
    order = np.arange(n) if forward else np.random.default_rng(seed).permutation(n)
    first = np.sort(order[: (9 if forward else 7) * n // 10])
    rest = np.setdiff1d(order, first)
    parts = [(frame.iloc[rows], sim.y[rows]) for rows in (first, rest)]
    return Task(*parts, places, TimeSeriesSplit(4) if forward else "oob")


def gaps(n: int, seed: int) -> Task:
    """Return hours of a year: some of the first 19 days of each month, to predict some of the others."""
    sim = make_hourly(365, start="2023-01-01", random_state=seed)
    first = (sim.X["time"].dt.day < 20).to_numpy()
    drawn = np.random.default_rng(seed)
    parts = [np.sort(drawn.choice(np.flatnonzero(part), n, replace=False)) for part in (first, ~first)]
    return Task(*((sim.X.iloc[rows], np.log1p(sim.y[rows])) for rows in parts), ["time"])


def forecast(n_days: int, seed: int) -> Task:
    """Return hours of some weeks from February on, to predict those of the week after."""
    train, test = make_hourly(n_days + HORIZON, start="2024-02-01", random_state=seed).split(HOURS * n_days)
    return Task(*((part.X, np.log1p(part.y)) for part in (train, test)), ["time"], TimeSeriesSplit(4))


def consumption(folder: Path, seed: int) -> Task:
    """Return quarters with their lags, cut at one of the paper's fractions; models use those of the quarter itself."""
    frame = load_series(folder)
    rows = lag_features(frame, list(frame), LAGS)
    y, rows = rows[frame.columns[-1]].to_numpy(), rows.drop(columns=frame.columns[-1]).assign(quarter=range(len(rows)))
    n_train = int(FRACTIONS[seed % len(FRACTIONS)] * len(rows))
    now = list(frame.columns[:-1])
    parts = [(rows.iloc[part], y[part]) for part in (slice(n_train), slice(n_train, None))]
    return Task(*parts, ["quarter"], TimeSeriesSplit(4), now)


def one_draw(make: Callable[..., Task], arguments: tuple, seed: int) -> study.Scores:
    """Return the errors of all methods and the CPU seconds of each."""
    task = make(*arguments, seed)
    names = list(task.train[0])
    unseen = [name for name in names if name not in task.places]
    ways = {
        BLIND: {"similarity": "forest", "features": {"similarity": unseen, "model": task.model or unseen}},
        PLAIN: {"similarity": "forest", "features": {"similarity": names, "model": task.model or names}},
    }
    ways[NEAR] = ways[PLAIN] | {"similarity": NearSimilarity("forest", task.places)}
    found: study.Scores = {}
    for name, how in ways.items():
        start = process_time()
        model = AttentionLasso(cv=task.cv, random_state=seed, **how).fit(*task.train)
        error = np.mean((task.test[1] - model.predict(task.test[0])) ** 2)
        found[name] = {"error": float(error), "seconds": process_time() - start}
    start = process_time()
    lasso = AttentionLasso(cv=task.cv, mixing=0.0, random_state=seed, features=ways[PLAIN]["features"])
    error = np.mean((task.test[1] - lasso.fit(*task.train).predict(task.test[0])) ** 2)
    return found | {LASSO: {"error": float(error), "seconds": process_time() - start}}


STUDY = study.Study(Path(__file__).parent, one_draw, ("heedful",))
DRIFT, STILL = "coefficients turn over time", "nothing turns over time"
AHEAD, STILL_AHEAD = "coefficients turn, the last tenth predicted", "nothing turns, the last tenth predicted"
PLACE, STILL_PLACE = "coefficients turn over a map", "nothing turns over a map"
GAPS, NEXT, QUARTERS = "hours, days of a year missing", "hours, the next week", "US consumption"
MOVED, UNMOVED = (DRIFT, AHEAD, PLACE, GAPS), (STILL, STILL_AHEAD, STILL_PLACE)


def make_tables(options: argparse.Namespace) -> dict[str, study.Table]:
    """Return what draws each case."""
    n, hours, days = options.rows, options.hours, options.days
    tables: dict[str, study.Table] = {
        DRIFT: (moving, ("time", 1.0, False, n)),
        STILL: (moving, ("time", 0.0, False, n)),
        AHEAD: (moving, ("time", 1.0, True, n)),
        STILL_AHEAD: (moving, ("time", 0.0, True, n)),
        PLACE: (moving, ("place", 1.0, False, n)),
        STILL_PLACE: (moving, ("place", 0.0, False, n)),
        GAPS: (gaps, (hours,)),
        NEXT: (forecast, (days,)),
    }
    return tables if options.smoke else tables | {QUARTERS: (consumption, (data_folder(options.data),))}


def relate(results: pd.DataFrame, other: str) -> pd.Series:
    """Return by how many per cent the kernel's mean error is above that of another method, case by case."""
    means = results["error"].groupby("table").mean()
    return 100 * (means[NEAR] / means[other] - 1)


def read_figures(results: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    plain, lasso = relate(results, PLAIN), relate(results, LASSO)
    sentences = []
    for title in MOVED:
        kept = "met" if plain[title] <= -GAIN and lasso[title] < 0 else "missed"
        sentences.append(
            f"{title}: with the kernel the mean error is {plain[title]:+.1f} % against attention without it and "
            f"{lasso[title]:+.1f} % against the lasso; the bar of {-GAIN:g} % and below the lasso is {kept}."
        )
    for title in UNMOVED:
        kept = "met" if plain[title] <= COST else "missed"
        sentences.append(f"{title}: {plain[title]:+.2f} %; the bar of at most {COST:+g} % is {kept}.")
    others = [title for title in (NEXT, QUARTERS) if title in plain.index]
    tell = [
        f"{title} {plain[title]:+.1f} % against attention, {lasso[title]:+.1f} % against the lasso" for title in others
    ]
    return [*sentences, f"Without a bar: {'; '.join(tell)}."]


def write_page(results: pd.DataFrame) -> str:
    """Return the page: errors by case and method, what they say, and what they cost."""
    n_draws, seconds = results.index.unique("seed").size, results["seconds"].groupby("table").mean()
    about = (
        f"Mean squared errors, mean (standard error) of {n_draws} draws, seeds from 0; of hours the logarithm of one "
        "plus the count. US consumption is one series cut at five fractions, twice each. "
        f"{pages.stamp(*STUDY.packages)}. This page is rewritten by `make nearness`; the README explains the cases."
    )
    order = [LASSO, BLIND, PLAIN, NEAR]
    errors = study.summarise(results["error"][order], "case", 3)
    ratio = float((seconds[NEAR] / seconds[PLAIN]).mean())
    costs = f"Fitting and predicting with the kernel took {ratio:.1f} times the CPU seconds of attention without it."
    return pages.join("Nearness in time and space", about, errors, pages.bullets([*read_figures(results), costs]))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--data", help="folder that holds uci/us_change.csv and uci/manifest.json")


def main() -> None:
    """Run the study."""
    sizes = {"rows": (500, 80), "hours": (1500, 100), "days": (60, 5)}
    options = study.read_options(__doc__, RUNS, add=add_options, **sizes)
    study.publish(STUDY.home, options, write_page(study.run(STUDY, make_tables(options), options)))


if __name__ == "__main__":
    main()
