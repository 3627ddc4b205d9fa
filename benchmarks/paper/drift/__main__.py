"""The simulation of section 8: a booster fitted before the covariates drift, corrected by rows from after the drift.

    python -m benchmarks.paper.drift [--runs 50] [--jobs -1] [--fresh] [--smoke]

Writes results.md and figure.png (as figure 9) beside this file; of fewer than 50 runs, and with ``--smoke``, under
build/. Each run is kept in splits.jsonl, so an interrupted one goes on where it stopped.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lightgbm import Booster, LGBMRegressor

from benchmarks import pages, study
from benchmarks.paper.drift.simulation import make_drift
from heedful import DriftCorrector
from heedful.datasets import Simulation
from heedful.plot._axes import finish, font_size
from heedful.plot._style import CLUSTERS, INK, NEUTRAL, PALE

RUNS = 50
# Rows and share of distribution B: to train and to test at time 1, at time 2, at time 3.
TRAIN, TEST, RECENT, LATER = (300, 0.10), (200, 0.10), (300, 0.90), (200, 0.95)
SIGMAS = {"sigma 36": 36.0, "sigma 6": 6.0}
BASELINE, REFIT, EVERY, NONE = "Baseline", "Refit", "Refit on all rows", "No adaptation"
PRINTED, LEAVES, DEFAULT = "Attention as printed", "Own leaves tuned", "Leaves and forest"
METHODS = (BASELINE, REFIT, EVERY, NONE, PRINTED, LEAVES, DEFAULT)
TEMPERATURES = {f"temperature {value:g}": value for value in (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02)}
RESAMPLES = 10_000


def one_run(sigma: float, n_trees: int, seed: int) -> study.Scores:
    """Return the squared test errors of one run by method and by temperature, and what was chosen."""
    rng = np.random.default_rng(seed)
    train = draw(TRAIN, sigma, rng)
    test, recent, later = (draw(part, sigma, rng, train.components) for part in (TEST, RECENT, LATER))
    model, new, every = (fit_booster(parts, n_trees) for parts in ([train], [recent], [train, recent]))
    leaves = DriftCorrector(model, similarity="leaves", random_state=0).fit(recent.X, recent.y)
    default = DriftCorrector(model, random_state=0).fit(recent.X, recent.y)
    fixed = {title: follow(model, temperature, recent, later) for title, temperature in TEMPERATURES.items()}
    errors = {
        BASELINE: error(model, test),
        REFIT: error(new, later),
        EVERY: error(every, later),
        NONE: error(model, later),
        LEAVES: error(leaves, later),
        DEFAULT: error(default, later),
        # temperature 1 and all of the correction is Algorithm 4 as printed
        PRINTED: fixed["temperature 1"]["fixed"],
    }
    by_leaves = default.heads_["similarity"] == "leaves"
    picks = {
        "temperature of own leaves": leaves.temperature_,
        "mixing of own leaves": leaves.mixing_,
        "mixing by default": default.mixing_,
        "share of leaves in it": float(default.heads_["share"][by_leaves].sum()),
    }
    chosen = {name: {"chosen": value} for name, value in picks.items()}
    return {name: {"error": value} for name, value in errors.items()} | chosen | fixed


def follow(model: Booster, temperature: float, recent: Simulation, later: Simulation) -> dict[str, float]:
    """Return the error, effective rows and spread of all of the correction at one temperature."""
    how = {"similarity": "leaves", "temperature": temperature, "mixing": 1.0, "random_state": 0}
    fixed = DriftCorrector(model, **how).fit(recent.X, recent.y)
    return {
        "fixed": error(fixed, later),
        "n_eff": float(fixed.attention(later.X).n_eff.mean()),
        "spread": float(np.std(fixed.predict(later.X) - model.predict(later.X))),
    }


def draw(part: tuple[int, float], sigma: float, rng: np.random.Generator, coef: Any = None) -> Simulation:
    """Return the rows of one time."""
    n_rows, share_b = part
    return make_drift(n_rows, share_b=share_b, sigma=sigma, coef=coef, random_state=rng)


def fit_booster(parts: list[Simulation], n_trees: int) -> Booster:
    """Return LightGBM with its default settings, which have 100 trees."""
    X, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y"))
    return LGBMRegressor(n_estimators=n_trees, verbose=-1, n_jobs=1).fit(X, y).booster_


def error(model: Any, rows: Simulation) -> float:
    """Return the mean squared error on rows."""
    return float(np.mean((rows.y - model.predict(rows.X)) ** 2))


STUDY = study.Study(Path(__file__).parent, one_run, ("heedful", "lightgbm"))


def resample(values: pd.Series) -> np.ndarray:
    """Return the means of bootstrap samples; the samples of all series of one length are of the same runs."""
    runs = np.random.default_rng(0).integers(len(values), size=(RESAMPLES, len(values)))
    return values.to_numpy()[runs].mean(axis=1)


def format_share(errors: pd.DataFrame, corrected: pd.Series) -> str:
    """Return the share of the loss from Refit to No adaptation that is recovered, in %, and its 95 % interval."""
    gain, loss = errors[NONE] - corrected, errors[NONE] - errors[REFIT]
    low, high = np.quantile(100 * resample(gain) / resample(loss), [0.025, 0.975])
    return f"{100 * gain.mean() / loss.mean():.0f} ({low:.0f} to {high:.0f})"


def tabulate(found: pd.DataFrame, what: str, names: Iterable[str], shares: Collection[str]) -> str:
    """Return a markdown table: test errors with standard errors by reading, and for some rows the share recovered."""
    rows = []
    for name in names:
        cells = []
        for title in SIGMAS:
            own = found.loc[title][what][name]
            share = format_share(found.loc[title]["error"], own) if name in shares else ""
            cells += [pages.format_mean(own), share]
        rows.append([name, *cells])
    head = [f"{title}: {part}" for title in SIGMAS for part in ("test MSE", "recovered, %")]
    return pages.draw_table(["", *head], rows)


def tabulate_corrections(found: pd.DataFrame) -> str:
    """Return a markdown table: how many recent rows a correction is made of, and how much corrections differ."""
    parts = {"n_eff": "effective rows", "spread": "standard deviation"}
    rows = [
        [name, *(f"{found.loc[title][what][name].mean():.3g}" for title in SIGMAS for what in parts)]
        for name in TEMPERATURES
    ]
    return pages.draw_table(["", *(f"{title}: {part}" for title in SIGMAS for part in parts.values())], rows)


def read_figures(errors: pd.DataFrame, chosen: pd.DataFrame, fixed: pd.Series) -> list[str]:
    """Return what the figures of one reading say."""
    others = (REFIT, EVERY, PRINTED, LEAVES)
    gains = ", ".join(f"{name} {pages.format_mean(errors[NONE] - errors[name])}" for name in (*others, DEFAULT))
    no_loss = 100 * np.mean(resample(errors[NONE] - errors[REFIT]) <= 0)
    wins = ", ".join(f"{other} in {(errors[DEFAULT] < errors[other]).sum()}" for other in (NONE, *others))
    ahead = pages.format_mean(errors[DEFAULT] - errors[EVERY], sign="+")
    picks = ", ".join(
        f"{name} {values.median():.2g} ({values.min():.2g} to {values.max():.2g})" for name, values in chosen.items()
    )
    return [
        (
            f"Error of {NONE} less that of the same run, mean (standard error): {gains}. In {no_loss:.1f} % of the "
            f"bootstrap samples {REFIT} is no better than {NONE}, and there is no loss of which a share could be "
            "recovered."
        ),
        f"{DEFAULT}, the default, has a smaller error than {wins} of {len(errors)} runs.",
        f"Its error less that of {EVERY} in the same run: {ahead}.",
        f"What was chosen, median (range): {picks}.",
        f"Own leaves: best fixed {fixed.idxmin()}, mean error {fixed.min():.1f}; tuned {errors[LEAVES].mean():.1f}.",
    ]


def write_page(found: pd.DataFrame) -> str:
    """Return the page: errors and what is recovered, what the figures say, and fixed temperatures."""
    n_runs = found.index.unique("seed").size
    about = (
        f"Mean squared test error (standard error) of {n_runs} runs, seeds from 0, and the share of the loss from "
        f"{REFIT} to {NONE} that is recovered: 100 ({NONE} - method) / ({NONE} - {REFIT}) of the mean errors, with "
        f"a 95 % bootstrap interval over runs. {pages.stamp(*STUDY.packages)}. This page is rewritten by `make drift`; "
        "the README explains methods and readings."
    )
    main = tabulate(found, "error", METHODS, (EVERY, PRINTED, LEAVES, DEFAULT))
    fixed = tabulate(found, "fixed", TEMPERATURES, TEMPERATURES)
    readings = []
    for title in SIGMAS:
        rows = found.loc[title]
        sentences = read_figures(rows["error"], rows["chosen"], rows["fixed"].mean())
        readings.append(f"{title}:\n\n{pages.bullets(sentences)}")
    again = (
        f"## Fixed temperatures\n\nOwn leaves, all of the correction is applied (`mixing=1`).\n\n{fixed}\n\nEffective "
        "number of recent rows behind a correction, and standard deviation of the corrections over the queries of a "
        f"run; means over runs:\n\n{tabulate_corrections(found)}"
    )
    return pages.join("Attention for drift", about, main, *readings, again)


def draw_figure(found: pd.DataFrame, path: Path) -> None:
    """Draw the errors of all runs as boxes, one panel per reading; a line marks the median of Refit."""
    figure, axes = plt.subplots(1, len(SIGMAS), figsize=(12, 3.8), layout="constrained")
    names = [name.replace(" ", "\n") for name in METHODS]
    line, hues = {"color": INK, "linewidth": 0.8}, (*4 * [PALE], CLUSTERS[1], CLUSTERS[5], CLUSTERS[0])
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
        ax.set_title(f"{title} (dashed: median of {REFIT})", fontsize=font_size(), color=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, trees=(100, 10))
    plt.switch_backend("Agg")
    # a reading stands where other studies have a table
    found = study.run(STUDY, {title: (sigma, options.trees) for title, sigma in SIGMAS.items()}, options)
    folder = study.publish(STUDY.home, options, write_page(found))
    draw_figure(found, folder / "figure.png")


if __name__ == "__main__":
    main()
