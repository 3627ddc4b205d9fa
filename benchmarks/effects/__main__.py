"""Treatment effects that are known: errors of heedful and its rivals, and what intervals hold.

    python -m benchmarks.effects [--methods NAME ...] [--runs 100] [--jobs -1] [--fresh] [--smoke]

Setups A to D of Nie and Wager and hidden groups; rows whose effects are asked for are fresh. Writes results.md beside
this file once all is in; of less, and with ``--smoke``, under build/. Each draw is kept, so an interrupted run goes on
where it stopped. Methods of econml are left out, with a word, where it is not installed. Those of ``--methods`` can be
measured before the others.
"""

import argparse
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks import pages, study
from benchmarks.effects.measuring import one_draw
from benchmarks.effects.methods import COVERAGE, FOREST, METHODS, ONE, OURS, find_present

HERE, RUNS = Path(__file__).parent, 100
SETUPS = ("A", "B", "C", "D", "groups")
# Within this much of the best error counts as even; how many setups of the paper must be.
EVEN, ENOUGH = 1.05, 3
PROMISE = (0.87, 0.93)


def rank(errors: pd.DataFrame) -> pd.Series:
    """Return the ratio of each method's mean error to the smallest."""
    means = errors.dropna(axis=1, how="all").mean()
    return (means / means.min()).sort_values()


def describe_setup(title: str, errors: pd.DataFrame) -> str:
    """Return a sentence on a setup: who is best, where heedful is, and what one effect for all does."""
    ratios = rank(errors)
    best, own, plain = str(ratios.index[0]), ratios[OURS], ratios[ONE]
    if best == OURS:
        said = f"{OURS} is the best; next is {ratios.index[1]}, {100 * (ratios.iloc[1] - 1):.1f} % above"
    else:
        verdict = "within 5 % of it" if own <= EVEN else "**more than 5 % behind**"
        said = f"{best} is the best; {OURS} is {100 * (own - 1):.1f} % above, {verdict}"
    if own > EVEN * plain:
        said += f"; **one effect for all is better by {100 * (own / plain - 1):.0f} %**"
    return f"{title}: {said}."


def describe_bars(found: pd.DataFrame, sizes: tuple[int, ...]) -> list[str]:
    """Return sentences on what was to be shown."""
    said = []
    for n in sizes:
        even = [setup for setup in SETUPS if rank(found.loc[name_table(setup, n), "error"])[OURS] <= EVEN]
        plain = [setup for setup in even if setup != "groups"]
        kept = "as" if len(plain) >= ENOUGH and "groups" in even else "**not as**"
        said.append(
            f"n = {n}: best or within 5 % of the best in {len(plain)} of four setups ({', '.join(plain) or 'none'}) "
            f"and {'in' if 'groups' in even else 'not in'} the hidden groups: {kept} wanted."
        )
    inside = found["average inside", ONE].dropna()
    low, high = PROMISE
    kept = "as wanted" if low <= inside.mean() <= high else "**not as wanted**"
    said.append(
        f"Intervals of the average effect hold it in {100 * inside.mean():.1f} % of {len(inside)} draws ({kept}: "
        f"{100 * low:.0f} to {100 * high:.0f} %)."
    )
    return said


def name_table(setup: str, n: int) -> str:
    """Return the title of a setup with so many rows."""
    return f"{setup}, n = {n}"


def write_errors(found: pd.DataFrame, titles: list[str], names: list[str]) -> str:
    """Return a table: errors of effects, best in bold."""
    rows = []
    for title in titles:
        errors = found.loc[title, "error"]
        ratios = rank(errors)
        cells = [
            f"**{pages.format_mean(errors[name], 3)}**" if ratios[name] == 1 else pages.format_mean(errors[name], 3)
            for name in names
        ]
        rows.append([title, *cells, f"{ratios[OURS]:.2f}"])
    return pages.draw_table(["setup", *names, f"{OURS}, ratio to the best"], rows)


def write_intervals(found: pd.DataFrame, titles: list[str]) -> str:
    """Return a table: how many true effects lie in intervals, and how wide these are."""
    names = list(found["inside"].columns)
    rows = [
        [f"{title}: {name}", pages.format_mean(100 * found.loc[title, ("inside", name)]), pages.format_mean(wide, 2)]
        for title in titles
        for name in names
        if not (wide := found.loc[title, ("width", name)]).isna().all()
    ]
    return pages.draw_table(["setup and method", "true effects inside, %", "width"], rows)


def write_averages(found: pd.DataFrame, titles: list[str]) -> str:
    """Return a table: how often the interval of the average effect holds it."""
    rows = []
    for title in titles:
        table = found.loc[title]
        inside, wide = table["average inside", ONE], table["average width", ONE]
        rows.append([title, pages.format_mean(100 * inside), pages.format_mean(wide, 2)])
    return pages.draw_table(["setup", "true average inside, %", "width"], rows)


def write_page(found: pd.DataFrame, options: argparse.Namespace, names: list[str]) -> str:
    """Return the page."""
    titles = [name_table(setup, n) for setup in SETUPS for n in options.rows]
    shown = [OURS, ONE, *(name for name in names if name != OURS)]
    packages = sorted({package for name in names for package in METHODS[name].packages})
    about = (
        f"Root mean squared error of effects on {options.test} fresh rows, mean (standard error) of {options.runs} "
        f"draws, seeds from 0; noise 1, six columns. {pages.stamp(*packages)}. Run again: `make effects`."
    )
    if missing := [name for name in METHODS if name not in names]:
        about += f" Without {', '.join(missing)}."
    intervals = []
    if "inside" in found:
        intervals = [f"Intervals of single effects at {100 * COVERAGE:.0f} %:", write_intervals(found, titles)]
    sentences = [describe_setup(title, found.loc[title, "error"]) for title in titles]
    return pages.join(
        "Treatment effects",
        about,
        pages.bullets([*describe_bars(found, options.rows), *sentences]),
        write_errors(found, titles, shown),
        *intervals,
        f"Intervals of the average effect at {100 * COVERAGE:.0f} %:",
        write_averages(found, titles),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what to measure."""
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS), help="what to measure")


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options, rows=((500, 1000), (120,)), test=(1000, 60))
    tables = {name_table(setup, n): (setup, n, options.test) for setup in SETUPS for n in options.rows}
    present = find_present()
    if not options.smoke and FOREST not in present:
        print("econml is not installed: its methods are left out. `make effects` has them.")
    names = [name for name in present if name in {OURS, *options.methods}]
    studies = {name: study.Study(HERE, partial(one_draw, name=name), METHODS[name].packages) for name in names}
    jobs = study.order_jobs(tables, options.runs)
    known, _ = study.run_parts(studies, tables, [(name, *job) for job in jobs for name in names], options)
    splits: dict[study.Job, study.Scores] = {job: {} for job in sorted(jobs)}
    for name, *job in ((name, *job) for job in jobs for name in names):
        splits[job[0], job[1]] |= known[name, job[0], job[1]]
    study.publish(HERE, options, write_page(study.as_frame(splits), options, names), whole=len(names) == len(METHODS))


if __name__ == "__main__":
    main()
