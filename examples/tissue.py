"""Context in space: hidden regions of a tissue decide what a pixel's features do, and only its neighbours tell which.

Whole images are held out, in the test and in the folds. Give a path to draw one of them.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso
from heedful.context import neighbor_features
from heedful.datasets import make_tissue
from heedful.similarity import ForestProximity

N_TRAIN, SIZE = 8, 16


def fit(train: pd.DataFrame, y: np.ndarray, own: list, seen: list) -> AttentionLasso:
    """Return models that use a pixel's own features, with a similarity that sees the columns ``seen``."""
    model = AttentionLasso(
        similarity=ForestProximity(100),
        features={"similarity": seen, "model": own},
        cv=5,
        n_jobs=-1,
        random_state=0,
    )
    return model.fit(train, y, groups=train["image"])


def draw(coef: pd.Series, kind: np.ndarray, path: Path) -> None:
    """Draw the hidden types of one image beside the coefficients that were fitted to its pixels."""
    _, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
    pictures = {"hidden type": kind, f"coefficient of {coef.name}": coef.to_numpy()}
    for ax, (title, values) in zip(axes, pictures.items(), strict=True):
        shown = ax.imshow(values.reshape(SIZE, SIZE), cmap="cividis")
        ax.set(title=title, xlabel="column", ylabel="row")
        ax.figure.colorbar(shown, ax=ax)
    plt.savefig(path, dpi=200)
    plt.close()


def main() -> None:
    """Compare one lasso, attention without context alone, and attention to its surroundings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", type=Path, nargs="?", help="file to draw one image to")
    path = parser.parse_args().picture
    plt.switch_backend("Agg")
    sim = make_tissue(12, SIZE, random_state=0)
    own = [name for name in sim.X.columns if name.startswith("x")]
    table = neighbor_features(sim.X, own, ["row", "column"], by="image", grid=True)
    around = [name for name in table.columns if "_near_" in name]
    train = table["image"] < N_TRAIN
    print(f"{train.sum()} pixels of {N_TRAIN} images to learn from, {(~train).sum()} of 4 others to predict")
    seen = {"attention without context": own, "attention with context": own + around}
    models = {name: fit(table[train], sim.y[train], own, columns) for name, columns in seen.items()}
    baseline = models["attention without context"].baseline_
    lasso = np.mean((sim.y[~train] - baseline.predict(table.loc[~train, own])) ** 2)
    print(f"  {'lasso':26s} squared error {lasso:.2f}")
    for name, model in models.items():
        error = np.mean((sim.y[~train] - model.predict(table[~train])) ** 2)
        print(f"  {name:26s} squared error {error:.2f}  gain over the lasso {100 * (1 - error / lasso):+.1f} %")

    one = table["image"] == N_TRAIN
    coef = models["attention with context"].local_models(table[one]).coef["x1"]
    truth, kind = sim.coef[one, 0], sim.latent[one]
    print("coefficient of x1 in one image, by hidden type: fitted (true)")
    for number in np.unique(kind):
        print(f"  type {number}: {coef[kind == number].mean():+.2f} ({truth[kind == number].mean():+.0f})")
    if path is not None:
        draw(coef, kind, path)


if __name__ == "__main__":
    main()
