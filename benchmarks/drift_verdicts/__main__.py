"""What a drift report says of models that fit badly, well and too well, when nothing, the rows or the relation moved.

    python -m benchmarks.drift_verdicts [--runs 100] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of fewer than 100 draws, and with ``--smoke``, under build/. Each draw is kept in
splits.jsonl, so an interrupted run goes on where it stopped.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from scipy.stats import kstest

from benchmarks import pages, study
from heedful import DriftCorrector

RUNS, N_COLUMNS, LEVEL, MOST, LEAST = 100, 6, 0.01, 5, 80
# Share (%) of the error that a correction took off, and share that the guard let through, of "the model has drifted".
GAIN, SURE = 5.0, 0.9
ROWS, RELATION = "rows moved", "relation moved"
IMPROVABLE = ("recent rows improvable", "reference improvable")
FINDINGS = ("nothing moved", "improvable anywhere", ROWS, RELATION)
BEFORE = "drifted, as said before"


class Model(NamedTuple):
    """A LightGBM: training rows, rounds, and the other settings that are not its defaults."""

    n_rows: int
    n_rounds: int
    settings: dict[str, Any]

    def fit(self, rng: np.random.Generator) -> LGBMRegressor:
        """Return the model, fitted to rows of its own."""
        how = {"n_estimators": self.n_rounds, "n_jobs": 1, "verbose": -1, **self.settings}
        return LGBMRegressor(**how).fit(*draw(rng, self.n_rows))


MODELS = {
    "underfitted": Model(1000, 30, {}),
    "well fitted": Model(3000, 150, {"learning_rate": 0.05}),
    "overfitted": Model(300, 300, {"min_child_samples": 2}),
}


class Case(NamedTuple):
    """A model, and by how much rows and relation move."""

    model: str
    rows: float = 0.0
    relation: float = 0.0

    @property
    def title(self) -> str:
        """What the case is called."""
        moved = f"rows move by {self.rows:g}" if self.rows else f"relation moves by {self.relation:g}"
        return f"{self.model}, {moved if self.rows or self.relation else 'nothing moves'}"

    @property
    def right(self) -> tuple[str, ...]:
        """What a report should find."""
        return (ROWS,) if self.rows else (RELATION,) if self.relation else FINDINGS[:2]


SIZES: tuple[dict[str, float], ...] = ({}, {"rows": 0.5}, {"rows": 1.0}, {"relation": 0.75}, {"relation": 1.5})
CASES = {case.title: case for case in (Case(model, **size) for model in MODELS for size in SIZES)}


def draw(
    rng: np.random.Generator, n_rows: int, rows: float = 0.0, relation: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return normal columns, the second of them moved, and a response that the last column has an effect on or not."""
    X = rng.normal(size=(n_rows, N_COLUMNS))
    X[:, 1] += rows
    signal = 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2] * (X[:, 3] > 0) + X[:, 4] + relation * X[:, 5]
    return X, signal + rng.normal(size=n_rows)


def one_draw(case: Case, n_rows: int, seed: int) -> study.Scores:
    """Return p values of all tests, what was found, and whether the model would have been said to have drifted."""
    rng = np.random.default_rng(seed)
    model = MODELS[case.model].fit(rng)
    reference, recent = draw(rng, n_rows), draw(rng, n_rows, case.rows, case.relation)
    report = DriftCorrector(model, random_state=seed).fit(*recent).drift_report(reference=reference)
    value = report.summary["value"]
    before = -value["error change (%)"] >= GAIN and value["guard"] >= SURE
    found = {name: {"found": float(report.finding == name)} for name in FINDINGS} | {BEFORE: {"found": float(before)}}
    return found | {name: {"p": float(p)} for name, p in report.tests["p"].add_prefix("p: ").items()}


STUDY = study.Study(Path(__file__).parent, one_draw, ("heedful", "lightgbm"))


def found_table(found: pd.DataFrame) -> str:
    """Return a markdown table: in how many of 100 draws what was found."""
    percent = 100 * found["found"].groupby("table").mean()
    names = [*FINDINGS, BEFORE]
    return pages.draw_table(
        ["model, truth", *names], ([title, *(f"{percent.loc[title, name]:.0f}" for name in names)] for title in CASES)
    )


def uniform_table(p: pd.DataFrame) -> str:
    """Return a markdown table of cases in which a test has nothing to find: how often its p values are small."""
    rows = []
    for title, case in CASES.items():
        for name in (ROWS, RELATION):
            if getattr(case, name.split()[0]):
                continue
            values = p.loc[title, f"p: {name}"]
            small = (f"{100 * (values <= level).mean():.0f}" for level in (0.01, 0.05, 0.1, 0.5))
            rows.append([f"{title}: {name}", *small, f"{kstest(values, 'uniform').pvalue:.2f}"])
    return pages.draw_table(["test that has nothing to find", *("1 %", "5 %", "10 %", "50 %"), "uniform: p"], rows)


def write_sentences(found: pd.DataFrame) -> list[str]:
    """Return whether the bars are kept."""
    told = []
    shares = 100 * found["found"].groupby("table").mean()
    for title, case in CASES.items():
        right = shares.loc[title, list(case.right)].sum()
        if case.rows or case.relation:
            kept = "kept" if right >= LEAST else "missed"
            told.append(f"{title}: named rightly in {right:.0f} %; the bar of {LEAST} % is {kept}.")
        else:
            kept = "kept" if 100 - right <= MOST else "missed"
            told.append(f"{title}: something moved in {100 - right:.0f} %; the bar of {MOST} % is {kept}.")
    return told


def write_page(found: pd.DataFrame, n_rows: int) -> str:
    """Return the page."""
    n_draws = found.index.unique("seed").size
    about = (
        f"{n_draws} draws, half as many where something moves, of {n_rows} reference and {n_rows} recent rows with "
        f"{N_COLUMNS} columns, seeds from 0; per cent of draws in which a report finds each, by tests at {LEVEL:.0%}. "
        f"The last column has the rule before there were references: a correction takes {GAIN:g} % off the error of "
        f"recent rows, and the guard lets {SURE:g} of it through. {pages.stamp(*STUDY.packages)}. This page is "
        "rewritten by `make drift_verdicts`; the README explains the cases."
    )
    uniform = f"## p values where there is nothing to find\n\n{uniform_table(found['p'])}"
    return pages.join(
        "What moved, by drift reports", about, found_table(found), pages.bullets(write_sentences(found)), uniform
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, n_rows=(400, 50))
    # a case stands where other studies have a table; where nothing moves there are twice as many draws
    tables = {title: (case, options.n_rows) for title, case in CASES.items()}
    moved = {title: table for title, table in tables.items() if table[0].rows or table[0].relation}
    still = {title: table for title, table in tables.items() if title not in moved}
    fewer = Namespace(**vars(options) | {"runs": -(-options.runs // 2)})
    found = pd.concat([study.run(STUDY, still, options), study.run(STUDY, moved, fewer)])
    study.publish(STUDY.home, options, write_page(found, options.n_rows))


if __name__ == "__main__":
    main()
