"""Whether intervals hold the true local coefficients, and whether features that matter are selected.

    python -m benchmarks.certainty [--simulations linear mixture] [--runs 6] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of some simulations or fewer than 6 draws, and with ``--smoke``, under build/. Each
draw is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.simulations import make_binary, make_continuous
from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier
from heedful.datasets import make_mixture, make_subgroups, make_survival

RUNS, QUERIES, COVERAGE, OFTEN = 6, 100, 0.9, 0.9
OURS, ALL_ROWS = "coef_intervals", "least squares of all rows"
# Per cent of coefficients that 90 % intervals should hold; of the true features that are to be found, and false ones.
HELD, FOUND, FALSE = (85.0, 95.0), 85.0, 2.5
N_GROUPS, N_OWN = 3, 10


class Draw(NamedTuple):
    """Rows, responses and true coefficients; the last rows are queries."""

    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray


def groups(n: int, seed: int, shift: float = 3.0) -> Draw:
    """Draw three hidden groups, each with 10 of 50 features of its own, which also have other means in it."""
    rng = np.random.default_rng(seed)
    group = rng.integers(N_GROUPS, size=n)
    own = np.kron(np.eye(N_GROUPS), np.ones(N_OWN))
    components = np.zeros((N_GROUPS, 50))
    components[:, : own.shape[1]] = own * rng.choice([-1, 1], own.shape) * rng.uniform(0.5, 1.5, own.shape)
    X = rng.normal(size=(n, 50))
    X[:, : own.shape[1]] += shift * own[group]
    return Draw(X, np.einsum("ij,ij->i", X, components[group]) + rng.normal(size=n), components[group])


def linear(n: int, seed: int) -> Draw:
    """Draw one linear model of five among 20 features, the first two of which are correlated."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    X[:, 1] += 0.7 * X[:, 0]
    coef = np.pad([1.0, -1.0, 0.5, 0.5, 2.0], (0, 15))
    return Draw(X, X @ coef + 1.5 * rng.normal(size=n), np.tile(coef, (n, 1)))


def switch(n: int, seed: int, nearest: float, farthest: float) -> Draw:
    """Draw ten features, the sign of the first of which turns two coefficients; queries are so far from the turn."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    X[-QUERIES:, 0] = rng.choice([-1, 1], QUERIES) * rng.uniform(nearest, farthest, QUERIES)
    coef = np.zeros((n, 10))
    coef[:, 1:3] = np.where(X[:, :1] > 0, [2.0, 0.0], [-1.0, 1.0])
    coef[:, 3] = 1.0
    return Draw(X, np.einsum("ij,ij->i", X, coef) + 3.0 * (X[:, 0] > 0) + rng.normal(size=n), coef)


def simulated(n: int, seed: int, make: Callable[..., Any], **how: Any) -> Draw:
    """Draw one of heedful's simulations."""
    sim = make(n, random_state=seed, **how)
    return Draw(sim.X, sim.y, sim.coef)


class Simulation(NamedTuple):
    """What draws rows, its arguments, the rows to fit, the model, and whether the theory holds."""

    draw: Callable[..., Draw]
    how: dict[str, Any]
    rows: int
    kind: type = AttentionLasso
    holds: bool = True


SIMULATIONS = {
    "groups": Simulation(groups, {}, 1000),
    "groups, close": Simulation(groups, {"shift": 2.0}, 1000),
    "linear": Simulation(linear, {}, 500),
    "mixture": Simulation(simulated, {"make": make_mixture, "separation": 4.0}, 500),
    "switch, far from it": Simulation(switch, {"nearest": 0.5, "farthest": 2.0}, 500),
    "3": Simulation(simulated, {"make": make_subgroups}, 300),
    "switch, near it": Simulation(switch, {"nearest": 0.0, "farthest": 0.2}, 500, holds=False),
    "groups, 300 rows": Simulation(groups, {"shift": 2.0}, 300, holds=False),
    "1 (smooth)": Simulation(simulated, {"make": make_continuous}, 300, holds=False),
    "classes": Simulation(simulated, {"make": make_binary}, 500, AttentionLassoClassifier, holds=False),
    "survival": Simulation(simulated, {"make": make_survival}, 500, AttentionCox, holds=False),
}
# Those that the promise about selected features is made for.
SELECTED = ["groups", "groups, close"]


def least_squares(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of 90 % intervals of one linear model of all rows."""
    x = np.column_stack([np.ones(len(X)), X])
    inverse = np.linalg.inv(x.T @ x)
    coef = inverse @ x.T @ y
    score = x * ((y - x @ coef) / (1 - np.einsum("ij,jk,ik->i", x, inverse, x)))[:, None]
    width = 1.645 * np.sqrt(np.diag(inverse @ score.T @ score @ inverse))
    return (coef - width)[1:], (coef + width)[1:]


def held(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> dict[str, float]:
    """Return per cent of true coefficients inside, of those that are 0 and are not, and the median width."""
    inside = 100.0 * ((low <= truth) & (truth <= high))
    return {
        "all": float(inside.mean()),
        "not 0": float(inside[truth != 0].mean()),
        "0": float(inside[truth == 0].mean()),
        "width": float(np.median(np.broadcast_to(high - low, truth.shape))),
    }


def chosen(truth: np.ndarray, selected: np.ndarray) -> tuple[float, float, float]:
    """Return per cent of the features that matter that are selected, others a query, and per cent of these of all."""
    false = selected & (truth == 0)
    share = 100.0 * float(false.sum() / max(selected.sum(), 1))
    return 100.0 * float(selected[truth != 0].mean()), float(false.sum(axis=1).mean()), share


def one_run(simulation: Simulation, n_queries: int, n_rows: int, seed: int) -> study.Scores:
    """Return coverage and selection of one draw."""
    X, y, coef = simulation.draw(n_rows + QUERIES, seed, **simulation.how)
    model = simulation.kind(random_state=seed, n_jobs=1).fit(X[:n_rows], y[:n_rows])
    truth, asked = coef[n_rows : n_rows + n_queries], X[n_rows : n_rows + n_queries]
    model.coef_intervals(asked[:1])
    start = time.process_time()
    found = model.coef_intervals(asked, COVERAGE)
    seconds = time.process_time() - start
    parts = {name: found[name].to_numpy().reshape(truth.shape) for name in found}
    sure, blended = (chosen(truth, part) for part in (parts["frequency"] > OFTEN, parts["coef"] != 0))
    scores = {
        OURS: held(truth, parts["low"], parts["high"])
        | {
            "found": sure[0],
            "false": sure[1],
            "of all": sure[2],
            "found, blend": blended[0],
            "false, blend": blended[1],
        }
        | {"rows": float(n_rows), "milliseconds": 1000 * seconds / n_queries}
    }
    if simulation.kind is AttentionLasso:
        scores[ALL_ROWS] = held(truth, *least_squares(X[:n_rows], y[:n_rows]))
    return scores


STUDY = study.Study(Path(__file__).parent, one_run, ("heedful", "scikit-learn"))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--simulations", nargs="+", default=list(SIMULATIONS), choices=list(SIMULATIONS))


def run(options: argparse.Namespace) -> pd.DataFrame:
    """Return one row per simulation and draw, with a column per figure and method; measured now or kept."""
    tables = {
        name: (SIMULATIONS[name], options.queries, options.rows or SIMULATIONS[name].rows)
        for name in options.simulations
    }
    return study.run(STUDY, tables, options)


def coverage_table(results: pd.DataFrame, names: list[str]) -> str:
    """Return coverage and widths of some simulations in markdown."""
    titles = ["simulation", "rows", "all", "not 0", "0", "width", "all, one model", "width, one model", "ms a query"]
    rows = []
    for name in names:
        part = results.loc[name]
        cells = [pages.format_mean(part[what, OURS]) for what in ("all", "not 0", "0")]
        cells.append(f"{part['width', OURS].mean():.2f}")
        cells += other_cells(part) if SIMULATIONS[name].kind is AttentionLasso else ["", ""]
        rows.append([name, f"{part['rows', OURS].mean():.0f}", *cells, f"{part['milliseconds', OURS].mean():.1f}"])
    return pages.draw_table(titles, rows)


def other_cells(part: pd.DataFrame) -> list[str]:
    """Return coverage and width of least squares of all rows."""
    return [pages.format_mean(part["all", ALL_ROWS]), f"{part['width', ALL_ROWS].mean():.2f}"]


def selection_table(results: pd.DataFrame, names: list[str]) -> str:
    """Return what is selected in some simulations in markdown."""
    titles = ["simulation", "found, %", "false ones a query", "false of those selected, %"]
    titles += ["found by not 0 in the blend, %", "false by not 0"]
    figures = ("found", "false", "of all", "found, blend", "false, blend")
    rows = [[name, *(pages.format_mean(results.loc[name][what, OURS]) for what in figures)] for name in names]
    return pages.draw_table(titles, rows)


def read_figures(results: pd.DataFrame, names: list[str]) -> list[str]:
    """Return what the figures say."""
    means = results.groupby("table").mean()
    hold = means.loc[[name for name in names if SIMULATIONS[name].holds], "all"][OURS]
    right = hold.between(*HELD)
    sentences = [
        f"Rows attended to that follow one model: in {right.sum()} of {len(hold)} simulations intervals hold between "
        f"{HELD[0]:g} and {HELD[1]:g} % of all true coefficients"
        + ("." if right.all() else f"; not {', '.join(hold.index[~right])}.")
    ]
    for name in (name for name in SELECTED if name in names):
        found, false = means.loc[name, ("found", OURS)], means.loc[name, ("false", OURS)]
        verdict = "as promised" if found >= FOUND and false <= FALSE else "short of what is promised"
        sentences.append(
            f"{name}: features with a frequency above {OFTEN:g} hold {found:.0f} % of the true ones and {false:.1f} "
            f"false ones a query ({FOUND:g} % and {FALSE:g} are asked for: {verdict})."
        )
    worst = means["not 0"][OURS].idxmin()
    share = means["not 0"][OURS][worst]
    sentences.append(f"Farthest from what it says: {share:.0f} % of the coefficients that are not 0 in {worst}.")
    return sentences


def write_page(results: pd.DataFrame, options: argparse.Namespace) -> str:
    """Return the page."""
    names = list(options.simulations)
    n_draws = results.index.unique("seed").size
    about = (
        f"Per cent of true local coefficients in intervals of {100 * COVERAGE:g} %, mean (standard error) of {n_draws} "
        f"draws, seeds from 0, {options.queries} queries each; widths are medians. One model: least squares of all "
        f"rows. {pages.stamp(*STUDY.packages)}. This page is rewritten by `make certainty`."
    )
    kept = [name for name in names if SIMULATIONS[name].holds]
    others = [name for name in names if not SIMULATIONS[name].holds]
    parts = [coverage_table(results, kept), pages.bullets(read_figures(results, names))]
    if others:
        parts.append(
            "Where nothing is promised: queries between two groups, few rows, coefficients that change smoothly, and "
            "responses that are not numbers, where one step from the global model is all that is taken:\n\n"
            f"{coverage_table(results, others)}"
        )
    parts.append(f"Features with a frequency above {OFTEN:g}:\n\n{selection_table(results, names)}")
    return pages.join("How sure coefficients are", about, *parts)


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options, rows=(0, 120), queries=(QUERIES, 10))
    if options.smoke:
        options.simulations = ["linear", "classes"]
    results = run(options)
    study.publish(STUDY.home, options, write_page(results, options), len(options.simulations) == len(SIMULATIONS))


if __name__ == "__main__":
    main()
