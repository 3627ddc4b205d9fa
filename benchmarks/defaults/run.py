"""What the default attention lasso should do, asked of training halves only: each candidate changes one thing.

    python benchmarks/defaults/run.py [--tables NAME ...] [--splits 4] [--candidates NAME ...] [--jobs -1] [--data DIR]
                                      [--fresh] [--smoke]

A candidate is fitted to four fifths of a training half and predicts the fifth, five times; test halves are never read.
Writes results.md beside this file once all tables have their splits; of less, and with ``--smoke``, under build/. Each
candidate of each split is kept, so an interrupted run goes on where it stopped.
"""

import argparse
import datetime as dt
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import KFold

from heedful import AttentionLasso
from heedful.baseline import LassoBaseline
from heedful.similarity import ForestProximity

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import study
from tables import halves, one_hot

SPLITS, FOLDS = 4, 5
LASSO, DEFAULT = "lasso", "as it is"


class Candidate(NamedTuple):
    """What is changed: arguments, made anew for each fit, and constants by module and name."""

    arguments: Callable[[], dict[str, Any]] = dict
    constants: dict[str, Any] = {}  # noqa: RUF012 - never changed


def forests(*trees: int, **smooth: Any) -> dict[str, Any]:
    """Return the two forests of the default with other numbers of trees, or another smooth one."""
    sharp = {"max_features": 1.0, "min_samples_split": 2}
    parts = [ForestProximity(trees[0], **smooth), *(ForestProximity(number, **sharp) for number in trees[1:])]
    return {"similarity": parts}


def extra_trees() -> ExtraTreesRegressor:
    """Return extra trees that draw a bag, so that rows can be scored out of it."""
    return ExtraTreesRegressor(250, bootstrap=True, min_samples_split=5, random_state=0)


CANDIDATES = {
    DEFAULT: Candidate(),
    "one head": Candidate(lambda: {"heads": "single"}),
    "with extra trees": Candidate(lambda: {"similarity": ["forest", extra_trees()]}),
    "with a booster": Candidate(lambda: {"similarity": ["forest", "boosted"]}),
    "with a teacher": Candidate(lambda: {"similarity": ["forest", "teacher"]}),
    "with both": Candidate(lambda: {"similarity": ["forest", "boosted", "teacher"]}),
    "smooth forest alone": Candidate(lambda: forests(500)),
    "100 trees": Candidate(lambda: forests(50, 50)),
    "1000 trees": Candidate(lambda: forests(500, 500)),
    "smooth leaves of 10": Candidate(lambda: forests(250, 250, min_samples_leaf=10)),
    "penalty as the baseline's": Candidate(lambda: {"alpha_ratio": 1.0}),
    "no weighted means": Candidate(lambda: {"alpha_ratio": [10.0, 3.0, 1.0, 0.3]}),
    "softmax only": Candidate(lambda: {"temperature": [0.3, 0.2, 0.1, 0.05, 0.03]}),
    "no price on heads": Candidate(constants={"heedful.heads._shares.CAUTION": 0.0}),
    "twice the price": Candidate(constants={"heedful.heads._shares.CAUTION": 1.0}),
    "no guard": Candidate(constants={"heedful.heads._tune.trust": lambda *_: 1.0}),
    "no reach limit": Candidate(lambda: {"max_extrapolation": None}),
    'mixing="adaptive"': Candidate(lambda: {"mixing": "adaptive"}),
}


def one_split(name: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the mean squared error of a candidate over the folds of a training half, and its seconds."""
    train, _ = halves(len(y), seed)
    found = []
    for part, rest in KFold(FOLDS, shuffle=True, random_state=seed).split(train):
        first, second = one_hot(X.iloc[train[part]], X.iloc[train[rest]])
        rows = (first, y[train[part]]), (second, y[train[rest]])
        with ExitStack() as stack:
            for target, value in getattr(CANDIDATES.get(name), "constants", {}).items():
                stack.enter_context(mock.patch(target, value))
            found.append(study.measure({name: make(name, seed)}, *rows)[name])
    return {name: {what: float(np.mean([part[what] for part in found])) for what in ("error", "seconds")}}


def make(name: str, seed: int) -> Any:
    """Return the lasso, or an attention lasso with what a candidate changes."""
    if name == LASSO:
        return LassoBaseline(random_state=seed)
    return AttentionLasso(random_state=seed, **CANDIDATES[name].arguments())


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    names = [name for name in CANDIDATES if name != DEFAULT]
    parser.add_argument("--candidates", nargs="+", default=names, choices=names, help="what to try beside the default")


def gains(errors: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent of the lasso's error each candidate is below the default, one row per split."""
    percent = 100 * (1 - errors.div(errors[LASSO], axis=0))
    return percent.drop(columns=[LASSO, DEFAULT]).sub(percent[DEFAULT], axis=0)


def tell(name: str, gain: pd.Series) -> str:
    """Return a line of the table: gain on each table, its mean, and on how many it is beyond two standard errors."""
    tables = gain.groupby("table")
    mean, error = tables.mean(), tables.sem()
    better, worse = (mean > 2 * error).sum(), (mean < -2 * error).sum()
    cells = [f"{mean[title]:+.1f} ({error[title]:.1f})" for title in mean.index]
    return f"| {name} | {mean.mean():+.2f} | {better} | {worse} | " + " | ".join(cells) + " |"


def write_page(results: pd.DataFrame, versions: str) -> str:
    """Return the page."""
    gain, seconds = gains(results["error"]), results["seconds"].groupby("table").mean().mean()
    titles = list(gain.index.unique("table"))
    head = f"| candidate | mean | better | worse | {' | '.join(titles)} |"
    lines = [head, "|---" * (len(titles) + 4) + "|", *(tell(name, gain[name]) for name in gain)]
    costs = ", ".join(f"{name} {seconds[name] / seconds[DEFAULT]:.2f}" for name in gain)
    about = (
        "Points by which a candidate improves more on the lasso than the default does, mean (standard error) over "
        f"{results.index.unique('seed').size} training halves; {FOLDS} folds inside of each, test halves never read. "
        f"`better` and `worse` count tables beyond two standard errors. {dt.date.today()}, {versions}. This page is "
        "rewritten by `make defaults`."
    )
    return (
        "\n\n".join(["# Defaults", about, "\n".join(lines), f"Seconds against those of the default: {costs}."]) + "\n"
    )


def main() -> None:
    """Measure what is missing and write the page."""
    options = study.read_options(__doc__, SPLITS, add_options)
    names = [LASSO, DEFAULT, *options.candidates]
    studies = {
        name: study.Study("defaults", "Defaults", "", LASSO, partial(one_split, name), ("heedful", "scikit-learn"))
        for name in names
    }
    tables = study.read_tables(options)
    jobs = study.order_jobs(tables, options.splits)
    known, _ = study.run_parts(studies, tables, [(name, *job) for name in names for job in jobs], options)
    merged = {job: {} for job in sorted(jobs)}
    for (name, *job), scores in known.items():
        if name in names and tuple(job) in merged:
            merged[tuple(job)] |= scores
    text = write_page(study.as_frame(merged), studies[DEFAULT].versions)
    print(text)
    (study.work_folder(studies[DEFAULT], options) / "results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
