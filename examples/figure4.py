"""Figure 4 of the paper: for each table, clusters of rows by their models, the coefficients, and errors by cluster."""

import argparse
import json
import os
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso, plot
from heedful.datasets import load_table

NEIGHBOUR = Path(__file__).resolve().parents[2] / "shared" / "data"
TABLES = {
    "auto_mpg": "mean squared error, mpg²",
    "stock_portfolio_performance": "mean squared error",
    "facebook_metrics": "mean squared error, log(1 + y)",
}


def load(name: str, folder: Path) -> tuple[pd.DataFrame, Any]:
    """Return features and response; cars go by their names, and where they are from is a category."""
    manifest = folder / "uci" / "manifest.json"
    if not manifest.exists():
        raise SystemExit(f"No tables in {folder}: need uci/manifest.json. Set HEEDFUL_DATA or pass --data DIR.")
    if name != "auto_mpg":
        return load_table(name, folder)
    about = json.loads(manifest.read_text(encoding="utf-8"))["auto_mpg"]
    frame = pd.read_csv(manifest.parent / about["file"])
    frame.index = pd.Index(frame["car_name"] + " '" + frame["model_year"].astype(str), name="car")
    frame["origin"] = frame["origin"].map({1: "USA", 2: "Europe", 3: "Japan"})
    return frame[about["features"]], frame["mpg"]


def draw_row(axes: Any, name: str, X: pd.DataFrame, y: Any, n_clusters: int, model: AttentionLasso) -> pd.DataFrame:
    """Train on a random half, explain the other half, draw three plots; return the clusters."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    explanation = model.fit(X_train, y_train).explain(X_test, y_test)
    groups = explanation.clusters(n_clusters, distance="coef")
    plot.dendrogram(explanation, groups, ax=axes[0])
    plot.heatmap(explanation, groups, ax=axes[1])
    plot.cluster_errors(explanation, groups, ax=axes[2]).set_ylabel(TABLES[name])
    return groups.table


def main() -> None:
    """Draw the rows of the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HEEDFUL_DATA", NEIGHBOUR)))
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("-o", "--output", type=Path, default=Path("figure4.png"))
    parser.add_argument("--clusters", type=int, default=4)
    parser.add_argument(
        "--paper", action="store_true", help="the paper's algorithm at temperature 0.1 instead of the defaults"
    )
    options = parser.parse_args()
    plt.switch_backend("Agg")
    size = (10.5, 3.2 * len(options.tables))
    figure, axes = plt.subplots(len(options.tables), 3, figsize=size, layout="constrained", squeeze=False)
    for row, name in zip(axes, options.tables, strict=True):
        paper = AttentionLasso.as_in_the_paper(temperature=0.1, random_state=0)
        model = paper if options.paper else AttentionLasso(random_state=0)
        print(f"{name}\n{draw_row(row, name, *load(name, options.data), options.clusters, model).to_string()}")
    figure.savefig(options.output, dpi=200)


if __name__ == "__main__":
    main()
