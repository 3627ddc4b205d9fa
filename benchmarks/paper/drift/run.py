"""The simulation of section 7: a booster fitted before the covariates drift, corrected by rows from after the drift.

    python benchmarks/paper/drift/run.py [--runs 50] [--jobs -1] [--smoke]

Writes results.md and figure.png (as figure 9) beside this file; of fewer than 50 runs, and with ``--smoke``, under
build/. Fails if a number is missing.
"""

import argparse
import datetime as dt
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from lightgbm import Booster, LGBMRegressor
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from heedful import DriftCorrector
from heedful.datasets import Simulation, make_drift
from heedful.plot._axes import finish, fonts
from heedful.plot._style import CLUSTERS, INK, NEUTRAL, PALE

PROJECT = Path(__file__).resolve().parents[3]
RUNS = 50
# Rows and share of distribution B: to train and to test at time 1, at time 2, at time 3.
TRAIN, TEST, RECENT, LATER = (300, 0.10), (200, 0.10), (300, 0.90), (200, 0.95)
SIGMAS = {"sigma 36": 36.0, "sigma 6": 6.0}
BASELINE, REFIT, NONE = "Baseline", "Refit", "No adaptation"
PRINTED, TUNED = "Attention as printed", "Attention tuned"
METHODS = (BASELINE, REFIT, NONE, PRINTED, TUNED)
TEMPERATURES = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02)
RESAMPLES = 10_000


def measure(sigma: float, seed: int, n_trees: int) -> dict[tuple[str, Any], float]:
    """Return the squared test errors of one run by method and by temperature, and what was chosen."""
    rng = np.random.default_rng(seed)
    train = draw(TRAIN, sigma, rng)
    test, recent, later = (draw(part, sigma, rng, train.components) for part in (TEST, RECENT, LATER))
    with threadpool_limits(1):
        model, new = fit_booster(train, n_trees), fit_booster(recent, n_trees)
        tuned = DriftCorrector(model).fit(recent.X, recent.y)
        found: dict[tuple[str, Any], float] = {
            ("error", BASELINE): error(model, test),
            ("error", REFIT): error(new, later),
            ("error", NONE): error(model, later),
            ("error", TUNED): error(tuned, later),
            ("chosen", "temperature"): tuned.temperature_,
            ("chosen", "mixing"): tuned.mixing_,
        }
        for temperature in TEMPERATURES:
            fixed = DriftCorrector(model, temperature=temperature, mixing=1.0).fit(recent.X, recent.y)
            found["fixed", temperature] = error(fixed, later)
            found["n_eff", temperature] = float(fixed.attention(later.X).n_eff.mean())
            found["spread", temperature] = float(np.std(fixed.predict(later.X) - model.predict(later.X)))
    # temperature 1 and all of the correction is Algorithm 4 as printed
    return found | {("error", PRINTED): found["fixed", 1.0]}


def draw(part: tuple[int, float], sigma: float, rng: np.random.Generator, coef: Any = None) -> Simulation:
    """Return the rows of one time."""
    n_rows, share_b = part
    return make_drift(n_rows, share_b=share_b, sigma=sigma, coef=coef, random_state=rng)


def fit_booster(rows: Simulation, n_trees: int) -> Booster:
    """Return LightGBM with its default settings, which have 100 trees."""
    return LGBMRegressor(n_estimators=n_trees, verbose=-1, n_jobs=1).fit(rows.X, rows.y).booster_


def error(model: Any, rows: Simulation) -> float:
    """Return the mean squared error on rows."""
    return float(np.mean((rows.y - model.predict(rows.X)) ** 2))


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return one row per reading and run, one column per number measured."""
    jobs = [(title, seed) for title in SIGMAS for seed in range(options.runs)]
    work = (delayed(measure)(SIGMAS[title], seed, options.trees) for title, seed in jobs)
    done = list(tqdm(Parallel(options.jobs, return_as="generator")(work), total=len(jobs), unit="run"))
    found = pd.DataFrame(done, pd.MultiIndex.from_tuples(jobs, names=["reading", "seed"]))
    found.columns = pd.MultiIndex.from_tuples(found.columns)
    return found


def resample(values: pd.Series) -> np.ndarray:
    """Return the means of bootstrap samples; the samples of all series of one length are of the same runs."""
    runs = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    return values.to_numpy()[runs].mean(axis=1)


def format_mean(values: pd.Series) -> str:
    """Return a mean and its standard error."""
    return f"{values.mean():.1f} ({values.sem():.1f})"


def format_share(errors: pd.DataFrame, corrected: pd.Series) -> str:
    """Return the share of the loss from Refit to No adaptation that is recovered, in %, and its 95 % interval."""
    gain, loss = errors[NONE] - corrected, errors[NONE] - errors[REFIT]
    low, high = np.quantile(100 * resample(gain) / resample(loss), [0.025, 0.975])
    return f"{100 * gain.mean() / loss.mean():.0f} ({low:.0f} to {high:.0f})"


def tabulate(found: pd.DataFrame, what: str, rows: dict[str, Any], shares: tuple[Any, ...]) -> str:
    """Return a markdown table: test errors with standard errors by reading, and for some rows the share recovered."""
    head = " | ".join(f"{title}: test MSE | recovered, %" for title in SIGMAS)
    lines = [f"| | {head} |", "|---" * (2 * len(SIGMAS) + 1) + "|"]
    for name, column in rows.items():
        cells = []
        for title in SIGMAS:
            own = found.loc[title][what][column]
            share = format_share(found.loc[title]["error"], own) if column in shares else ""
            cells += [format_mean(own), share]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def tabulate_corrections(found: pd.DataFrame) -> str:
    """Return a markdown table: how many recent rows a correction is made of, and how much corrections differ."""
    head = " | ".join(f"{title}: effective rows | standard deviation" for title in SIGMAS)
    lines = [f"| | {head} |", "|---" * (2 * len(SIGMAS) + 1) + "|"]
    for temperature in TEMPERATURES:
        means = [found.loc[title][what][temperature].mean() for title in SIGMAS for what in ("n_eff", "spread")]
        lines.append(f"| temperature {temperature:g} | " + " | ".join(f"{value:.3g}" for value in means) + " |")
    return "\n".join(lines)


def read_figures(errors: pd.DataFrame, chosen: pd.DataFrame, fixed: pd.Series) -> list[str]:
    """Return what the figures of one reading say."""
    gains = ", ".join(f"{name} {format_mean(errors[NONE] - errors[name])}" for name in (REFIT, PRINTED, TUNED))
    no_loss = 100 * np.mean(resample(errors[NONE] - errors[REFIT]) <= 0)
    wins = ", ".join(f"{other} in {(errors[TUNED] < errors[other]).sum()}" for other in (NONE, REFIT, PRINTED))
    picks = ", ".join(
        f"{name} {values.median():.2g} ({values.min():.2g} to {values.max():.2g})" for name, values in chosen.items()
    )
    return [
        (
            f"Error of {NONE} less that of the same run, mean (standard error): {gains}. In {no_loss:.1f} % of the "
            f"bootstrap samples {REFIT} is no better than {NONE}, and there is no loss of which a share could be "
            "recovered."
        ),
        f"{TUNED} has a smaller error than {wins} of {len(errors)} runs.",
        f"What {TUNED} chose, median (range): {picks}.",
        f"Best fixed temperature: {fixed.idxmin():g}, mean error {fixed.min():.1f}; tuned {errors[TUNED].mean():.1f}.",
    ]


def write_page(found: pd.DataFrame) -> str:
    """Return the page: errors and what is recovered, what the figures say, and fixed temperatures."""
    n_runs = found.index.unique("seed").size
    packages = ", ".join(f"{name} {version(name)}" for name in ("heedful", "lightgbm"))
    about = (
        f"Mean squared test error (standard error) of {n_runs} runs, seeds from 0, and the share of the loss from "
        f"{REFIT} to {NONE} that is recovered: 100 ({NONE} - Attention) / ({NONE} - {REFIT}) of the mean errors, with "
        f"a 95 % bootstrap interval over runs. {dt.date.today()}, {packages}, Python {platform.python_version()}. This "
        "page is rewritten by `make drift`; the README explains methods and readings."
    )
    main = tabulate(found, "error", {name: name for name in METHODS}, (PRINTED, TUNED))
    fixed = tabulate(found, "fixed", {f"temperature {t:g}": t for t in TEMPERATURES}, TEMPERATURES)
    readings = []
    for title in SIGMAS:
        rows = found.loc[title]
        sentences = read_figures(rows["error"], rows["chosen"], rows["fixed"].mean())
        readings.append(f"{title}:\n\n" + "\n".join(f"- {sentence}" for sentence in sentences))
    again = (
        f"## Fixed temperatures\n\nAll of the correction is applied (`mixing=1`).\n\n{fixed}\n\nEffective number of "
        "recent rows behind a correction, and standard deviation of the corrections over the queries of a run; means "
        f"over runs:\n\n{tabulate_corrections(found)}"
    )
    return "\n\n".join(["# Attention for drift", about, main, *readings, again]) + "\n"


def draw_figure(found: pd.DataFrame, path: Path) -> None:
    """Draw the errors of all runs as boxes, one panel per reading; a line marks the median of Refit."""
    figure, axes = plt.subplots(1, len(SIGMAS), figsize=(9, 3.8), layout="constrained")
    names = [name.replace(" ", "\n", 1) for name in METHODS]
    line, hues = {"color": INK, "linewidth": 0.8}, (PALE, PALE, PALE, CLUSTERS[1], CLUSTERS[5])
    for ax, title in zip(axes, SIGMAS, strict=True):
        errors = found.loc[title]["error"]
        ax.axhline(errors[REFIT].median(), color=NEUTRAL, linestyle="--", linewidth=1.0, zorder=0)
        boxes = ax.boxplot(
            errors[list(METHODS)].to_numpy(),
            tick_labels=names,
            widths=0.6,
            patch_artist=True,
            flierprops={"marker": ".", "markersize": 4, "markeredgecolor": NEUTRAL},
            medianprops=line | {"linewidth": 1.6},
            whiskerprops=line,
            capprops=line,
            boxprops={"edgecolor": INK, "linewidth": 0.8},
        )
        for box, hue in zip(boxes["boxes"], hues, strict=True):
            box.set_facecolor(hue)
        finish(ax, "", "test MSE")
        ax.set_title(f"{title} (dashed: median of {REFIT})", fontsize=fonts().label, color=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def read_options() -> argparse.Namespace:
    """Return the options, and where results go; a smoke run is short and has few trees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--jobs", type=int, default=-1, help="runs at a time, each on one core")
    parser.add_argument("--smoke", action="store_true", help="two runs with few trees, to see that it works")
    options = vars(parser.parse_args()) | {"trees": 100}
    if options["smoke"]:
        options |= {"runs": 2, "jobs": 1, "trees": 10}
    beside = Path(__file__).parent if options["runs"] >= RUNS else PROJECT / "build" / "drift"
    return argparse.Namespace(**options, folder=beside)


def main() -> None:
    """Run the study."""
    options = read_options()
    plt.switch_backend("Agg")
    found = run(options)
    text = write_page(found)
    if found.isna().any(axis=None) or re.search(r"\b(nan|inf)\b", text):
        raise SystemExit(f"A number is missing:\n\n{text}")
    print(text.split("\n## ")[0] if options.smoke else text)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "results.md").write_text(text, encoding="utf-8")
    draw_figure(found, options.folder / "figure.png")


if __name__ == "__main__":
    main()
