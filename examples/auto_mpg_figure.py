"""The paper's figure 4 for Auto MPG: clusters of cars by their models, the models, and where attention helps."""

import argparse
import json
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso, plot

NEIGHBOUR = Path(__file__).resolve().parents[2] / "shared" / "data"


def load(folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and miles per gallon; cars go by their names, and where they are from is a category."""
    manifest = folder / "uci" / "manifest.json"
    if not manifest.exists():
        raise SystemExit(f"No tables in {folder}: need uci/manifest.json. Set HEEDFUL_DATA or pass --data DIR.")
    about = json.loads(manifest.read_text(encoding="utf-8"))["auto_mpg"]
    frame = pd.read_csv(manifest.parent / about["file"])
    frame.index = pd.Index(frame["car_name"] + " '" + frame["model_year"].astype(str), name="car")
    frame["origin"] = frame["origin"].map({1: "USA", 2: "Europe", 3: "Japan"})
    return frame[about["features"]], frame["mpg"]


def main() -> None:
    """Train on a random half, explain the other half, draw three pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("HEEDFUL_DATA", NEIGHBOUR)))
    parser.add_argument("-o", "--output", type=Path, default=Path("auto_mpg.png"))
    parser.add_argument("--clusters", type=int, default=4)
    options = parser.parse_args()
    plt.switch_backend("Agg")
    X, y = load(options.data)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    explanation = AttentionLasso(random_state=0).fit(X_train, y_train).explain(X_test, y_test)
    groups = explanation.clusters(options.clusters, distance="coef")
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
    plot.dendrogram(explanation, groups, ax=axes[0])
    plot.heatmap(explanation, groups, ax=axes[1])
    plot.cluster_errors(explanation, groups, ax=axes[2]).set_ylabel("mean squared error, mpg²")
    figure.savefig(options.output, dpi=200)
    print(groups.table.to_string())


if __name__ == "__main__":
    main()
