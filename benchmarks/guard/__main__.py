"""Can heads, shapes and the guard be trusted when rows are few, asked of small samples of training halves.

    python -m benchmarks.guard [--runs 8] [--jobs -1] [--data DIR] [--fresh] [--smoke]

A sample of 60, 90, 130 or 200 rows of a table's training half is fitted, the other rows of that half say what the gain
over the lasso truly is; test halves are never read. Candidates are ways to fit shares from the same out-of-bag
predictions, each under several guards. Samples of classes, tables and simulations, are asked how many mistakes the
guard must think unseen. Writes results.md beside this file once all is in; of less, and with
``--smoke``, under build/. Each sample is kept, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.defaults.judge import try_heads
from benchmarks.guard import classes, noise
from benchmarks.league.tables import read_numbers
from benchmarks.tables import data_folder, halves, stand_in
from heedful._flow import fit as fitting, shares
from heedful._flow.fitted import FittedAttention
from heedful._flow.guard import ALL, cross_fit
from heedful._flow.shares import OutOfFold, fit_both, fit_many
from heedful._flow.tune import prune

HERE, RUNS, PACKAGES = Path(__file__).parent, 8, ("heedful",)
# Classes have so many times as many samples.
MORE = 2
SIZES, MOST_OTHERS, FEWEST_OTHERS = (60, 90, 130, 200), 1000, 40
# Gains in standard errors from which on a guard believes a blend in full; from minus one on it does so in part.
LIMITS = (1.0, 2.0, 3.0)
DEFAULT = "mean of both"
# Numbers whose thirds are classes, too
THIRDS = ("Airfoil", "Concrete")


def ask_heads(fitted: FittedAttention, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what every head (n_rows, n_heads), the lasso and the other models for all rows predict of other rows."""
    fitted.tuned = fitting.Tuned(np.zeros(fitted.grid.n_heads), np.zeros(fitted.grid.n_heads), 1.0)
    batch, columns = fitted.read(X), []
    for number, group in enumerate(fitted.grid.groups):
        wanted = np.ones((len(group.weightings), fitted.grid.variants.size), dtype=bool)
        rows = batch.block(number, slice(0, batch.size))
        fits = fitted.problem.fit(group.score(rows), rows.x, group.weightings, wanted, np.zeros(wanted.shape), None)
        values = fits.values
        columns.append(values[..., 0].reshape(batch.size, -1))
    others = [values for values in (batch.view.additive, batch.view.smooth) if values is not None]
    return np.hstack(columns), batch.view.base[:, 0], np.hstack(others)


def count_extremes(oof: OutOfFold, mixing: float | None) -> np.ndarray:
    """Return the shares that are found if rows that no head comes near to count as all others do."""
    with mock.patch.object(shares, "without_extremes", lambda rows: rows):
        return fit_both(oof, mixing)


def one_sample(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return for each candidate how its blend did out of bag and on the other rows of the training half."""
    half = halves(len(y), seed)[0]
    size = min(SIZES[seed % len(SIZES)], half.size - FEWEST_OTHERS)
    train, test = half[:size], half[size : size + MOST_OTHERS]
    fitted, oof = try_heads(X.iloc[train], y[train], seed)
    heads, lasso, others = ask_heads(fitted, X.iloc[test])
    left_out = [oof.family.observed(values[oof.number]) for values in fitted.models.others_left_out().values()]
    both = np.column_stack([oof.heads, *left_out])
    known = np.flatnonzero(np.isfinite(both).all(axis=1) & np.isfinite(oof.baseline))
    shaped = np.append(oof.shaped, np.zeros(len(left_out), dtype=bool))
    with_it = oof._replace(heads=both, shaped=shaped).part(known)
    every, lines = np.ones(shaped.size, dtype=bool), ~shaped
    ways = {
        "lines": (lines & (np.arange(every.size) < oof.shaped.size), fit_many),
        "lines, models for all rows": (lines, fit_many),
        "all": (every, fit_many),
        DEFAULT: (every, fit_both),
        "mean of both, extreme rows in full": (every, count_extremes),
    }
    columns, loss = np.column_stack([heads, others]), np.mean((lasso - y[test]) ** 2)
    found = {}
    for name, (used, fit) in ways.items():
        part = with_it._replace(heads=with_it.heads[:, used], shaped=with_it.shaped[used])
        share, blend = cross_fit(part, lambda rows, fit=fit: fit(rows, None), np.random.RandomState(0))
        gain = part.family.losses(part.baseline).value - part.family.losses(blend).value
        error = gain.std() / np.sqrt(gain.size)
        share = prune(share)
        away = columns[:, used] @ share - share.sum() * lasso
        ratios = [np.mean((lasso + part * away - y[test]) ** 2) / loss if loss > 0 else 1.0 for part in (0.5, 1.0)]
        found[name] = {"t": float(gain.mean() / error) if error > 0 else 0.0, "half": ratios[0], "whole": ratios[1]}
    return found


def guarded(found: pd.DataFrame, name: str, limit: float) -> tuple[pd.Series, pd.Series]:
    """Return the factor of a guard, and the error of the guarded blend in units of the lasso's, per sample.

    Squared error along the way from the lasso to the blend is a parabola, of which three points are known.
    """
    factor = ((found["t", name] + 1) / (limit + 1)).clip(0, 1)
    bend = 2 * (found["whole", name] + 1 - 2 * found["half", name])
    return factor, bend * factor**2 + (found["whole", name] - 1 - bend) * factor + 1


def tell(found: pd.DataFrame) -> str:
    """Return one row for each candidate and guard."""
    rows = []
    for name in found["t"].columns:
        for limit in LIMITS:
            factor, error = guarded(found, name, limit)
            trusted = found["whole", name][factor >= 1]
            wrong, lost = trusted[trusted > 1] - 1, error[error > 1] - 1
            typical = 100 * (1 - np.exp(np.log(error.clip(lower=1e-2)).mean()))
            rows.append(
                [
                    name + (" (default)" if name == DEFAULT and limit == ALL else ""),
                    f"{limit:g}",
                    f"{typical:.1f}",
                    f"{100 * (error > 1.01).mean():.1f}",
                    f"{100 * (error.max() - 1):.0f}",
                    f"{trusted.size}",
                    f"{100 * (trusted > 1).mean() if trusted.size else 0:.1f}",
                    f"{100 * wrong.mean() if wrong.size else 0:.1f}",
                    f"{100 * lost.mean() if lost.size else 0:.1f}",
                ]
            )
    head = ["shares", "full from", "typical gain, %", "worse by 1 %", "worst, %", "trusted in full"]
    return pages.draw_table([*head, "of these wrong, %", "and then lost, %", "lost where worse, %"], rows)


def write_about(options: argparse.Namespace, tables: dict[str, study.Table]) -> str:
    """Return what leads to the page."""
    return (
        f"{len(tables)} development tables, {options.runs} samples each of 60, 90, 130 and 200 rows of training "
        "halves, the other rows of the half as truth; test halves were not read. A guard believes a blend not at all "
        "if its mean gain over the lasso, on rows that had no say in it, is below minus one standard error, in full "
        f"`full from` as many. {pages.stamp(*PACKAGES)}. Run again: `make guard`."
    )


def write_about_classes(n_samples: int, runs: int) -> str:
    """Return what leads to the part on classes."""
    return (
        f"{n_samples} tables and simulations of two to four classes, {runs} samples each of 60, 90, 130 and "
        "200 rows; the other rows of training halves, or 300 other rows of a simulation, as truth. Ratios are of log "
        "losses; beyond noise are losses of more than two standard errors of those other rows. A guard that thinks of "
        "a mistake as not seen counts each of n rows, with a chance of one in n, as if it had been of another class."
    )


def write_about_noise() -> str:
    """Return what leads to the part on noise."""
    sizes = ", ".join(map(str, noise.SIZES))
    return (
        f"Responses that have nothing to do with {noise.N_COLUMNS} columns, {sizes} rows in turn. `summary()` claims "
        "skill if the error on unseen rows is at least 1 % below the lasso's, and by 2.5 standard errors."
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    numbers = {"stand-in": stand_in(260, 0)} if options.smoke else read_numbers(data_folder(options.data))
    tables = {title: table for title, table in numbers.items() if len(table[1]) >= 2 * (SIZES[0] + FEWEST_OTHERS)}
    found = study.run(study.Study(HERE, one_sample, PACKAGES), tables, options)
    samples = classes.simulations()
    samples = {"like iris": samples["like iris"]} if options.smoke else samples | classes.tables_of(numbers, THIRDS)
    more = argparse.Namespace(**vars(options) | {"runs": MORE * options.runs})
    of_classes = study.run(study.Study(HERE, classes.one_sample, PACKAGES), samples, more, "classes")
    draws = argparse.Namespace(**vars(options) | {"runs": 2 if options.smoke else noise.RUNS})
    of_noise = study.run(study.Study(HERE, noise.one_sample, PACKAGES), noise.KINDS, draws, "noise")
    about, about_classes = write_about(options, tables), write_about_classes(len(samples), more.runs)
    parts = [tell(found), "## Classes", about_classes, classes.tell(of_classes), classes.describe_tables(of_classes)]
    parts += ["## Pure noise", write_about_noise(), noise.tell(of_noise)]
    study.publish(HERE, more, pages.join("Trust on small samples", about, *parts))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")


if __name__ == "__main__":
    main()
