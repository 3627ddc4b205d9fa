"""Section 6.3 of the paper: attention around a small LightGBM beside a large LightGBM, on its twelve tables.

    python benchmarks/paper/lightgbm/run.py [--tables NAME ...] [--splits 10] [--jobs -1] [--fresh] [--smoke]

Writes results.md, figure.png (as figure 8) and importances.png (as figure 7) beside this file; of some of the tables,
and with ``--smoke``, under build/. Splits are kept in build/lightgbm, so an interrupted run goes on where it stopped.
"""

import sys
from pathlib import Path
from typing import Any

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionRegressor, LeafAttentionRegressor, TreeAttentionRegressor, plot
from heedful.plot._axes import finish, fonts
from heedful.plot._style import INK, NEUTRAL, cluster_colour

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import study
from tables import halves, integer_codes

LARGE, SMALL = "large LightGBM", "small LightGBM"
COLUMNS = 4


class Boosting:
    """LightGBM with the number of rounds that is best in 10-fold cross-validation."""

    def __init__(self, leaves: int, most: int, seed: int) -> None:
        self.most = most
        self.params = {"objective": "regression", "num_leaves": leaves, "num_threads": 1, "seed": seed, "verbose": -1}

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Boosting":
        """Find the smallest mean of the folds' curves, and fit that many rounds to all rows."""
        folds = {"nfold": 10, "stratified": False, "seed": self.params["seed"]}
        curves = lightgbm.cv(self.params, lightgbm.Dataset(X, y), self.most, **folds)
        rounds = int(np.argmin(curves["valid l2-mean"])) + 1
        self.booster_ = lightgbm.train(self.params, lightgbm.Dataset(X, y), rounds)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return one prediction per row."""
        return self.booster_.predict(X)


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return errors and seconds of each method; all see levels as numbers and missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = integer_codes(X.iloc[train], X.iloc[test])
    models = {
        LARGE: Boosting(31, 500, seed),
        SMALL: Boosting(8, 100, seed),
        "attention": AttentionRegressor(random_state=seed),
        "leaf attention, residuals": LeafAttentionRegressor(reading="residuals", random_state=seed),
        "leaf attention, responses": LeafAttentionRegressor(reading="responses", random_state=seed),
        "tree attention": TreeAttentionRegressor(random_state=seed),
    }
    return study.measure(models, (first.to_numpy(), y[train]), (second.to_numpy(), y[test]))


STUDY = study.Study(
    name="lightgbm",
    title="Attention around LightGBM",
    lead="Per cent improvement in mean squared test error over a large LightGBM (31 leaves, at most 500 rounds). The "
    "small one, alone or under attention, has 8 leaves and at most 100 rounds.",
    zero=LARGE,
    one_split=one_split,
    packages=("heedful", "scikit-learn", "lightgbm"),
)


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    pairs = [(name, LARGE) for name in percent] + [(name, SMALL) for name in percent if name != SMALL]
    pairs.append(("leaf attention, residuals", "leaf attention, responses"))
    return [study.compare(percent, *pair) for pair in pairs]


def draw_improvements(percent: pd.DataFrame, path: Path) -> None:
    """Draw one facet per table with one box per method; zero is the large LightGBM, right of it is better."""
    titles = percent.index.unique("table")
    n_columns = min(COLUMNS, len(titles))
    n_rows = -(-len(titles) // n_columns)
    size = 1 + 2.2 * n_columns, 0.5 + 1.7 * n_rows
    figure, grid = plt.subplots(n_rows, n_columns, sharey=True, squeeze=False, figsize=size, layout="constrained")
    for ax in grid.flat[len(titles) :]:
        ax.set_visible(False)
    for ax, title in zip(grid.flat, titles, strict=False):
        draw_boxes(ax, percent.loc[title])
        finish(ax, "", "")
        ax.set_title(title, fontsize=fonts().label, color=INK)
    figure.supxlabel("improvement over large LightGBM, %", fontsize=fonts().label, color=INK)
    figure.savefig(path, dpi=150)


def draw_boxes(ax: Any, percent: pd.DataFrame) -> None:
    """Draw one box per method, the first one on top."""
    names = list(percent)[::-1]
    ax.axvline(0.0, color=NEUTRAL, linewidth=0.8)
    look = {"patch_artist": True, "widths": 0.6, "flierprops": {"markersize": 2}, "medianprops": {"color": INK}}
    drawn = ax.boxplot([percent[name] for name in names], orientation="horizontal", manage_ticks=False, **look)
    ax.set_yticks(range(1, len(names) + 1), names)
    for number, box in enumerate(reversed(drawn["boxes"]), start=1):
        box.set(facecolor=cluster_colour(number), linewidth=0.6)


def draw_importances(X: pd.DataFrame, y: np.ndarray, path: Path) -> None:
    """Draw the clustered feature importances of one split, and the errors in each cluster."""
    train, test = halves(len(y), 0)
    first, second = integer_codes(X.iloc[train], X.iloc[test])
    explanation = AttentionRegressor(random_state=0, n_jobs=-1).fit(first, y[train]).explain(second, y[test])
    groups = explanation.clusters(4)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
    plot.heatmap(explanation, groups, ax=left, colorbar=False, cmap="Blues", vmin=0.0)
    scale = figure.colorbar(left.images[0], ax=left, pad=0.02, fraction=0.06)
    finish(scale.ax, "", "importance, sum one", frame=())
    plot.cluster_errors(explanation, groups, ax=right).set_ylabel("mean squared error")
    figure.savefig(path, dpi=150)


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, splits=10)
    plt.switch_backend("Agg")
    tables, folder = study.read_tables(options), study.output_folder(STUDY, options)
    results = study.run(STUDY, tables, options)
    percent = study.improvement(STUDY, results)
    study.write_page(STUDY, results, read_figures(percent), folder)
    draw_improvements(percent, folder / "figure.png")
    title = "stand-in" if options.smoke else "Automobile"
    if title in tables:
        draw_importances(*tables[title], folder / "importances.png")


if __name__ == "__main__":
    main()
