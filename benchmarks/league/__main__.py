"""A league: heedful and its rivals at their defaults, on 34 tables of numbers, 12 of classes, and samples by size.

    python -m benchmarks.league [--methods NAME ...] [--kinds numbers classes sizes] [--tables TITLE ...] [--runs 2]
                                [--jobs -1] [--data DIR] [--fresh] [--smoke]

Writes results.md beside this file once all methods that are installed have all tables; of less, and with ``--smoke``,
under build/. Each method of each split is kept in splits.jsonl: an interrupted run goes on where it stopped, and when
heedful has a new version, it alone is measured again.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, rivals, study
from benchmarks.league.measuring import measure
from benchmarks.league.methods import (
    CLASSES,
    EBM,
    LASSO,
    METHODS,
    NAMES,
    NUMBERS,
    Method,
    find_absent,
    find_method,
    list_there,
    make_ebm_classifier,
)
from benchmarks.league.page import write_section
from benchmarks.league.tables import (
    CUT,
    TEST_ROWS,
    count_test_rows,
    make_stand_ins,
    read_classes,
    read_numbers,
    read_sizes,
)
from benchmarks.tables import TABLES, data_folder

HERE, RUNS = Path(__file__).parent, 2
Tables = dict[str, dict[str, study.Table]]
ABOUT = {
    "numbers": (
        "Gain: by how many per cent the mean squared test error is below the lasso's. The tables of the paper have "
        "names in capitals; the others are StatLib's."
    ),
    "classes": (
        "Gain: by how many per cent the log loss is below that of the logistic lasso. Probabilities are at least "
        "1e-15, so a forest that is sure and wrong pays for it. scikit-learn has four tables (600 rows of digits); as "
        f"these are few, {len(CUT)} tables of numbers are cut at their median."
    ),
    "sizes": (
        f"Gain as for numbers, by the number of training rows; {TEST_ROWS} other rows are predicted. Friedman 1 has 5 "
        "columns of 20 that matter; in the switch the sign of one column decides the slope of another, beside 17 "
        "columns of noise; the other two are StatLib's."
    ),
}


def short(name: str) -> str:
    """Return how a method is called on the command line."""
    return name.lower().replace(" ", "-")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this study has."""
    names = [short(name) for name in NAMES]
    there = [short(name) for name in list_there()]
    parser.add_argument("--data", help="folder that holds uci/manifest.json and statlib/manifest.json")
    parser.add_argument("--methods", nargs="+", default=there, choices=names, type=str.lower, help="what to measure")
    parser.add_argument("--kinds", nargs="+", default=list(METHODS), choices=list(METHODS), help="what is predicted")
    parser.add_argument("--tables", nargs="+", help="titles of tables, as on the page (default: all)")


def read_options() -> argparse.Namespace:
    """Return the options; a smoke run has few rounds of the slowest method, and does without what is not installed."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    options.names = [name for name in NAMES if short(name) in options.methods]
    absent = find_absent(options.names)
    if options.smoke:
        options.names = [name for name in options.names if not find_absent([name])]
    elif absent:
        extras = {find_method(name).extra or "league" for name in options.names if find_absent([name])}
        raise SystemExit(
            f"Not installed: {', '.join(absent)}. Get them by: pip install 'heedful[{','.join(sorted(extras))}]', or "
            "leave their methods out by --methods."
        )
    if options.smoke:
        few = {"outer_bags": 2, "max_rounds": 50}
        NUMBERS[EBM] = NUMBERS[EBM]._replace(make=partial(rivals.make_ebm, **few))
        CLASSES[EBM] = CLASSES[EBM]._replace(make=partial(make_ebm_classifier, **few))
    return options


def read_tables(options: argparse.Namespace) -> Tables:
    """Return the tables of each kind by their titles."""
    if options.smoke:
        found = make_stand_ins()
    else:
        numbers = read_numbers(data_folder(options.data))
        found = {"numbers": numbers, "classes": read_classes(numbers), "sizes": read_sizes(numbers)}
    tables = {kind: found[kind] for kind in METHODS if kind in options.kinds}
    return choose(tables, options.tables) if options.tables else tables


def choose(tables: Tables, titles: list[str]) -> Tables:
    """Return the tables of some titles; one that is unknown ends the program."""
    known = [title for found in tables.values() for title in found]
    unknown = [title for title in titles if title not in known]
    if unknown:
        raise SystemExit(f"There is no table {unknown[0]!r}. There are: {', '.join(known)}.")
    return {kind: {title: found[title] for title in found if title in titles} for kind, found in tables.items()}


def part_name(kind: str, name: str) -> str:
    """Return under which name a method's splits are kept."""
    return name if kind == "numbers" else f"{name}, {kind}"


def make_studies() -> dict[str, study.Study]:
    """Return one study for each method and kind of response whose package is there."""
    return {
        part_name(kind, name): study.Study(HERE, partial(measure, kind, name), method.packages)
        for kind, methods in METHODS.items()
        for name, method in methods.items()
        if not find_absent([name])
    }


def list_parts(tables: Tables, names: list[str], runs: int) -> list[study.Part]:
    """Return what is to be measured: method, table and seed."""
    return [
        (part_name(kind, name), *job)
        for kind, found in tables.items()
        for job in study.order_jobs(found, runs)
        for name in names
        if name in METHODS[kind] and can_tell(METHODS[kind][name], kind, found[job[0]])
    ]


def can_tell(method: Method, kind: str, table: study.Table) -> bool:
    """Return whether a method can tell as many classes apart as a table has."""
    return kind != "classes" or len(np.unique(table[-1])) <= method.classes


def without_slow(wanted: list[study.Part], known: dict[study.Part, study.Scores]) -> list[study.Part]:
    """Return parts without later splits of a table on whose first split the method took too long."""
    return [part for part in wanted if part[2] == 0 or known.get((*part[:2], 0)) != {}]


def collect(
    known: dict[study.Part, study.Scores], kind: str, tables: dict[str, study.Table], runs: int
) -> pd.DataFrame:
    """Return errors and seconds of all that is known of a kind, one row per split that has the lasso."""
    found = {}
    for job in sorted(study.order_jobs(tables, runs)):
        scores: study.Scores = {}
        for name in METHODS[kind]:
            scores |= known.get((part_name(kind, name), *job), {})
        if LASSO in scores:
            found[job] = scores
    if not found:
        return pd.DataFrame()
    frame = study.as_frame(found)
    order = [(what, name) for what in ("error", "seconds") for name in METHODS[kind]]
    return frame[[column for column in order if column in frame]]


def left_out(known: dict[study.Part, study.Scores]) -> str:
    """Return a sentence: which methods were left out where, as they took too long."""
    slow: dict[str, list[str]] = {}
    for (part, title, _), scores in sorted(known.items()):
        if not scores and title not in slow.setdefault(part, []):
            slow[part].append(title)
    said = [f"{part} on {', '.join(titles)}" for part, titles in slow.items()]
    return f"Left out where a fit takes more than a minute of one core: {'; '.join(said)}." if said else ""


def name_packages(known: dict[study.Part, study.Scores]) -> list[str]:
    """Return the packages of the methods that are known."""
    found = [
        package
        for kind, methods in METHODS.items()
        for name, method in methods.items()
        if any(part == part_name(kind, name) for part, *_ in known)
        for package in method.packages
    ]
    return list(dict.fromkeys(found))


def rows_of(kind: str, X: pd.DataFrame) -> int:
    """Return how many rows a table has; of samples by size, how many are for training."""
    return len(X) - count_test_rows(len(X)) if kind == "sizes" else len(X)


def describe_missing() -> str:
    """Return a sentence: which methods are not measured, as their packages are not installed."""
    missing = [f"{name} (extra `{find_method(name).extra}`)" for name in NAMES if name not in list_there()]
    return f"Not installed, so not measured: {', '.join(missing)}." if missing else ""


def write_page(known: dict[study.Part, study.Scores], tables: Tables, runs: int) -> str:
    """Return the page of all that is known."""
    sections = []
    for kind, found in tables.items():
        results = collect(known, kind, found, runs)
        if not results.empty:
            shapes = {title: (rows_of(kind, table[0]), table[0].shape[1]) for title, table in found.items()}
            sections.append(write_section(kind, ABOUT[kind], results, shapes))
    about = (
        f"Every method at its defaults, on one thread; means of {runs} random 50/50 splits, seeds from 0, the same for "
        "all. `typical gain` is from the geometric mean of error ratios, each between 1/100 and 100, as a table on "
        "which the lasso is nearly exact, or hopeless, decides the mean gain. Ranks are by mean gain among the methods "
        "of a table, the lasso one of them; a method's means are of the tables that it has. "
        "Standard errors are of the paired difference over splits: of two splits they are rough. Seconds are CPU "
        "time to fit one half and predict the other. "
        f"{pages.stamp(*name_packages(known))}. This page is rewritten by `make league`; the README says what "
        f"each method is shown. {left_out(known)} {describe_missing()}"
    )
    return pages.join("League", about.strip(), *sections)


def main() -> None:
    """Measure what is missing and write the page."""
    options = read_options()
    tables = read_tables(options)
    both = {title: table for found in tables.values() for title, table in found.items()}
    wanted = list_parts(tables, options.names, options.runs)
    known, _ = study.run_parts(make_studies(), both, [part for part in wanted if part[2] == 0], options)
    later = [part for part in without_slow(wanted, known) if part[2] > 0]
    known, _ = study.run_parts(make_studies(), both, later, options)
    everything = without_slow(list_parts(tables, list_there(), options.runs), known)
    known = {part: known[part] for part in everything if part in known}
    has_all = not options.tables and len(tables) == len(METHODS) and len(tables["numbers"]) > len(TABLES)
    page = write_page(known, tables, options.runs)
    study.publish(HERE, options, page, has_all and len(known) == len(everything))


if __name__ == "__main__":
    main()
