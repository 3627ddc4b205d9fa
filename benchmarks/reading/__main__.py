"""Whether small models say what predictions do when a column changes, and whether intervals hold true effects.

    python -m benchmarks.reading [--runs 5] [--jobs -1] [--data DIR] [--fresh] [--smoke]

Halves of six development tables, a switch and three classes are fitted; queries are rows that were not. Writes
results.md beside this file once all is in; of less, and with ``--smoke``, under build/. Each split is kept, so an
interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.reading.tables import TRUTHS, Rows, Truth, as_table, make_stand_ins, read_tables
from benchmarks.tables import data_folder
from heedful import AttentionLasso, AttentionLassoClassifier
from heedful._explaining import moves
from heedful._explaining.around import queries_of, values_near
from heedful._explaining.small import MOST_TRIED
from heedful._flow.kinds import Run
from heedful.explain import Explanation

HERE, RUNS, PACKAGES = Path(__file__).parent, 5, ("heedful", "scikit-learn")
QUERIES, TRUTH_QUERIES, COVERAGE = 150, 100, 0.9
# Rows around each query that its small model is judged by, drawn with another seed than those that it is fitted to.
FRESH = {"N_JOINT": 100, "SEED": 1}
# What is asked for: mean correlation, ratio and columns of each table; per cent of the switch's effects that are right.
CORRELATION, RATIO, COLUMNS, RIGHT = 0.92, (0.8, 1.25), 5, 80.0
# Queries so far from the switch are asked whether the effect of b is as near to the true one.
FAR, NEAR = 0.5, 0.4
SMALL, LASSO = "small models", "coefficients"


def on_table(draw: Callable[[int], Rows], turns: bool, seed: int) -> study.Scores:
    """Return how slopes of small models and coefficients of lassos agree with effects, and what each costs."""
    X, y, queries = draw(seed)
    kind = AttentionLasso if y.dtype.kind == "f" else AttentionLassoClassifier
    model = kind(random_state=seed, n_jobs=1).fit(X, y)
    # kernels are compiled, and what all queries share is made
    model.explain(queries[:2])
    effects, asking = timed(model.local_effects, queries)
    explanation, explaining = timed(model.explain, queries)
    shape = (len(queries), -1, X.shape[1])
    effect, per = (effects[name].to_numpy().reshape(shape) for name in ("effect", "per"))
    unit = np.where(per == "unit", deviations(X), 1.0)
    plain = per == "unit"
    slopes = explanation.coef.to_numpy().reshape(shape)
    coef = plain_coefficients(explanation, X.columns, shape)
    found = {
        SMALL: agree(slopes * unit, effect * unit)
        | {"columns": float(np.median((slopes != 0).any(axis=1).sum(axis=1)))}
        | {"fidelity": float(explanation.fidelity.median()), "fresh": fresh_fidelity(model, queries, slopes)}
        | {"gap": largest_gap(explanation), "rows": float(len(y))},
        LASSO: agree((coef * unit)[plain], (effect * unit)[plain]),
        "local_effects": {"seconds": asking / len(queries)},
        "explain": {"seconds": explaining / len(queries)},
    }
    return found | ({"switch": {"right": right_effects(queries, effect[:, 0, 1])}} if turns else {})


def timed(function: Callable[[Any], Any], queries: pd.DataFrame) -> tuple[Any, float]:
    """Return what a function says of queries, and the CPU seconds that it took."""
    start = process_time()
    found = function(queries)
    return found, process_time() - start


def deviations(X: pd.DataFrame) -> np.ndarray:
    """Return the standard deviation of each column of numbers, 1 for others."""
    numbers = X.select_dtypes("number").std(ddof=0)
    return numbers.reindex(X.columns).fillna(1.0).to_numpy()


def agree(shown: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """Return the correlation of what is shown with what is true, and its slope on that through the origin."""
    shown, true = shown.ravel(), true.ravel()
    return {
        "correlation": float(np.corrcoef(shown, true)[0, 1]),
        "ratio": float(shown @ true / (true @ true)),
    }


def plain_coefficients(explanation: Explanation, names: pd.Index, shape: tuple[int, ...]) -> np.ndarray:
    """Return the coefficients of lassos by column of the table; 0 where a column has several."""
    coef, n_design = explanation.lasso_coef.to_numpy(), explanation.lasso_design.shape[1]
    place = {name: at for at, name in enumerate(explanation.lasso_design.columns)}
    coef = coef.reshape(shape[0], -1, n_design)
    found = np.zeros((*coef.shape[:2], shape[2]))
    for j, name in enumerate(names):
        if name in place:
            found[:, :, j] = coef[:, :, place[name]]
    return found


def largest_gap(explanation: Explanation) -> float:
    """Return how far start and terms are from the link at most."""
    link = explanation.link.to_numpy().reshape(len(explanation.values), -1)
    start = explanation.start.to_numpy().reshape(link.shape)
    terms = explanation.terms.to_numpy().reshape(*link.shape, -1)
    return float(np.abs(start + terms.sum(axis=2) - link).max())


def fresh_fidelity(model: Any, queries: pd.DataFrame, slopes: np.ndarray) -> float:
    """Return the median share of the variation of fresh rows around queries that small models have."""
    fitted, run = model._fitted, Run(1)
    table = model._read(queries)
    asked, own = queries_of(fitted, table, fitted.read(table)), fitted.values(table, run)
    codes = asked.codes
    compared, columns = moves.moves_of(fitted).compare(codes), moves.columns_to_move(fitted, MOST_TRIED)
    with patch.multiple(moves, **FRESH):
        rows = moves.moves_of(fitted).towards(codes, compared, fitted.models.train_codes(), columns)
    source = np.repeat(np.arange(len(codes)), rows.shape[1])
    values = values_near(fitted, asked, rows.reshape(-1, rows.shape[2]), source, run)
    link_of = fitted.problem.family.link_of
    change = link_of(values).reshape(*rows.shape[:2], -1) - link_of(own)[:, None]
    away, before = rows - codes[:, None], codes[:, None]
    alone = moves.moves_of(fitted).levels | np.isnan(before)
    stays = (rows == before) | (np.isnan(rows) & np.isnan(before))
    away = np.where(stays, 0.0, np.where(alone, -1.0, away))
    missed = change - np.einsum("qij,qkj->qik", away, slopes)
    total = np.sum(change**2, axis=(1, 2))
    share = 1.0 - np.sum(missed**2, axis=(1, 2)) / np.where(total > 0, total, 1.0)
    return float(np.median(np.where(total > 0, share, 1.0)))


def right_effects(queries: pd.DataFrame, effect: np.ndarray) -> float:
    """Return per cent of the queries far from the switch whose effect of b is near to 3 or -1, whichever is true."""
    a = queries["a"].to_numpy()
    near = np.abs(effect - np.where(a > 0, 3.0, -1.0)) <= NEAR
    return 100 * float(near[np.abs(a) > FAR].mean())


def on_truth(name: str, n_train: int, n_query: int, seed: int) -> study.Scores:
    """Return per cent of true effects that are in their intervals, and their widths; nothing without intervals."""
    truth, rng = TRUTHS[name], np.random.default_rng(seed)
    X = truth.draw(rng, n_train + n_query)
    y = truth.mean(X) + truth.noise * rng.normal(size=len(X))
    table = as_table(X, truth.n_levels)
    model = AttentionLasso(random_state=seed, n_jobs=1).fit(table[:n_train], y[:n_train])
    found = model.local_effects(table[n_train:], coverage=COVERAGE)
    shape = (n_query, X.shape[1])
    low, high = (found[end].to_numpy().reshape(shape) for end in ("low", "high"))
    # a level beside itself differs by nothing for sure
    known = np.isfinite(low) & np.isfinite(high) & (low < high)
    true = true_effects(truth, X[n_train:], found)
    scores = {"known": {"share": 100 * float(known.mean()), "rows": float(n_train)}}
    parts = {"all": known, "not 0": known & (true != 0).any(axis=0), "0": known & ~(true != 0).any(axis=0)}
    if name == "switch":
        parts["far from the switch"] = known & (np.abs(X[n_train:, :1]) > FAR)
    for part, asked in parts.items():
        if asked.any():
            inside, width = (low <= true) & (true <= high), high - low
            scores[part] = {"held": 100 * float(inside[asked].mean()), "width": float(np.median(width[asked]))}
    return scores


def true_effects(truth: Truth, queries: np.ndarray, found: pd.DataFrame) -> np.ndarray:
    """Return the true effects of columns between the values that were compared."""
    ends = {end: found[end].map(_number_of).to_numpy(np.float64).reshape(queries.shape) for end in ("from", "to")}
    true, first_level = np.empty(queries.shape), queries.shape[1] - truth.n_levels
    for j in range(queries.shape[1]):
        moved = {end: queries.copy() for end in ends}
        for end, rows in moved.items():
            rows[:, j] = ends[end][:, j]
        distance = (ends["to"] - ends["from"])[:, j] if j < first_level else 1.0
        true[:, j] = (truth.mean(moved["to"]) - truth.mean(moved["from"])) / distance
    # what is left of sums that cancel
    return np.where(np.abs(true) < 1e-9, 0.0, true)


def _number_of(cell: float | str) -> float:
    return float(cell[1:]) if isinstance(cell, str) else float(cell)


def write_table(found: pd.DataFrame) -> str:
    """Return one row per table: agreement with effects, size, fidelity and clock."""
    mean = found.groupby("table", sort=False).mean()
    rows = []
    for title, line in mean.iterrows():
        cells = [f"{line['rows', SMALL]:.0f}"]
        cells += [f"{line['correlation', name]:.3f}, {line['ratio', name]:.2f}" for name in (SMALL, LASSO)]
        cells += [f"{line['columns', SMALL]:.1f}"]
        cells += [f"{line[what, SMALL]:.3f}" for what in ("fidelity", "fresh")]
        cells += [f"{found.loc[title]['gap', SMALL].max():.0e}"]
        cells += [f"{1000 * line['seconds', name]:.1f}" for name in ("local_effects", "explain")]
        rows.append([title, *cells])
    head = ["table", "rows", "slopes of small models", "coefficients of lassos", "columns", "fidelity"]
    head += ["of fresh rows", "largest gap", "ms, `local_effects`", "ms, `explain`"]
    return pages.draw_table(head, rows)


def describe_bars(found: pd.DataFrame) -> list[str]:
    """Return what the figures say beside what is asked for."""
    mean = found.groupby("table", sort=False).mean()
    correlation, ratio, columns = (mean[what, SMALL] for what in ("correlation", "ratio", "columns"))
    worst, fits = correlation.idxmin(), ratio.between(*RATIO)
    coefficients = mean["correlation", LASSO].mean()
    sentences = [
        f"Mean correlation of slopes with effects {correlation.mean():.3f} ({CORRELATION} is asked for).",
        f"Least correlation {correlation[worst]:.3f}, on {worst}; mean of coefficients of lassos {coefficients:.3f}.",
        f"The ratio is within {RATIO[0]} and {RATIO[1]} on {fits.sum()} of {len(fits)} tables"
        + ("." if fits.all() else f"; not on {pages.list_words(ratio.index[~fits])}."),
        f"Small models have {columns.max():.1f} columns at most, by the median of a table ({COLUMNS} are asked for).",
    ]
    for title, share in mean["right", "switch"].dropna().items():
        bar = f" ({RIGHT:g} % are asked for)" if "2,000" in str(title) else ""
        sentences.append(
            f"{title}: of the queries with |a| above {FAR}, {share:.0f} % have an effect of b within {NEAR} of the "
            f"true one, 3 or -1{bar}."
        )
    return sentences


def write_coverage(found: pd.DataFrame) -> str:
    """Return one row per truth: per cent of true effects in their intervals, and median widths."""
    mean = found.groupby("table", sort=False).mean()
    rows = []
    for title, line in mean.iterrows():
        cells = []
        for part in ("all", "not 0", "0", "far from the switch"):
            known = ("held", part) in mean and np.isfinite(line["held", part])
            cells.append(f"{line['held', part]:.1f} ({line['width', part]:.2f})" if known else "")
        rows.append([title, f"{line['rows', 'known']:.0f}", *cells, f"{line['share', 'known']:.0f}"])
    head = ["truth", "rows", "all", "columns that matter", "others", "far from the switch", "have an interval, %"]
    return pages.draw_table(head, rows)


def write_about(options: argparse.Namespace) -> str:
    """Return what leads to the page."""
    return (
        f"Numbers that an explanation shows beside effects: what the prediction does when a column moves by half a "
        f"standard deviation to either side, as `local_effects` has it, both per standard deviation of the column. "
        f"Each cell has the correlation over {options.queries} queries and all columns, and the ratio: the slope of "
        f"what is shown on the effect, through the origin (1 is right; columns that a small model leaves out count as "
        f"0). Columns of a small model, its fidelity as it is shown and on {FRESH['N_JOINT']} fresh rows around each "
        f"query are medians of queries; the gap is that of start and terms to the link. Means of {options.runs} halves "
        f"or draws; CPU time of one core, per query. {pages.stamp(*PACKAGES)}. Run again: `make reading`."
    )


def write_about_coverage(options: argparse.Namespace) -> str:
    """Return what leads to the table of intervals."""
    return (
        f"Per cent of true effects, between the two values compared, that intervals of {100 * COVERAGE:g} % hold, and "
        f"their median width; {options.runs} draws of {options.truth_queries} queries:"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")


def main() -> None:
    """Run the study."""
    sizes = {"queries": (QUERIES, 12), "truth_queries": (TRUTH_QUERIES, 12), "rows": (0, 80)}
    options = study.read_options(__doc__, RUNS, add=add_options, **sizes)
    asked = options.queries
    tables = make_stand_ins(asked) if options.smoke else read_tables(data_folder(options.data), asked)
    found = study.run(study.Study(HERE, on_table, PACKAGES), tables, options)
    truths = {name: (name, options.rows or truth.rows, options.truth_queries) for name, truth in TRUTHS.items()}
    held = study.run(study.Study(HERE, on_truth, PACKAGES), truths, options, "truth")
    parts = [write_table(found.loc[list(tables)]), pages.bullets(describe_bars(found))]
    parts += [write_about_coverage(options), write_coverage(held.loc[list(truths)])]
    study.publish(HERE, options, pages.join("Reading a prediction", write_about(options), *parts))


if __name__ == "__main__":
    main()
