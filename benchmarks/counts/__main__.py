"""Counts and costs with exposures: heedful and its rivals by the deviance of left-out rows.

    python -m benchmarks.counts [--runs 5] [--jobs -1] [--fresh] [--smoke]

Simulated claims with hidden groups (how often, what a claim costs, what a year costs), and visits to doctors in the
RAND health insurance experiment. Writes results.md beside this file once all is in; of less, and with ``--smoke``,
under build/. Each draw is kept, so an interrupted run goes on where it stopped.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import pandas as pd
from sklearn.metrics import mean_tweedie_deviance

from benchmarks import pages, study
from benchmarks.counts.methods import FOLDS, METHODS, OURS, PACKAGES, TRUTH, has_method
from benchmarks.counts.tables import KINDS, Draw, draw_claims, draw_visits

HERE, RUNS = Path(__file__).parent, 5
# Within this much of the best deviance counts as even; losses of more standard errors than this are named.
EVEN, ERRORS = 1.02, 2.0
# What is not a method at its defaults takes no part in who is best.
BESIDE = [FOLDS, TRUTH]


def one_draw(make: Callable[[int], Draw], seed: int, *, name: str) -> study.Scores:
    """Return mean unit deviance of left-out rows, D2 and CPU seconds of a method."""
    draw = make(seed)
    level = draw.train.y.sum() / draw.train.exposure.sum()
    start = process_time()
    expected = METHODS[name](draw, seed)
    seconds = process_time() - start
    own, null = (
        float(mean_tweedie_deviance(draw.test.y, mean, power=draw.power))
        for mean in (expected, level * draw.test.exposure)
    )
    return {name: {"deviance": own, "d2": 1.0 - own / null, "seconds": seconds}}


def rank(deviances: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return which method has the smallest mean deviance on a table, and the ratio of each to it, draw by draw."""
    methods = deviances.drop(columns=BESIDE, errors="ignore").dropna(axis=1, how="all")
    best = str(methods.mean().idxmin())
    return best, deviances.dropna(axis=1, how="all").div(methods[best], axis=0)


def read(title: str, deviances: pd.DataFrame) -> str:
    """Return a sentence on a table: who is best, and whether heedful loses to whom by more than noise."""
    best, ratios = rank(deviances)
    own = ratios[OURS].mean()
    if best == OURS:
        second = ratios.drop(columns=[OURS, *BESIDE], errors="ignore").mean()
        return f"{title}: {OURS} is the best; next is {second.idxmin()}, {100 * (second.min() - 1):.1f} % above."
    gap = deviances[OURS] - deviances[best]
    clear = gap.mean() > ERRORS * gap.sem()
    verdict = "within 2 % of it" if own <= EVEN else "**behind by more than 2 %**"
    noise = f"{'beyond' if clear else 'within'} two standard errors"
    return f"{title}: {best} is the best; {OURS} is {100 * (own - 1):.1f} % above, {verdict}, {noise}."


def write_page(found: pd.DataFrame, titles: list[str], options) -> str:
    """Return the page."""
    rows, sentences = [], []
    for title in titles:
        table = found.loc[title]
        _, ratios = rank(table["deviance"])
        for name in sorted(ratios, key=lambda name: ratios[name].mean()):
            figures = [pages.format_mean(ratios[name], 3), pages.format_mean(table["d2"][name], 3)]
            rows.append([f"{title}: {name}", *figures, "" if name == TRUTH else f"{table['seconds'][name].mean():.1f}"])
        sentences.append(read(title, table["deviance"]))
    packages = sorted({name for used in PACKAGES.values() for name in used} | {"statsmodels"})
    about = (
        f"Mean (standard error) of {options.runs} draws or splits, seeds from 0: deviance of left-out rows as a ratio "
        f"to that of the method with the smallest mean, D2 (the part explained of the deviance that one rate for all "
        f"rows leaves), CPU seconds of one core to fit and predict. {pages.stamp(*packages)}. Run again: `make counts`."
    )
    head = ["table and method", "deviance, ratio to the best", "D2", "seconds"]
    return pages.join("Counts and costs", about, pages.bullets(sentences), pages.draw_table(head, rows))


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, rows=((300, 3000), (150,)), test=(3000, 100))
    few, many, test = options.rows[0], options.rows[-1], options.test
    tables = {f"{kind}, {n} policies": (partial(draw_claims, kind, n, test),) for kind in KINDS for n in (few, many)}
    tables[f"visits, {many} rows"] = (partial(draw_visits, many, test, False),)
    tables[f"visits, {many} rows, no left-out row like a training row"] = (partial(draw_visits, many, test, True),)
    # an EBM takes its time of few rows too
    names = [name for name in METHODS if not (options.smoke and name == "EBM")]
    studies = {name: study.Study(HERE, partial(one_draw, name=name), PACKAGES[name]) for name in names}
    jobs = study.order_jobs(tables, options.runs)
    wanted = [(name, *job) for job in jobs for name in names if has_method(name, job[0])]
    known, _ = study.run_parts(studies, tables, wanted, options)
    splits = {job: {} for job in sorted(jobs)}
    for name, *job in wanted:
        splits[tuple(job)] |= known[name, *job]
    found = study.as_frame(splits)
    study.publish(HERE, options, write_page(found, list(tables), options))


if __name__ == "__main__":
    main()
