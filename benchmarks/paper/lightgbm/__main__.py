"""Section 7.3 of the paper: attention around a small LightGBM beside a large LightGBM, on its twelve tables.

    python -m benchmarks.paper.lightgbm [--tables NAME ...] [--runs 50] [--jobs -1] [--fresh] [--smoke]

Writes results.md, figure.png (as figure 8) and importances.png (as figure 7) beside this file; of fewer
tables or splits, and with ``--smoke``, under build/. Splits are kept in splits.jsonl, so an interrupted run goes on
where it stopped.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from benchmarks import study
from benchmarks.boxes import draw_improvements
from benchmarks.rivals import LightGBM
from benchmarks.tables import halves, integer_codes, one_hot
from heedful import AttentionRegressor, LeafAttentionRegressor, TreeAttentionRegressor, plot
from heedful.plot._axes import finish

LARGE, SMALL = "large LightGBM", "small LightGBM"


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return errors and seconds of each method; all see tables as in table 1, missing values as training means."""
    train, test = halves(len(y), seed)
    first, second = one_hot(X.iloc[train], X.iloc[test])
    models = {
        LARGE: LightGBM(seed),
        SMALL: LightGBM(seed, leaves=8, most=100),
        "attention": AttentionRegressor(random_state=seed),
        "leaf attention, residuals": LeafAttentionRegressor(leaf_value="residuals", random_state=seed),
        "leaf attention, responses": LeafAttentionRegressor(leaf_value="responses", random_state=seed),
        "tree attention": TreeAttentionRegressor(random_state=seed),
    }
    return study.measure(models, (first, y[train]), (second, y[test]))


STUDY = study.Study(Path(__file__).parent, one_split, ("heedful", "scikit-learn", "lightgbm"))
TITLE = "Attention around LightGBM"
LEAD = (
    "Per cent improvement in mean squared test error over a large LightGBM (31 leaves, at most 500 rounds). The small "
    "one, alone or under attention, has 8 leaves and at most 100 rounds."
)


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    pairs = [(name, LARGE) for name in percent] + [(name, SMALL) for name in percent if name != SMALL]
    pairs.append(("leaf attention, residuals", "leaf attention, responses"))
    return [study.compare(percent, *pair) for pair in pairs]


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
    options = study.read_options(__doc__, runs=50, add=study.add_tables)
    plt.switch_backend("Agg")
    tables = study.read_tables(options)
    results = study.run(STUDY, tables, options)
    percent = study.improvement(results, LARGE)
    page = study.write_page(STUDY, results, (TITLE, LEAD), LARGE, read_figures(percent))
    folder = study.publish(STUDY.home, options, page, study.has_all_tables(options))
    draw_improvements(percent, LARGE, folder / "figure.png")
    title = "stand-in" if options.smoke else "Automobile"
    if title in tables:
        draw_importances(*tables[title], folder / "importances.png")


if __name__ == "__main__":
    main()
