"""Whether nine of ten new responses lie in their intervals, in every part of the table.

    python -m benchmarks.intervals [--simulations 3 4] [--runs 20] [--jobs -1] [--fresh] [--smoke]

Writes results.md and figure.png beside this file; of some simulations or fewer than 20 draws, and with ``--smoke``,
under build/. Each draw is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.simulations import make_continuous, make_soft_clusters
from heedful import AttentionLasso
from heedful._flow.kinds import Run
from heedful.datasets import make_subgroups
from heedful.plot._axes import finish, font_size
from heedful.plot._style import CLUSTERS, NEUTRAL

RUNS, ROWS, NOISE_ROWS, NEW_ROWS, COVERAGE = 20, 300, 500, 1000, 0.9
LOCAL, PLAIN, QUANTILES = "by spread", "split conformal", "LightGBM quantiles"
POWERS = ["power of the forest", "power of attention"]
METHODS, RIVALS = [LOCAL, PLAIN, QUANTILES], [LOCAL, QUANTILES]
LOOKS = dict(zip(METHODS, (("o", CLUSTERS[0]), ("D", CLUSTERS[1]), ("x", NEUTRAL)), strict=True))
# Per cent asked for, and how many points off count as right.
TARGET, NEAR = 100 * COVERAGE, 2.0
# The same for the quiet and the loud half of the rows.
NEAR_HALVES = 5.0

# Rows, responses, and the number of each row's group, which no method sees.
Draw = tuple[np.ndarray, np.ndarray, np.ndarray]


def thirds(position: np.ndarray) -> np.ndarray:
    """Return groups of equal size along a hidden position."""
    return np.digitize(position, np.quantile(position, [1 / 3, 2 / 3]))


def continuous(n: int, seed: int, **how: float) -> Draw:
    """Draw setting 1; groups are thirds of the hidden position."""
    sim = make_continuous(n, random_state=seed, **how)
    return sim.X, sim.y, thirds(sim.latent)


def soft_clusters(n: int, seed: int) -> Draw:
    """Draw setting 4; groups are thirds of the hidden position."""
    sim = make_soft_clusters(n, random_state=seed)
    return sim.X, sim.y, thirds(sim.latent)


def subgroups(n: int, seed: int, minority_noise: float = 1.0) -> Draw:
    """Draw setting 3, the noise of the minority multiplied; groups are majority and minority."""
    rng = np.random.default_rng(seed)
    sim = make_subgroups(n, random_state=rng)
    noise = sim.noise * np.where(sim.latent == 1, minority_noise, 1.0)
    return sim.X, sim.signal + noise * rng.normal(size=n), sim.latent


def uneven(n: int, seed: int, linear: bool = False) -> Draw:
    """Draw noise that grows with the first of ten features; groups are quarters of that feature."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    signal = 2 * X[:, 0] + X[:, 1] if linear else np.where(X[:, 0] > 0, 3.0, -1.0) * X[:, 1] + X[:, 2]
    y = signal + np.exp(0.7 * X[:, 0]) * rng.normal(size=n)
    return X, y, np.digitize(X[:, 0], np.quantile(X[:, 0], [0.25, 0.5, 0.75]))


def line(X: np.ndarray) -> np.ndarray:
    """Return one linear model of the first two features."""
    return 2 * X[:, 0] + X[:, 1]


# How loud rows are, by their features.
NOISE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "two levels": lambda X: np.where(X[:, 0] > 0, 2.0, 0.5),
    "grows with a column": lambda X: np.exp(0.7 * X[:, 0]),
    "follows the mean": lambda X: 0.3 + 0.5 * np.abs(line(X)),
    "outside the mean": lambda X: np.where(X[:, 8] > 0, 2.0, 0.5),
    "two columns cross": lambda X: np.where(X[:, 0] * X[:, 1] > 0, 2.0, 0.5),
    "equal": lambda X: np.ones(len(X)),
}


def halves(n: int, seed: int, noise: str) -> Draw:
    """Draw noise of one kind around a line; groups are the quiet and the loud half of the rows, of equal noise any."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    level = NOISE[noise](X)
    rank = np.argsort(np.argsort(level, kind="stable"))
    loud = (level > level.min()) if np.unique(level).size == 2 else rank >= n / 2
    return X, line(X) + level * rng.normal(size=n), loud.astype(np.int64)


SIMULATIONS: dict[str, tuple[Callable[..., Draw], dict[str, Any]]] = {
    "1": (continuous, {}),
    "1, shift 3": (continuous, {"shift": 3.0}),
    "3": (subgroups, {}),
    "3, loud minority": (subgroups, {"minority_noise": 2.0}),
    "3, quiet minority": (subgroups, {"minority_noise": 0.5}),
    "4": (soft_clusters, {}),
    "uneven noise": (uneven, {}),
    "uneven noise, one line": (uneven, {"linear": True}),
} | {f"noise: {name}": (halves, {"noise": name}) for name in NOISE}


# Simulations with a majority and a minority, and with a quiet and a loud half.
SUBGROUPS, HALVES = ([title for title, (draw, _) in SIMULATIONS.items() if draw is of] for of in (subgroups, halves))


def attention_ends(X: np.ndarray, y: np.ndarray, X_new: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the ends of local intervals, and of split conformal ones by the same residuals."""
    model = AttentionLasso(random_state=seed).fit(X, y)
    lower, upper = model.predict_interval(X_new, COVERAGE).T
    calibration = model._model.calibration(Run())
    size, value = np.sort(calibration.known.size), (lower + upper) / 2
    half = size[int(np.ceil((size.size + 1) * COVERAGE)) - 1]
    return {LOCAL: (lower, upper), PLAIN: (value - half, value + half), "powers": calibration.powers.tolist()}


def quantile_ends(X: np.ndarray, y: np.ndarray, X_new: np.ndarray, seed: int) -> dict[str, Any]:
    """Return quantiles by LightGBM at its defaults, as they come."""
    tails = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)
    how = {"objective": "quantile", "random_state": seed, "n_jobs": 1, "verbose": -1}
    return {QUANTILES: [lightgbm.LGBMRegressor(alpha=tail, **how).fit(X, y).predict(X_new) for tail in tails]}


def score(y: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the interval score: the width, and a price for each unit that a response lies outside."""
    outside = np.maximum(lower - y, 0.0) + np.maximum(y - upper, 0.0)
    return upper - lower + 2.0 / (1.0 - COVERAGE) * outside


def one_run(draw: Callable[..., Draw], how: dict[str, Any], seed: int) -> study.Scores:
    """Return coverage, by group too, width and score of each method on one simulation."""
    how = how.copy()
    n_rows = how.pop("rows")
    X, y, group = draw(n_rows + how.pop("new_rows"), seed, **how)
    start = time.process_time()
    ends = attention_ends(X[:n_rows], y[:n_rows], X[n_rows:], seed)
    seconds = time.process_time() - start
    powers = dict(zip(POWERS, ends.pop("powers"), strict=True))
    ends |= quantile_ends(X[:n_rows], y[:n_rows], X[n_rows:], seed)
    y, group = y[n_rows:], group[n_rows:]
    found = {}
    for name, (lower, upper) in ends.items():
        inside = 100.0 * ((lower <= y) & (y <= upper))
        found[name] = {
            "coverage": float(inside.mean()),
            "width": float(np.mean(upper - lower)),
            "score": float(score(y, lower, upper).mean()),
        } | {f"group {k + 1}": float(inside[group == k].mean()) for k in np.unique(group)}
    found[LOCAL] |= powers | {"seconds": seconds}
    return found


STUDY = study.Study(Path(__file__).parent, one_run, ("heedful", "scikit-learn", "lightgbm"))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--simulations", nargs="+", default=list(SIMULATIONS), choices=list(SIMULATIONS))


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return one row per simulation and draw, with a column per figure and method; measured now or kept."""
    # a simulation stands where other studies have a table: what draws it, and its arguments
    tables = {}
    for title in options.simulations:
        draw, how = SIMULATIONS[title]
        rows = options.noise_rows if draw is halves else options.rows
        tables[title] = (draw, how | {"rows": rows, "new_rows": options.new_rows})
    return study.run(STUDY, tables, options)


def relative(results: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the means of a figure by simulation and method, divided draw by draw by those of split conformal."""
    return results[what].div(results[what, PLAIN], axis=0).groupby("table").mean()


def main_table(results: pd.DataFrame) -> str:
    """Return coverage, width and score of each method and simulation in markdown."""
    coverage = results["coverage"].groupby("table")
    width, scores = relative(results, "width"), relative(results, "score")
    powers = [results[name, LOCAL].groupby("table").mean() for name in POWERS]
    titles = ["simulation", *METHODS, *(f"{what}, {name}" for what in ("width", "score") for name in RIVALS), *POWERS]
    rows = []
    for title, draws in coverage:
        cells = [pages.format_mean(draws[name]) for name in METHODS]
        cells += [f"{part.loc[title, name]:.2f}" for part in (width, scores) for name in RIVALS]
        rows.append([title, *cells, *(f"{power[title]:.1f}" for power in powers)])
    return pages.draw_table(titles, rows)


def by_group(results: pd.DataFrame) -> pd.DataFrame:
    """Return the mean coverage of each group (simulation, group) by method."""
    means = results.groupby("table").mean()
    groups = [name for name in means.columns.unique(0) if name.startswith("group")]
    found = {(title, name): means.loc[title, name] for title in means.index for name in groups}
    return pd.DataFrame(found).T[METHODS].dropna()


def group_table(groups: pd.DataFrame) -> str:
    """Return the coverage of groups in markdown."""
    rows = [[f"{title}: {group}", *(f"{value:.1f}" for value in row)] for (title, group), row in groups.iterrows()]
    return pages.draw_table(["simulation, group", *METHODS], rows)


def halves_table(results: pd.DataFrame) -> str:
    """Return the coverage of quiet and loud rows, and the width, in markdown."""
    means, width = results.groupby("table").mean(), relative(results, "width")
    titles = ["noise", *(f"{name}: {part}" for name in METHODS for part in ("quiet", "loud")), f"width, {LOCAL}"]
    rows = []
    for title in means.index:
        cells = [f"{means.loc[title, (group, name)]:.1f}" for name in METHODS for group in ("group 1", "group 2")]
        rows.append([title.removeprefix("noise: "), *cells, f"{width.loc[title, LOCAL]:.2f}"])
    return pages.draw_table(titles, rows)


def read_halves(results: pd.DataFrame) -> list[str]:
    """Return how many kinds of noise leave both halves near what was asked for, by method."""
    groups, every = by_group(results), results["coverage"].groupby("table").mean()
    off = (groups - TARGET).abs().groupby(level=0).max()
    sentences = []
    for name in METHODS:
        near, worst = (off[name] <= NEAR_HALVES).sum(), off[name].idxmax().removeprefix("noise: ")
        sentences.append(
            f"{name}: both halves within {NEAR_HALVES:g} points of {TARGET:g} % for {near} of {len(off)} kinds of "
            f"noise, farthest off by {off[name].max():.1f} ({worst}); all rows from {every[name].min():.1f} to "
            f"{every[name].max():.1f} %."
        )
    return sentences


def read_figures(results: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    means = results["coverage"].groupby("table").mean()
    sentences = [read_coverage(means[name], name) for name in METHODS]
    groups = by_group(results)
    off = (groups - TARGET).abs().groupby(level=0).mean()
    farther = [
        f"{title} ({off[LOCAL][title]:.1f} against {off[PLAIN][title]:.1f} points)"
        for title in off.index[off[LOCAL] >= off[PLAIN]]
    ]
    sentences.append(
        f"Groups: {LOCAL} is nearer to {TARGET:g} % than {PLAIN} in {len(off) - len(farther)} of {len(off)} "
        f"simulations, {off[LOCAL].mean():.1f} points off on average against {off[PLAIN].mean():.1f}"
        + (f"; not in {', '.join(farther)}." if farther else ".")
    )
    sentences += [read_groups(groups.loc[title], title) for title in off.index if title in SUBGROUPS]
    worst = (groups[LOCAL] - TARGET).abs().idxmax()
    sentences.append(
        f"The group farthest off is {worst[1]} of {worst[0]}: {groups[LOCAL][worst]:.1f} % {LOCAL}, "
        f"{groups[PLAIN][worst]:.1f} % by {PLAIN}."
    )
    ratio = relative(results, "score")[LOCAL]
    ends = f"from {ratio.min():.2f} ({ratio.idxmin()}) to {ratio.max():.2f} ({ratio.idxmax()})"
    return [*sentences, f"Interval score of {LOCAL}, that of {PLAIN} being 1: {ends}."]


def read_groups(groups: pd.DataFrame, title: str) -> str:
    """Return what the two methods by the same residuals cover of each group of a simulation."""
    ours, theirs = (" and ".join(f"{value:.1f}" for value in groups[name]) for name in (LOCAL, PLAIN))
    nearer = ((groups[LOCAL] - TARGET).abs() < (groups[PLAIN] - TARGET).abs()).sum()
    found = f"{ours} % {LOCAL}, {theirs} % by {PLAIN}; nearer in {nearer} of {len(groups)}."
    return f"Majority and minority of {title}: {found}"


def read_coverage(means: pd.Series, name: str) -> str:
    """Return in how many simulations a method covers as many rows as asked for."""
    off = (means - TARGET).abs()
    return (
        f"All rows, {name}: within {NEAR:g} points of {TARGET:g} % in {(off <= NEAR).sum()} of {len(off)} simulations; "
        f"farthest off is {means[off.idxmax()]:.1f} % ({off.idxmax()})."
    )


def write_page(results: pd.DataFrame, options: argparse.Namespace) -> str:
    """Return the page: coverage of all rows, of hidden groups and of quiet and loud rows, and what it cost."""
    minutes, n_draws = results["seconds", LOCAL].sum() / 60, results.index.unique("seed").size
    about = (
        f"Per cent of new responses in intervals that should hold {TARGET:g} %, mean (standard error) of {n_draws} "
        f"draws, seeds from 0; {options.rows} rows to fit ({options.noise_rows} where noise differs by halves), "
        f"{options.new_rows} new ones. Widths and interval scores (smaller is better) are divided by those of {PLAIN}; "
        "powers are those to which a spread takes what the forest of residuals and what attention expect, mean. "
        f"{pages.stamp(*STUDY.packages)}; {minutes:.0f} minutes of one core. This page is rewritten by `make "
        "intervals`."
    )
    parts, table = [about], results.index.get_level_values("table")
    hidden, noise = results[~table.isin(HALVES)], results[table.isin(HALVES)]
    if len(hidden):
        parts += [main_table(hidden), pages.bullets(read_figures(hidden))]
        parts.append(f"Coverage of hidden groups, which no method sees:\n\n{group_table(by_group(hidden))}")
    if len(noise):
        parts += ["## Noise that differs\n\nCoverage of the quiet and the loud rows:", halves_table(noise)]
        parts += [pages.bullets(read_halves(noise)), main_table(noise)]
    return pages.join("Prediction intervals", *parts)


def draw_figure(groups: pd.DataFrame, path: Path) -> None:
    """Draw the coverage of groups, one line per group and one mark per method."""
    places = np.arange(len(groups))[::-1]
    figure, ax = plt.subplots(figsize=(7, 1.5 + 0.24 * len(groups)), layout="constrained")
    ax.axvline(TARGET, color=NEUTRAL, linewidth=1.0, zorder=0)
    for name, (mark, hue) in LOOKS.items():
        ax.plot(groups[name], places, mark, color=hue, markersize=5, label=name)
    ax.set_yticks(places, [f"{title}: {group}" for title, group in groups.index])
    finish(ax, f"per cent of new responses in intervals of {TARGET:g} %", "")
    figure.legend(loc="outside lower center", ncols=len(METHODS), frameon=False, fontsize=font_size())
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Run the study."""
    sizes = {"rows": (ROWS, 80), "noise_rows": (NOISE_ROWS, 80), "new_rows": (NEW_ROWS, 80)}
    options = study.read_options(__doc__, RUNS, add=add_options, **sizes)
    if options.smoke:
        options.simulations = [*SUBGROUPS[:2], HALVES[0]]
    plt.switch_backend("Agg")
    results = run(options)
    whole = len(options.simulations) == len(SIMULATIONS)
    folder = study.publish(STUDY.home, options, write_page(results, options), whole)
    draw_figure(by_group(results), folder / "figure.png")


if __name__ == "__main__":
    main()
