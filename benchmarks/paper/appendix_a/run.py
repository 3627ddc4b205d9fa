"""Appendix A of the paper: attention-weighted against plain linear models of two mixed groups, and what theory says.

    python benchmarks/paper/appendix_a/run.py [--runs 10] [--jobs -1] [--smoke]

Writes results.md and ratio.png beside this file; with ``--smoke`` it prints a small table and writes nothing.
"""

import argparse
import datetime as dt
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from heedful import local_lasso
from heedful.attention import attend
from heedful.datasets import make_mixture
from heedful.plot._axes import finish, fonts
from heedful.plot._style import INK, NEUTRAL, series_colour
from heedful.similarity import RidgeSimilarity

SIZES, TEMPERATURES = [250, 1000, 4000, 16000], [16.0, 8.0, 4.0, 2.0, 1.0, 0.5]
COLUMNS, SEPARATION, QUERIES = 10, 3.0, 300
MEASURED, EVEN, THEORY, POINTWISE = "measured", "even in groups", "(W_2 / pi_2)^2", "point by point"


def measure(n: int, temperatures: list[float], seed: int) -> list[dict[str, float]]:
    """Return one row per temperature: the measured ratio of errors, that of the theory, and rows attended to."""
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
    with threadpool_limits(1):
        plain = squared_error(train, np.ones((1, n)), queries, truth)
        scores = RidgeSimilarity().fit(train.X, train.y).scores(queries)
        rows = []
        for temperature in temperatures:
            attention = attend(scores, temperature)
            share = (attention @ groups) / sizes
            errors = [squared_error(train, weights, queries, truth) for weights in (attention, share @ groups.T)]
            row = dict(zip((MEASURED, EVEN), np.array(errors) / plain, strict=True))
            row |= {THEORY: share[:, 1].mean() ** 2, POINTWISE: np.average(share[:, 1] ** 2, weights=gap)}
            rows.append(row | {"W_2": share[:, 1].mean() * sizes[1], "effective rows": np.median(attention.n_eff)})
    return rows


def squared_error(train, weights, queries: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean squared distance of weighted lassos from the truth; the penalty shrinks as in the theorem."""
    alpha = np.sqrt(np.log(COLUMNS) / train.y.size)
    fits = local_lasso(train.X, train.y, weights, alpha=alpha, n_jobs=1)
    return float(np.mean((fits.intercept_ + (fits.coef_ * queries).sum(axis=1) - truth) ** 2))


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return the means over simulations: one row per number of rows and temperature."""
    jobs = [(n, seed) for n in options.sizes[::-1] for seed in range(options.runs)]
    work = (delayed(measure)(n, options.temperatures, seed) for n, seed in jobs)
    done = tqdm(Parallel(options.jobs, return_as="generator")(work), total=len(jobs), unit="simulation")
    parts = {
        (n, seed): pd.DataFrame(rows, pd.Index(options.temperatures, name="temperature"))
        for (n, seed), rows in zip(jobs, done, strict=True)
    }
    return pd.concat(parts, names=["n", "seed"]).groupby(["n", "temperature"]).mean()


def tabulate(ratios: pd.DataFrame) -> str:
    """Return a markdown table of all rows and temperatures, the highest temperature first."""
    lines = ["| rows | temperature | " + " | ".join(ratios) + " |", "|---" * (ratios.shape[1] + 2) + "|"]
    for (n, temperature), row in ratios.sort_index(ascending=[True, False]).iterrows():
        cells = [f"{value:.3f}" for value in row.drop("effective rows")] + [f"{row['effective rows']:.0f}"]
        lines.append(f"| {n} | {temperature:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def read_figures(ratios: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    n = ratios.index.unique("n")[-1]
    most = ratios.loc[n].sort_index(ascending=False)
    span = f"With {n} rows, from temperature {most.index[0]:g} to {most.index[-1]:g}"
    said = []
    for first, second in [(MEASURED, THEORY), (MEASURED, POINTWISE), (EVEN, POINTWISE)]:
        per_cent = ", ".join(f"{100 * ratio:+.0f}" for ratio in most[first] / most[second] - 1)
        said.append(f"{span}, {first} is off {second} by (per cent) {per_cent}.")
    parts = ratios[MEASURED].groupby("n")
    lowest = "; ".join(f"{part.min():.2f} at {part.idxmin()[1]:g} with {size} rows" for size, part in parts)
    better = (ratios[MEASURED] < 1).sum()
    return [
        f"Attention is better than the plain model (ratio below 1) in {better} of {len(ratios)} cases.",
        *said,
        f"The smallest measured ratio and its temperature: {lowest}.",
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
    ax.legend(fontsize=fonts().tick, frameon=False, labelcolor=INK)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write_page(ratios: pd.DataFrame, n_runs: int) -> str:
    """Return the page: ratios by rows and temperature, and what they say."""
    about = (
        "Mean squared error of attention-weighted lassos divided by that of one lasso, both against the truth without "
        f"noise, for queries of the first of two groups; mean of {n_runs} simulations of `make_mixture` with "
        f"{COLUMNS} columns. {dt.date.today()}. This page is rewritten by `make appendix_a`; the README explains the "
        "columns."
    )
    reading = "\n".join(f"- {sentence}" for sentence in read_figures(ratios))
    return "\n\n".join(["# Appendix A: two linear models", about, tabulate(ratios), reading]) + "\n"


def read_options() -> argparse.Namespace:
    """Return the options; a smoke run has few rows and two temperatures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", "--splits", type=int, default=10, help="simulations of each number of rows")
    parser.add_argument("--jobs", type=int, default=-1, help="simulations at a time, each on one core")
    parser.add_argument("--smoke", action="store_true", help="few rows and two temperatures, to see that it runs")
    options = vars(parser.parse_args()) | {"sizes": SIZES, "temperatures": TEMPERATURES}
    if options["smoke"]:
        options |= {"sizes": [200, 400], "temperatures": [4.0, 1.0], "runs": 1, "jobs": 1}
    return argparse.Namespace(**options)


def main() -> None:
    """Run the study."""
    options = read_options()
    plt.switch_backend("Agg")
    ratios = run(options)
    page = write_page(ratios, options.runs)
    print(page)
    if not options.smoke:
        (Path(__file__).parent / "results.md").write_text(page, encoding="utf-8")
        draw_ratios(ratios, Path(__file__).parent / "ratio.png")


if __name__ == "__main__":
    main()
