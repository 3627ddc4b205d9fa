"""Contributions against Shapley values of the same model, and what they cost.

    python -m benchmarks.attribution [--tables NAME ...] [--data DIR] [--fresh] [--smoke]

Writes results.md beside this file, of all tables that are in and the names of those that are not; with ``--smoke``
under build/. Each table is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from benchmarks import pages, study
from benchmarks.attribution import references
from benchmarks.tables import TABLES, data_folder, load
from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful.datasets import make_subgroups

HERE, PACKAGES = Path(__file__).parent, ("heedful", "scikit-learn")
NAMES = ("concrete_compressive_strength", "airfoil_self_noise", "auto_mpg", "real_estate_valuation")
WAYS = {
    "fast": "contributions()",
    "slow": 'method="shapley"',
    "coef": "coefficients, from the attended mean",
    "lime": "LIME",
}
SLOW_QUERIES = 20


def on_table(X: np.ndarray, y: np.ndarray, n_query: int, agree: float, seed: int) -> study.Scores:
    """Return how each way agrees with the reference on the rows that a model of two thirds of a table has not seen."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    n_train = max(len(y) * 2 // 3, len(y) - 2 * n_query)
    train, queries = order[:n_train], X[order[n_train:][:n_query]]
    labels = y.dtype.kind in "iub"
    model = (AttentionLassoClassifier if labels else AttentionLasso)(random_state=seed).fit(X[train], y[train])
    function = model.decision_function if labels else model.predict
    start = process_time()
    reference = references.refer(function, queries, X[train], seed, agree)
    cost = process_time() - start
    explanation, slow = model.explain(queries), model.explain(queries[:SLOW_QUERIES], method="shapley")
    found = {
        "fast": explanation.contributions().to_numpy(),
        "slow": slow.contributions().to_numpy(),
        "coef": references.from_attended_mean(model, explanation),
        "lime": references.lime(function, queries, X[train], seed),
    }
    scores = {}
    for name, values in found.items():
        part = reference._replace(values=reference.values[: len(values)], errors=reference.errors[: len(values)])
        hit, clear = references.same_leader(values, part)
        scores[name] = {"correlation": references.alike(values, part.values), "leader": hit, "clear": clear}
    told = {"agreement": reference.agreement, "draws": reference.draws, "seconds": cost}
    return scores | {"reference": {**told, "rows": n_train, "columns": X.shape[1], "queries": len(queries)}}


def on_simulation(n_rows: int, seed: int) -> study.Scores:
    """Return who gets the credit where the truth is a switch or a line, and what contributions cost."""
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(n_rows, 8)), rng.normal(size=(200, 8))
    switch = np.where(np.abs(X[:, 3]) < 0.7, 3.0, -3.0) + 0.3 * rng.normal(size=n_rows)
    model = AttentionLasso(local=LocalLasso(shapes=False), random_state=seed).fit(X, switch)
    size = model.explain(new).contributions().abs().sum()
    line = X @ [3.0, -2.0, 1.5, 1.0, 0, 0, 0, 0] + rng.normal(size=n_rows)
    model = AttentionLasso(random_state=seed).fit(X, line)
    lasso = model.baseline_.coef_ * (new - X.mean(axis=0))
    away = np.abs(model.explain(new).contributions().to_numpy() - lasso)
    return {
        "switch": {"share": float(size["x3"] / size.sum())},
        "line": {"share": float(away.sum() / np.abs(lasso).sum())},
        **on_clock(n_rows, seed),
    }


def on_clock(n_rows: int, seed: int) -> study.Scores:
    """Return CPU seconds at 30 columns: of the first call, of each query after it, and of the slow method."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows + 100, 30))
    y = np.where(X[:, 0] > 0, 1.0, -1.0) * X[:, 1:4].sum(axis=1) + X[:, 5] + 0.5 * rng.normal(size=len(X))
    train, new = slice(0, n_rows), slice(n_rows, None)
    AttentionLasso(random_state=0).fit(X[:60], y[:60]).explain(X[:3], method="shapley").contributions()
    model = AttentionLasso(random_state=seed).fit(X[train], y[train])
    return {
        "first call": {"clock": _seconds(model.explain(X[new]))},
        "fast": {"clock": _seconds(model.explain(X[new])) / 100},
        "slow": {"clock": _seconds(model.explain(X[new][:5], method="shapley")) / 5},
    }


def _seconds(explanation: Any) -> float:
    start = process_time()
    explanation.contributions()
    return process_time() - start


def read_tables(options: argparse.Namespace) -> dict[str, study.Table]:
    """Return rows, responses, the number of queries, and how well two halves of the reference must agree."""
    asked = (options.queries, options.agree)
    if options.smoke:
        X = np.random.default_rng(0).normal(size=(90, 3))
        return {"stand-in": (X, X[:, 0] * np.sign(X[:, 1]), *asked)}
    folder, found = data_folder(options.data), {}
    for name in NAMES:
        X, y = load(name, folder)
        found[TABLES[name]] = (X.to_numpy(np.float64), y, *asked)
    found["breast cancer"] = (*load_breast_cancer(return_X_y=True), *asked)
    simulated = make_subgroups(random_state=0)
    found["setting 3"] = (simulated.X, simulated.y, *asked)
    return found


def write_tables(found: pd.DataFrame) -> list[str]:
    """Return the page's tables and what leads to them."""
    one = found.droplevel("seed")
    rows, about = [], []
    for title, line in one.iterrows():
        cells = [f"{line['correlation', name]:.3f}, {100 * line['leader', name]:.0f} %" for name in WAYS]
        rows.append([title, *cells])
        told = line.xs("reference", level=1)
        about.append([title, *(f"{told[name]:.0f}" for name in ("rows", "columns", "queries", "draws")),
                      f"{told['agreement']:.4f}", f"{100 * line['clear', 'fast']:.0f} %"])  # fmt: skip
    head = ["table", "rows", "columns", "queries", "draws", "two halves agree", "clear leader"]
    return [pages.draw_table(["table", *WAYS.values()], rows), "The reference:", pages.draw_table(head, about)]


def write_simulation(found: pd.DataFrame, n_rows: int) -> str:
    """Return sentences about switch, line and clock."""
    line = found.iloc[0]
    credit = f"{100 * line['share', 'switch']:.1f} %"
    clock = f"{line['clock', 'first call']:.1f} s (100 queries included), {1000 * line['clock', 'fast']:.2f} ms"
    return pages.bullets(
        (
            f"A switch that only attention sees, among 8 columns, gets {credit} of all absolute contributions.",
            f"Of a linear truth contributions differ from the lasso's by {100 * line['share', 'line']:.1f} % of these.",
            f"{n_rows} rows, 30 columns, CPU time of one core, for the first call and each query after it: {clock}.",
            f'With `method="shapley"` {line["clock", "slow"]:.2f} s a query.',
        )
    )


def write_about(absent: list[str]) -> str:
    """Return what leads to the page."""
    missing = f" Not in yet: {', '.join(absent)}." if absent else ""
    return (
        "Contributions of the default estimator beside Shapley values of the same model, by permutations of the "
        "columns with training rows as background. Each cell: mean correlation over the queries, and how often the "
        "column with the largest contribution is the reference's, among queries whose leader is ahead by two standard "
        "errors. "
        f'`method="shapley"` is asked for {SLOW_QUERIES} of the queries. '
        f"{pages.stamp(*PACKAGES)}. Run again: `make attribution`.{missing}"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the tables, and which of them to measure."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")
    parser.add_argument("--tables", nargs="+", help="titles of tables to measure now (default: all)")


def main() -> None:
    """Run the study."""
    sizes = {"queries": (100, 10), "agree": (references.AGREE, 0.5), "rows": (1000, 60)}
    options = study.read_options(__doc__, 1, add=add_options, **sizes)
    tables = read_tables(options)
    wanted = [("", title, 0) for title in options.tables or tables]
    known, _ = study.run_parts({"": study.Study(HERE, on_table, PACKAGES)}, tables, wanted, options)
    found = study.as_frame({(title, 0): known["", title, 0] for title in tables if ("", title, 0) in known})
    absent = [title for title in tables if ("", title, 0) not in known]
    simulated = study.run(study.Study(HERE, on_simulation, PACKAGES), {"simulation": (options.rows,)}, options, "truth")
    about = write_about(absent)
    page = pages.join("Attribution", about, *write_tables(found), write_simulation(simulated, options.rows))
    study.publish(HERE, options, page)


if __name__ == "__main__":
    main()
