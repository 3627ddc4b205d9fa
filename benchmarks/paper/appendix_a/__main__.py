"""Appendix A of the paper: attention-weighted against plain linear models of two mixed groups, and what theory says.

    python -m benchmarks.paper.appendix_a [--runs 10] [--jobs -1] [--fresh] [--smoke]

Writes results.md and ratio.png beside this file; of fewer than ten runs, and with ``--smoke``, under build/. Each
simulation is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from benchmarks import pages, study
from heedful import local_lasso
from heedful.attention import attend
from heedful.datasets import Simulation, make_mixture
from heedful.plot._axes import finish, font_size
from heedful.plot._style import INK, NEUTRAL, series_colour
from heedful.similarity import RidgeSimilarity

SIZES, TEMPERATURES = [250, 1000, 4000, 16000], [16.0, 8.0, 4.0, 2.0, 1.0, 0.5]
COLUMNS, SEPARATION, QUERIES = 10, 3.0, 300
MEASURED, EVEN, THEORY, POINTWISE = "measured", "even in groups", "(W_2 / pi_2)^2", "point by point"
SECOND, ROWS = "W_2", "effective rows"
ERRORS = [MEASURED, EVEN, THEORY, POINTWISE, SECOND, ROWS]
BIAS, EVEN_BIAS, SHARE, DISTANCE = "bias", "bias, even in groups", "W_2 / pi_2", "distance"
COEFFICIENTS = [BIAS, EVEN_BIAS, SHARE, DISTANCE]


def one_run(n: int, temperatures: list[float], seed: int) -> study.Scores:
    """Return for each temperature measured ratios of errors and of bias, those of the theory, and rows attended to."""
    how = {"p": COLUMNS, "separation": SEPARATION}
    train = make_mixture(n, **how, random_state=seed)
    # seeds of new rows must not be those of training rows
    test = make_mixture(2 * QUERIES, **how, coef=train.components, random_state=10_000 + seed)
    own = test.latent == 0
    queries, truth = test.X[own], test.signal[own]
    groups = np.eye(2)[train.latent]
    sizes = groups.mean(axis=0)
    # what a row of the first group is off by, if its model were that of the second
    gap = (queries @ (train.components[1] - train.components[0])) ** 2
    plain = fit_lassos(train, np.ones((1, n)), queries, truth)
    scores = RidgeSimilarity().fit(train.X, train.y).scores(queries)
    found = {}
    for temperature in temperatures:
        attention = attend(scores, temperature)
        share = (attention @ groups) / sizes
        local, even = (fit_lassos(train, weights, queries, truth) for weights in (attention, share @ groups.T))
        found[f"{temperature:g}"] = {
            MEASURED: local.error / plain.error,
            EVEN: even.error / plain.error,
            THEORY: float(share[:, 1].mean() ** 2),
            POINTWISE: float(np.average(share[:, 1] ** 2, weights=gap)),
            SECOND: float(share[:, 1].mean() * sizes[1]),
            ROWS: float(np.median(attention.n_eff)),
            BIAS: local.bias / plain.bias,
            EVEN_BIAS: even.bias / plain.bias,
            SHARE: float(share[:, 1].mean()),
            DISTANCE: local.distance / plain.distance,
        }
    return found


class Off(NamedTuple):
    """How far weighted lassos are off the first group's truth.

    The mean squared error of predictions; the length of the mean of what their coefficients are off by, in which noise
    of single queries cancels; and the mean length of it, in which it does not.
    """

    error: float
    bias: float
    distance: float


def fit_lassos(train: Simulation, weights: Any, queries: np.ndarray, truth: np.ndarray) -> Off:
    """Return how far lassos are off, one per row of weights; the penalty shrinks as in the theorem."""
    alpha = np.sqrt(np.log(COLUMNS) / train.y.size)
    fits = local_lasso(train.X, train.y, weights, alpha=alpha, n_jobs=1)
    error = np.mean((fits.intercept_ + (fits.coef_ * queries).sum(axis=1) - truth) ** 2)
    off = fits.coef_ - train.components[0]
    return Off(float(error), float(np.linalg.norm(off.mean(axis=0))), float(np.linalg.norm(off, axis=1).mean()))


STUDY = study.Study(Path(__file__).parent, one_run, ("heedful",))


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return the means over simulations: one row per number of rows and temperature."""
    # a number of rows stands where other studies have a table
    tables = {str(n): (n, options.temperatures) for n in options.sizes[::-1]}
    means = study.run(STUDY, tables, options).groupby("table").mean()
    rows = {
        (n, t): {kind: means.loc[str(n), (kind, f"{t:g}")] for kind in ERRORS + COEFFICIENTS}
        for n in options.sizes
        for t in sorted(options.temperatures)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["n", "temperature"])


def tabulate(ratios: pd.DataFrame) -> str:
    """Return a markdown table of all rows and temperatures, the highest temperature first."""
    rows = []
    for (n, temperature), row in ratios.sort_index(ascending=[True, False]).iterrows():
        rows.append([str(n), f"{temperature:g}", *(f"{row[name]:.{0 if name == ROWS else 3}f}" for name in ratios)])
    return pages.draw_table(["rows", "temperature", *ratios], rows)


def read_figures(ratios: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    n = ratios.index.unique("n")[-1]
    most = ratios.loc[n].sort_index(ascending=False)
    span = f"With {n} rows, from temperature {most.index[0]:g} to {most.index[-1]:g}"
    said = []
    for first, second in [
        (MEASURED, THEORY),
        (MEASURED, POINTWISE),
        (EVEN, POINTWISE),
        (BIAS, SHARE),
        (EVEN_BIAS, SHARE),
    ]:
        per_cent = ", ".join(f"{100 * ratio:+.0f}" for ratio in most[first] / most[second] - 1)
        said.append(f"{span}, {first} is off {second} by (per cent) {per_cent}.")
    parts = ratios[MEASURED].groupby("n")
    lowest = "; ".join(f"{part.min():.2f} at {part.idxmin()[1]:g} with {size} rows" for size, part in parts)
    better, less, nearer = ((ratios[name] < 1).sum() for name in (MEASURED, BIAS, DISTANCE))
    return [
        f"Attention is better than the plain model (ratio below 1) in {better} of {len(ratios)} cases.",
        *said,
        f"The smallest measured ratio and its temperature: {lowest}.",
        f"Coefficients have less bias than the lasso's in {less} of {len(ratios)} cases, less distance in {nearer}.",
    ]


def draw_ratios(ratios: pd.DataFrame, path: Path) -> None:
    """Draw the measured ratio by temperature, one line per number of rows, and the theory's at the largest."""
    figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    sizes = ratios.index.unique("n")
    for number, n in enumerate(sizes):
        part = ratios.loc[n, MEASURED]
        ax.plot(part.index, part, marker="o", markersize=3, color=series_colour(number), label=f"measured, {n} rows")
    part = ratios.loc[sizes[-1]]
    ax.plot(
        part.index, part[EVEN], marker="x", markersize=4, linestyle="", color=INK, label=f"{EVEN}, {sizes[-1]} rows"
    )
    for style, name in {"--": THEORY, ":": POINTWISE}.items():
        ax.plot(part.index, part[name], linestyle=style, color=NEUTRAL, label=f"theory, {name}")
    ax.set(xscale="log", yscale="log")
    ax.set_xticks(TEMPERATURES, [f"{value:g}" for value in TEMPERATURES])
    ax.minorticks_off()
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    ax.set_yticks(ticks, [f"{value:g}" for value in ticks])
    finish(ax, "temperature", "error of attention / error of one linear model")
    ax.legend(fontsize=font_size(), frameon=False, labelcolor=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write_page(ratios: pd.DataFrame, n_runs: int) -> str:
    """Return the page: ratios by rows and temperature, and what they say."""
    about = (
        "Mean squared error of attention-weighted lassos divided by that of one lasso, both against the truth without "
        f"noise, for queries of the first of two groups; mean of {n_runs} simulations of `make_mixture` with "
        f"{COLUMNS} columns. {pages.stamp(*STUDY.packages)}. This page is rewritten by `make appendix_a`; the "
        "README explains the columns."
    )
    coefficients = "Coefficients: how far they are off those of the first group, divided by how far the lasso's are."
    tables = [tabulate(ratios[ERRORS]), coefficients, tabulate(ratios[COEFFICIENTS])]
    return pages.join("Appendix A: two linear models", about, *tables, pages.bullets(read_figures(ratios)))


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, 10, sizes=(SIZES, [200, 400]), temperatures=(TEMPERATURES, [4.0, 1.0]))
    plt.switch_backend("Agg")
    ratios = run(options)
    folder = study.publish(STUDY.home, options, write_page(ratios, options.runs))
    draw_ratios(ratios, folder / "ratio.png")


if __name__ == "__main__":
    main()
