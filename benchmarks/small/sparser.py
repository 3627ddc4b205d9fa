"""Whether the default attention lasso can be as sparse as the lasso at no loss, asked of training halves only.

    python -m benchmarks.small.sparser [--runs 3] [--jobs -1] [--data DIR] [--fresh] [--smoke]

Two thirds of a training half are fitted, the others predicted, by the default and by candidates that make its models
smaller: fewer heads, or no columns that add little. Test halves are never read. Writes sparser.md beside this file once
all is in; of less, and with ``--smoke``, under build/. Each split is kept, so an interrupted run goes on where it
stopped.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, study
from benchmarks.league.tables import read_numbers
from benchmarks.small.__main__ import LASSO, MOST_QUERIES, add_options, count_columns
from benchmarks.tables import data_folder, halves, stand_in
from heedful import AttentionLasso
from heedful._attention_model.attribution import curve_parts
from heedful._attention_model.fitted import FittedAttention
from heedful._attention_model.queries import Ask, known_attention
from heedful._attention_model.small import functions
from heedful._models.protocol import Run, View

HERE, RUNS, PACKAGES = Path(__file__).parent, 3, ("heedful",)
DEFAULT, AS_LASSO = "the default", "as many columns as the lasso"
# A candidate is taken if it loses nothing on the mean, and on no table more than this.
WORST = 0.01


def at_least(share: np.ndarray, smallest: float) -> np.ndarray:
    """Return shares of the same sum without those below a part of it."""
    return _rescaled(share, share >= min(smallest * share.sum(), share.max()))


def at_most(share: np.ndarray, number: int) -> np.ndarray:
    """Return shares of the same sum of the heads with the largest ones."""
    kept = np.zeros(share.size, dtype=bool)
    kept[np.argsort(-share, kind="stable")[:number]] = True
    return _rescaled(share, kept)


def _rescaled(share: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return np.where(kept, share, 0.0) * (share.sum() / max(share[kept].sum(), 1e-300))


FEWER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **{f"no share below {part} %": partial(at_least, smallest=part / 100) for part in (5, 10, 20)},
    **{f"at most {number} heads": partial(at_most, number=number) for number in (3, 2)},
}
FAINT = {f"no column below {part} %": (part / 100, False) for part in (1, 2, 5)}
FAINT |= {f"no column below {part} %, there either": (part / 100, True) for part in (1, 2, 5)}


def leave_out(fitted: FittedAttention, X: pd.DataFrame) -> dict[str, dict[str, np.ndarray]]:
    """Return predictions and numbers of columns of models without columns that add little beside the largest.

    What a column adds is the deviation of its function over the training rows; "there either": that or, if it is more,
    the difference between the query and the rows attended to. A column that is left out adds what it does on the mean
    of the rows attended to.
    """
    models, batch = fitted.models, fitted.read(X)
    answer = fitted.ask(batch, Ask(coef=True, attention=True), Run())
    mixing, n_names = answer.mixing[:, None, None], len(models.names)
    coef, multiple = np.split((1 - mixing) * fitted.base_coef + mixing * answer.coef, [n_names], axis=2)
    starts = np.flatnonzero(np.diff(models.rows.model_sources, prepend=-1))
    design, attention = models.train_design(), known_attention(answer)
    view, curves = batch.view, curve_parts(models, batch.view)
    train_curves = curve_parts(models, View(models.rows.codes, design, None, np.empty((0, 0))))
    found = {name: {"value": answer.value[:, 0].copy(), "columns": np.empty(len(X))} for name in FAINT}
    for q in range(len(X)):
        added = functions(design, train_curves, coef[q], multiple[q], starts)[0]
        own = functions(view.design[[q]], curves[[q]], coef[q], multiple[q], starts)[0, 0]
        effect = np.sqrt(np.cov(added.T, aweights=models.rows.weight, ddof=0).reshape(own.size, -1).diagonal())
        mean = attention.row(q) @ added
        for name, (part, there) in FAINT.items():
            size = np.maximum(effect, np.abs(own - mean)) if there else effect
            kept = (effect > 0) & (size >= part * size.max())
            found[name]["value"][q] += np.where(kept, 0.0, mean - own).sum()
            found[name]["columns"][q] = kept.sum()
    return found


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return error and number of columns of the default, of candidates, and of the lasso, within a training half."""
    half = halves(len(y), seed)[0]
    cut = 2 * half.size // 3
    train, test = half[:cut], half[cut:][:MOST_QUERIES]
    model = AttentionLasso(random_state=seed, n_jobs=1).fit(X.iloc[train], y[train])
    queries, tuned = X.iloc[test], model._model.tuned
    explained = model.explain(queries)

    def score(predicted: np.ndarray | pd.Series, columns: float) -> dict[str, float]:
        return {"error": float(np.mean((np.asarray(predicted) - y[test]) ** 2)), "columns": columns}

    slopes = explained.baseline_coef.groupby(explained.sources.to_numpy(dtype=object)).any()
    n_lasso = int(slopes.sum())
    found = {
        LASSO: score(model.baseline_.predict(explained.design), float(n_lasso)),
        DEFAULT: score(explained.prediction, count_columns(explained)),
    }
    small = model.explain(queries, max_features=max(n_lasso, 1))
    found[AS_LASSO] = score(small.small_prediction, count_columns(small))
    for name, part in leave_out(model._model, queries).items():
        found[name] = score(part["value"], float(part["columns"].mean()))
    for name, choose in FEWER.items():
        model._model.tuned = tuned._replace(share=choose(tuned.share))
        fewer = model.explain(queries)
        found[name] = score(fewer.prediction, count_columns(fewer))
    return found


def tell(found: pd.DataFrame) -> tuple[str, list[str]]:
    """Return a row per candidate, and the candidates that lose nothing."""
    ratio = np.log(found["error"].div(found["error"][DEFAULT], axis=0)).groupby("table").mean()
    columns = found["columns"].mean()
    names = [LASSO, DEFAULT, *FEWER, *FAINT, AS_LASSO]
    rows = [
        [
            name,
            f"{np.exp(ratio[name].mean()):.4f}",
            f"{np.exp(ratio[name].max()):.3f} ({ratio[name].idxmax()})",
            f"{columns[name]:.1f}",
        ]
        for name in names
    ]
    free = [
        name
        for name in names[2:]
        if ratio[name].mean() <= 0 and ratio[name].max() <= np.log1p(WORST) and columns[name] < columns[DEFAULT]
    ]
    return pages.draw_table(["models", "error", "largest on a table", "columns"], rows), free


def write_about(options: argparse.Namespace, tables: dict[str, study.Table]) -> str:
    """Return what leads to the page."""
    return (
        f"Squared error as a part of the default's, geometric mean over {len(tables)} tables, {options.runs} random "
        "halves each: two thirds of a training half are fitted, the others predicted. Columns of the table that have a "
        f"coefficient or a curve in a query's model, on the mean. {pages.stamp(*PACKAGES)}. Run again: `make small`."
    )


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    tables = {"stand-in": stand_in(160, 0)} if options.smoke else read_numbers(data_folder(options.data))
    part = study.Study(HERE, one_split, PACKAGES)
    table, free = tell(study.run(part, tables, options, part="sparser"))
    about = write_about(options, tables)
    told = f"Smaller at no loss (on the mean, and at most {WORST:.0%} on a table): {', '.join(free) or 'none'}."
    study.publish(HERE, options, pages.join("Sparser models", about, table, told), name="sparser.md")


if __name__ == "__main__":
    main()
