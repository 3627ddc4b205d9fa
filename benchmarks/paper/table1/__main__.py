"""Table 1 of the paper: attention lasso and its rivals on twelve UCI tables, beside the paper's figures.

    python -m benchmarks.paper.table1 [--datasets NAME ...] [--runs 50] [--methods GROUP ...] [--jobs -1]
                                      [--data DIR] [--fresh] [--smoke]

Writes results.md and figure.png (as figure 3) beside this file once all tables have 50 splits of the attention and
rivals groups; of less, and with ``--smoke``, under build/. Each method of each split is kept in splits.jsonl, so an
interrupted run goes on where it stopped, and a new method leaves the others as they are.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from benchmarks import pages, rivals, study
from benchmarks.boxes import draw_improvements
from benchmarks.paper.table1.page import LASSO, MAIN, MANY, ONE, Figures, write_page
from benchmarks.tables import READINGS, TABLES, data_folder, halves, load, one_hot
from heedful import AttentionLasso, LocalLasso
from heedful.baseline import LassoBaseline
from heedful.similarity import ForestProximity, RidgeSimilarity

HERE, RUNS = Path(__file__).parent, 50
EBM = "EBM"
GROUPS = ("attention", "rivals", "readings", "extra", "ablation")
OURS, PLAIN = ("heedful", "scikit-learn"), ("scikit-learn",)
# Both may be missing; LightGBM and XGBoost may not.
MODULES = {"CatBoost": "catboost", EBM: "interpret"}


class Method(NamedTuple):
    """A method: the group it is run with, how it is made from a seed, and the packages it is made of."""

    group: str
    make: Callable[[int], Any]
    packages: tuple[str, ...] = OURS


def attend(seed: int, **options: Any) -> AttentionLasso:
    """Return an attention lasso."""
    return AttentionLasso(random_state=seed, **options)


def to_the_letter(seed: int, **options: Any) -> AttentionLasso:
    """Return the paper's own, with ten folds, no guard and the softmax as it is; ranger splits no node of five rows."""
    forest = ForestProximity(min_samples_split=6)
    return AttentionLasso.as_in_the_paper(random_state=seed, similarity=forest, **options)


one_head = partial(attend, heads="single")
METHODS = {
    LASSO: Method("", lambda seed: LassoBaseline(random_state=seed)),
    ONE: Method("attention", one_head),
    MANY: Method("attention", attend),
    "LightGBM": Method("rivals", rivals.make_lightgbm, ("lightgbm",)),
    "XGBoost": Method("rivals", rivals.XGBoost, ("xgboost",)),
    "forest": Method("rivals", rivals.make_forest, PLAIN),
    "KNN": Method("rivals", rivals.make_knn, PLAIN),
    "CatBoost": Method("extra", rivals.make_catboost, ("catboost",)),
    EBM: Method("extra", rivals.make_ebm, ("interpret-core",)),
    "Algorithm 2 to the letter": Method("attention", to_the_letter),
    "Algorithm 2 at temperature 0.1": Method("attention", partial(to_the_letter, temperature=0.1)),
    "cv=10": Method("ablation", partial(one_head, cv=10)),
    'mixing="adaptive"': Method("ablation", partial(one_head, mixing="adaptive")),
    "no limit to extrapolation": Method("ablation", partial(one_head, local=LocalLasso(max_extrapolation=None))),
    "ridge attention": Method("ablation", partial(one_head, similarity=RidgeSimilarity())),
}
# What is told of a reading: the rivals that say which one is the paper's, and ours
SHOWN = ["forest", "KNN", ONE, MANY]


def names_of(group: str) -> list[str]:
    """Return the methods of a group."""
    return [name for name, method in METHODS.items() if method.group == group]


def one_split(name: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return error and seconds of a method; all see one column per level and missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = one_hot(X.iloc[train], X.iloc[test])
    return study.measure({name: METHODS[name].make(seed)}, (first, y[train]), (second, y[test]))


def make_study(name: str) -> study.Study:
    """Return the study of one method."""
    return study.Study(HERE, partial(one_split, name), METHODS[name].packages)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the tables, and those that only this study has."""
    study.add_tables(parser)
    parser.add_argument("--methods", nargs="+", default=["all"], choices=[*GROUPS, "all"], help="groups to run")
    parser.add_argument("--reading-splits", type=int, default=20, help="splits of tables that are read otherwise")
    parser.add_argument("--extra-splits", type=int, default=1, help="splits of CatBoost and EBM, which are slow")
    parser.add_argument("--ablation-splits", type=int, default=3, help="splits of one head with one thing changed")
    parser.add_argument("--ebm-communities", action="store_true", help="fit EBM to the 126 columns of Communities too")


def read_options() -> argparse.Namespace:
    """Return the options; a smoke run has one split of everything, and few rounds of the slowest method."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    options.groups = list(GROUPS) if options.smoke or "all" in options.methods else options.methods
    if options.smoke:
        options.reading_splits = options.extra_splits = options.ablation_splits = 1
        METHODS[EBM] = METHODS[EBM]._replace(make=partial(rivals.make_ebm, outer_bags=2, max_rounds=50))
    absent = [MODULES[name] for name in MODULES if not is_installed(name)] if "extra" in options.groups else []
    if absent:
        raise SystemExit(
            f"Not installed: {', '.join(absent)}. Get them by: pip install 'heedful[paper]', or leave them out: "
            "--methods attention rivals ablation"
        )
    return options


def is_installed(name: str) -> bool:
    """Return whether a method's package is there."""
    return name not in MODULES or find_spec(MODULES[name]) is not None


def read_tables(options: argparse.Namespace) -> tuple[dict[str, study.Table], dict[str, study.Table]]:
    """Return the tables by their titles, and other readings of some of them by the names of those."""
    if options.smoke:
        (title, table), *_ = study.read_tables(options).items()
        return {title: table}, {f"{title}, read otherwise": table}
    folder = data_folder(options.data)
    found = {
        f"{TABLES[name]}, {reading}" if reading else TABLES[name]: load(name, folder, **choices)
        for name in options.tables
        for reading, choices in READINGS.get(name, {"": {}}).items()
    }
    mine = {title: found[title] for title in map(TABLES.get, options.tables)}
    return mine, {title: table for title, table in found.items() if title not in mine}


def list_parts(
    tables: dict[str, study.Table], others: dict[str, study.Table], options: argparse.Namespace
) -> list[study.Part]:
    """Return what is to be measured: method, table and seed; the lasso wherever another method is."""
    splits = {"readings": options.reading_splits, "extra": options.extra_splits, "ablation": options.ablation_splits}
    wanted = []
    for group in options.groups:
        there, names = (others, SHOWN) if group == "readings" else (tables, names_of(group))
        jobs = study.order_jobs(there, min(options.runs, splits.get(group, options.runs)))
        wanted += [(name, *job) for job in jobs for name in [LASSO, *names]]
    skipped = set() if options.ebm_communities else {(EBM, TABLES["communities_and_crime"])}
    return [part for part in dict.fromkeys(wanted) if part[:2] not in skipped]


def collect(known: dict[study.Part, study.Scores], tables: dict[str, study.Table], runs: int) -> pd.DataFrame:
    """Return errors and seconds of all that is known of these tables and splits, one row per split."""
    merged: dict[study.Job, study.Scores] = {job: {} for job in sorted(study.order_jobs(tables, runs))}
    for name in METHODS:
        for job, scores in merged.items():
            scores |= known.get((name, *job), {})
    found = {job: scores for job, scores in merged.items() if LASSO in scores}
    return study.as_frame(found) if found else pd.DataFrame()


def is_whole(percent: pd.DataFrame, tables: dict[str, study.Table]) -> bool:
    """Return whether all tables have all splits of the paper's columns, now or by an earlier run."""
    found = percent.reindex(columns=MAIN).dropna()
    return set(tables) == set(TABLES.values()) and len(found) >= RUNS * len(TABLES)


def main() -> None:
    """Run the study."""
    options, start = read_options(), time.perf_counter()
    plt.switch_backend("Agg")
    tables, others = read_tables(options)
    studies = {name: make_study(name) for name in METHODS if is_installed(name)}
    wanted = list_parts(tables, others, options)
    known, n_measured = study.run_parts(studies, tables | others, wanted, options)
    results, otherwise = collect(known, tables, options.runs), collect(known, others, options.reading_splits)
    percent = study.improvement(results, LASSO)
    if not otherwise.empty:
        otherwise = study.improvement(otherwise, LASSO)
    packages = dict.fromkeys(package for name in results["error"] for package in METHODS[name].packages)
    minutes = (time.perf_counter() - start) / 60
    page = write_page(
        Figures(percent, results["seconds"], otherwise),
        {title: table[0].shape for title, table in tables.items()},
        {group: names_of(group) for group in GROUPS},
        f"{pages.stamp(*packages)}. The last run took {minutes:.1f} minutes and measured {n_measured} of {len(wanted)} "
        "numbers.",
    )
    folder = study.publish(HERE, options, page, is_whole(percent, tables))
    drawn = percent.filter(MAIN)
    if not drawn.empty:
        draw_improvements(drawn, LASSO, folder / "figure.png", left=-100.0)


if __name__ == "__main__":
    main()
