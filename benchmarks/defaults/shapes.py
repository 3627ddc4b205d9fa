"""How the default attention lasso should use shapes, asked of training halves only: each candidate changes one thing.

    python -m benchmarks.defaults.shapes [--runs 3] [--jobs -1] [--data DIR] [--fresh] [--smoke]

Heads with and without shapes, more of them than the default has, are tried at once on a training half of each
development table: every row is predicted out of bag by every head and by the additive model. A candidate is a choice
among them and a rule for their shares, judged as in benchmarks/defaults. Test halves are never read. Writes shapes.md
beside this file once all is in; of less, and with ``--smoke``, under build/.
"""

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.defaults.judge import DEFAULT, LASSO, constants_of, gains, left_out_error, tell, try_heads
from benchmarks.league.tables import read_numbers
from benchmarks.tables import data_folder, halves, stand_in
from heedful._flow.heads import Grid, make_grid
from heedful._flow.shares import fit_many
from heedful.attention._weighting import Weighting

HERE, RUNS, PACKAGES = Path(__file__).parent, 2, ("heedful",)
MOST_ROWS = 500
LINES, CURVES = (np.inf, 10.0, 1.0, 0.3), (1.0, 0.3)
SHARES, TUNE, GUARD, GRID = (f"heedful._flow.{name}" for name in ("shares", "tune", "guard", "heads"))
FITTING, ADDITIVE = "heedful._flow.fit", "additive"


class Candidate(NamedTuple):
    """Penalties of heads without and with shapes, weightings, whether the additive model takes part, and constants."""

    lines: tuple[float, ...] = (np.inf, 10.0, 0.3)
    curves: tuple[float, ...] = (1.0, 0.3)
    weightings: tuple[str, ...] = ("softmax", "share")
    additive: bool = True
    constants: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def choose(self, table: pd.DataFrame) -> np.ndarray:
        """Return which of the heads it has."""
        penalty = np.where(
            table["shapes"], table["alpha_ratio"].isin(self.curves), table["alpha_ratio"].isin(self.lines)
        )
        found = penalty & table["weighting"].isin(self.weightings)
        return np.where(table["similarity"] == ADDITIVE, self.additive, found)


ALL_WEIGHTINGS = ("softmax", "share", "leaf")
CANDIDATES = {
    DEFAULT: Candidate(),
    "no shapes": Candidate(curves=(), additive=False),
    "no shapes, as before them": Candidate((np.inf, 10.0, 1.0, 0.3), (), ALL_WEIGHTINGS, additive=False),
    "no heads with shapes": Candidate(curves=()),
    "the additive model not a candidate": Candidate(additive=False),
    "all heads in one fit": Candidate(constants={f"{TUNE}.fit_both": fit_many}),
    "the forest's own weighting too": Candidate(weightings=ALL_WEIGHTINGS),
    "penalty 1 without shapes too": Candidate((np.inf, 10.0, 1.0, 0.3)),
    "with shapes: 1 only": Candidate(curves=(1.0,)),
    "with shapes: 0.3 only": Candidate(curves=(0.3,)),
    "guard full from 1": Candidate(constants={f"{GUARD}.ALL": 1.0}),
    "guard full from 2": Candidate(constants={f"{GUARD}.ALL": 2.0}),
    "twice the price": Candidate(constants={f"{SHARES}.CAUTION": 1.0}),
}


def make_wide_grid(*entries: Any, **how: Any) -> Grid:
    """Return the grid of the default with the forest's own weighting, too."""
    grid = make_grid(*entries, **how)
    groups = [group._replace(weightings=[*group.weightings, Weighting("leaf")]) for group in grid.groups]
    return grid._replace(groups=groups)


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the error of each candidate within a training half, and the seconds that its shares took."""
    train = halves(len(y), seed)[0][:MOST_ROWS]
    wide = {f"{GRID}.LINES": LINES, f"{GRID}.CURVES": CURVES, f"{FITTING}.make_grid": make_wide_grid}
    with constants_of(wide):
        fitted, oof = try_heads(X.iloc[train], y[train], seed)
    nothing = np.zeros(fitted.grid.n_heads)
    table = fitted.grid.table(nothing, nothing)
    table.loc[len(table)] = {"similarity": ADDITIVE, "shapes": False}
    additive = oof.family.observed(fitted.models.others_left_out()["additive"])
    known = np.flatnonzero(np.isfinite(oof.heads).all(axis=1) & np.isfinite(oof.baseline))
    both = oof._replace(heads=np.column_stack([oof.heads, additive]), shaped=np.append(oof.shaped, False)).part(known)
    found = {LASSO: {"error": float(both.mean_loss(both.baseline)), "seconds": 0.0}}
    for name, candidate in CANDIDATES.items():
        start, used = time.perf_counter(), candidate.choose(table).astype(bool)
        own = both._replace(heads=both.heads[:, used], shaped=both.shaped[used])
        error = left_out_error(own, candidate.constants, seed)
        found[name] = {"error": error, "seconds": time.perf_counter() - start}
    return found


def write_page(results: pd.DataFrame) -> str:
    """Return the page: the typical ratio of errors first, as a few tables with huge rows rule a mean."""
    errors, gain = results["error"], gains(results["error"])
    ratio = np.log(errors.div(errors[DEFAULT], axis=0).clip(1e-3, 1e3)).groupby("table").mean()
    level = 100 * (1 - errors[DEFAULT] / errors[LASSO]).groupby("table").mean()
    own = [f"{DEFAULT}: improvement on the lasso", "1.000", f"{level.mean():.1f}", "", "", *(f"{v:.1f}" for v in level)]
    rows = [own]
    for name in gain:
        line = tell(name, gain[name])
        rows.append([line[0], f"{np.exp(ratio[name].mean()):.3f}", *line[1:]])
    about = (
        f"Training halves of the development tables (at most {MOST_ROWS} rows of each), seeds 0 to "
        f"{results.index.unique('seed').size - 1}; test halves are never read. First line: improvement of the default "
        "on the lasso in per cent, out of bag. Below: typical ratio of the candidate's error to the default's "
        "(geometric mean over tables; above 1 is worse), by how many points it improves more on the mean of the "
        "tables, and on how many of them beyond two standard errors. "
        f"{pages.stamp(*PACKAGES)}. Run again: `python -m benchmarks.defaults.shapes`."
    )
    head = ["candidate", "ratio", "mean", "better", "worse", *level.index]
    return pages.join("Defaults of shapes", about, pages.draw_table(head, rows))


def main() -> None:
    """Measure what is missing and write the page."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    tables = {"stand-in": stand_in(160, 0)} if options.smoke else read_numbers(data_folder(options.data))
    results = study.run(study.Study(HERE, one_split, PACKAGES), tables, options, "shapes")
    study.publish(HERE, options, write_page(results), name="shapes.md")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")


if __name__ == "__main__":
    main()
