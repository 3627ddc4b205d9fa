"""Is it said that effects differ where they do not, and where they do: p values, gain curves, averages.

    python -m benchmarks.heterogeneity [--tables TITLE ...] [--runs 200] [--jobs -1] [--fresh] [--smoke]

Trials and observational tables with one effect for all rows, and the setups of benchmarks/effects, whose effects differ
(but for C). Writes results.md beside this file once all is in; of less, and with ``--smoke``, under build/. Each draw
is kept, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kstest

from benchmarks import pages, study
from heedful import AttentionEffect
from heedful.datasets import make_effects
from heedful.explain import Heterogeneity

HERE, RUNS, PACKAGES = Path(__file__).parent, 200, ("heedful", "scikit-learn")
TESTS = ("differential effect", "AUTOC", "Qini")
EFFECT, COVERAGE, N_COLUMNS = 1.0, 0.9, 5
# Fresh rows on which effects of setups are compared with the truth.
FRESH = 1000
SETUPS = ("A", "B", "C", "D", "groups")
# Setups with effects that differ have this part of the draws.
POWER_RUNS = 0.25


def draw_constant(n: int, seed: int, *, trial: bool, binary: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns, outcomes and treatments of a table in which the treatment does the same to every row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_COLUMNS))
    chance = np.full(n, 0.5) if trial else np.clip(1 / (1 + np.exp(-X[:, 0] - 0.5 * X[:, 1])), 0.05, 0.95)
    treatment = (rng.random(n) < chance).astype(float)
    level = X[:, 0] + np.maximum(X[:, 1], 0.0) + 0.5 * X[:, 2] * X[:, 3]
    if binary:
        return X, (rng.random(n) < 0.1 + 0.5 / (1 + np.exp(-level)) + 0.2 * treatment).astype(float), treatment
    return X, level + EFFECT * treatment + rng.normal(size=n), treatment


def one_constant(n: int, trial: bool, binary: bool, seed: int) -> study.Scores:
    """Return p values, and what intervals and bands hold, where there is one effect for all rows."""
    X, y, treatment = draw_constant(n, seed, trial=trial, binary=binary)
    model = AttentionEffect(propensity=0.5 if trial else None, random_state=seed, n_jobs=1).fit(X, y, treatment)
    return measure(model, X, np.full(n, 0.2 if binary else EFFECT))


def one_setup(setup: str, n: int, seed: int) -> study.Scores:
    """Return the same for a setup of Nie and Wager, or hidden groups."""
    train, test = make_effects(setup, n + FRESH, random_state=seed).split(n)
    model = AttentionEffect(random_state=seed, n_jobs=1).fit(train.X, train.y, train.treatment)
    found = measure(model, train.X, train.effect)
    error = float(np.sqrt(np.mean((model.effect(test.X) - test.effect) ** 2)))
    return found | {"row effects": {"error": error, "inside": hold_groups(model.effect_interval(test.X), test.effect)}}


def hold_groups(interval: np.ndarray, truth: np.ndarray) -> float:
    """Return the share of rows whose interval holds the mean effect of all rows with that interval."""
    _, group = np.unique(interval, axis=0, return_inverse=True)
    mean = (np.bincount(group.ravel(), truth) / np.bincount(group.ravel()))[group.ravel()]
    return float(np.mean((interval[:, 0] <= mean) & (mean <= interval[:, 1])))


def measure(model: AttentionEffect, X: np.ndarray, truth: np.ndarray) -> study.Scores:
    """Return p values by test, whether the straight line is in the band, and whether the average is in its interval."""
    found, average = model.heterogeneity(), model.average_effect(coverage=COVERAGE)
    scores = {name: {"p": float(found.tests.loc[name, "p_value"])} for name in TESTS}
    mean = float(truth.mean())
    return scores | {
        "verdict": {"differ": float(found.differ), "one effect": float(np.ptp(model.effect(X)) == 0)},
        "curve": {"straight": float(is_straight(found))},
        "average": {"inside": float(average.low <= mean <= average.high)},
    }


def is_straight(found: Heterogeneity) -> bool:
    """Return whether what treating at random gains lies in the band of the gain curve everywhere."""
    curve = found.curve
    slack = 1e-9 * curve["gain"].abs().max()
    return bool(((curve["low"] <= curve["random"] + slack) & (curve["random"] <= curve["high"] + slack)).all())


def one_draw(kind: str, *arguments) -> study.Scores:
    """Return what a draw of a table says."""
    return one_constant(*arguments) if kind == "constant" else one_setup(*arguments)


def share(values: pd.Series) -> str:
    """Return a share of draws in per cent, with its standard error."""
    return pages.format_mean(100 * values)


def write_constant(found: pd.DataFrame, titles: list[str]) -> str:
    """Return one row for each table and test: how often it rejects, and whether p values are uniform."""
    rows = []
    for title in titles:
        for name in TESTS:
            p = found.loc[title, ("p", name)]
            uniform = f"{kstest(p, 'uniform').pvalue:.2f}"
            rows.append([f"{title}: {name}", str(p.size), share(p < 0.1), share(p < 0.01), f"{p.mean():.2f}", uniform])
    return pages.draw_table(["table and test", "draws", "p < 0.1, %", "p < 0.01, %", "mean p", "Kolmogorov"], rows)


def write_rest(found: pd.DataFrame, titles: list[str]) -> str:
    """Return one row for each table: verdicts, the straight line, the average; of setups errors and groups too."""
    columns = [("differ", "verdict"), ("one effect", "verdict"), ("straight", "curve"), ("inside", "average")]
    head = ["table", "said to differ, %", "one effect for all rows, %", "straight line in the band, %"]
    head.append("average in its interval, %")
    rows = [[title, *(share(found.loc[title, column]) for column in columns)] for title in titles]
    if ("error", "row effects") in found:
        head += ["average of like rows in its interval, %", "error of row effects"]
        for row in rows:
            own = found.loc[row[0]]
            row += [share(own["inside", "row effects"]), pages.format_mean(own["error", "row effects"], 3)]
    return pages.draw_table(head, rows)


def list_tables(options: argparse.Namespace) -> tuple[dict[str, study.Table], dict[str, study.Table]]:
    """Return tables with one effect, and setups."""
    constant = {}
    for n in options.rows:
        constant[f"trial, n = {n}"] = ("constant", n, True, False)
        constant[f"observed, n = {n}"] = ("constant", n, False, False)
    few = options.rows[0]
    constant[f"trial, two outcomes, n = {few}"] = ("constant", few, True, True)
    setups = {f"{setup}, n = {options.power}": ("setup", setup, options.power) for setup in SETUPS}
    if options.tables:
        constant, setups = ({t: v for t, v in part.items() if t in options.tables} for part in (constant, setups))
    return constant, setups


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what to measure."""
    parser.add_argument("--tables", nargs="+", help="titles of tables, as on the page (default: all)")


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options, rows=((300, 1000), (60,)), power=(500, 80))
    constant, setups = list_tables(options)
    fewer = argparse.Namespace(**vars(options) | {"runs": max(int(POWER_RUNS * options.runs), 1)})
    parts = []
    if constant:
        found = study.run(study.Study(HERE, one_draw, PACKAGES), constant, options)
        parts += [write_constant(found, list(constant)), write_rest(found, list(constant))]
    if setups:
        found = study.run(study.Study(HERE, one_draw, PACKAGES), setups, fewer, "setups")
        parts += ["## Where effects differ", write_constant(found, list(setups)), write_rest(found, list(setups))]
    about = (
        f"{options.runs} draws of tables with one effect for all rows, {fewer.runs} of setups A to D of Nie and Wager "
        "and hidden groups (C has one effect). `Kolmogorov` is the p value of a test that p values are uniform; the "
        "band is that of the gain curve, at 90 %, as is the interval of the average over the table's own rows. "
        f"{pages.stamp(*PACKAGES)}. Run again: `make heterogeneity`."
    )
    whole = not options.tables
    study.publish(HERE, options, pages.join("Do effects differ?", about, *parts), whole=whole)


if __name__ == "__main__":
    main()
