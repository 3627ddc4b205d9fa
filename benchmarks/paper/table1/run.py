"""Table 1 of the paper: attention lasso and its rivals on twelve UCI tables, beside the paper's figures.

    python benchmarks/paper/table1/run.py [--datasets NAME ...] [--splits 50] [--methods GROUP ...] [--jobs -1]
                                          [--data DIR] [--fresh] [--smoke]

Writes results.md and figure.png (as figure 3) beside this file once all tables have 50 splits of the attention and
rivals groups; of less, and with ``--smoke``, under build/. Each method of each split is kept in build/table1, so an
interrupted run goes on where it stopped, and a new method leaves the others as they are.
"""

import argparse
import datetime as dt
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso
from heedful.baseline import LassoBaseline
from heedful.similarity import RidgeSimilarity

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import rivals
import study
from boxes import draw_improvements
from tables import TABLES, halves, one_hot

SPLITS = 50
LASSO, ONE, MANY, EBM = "lasso", "one head", "many heads", "EBM"
RIVALS = ["LightGBM", "XGBoost", "forest", "KNN"]
GROUPS = ("attention", "rivals", "extra", "ablation")
OURS, PLAIN = ("heedful", "scikit-learn"), ("scikit-learn",)
# Both may be missing; LightGBM and XGBoost may not.
MODULES = {"CatBoost": "catboost", EBM: "interpret"}
# Algorithm 2 to the letter: the softmax as it is, the baseline's penalty, and no limit to extrapolation
PRINTED = {"temperature": 1.0, "alpha_ratio": 1.0, "max_extrapolation": None}
# arXiv 2512.09912, Table 1: mean and standard error of 50 splits
PAPER = pd.DataFrame(
    {
        "Airfoil": [75.0, 1.1, 84.3, 0.3, 84.1, 0.3, 69.3, 0.3, 48.2, 0.8],
        "Auto MPG": [31.8, 0.9, 26.1, 1.0, 17.2, 1.1, 26.4, 1.1, 10.1, 1.2],
        "Automobile": [37.1, 1.3, 27.4, 1.6, 12.3, 3.1, 33.0, 1.2, -25.6, 2.5],
        "Communities": [3.1, 0.4, -1.5, 0.4, -13.5, 0.7, 1.1, 0.3, -19.0, 0.7],
        "Concrete": [62.8, 0.7, 77.7, 0.3, 74.4, 0.4, 64.1, 0.4, 17.6, 1.0],
        "Facebook": [93.6, 0.9, 90.5, 0.4, 94.1, 0.5, 93.4, 0.3, 56.8, 2.0],
        "Forest Fires": [-0.4, 0.3, -0.1, 0.8, -9.0, 4.1, -21.1, 6.3, -24.5, 5.6],
        "Infrared": [3.4, 0.5, -1.8, 1.0, -4.3, 1.1, 6.0, 0.7, -11.2, 0.9],
        "Liver": [0.2, 0.7, 1.7, 1.0, -12.5, 1.7, 3.7, 1.0, 3.6, 1.2],
        "Real Estate": [18.2, 1.3, 24.2, 0.8, 14.0, 2.0, 29.9, 0.9, 8.6, 0.8],
        "Servo": [63.8, 1.7, 23.3, 1.9, 74.0, 1.6, 42.2, 1.5, -21.9, 4.5],
        "Stock": [60.4, 0.8, 32.1, 1.9, 23.9, 2.4, -15.6, 2.8, -200.7, 6.1],
    },
    index=pd.MultiIndex.from_product([["attention", *RIVALS], ["mean", "error"]]),
).T


class Method(NamedTuple):
    """A method: the group it is run with, how it is made from a seed, and the packages it is made of."""

    group: str
    make: Callable[[int], Any]
    packages: tuple[str, ...] = OURS


def attend(seed: int, **options: Any) -> AttentionLasso:
    """Return an attention lasso."""
    return AttentionLasso(random_state=seed, **options)


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
    "temperature 1, as printed": Method("ablation", partial(one_head, **PRINTED)),
    "cv=10": Method("ablation", partial(one_head, cv=10)),
    'mixing="adaptive"': Method("ablation", partial(one_head, mixing="adaptive")),
    "ridge attention": Method("ablation", partial(one_head, similarity=RidgeSimilarity())),
}
MAIN = [ONE, MANY, *RIVALS]


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
    return study.Study("table1", "Table 1", "", LASSO, partial(one_split, name), METHODS[name].packages)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this study has."""
    parser.add_argument("--methods", nargs="+", default=["all"], choices=[*GROUPS, "all"], help="groups to run")
    parser.add_argument("--extra-splits", type=int, default=3, help="splits of CatBoost and EBM, which are slow")
    parser.add_argument("--ablation-splits", type=int, default=5, help="splits of one head with one thing changed")
    parser.add_argument("--ebm-communities", action="store_true", help="fit EBM to the 126 columns of Communities too")


def read_options() -> argparse.Namespace:
    """Return the options; a smoke run has one split of everything, and few rounds of the slowest method."""
    options = study.read_options(__doc__, SPLITS, add_options)
    options.groups = list(GROUPS) if options.smoke or "all" in options.methods else options.methods
    if options.smoke:
        options.extra_splits = options.ablation_splits = 1
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


def list_parts(tables: dict[str, study.Table], options: argparse.Namespace) -> list[study.Part]:
    """Return what is to be measured: method, table and seed; the lasso wherever another method is."""
    splits = {"extra": options.extra_splits, "ablation": options.ablation_splits}
    wanted = []
    for group in options.groups:
        jobs = study.order_jobs(tables, min(options.splits, splits.get(group, options.splits)))
        wanted += [(name, *job) for job in jobs for name in [LASSO, *names_of(group)]]
    skipped = set() if options.ebm_communities else {(EBM, TABLES["communities_and_crime"])}
    return [part for part in dict.fromkeys(wanted) if part[:2] not in skipped]


def collect(known: dict[study.Part, study.Scores], tables: dict[str, study.Table], splits: int) -> pd.DataFrame:
    """Return errors and seconds of all that is known of these tables and splits, one row per split."""
    merged: dict[study.Job, study.Scores] = {job: {} for job in sorted(study.order_jobs(tables, splits))}
    for name in METHODS:
        for job, scores in merged.items():
            scores |= known.get((name, *job), {})
    return study.as_frame({job: scores for job, scores in merged.items() if LASSO in scores})


def cell(values: pd.Series) -> str:
    """Return mean (standard error) over splits."""
    if values.notna().sum() == 0:
        return "not run"
    return f"{values.mean():.1f}" + (f" ({values.sem():.1f})" if values.notna().sum() > 1 else "")


def main_table(percent: pd.DataFrame, tables: dict[str, study.Table]) -> str:
    """Return the paper's table in markdown: ours, and its own figures beside them."""
    columns = {ONE: "attention", MANY: None} | {name: name for name in RIVALS}
    titles = [title for name, own in columns.items() for title in ([name, "the paper's"] if own else [name])]
    lines = ["| table | n | p | " + " | ".join(titles) + " |", "|---" * (len(titles) + 3) + "|"]
    for title, splits in percent.groupby("table"):
        cells = [title, *map(str, tables[title][0].shape)]
        for name, own in columns.items():
            cells += [cell(splits[name]), paper_cell(title, own)] if own else [cell(splits[name])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def paper_cell(title: str, column: str) -> str:
    """Return mean (standard error) from the paper; nothing for a table that it does not have."""
    if title not in PAPER.index:
        return ""
    return f"{PAPER.loc[title, (column, 'mean')]} ({PAPER.loc[title, (column, 'error')]})"


def side_table(percent: pd.DataFrame, names: list[str]) -> str:
    """Return a markdown table of methods that ran on fewer splits, after the attention lasso on the same ones."""
    same = percent.dropna(subset=names, how="all")
    columns = [name for name in [ONE, MANY] if name in same] + names
    lines = ["| method | " + " | ".join(same.index.unique("table")) + " |"]
    lines.append("|---" * (same.index.unique("table").size + 1) + "|")
    for name in columns:
        cells = [cell(splits[name]) for _, splits in same.groupby("table")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say; tables that the paper does not have are left out."""
    means = percent.groupby("table").mean()
    means = means[means.index.isin(PAPER.index)]
    paper = PAPER.loc[means.index].xs("mean", axis=1, level=1)
    if means.empty:
        return []
    sentences = [against_paper(means[name] - paper["attention"], name) for name in (ONE, MANY) if name in means]
    if MANY in means:
        low, never = means[MANY], "never" if (means[MANY] >= -1).all() else f"{(means[MANY] < -1).sum()} times"
        sentences.append(f"{MANY}: {never} below -1 %; the smallest is {low.min():.1f} % ({low.idxmin()}).")
    if set(MAIN) <= set(means):
        counts = [f"{best_of(means[[name, *RIVALS]], name)} with {name}" for name in (ONE, MANY)]
        own = best_of(paper, "attention")
        sentences.append(
            f"Attention lasso is the best of six methods on {', on '.join(counts)}; in the paper on {own}."
        )
    return sentences


def against_paper(gap: pd.Series, name: str) -> str:
    """Return on how many tables a method is at or above the paper's attention lasso."""
    below = [f"{title} ({value:+.1f})" for title, value in gap[gap < 0].items()]
    below = f"; below on {', '.join(below)}" if below else ""
    return f"{name} at or above the paper's attention lasso on {(gap >= 0).sum()} of {len(gap)} tables{below}."


def best_of(means: pd.DataFrame, name: str) -> str:
    """Return on how many tables a column is the largest, the lasso's zero included."""
    best = means.assign(**{LASSO: 0.0}).idxmax(axis=1)
    return f"{(best == name).sum()} of {len(best)} tables"


def tell_costs(results: pd.DataFrame) -> str:
    """Return minutes of one core by group, and seconds by table and method."""
    seconds = results["seconds"]
    minutes = {group: seconds.filter(names_of(group)).sum().sum() / 60 for group in GROUPS}
    said = ", ".join(f"{group} {value:.1f}" for group, value in minutes.items())
    head = f"Minutes of one core: {said}; a method runs on one core, so two take half of it."
    lines = ["| table | " + " | ".join(seconds) + " |", "|---" * (seconds.shape[1] + 1) + "|"]
    for title, splits in seconds.groupby("table"):
        lines.append(f"| {title} | " + " | ".join(cell(splits[name]) for name in seconds) + " |")
    return f"{head} Seconds to fit one half and predict the other:\n\n" + "\n".join(lines)


def write_page(results: pd.DataFrame, tables: dict[str, study.Table], ran: str) -> str:
    """Return the page: the paper's table, what it says, the methods on fewer splits, and what it cost."""
    percent = improve(results)
    packages = dict.fromkeys(package for name in results["error"] for package in METHODS[name].packages)
    counts = percent.filter(MAIN).groupby("table").count().min()
    about = (
        "Per cent improvement in mean squared test error over the lasso, mean (standard error) of "
        f"{counts.min() if counts.size else 0} random 50/50 splits, seeds from 0; the paper's figures beside ours. "
        f"{dt.date.today()}, {make_study(LASSO)._replace(packages=tuple(packages)).versions}. {ran} This page is "
        "rewritten by `make table1`; the README says what is taken where the paper leaves a setting open."
    )
    parts = ["# Table 1", about, main_table(percent.reindex(columns=MAIN), tables)]
    parts.append("\n".join(f"- {sentence}" for sentence in read_figures(percent)))
    for group, title in {"extra": "Beyond the paper's rivals", "ablation": "One head with one thing changed"}.items():
        names = [name for name in names_of(group) if name in percent]
        if names:
            n_splits = percent[names].groupby("table").count().max().max()
            parts.append(f"## {title}, splits 0 to {n_splits - 1}\n\n{side_table(percent, names)}")
    return "\n\n".join([*filter(None, parts), f"## Cost\n\n{tell_costs(results)}"]) + "\n"


def improve(results: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent each method's error is below the lasso's."""
    return study.improvement(make_study(LASSO), results)


def check_numbers(wanted: list[study.Part], known: dict[study.Part, study.Scores]) -> None:
    """Refuse to write a page in which a number that was asked for is missing."""
    bad = [part for part in wanted if not np.isfinite(known[part][part[0]]["error"])]
    if bad:
        raise SystemExit(f"No finite error for {len(bad)} of {len(wanted)}, first {bad[0]}. Nothing was written.")


def is_whole(results: pd.DataFrame, tables: dict[str, study.Table]) -> bool:
    """Return whether all tables have all splits of the paper's columns."""
    errors = results["error"].reindex(columns=[LASSO, *MAIN]).dropna()
    return set(tables) == set(TABLES.values()) and len(errors) >= SPLITS * len(TABLES)


def main() -> None:
    """Run the study."""
    options, start = read_options(), time.perf_counter()
    plt.switch_backend("Agg")
    tables = study.read_tables(options)
    studies = {name: make_study(name) for name in METHODS if is_installed(name)}
    wanted = list_parts(tables, options)
    known, n_measured = study.run_parts(studies, tables, wanted, options)
    check_numbers(wanted, known)
    results = collect(known, tables, options.splits)
    minutes = (time.perf_counter() - start) / 60
    ran = f"The last run took {minutes:.1f} minutes and measured {n_measured} of {len(wanted)} numbers."
    page = write_page(results, tables, ran)
    print(page)
    folder = Path(__file__).parent if is_whole(results, tables) else study.work_folder(make_study(LASSO), options)
    (folder / "results.md").write_text(page, encoding="utf-8")
    drawn = improve(results).filter(MAIN)
    if not drawn.empty:
        draw_improvements(drawn, LASSO, folder / "figure.png", left=-100.0)


if __name__ == "__main__":
    main()
