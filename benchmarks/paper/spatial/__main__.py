"""Section 6.2 of the paper on a public image: corn or soybean, by a pixel's bands and by what lies around it.

    python -m benchmarks.paper.spatial [--data DIR] [--runs 10] [--jobs -1] [--fresh] [--smoke]

Writes results.md, field.png and coefficients.png (as figure 6) beside this file; of fewer than ten splits, and with
``--smoke``, under build/. Splits are kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks import pages, study
from benchmarks.tables import data_folder
from heedful import AttentionLassoClassifier, plot
from heedful._folds import Split
from heedful.baseline import LogisticBaseline
from heedful.context import neighbor_features
from heedful.datasets import make_tissue
from heedful.plot._axes import finish, font_size
from heedful.plot._style import INK, cluster_colour
from heedful.similarity import ForestProximity

CROPS = {"corn": (2, 3, 4), "soybean": (10, 11, 12)}
PLACE = ["field", "row", "column"]
# Bands side by side are averaged: 200 become 40.
WIDTH = 5
RUNS, N_FOLDS, N_TREES, N_CLUSTERS = 10, 5, 100, 4
LASSO, ALONE, RAW, SUMMARY = "lasso", "attention", "raw neighbours", "mean and deviation"
CONTEXTS = {ALONE: None, RAW: "raw", SUMMARY: "mean_sd"}


def read_pixels(path: Path) -> study.Table:
    """Return field, place and bands of each pixel of corn or soybean, and its crop."""
    if not path.exists():
        raise SystemExit(f"No image at {path}. Set HEEDFUL_DATA or pass --data DIR.")
    with np.load(path) as scene:
        cube, labels, field = scene["cube"], scene["labels"], scene["field_id"]
    crop = np.select([np.isin(labels, kinds) for kinds in CROPS.values()], list(CROPS), "")
    row, column = np.nonzero(crop != "")
    bands = cube[row, column].reshape(row.size, -1, WIDTH).mean(axis=2)
    names = [f"bands {j * WIDTH + 1}-{(j + 1) * WIDTH}" for j in range(bands.shape[1])]
    place = pd.DataFrame({"field": field[row, column], "row": row, "column": column})
    return place.join(pd.DataFrame(bands, columns=names)), crop[row, column]


def stand_in() -> study.Table:
    """Return small generated images, for trying the benchmark without data."""
    tissue = make_tissue(12, 5, random_state=0)
    return tissue.X.rename(columns={"image": "field"}), np.where(tissue.y > np.median(tissue.y), "high", "low")


def deal_fields(X: pd.DataFrame, y: np.ndarray, seed: int) -> np.ndarray:
    """Return which pixels are for training: the shuffled fields of each crop go to training and test in turn."""
    crops = pd.Series(y).groupby(X["field"]).agg(lambda pixels: pixels.mode()[0])
    shuffled = crops.sample(frac=1.0, random_state=np.random.default_rng(seed)).sort_values(kind="stable")
    return X["field"].isin(shuffled.index[::2]).to_numpy()


def own_bands(X: pd.DataFrame) -> list[str]:
    """Return the names of a pixel's own bands."""
    return [name for name in X.columns if name not in PLACE]


def add_context(X: pd.DataFrame, summary: str | None) -> pd.DataFrame:
    """Return own bands and those of the 8 pixels around; where the field ends, the pixel stands for its neighbour."""
    if summary is not None:
        X = neighbor_features(X, own_bands(X), PLACE[1:], by="field", grid=True, summary=summary, edges="own")
    return X.drop(columns=PLACE)


def make_attention(own: list[str], seed: int) -> AttentionLassoClassifier:
    """Return local models of a pixel's own bands; the similarity sees all columns."""
    forest = ForestProximity(N_TREES)
    return AttentionLassoClassifier(similarity=forest, features={"model": own}, cv=N_FOLDS, random_state=seed)


def one_split(X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the scores of each method; whole fields are left out, in the test and in the folds."""
    train, own = deal_fields(X, y, seed), own_bands(X)
    fields = X["field"][train]
    folds = [Split(*rows) for rows in GroupKFold(N_FOLDS).split(fields, groups=fields)]
    found = {LASSO: score(LogisticBaseline(), X[own], y, train, splits=folds)}
    for name, summary in CONTEXTS.items():
        found[name] = score(make_attention(own, seed), add_context(X, summary), y, train, groups=fields)
    return found


def score(model: Any, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, **folds: Any) -> dict[str, float]:
    """Return the share of pairs of test pixels in the wrong order (1 - AUC), the mixing and the seconds it took."""
    start = time.perf_counter()
    chance = model.fit(X[train], y[train], **folds).predict_proba(X[~train])[:, 1]
    seconds = time.perf_counter() - start
    error = 1 - roc_auc_score(y[~train] == model.classes_[1], chance)
    return {"error": float(error), "mixing": getattr(model, "mixing_", 0.0), "seconds": seconds}


STUDY = study.Study(Path(__file__).parent, one_split, ("heedful", "scikit-learn"))


def tabulate(auc: pd.DataFrame, mixing: pd.DataFrame) -> str:
    """Return a markdown table as the paper's: AUC and mixing by split, their means and standard errors."""
    values = auc.join(mixing[list(CONTEXTS)].add_prefix("mixing, "))
    rows = {str(seed): split for seed, split in values.iterrows()} | {"mean": values.mean()}
    if len(values) > 1:
        rows["standard error"] = values.sem()
    return pages.draw_table(
        ["split", *values], [[name, *(f"{cell:.3f}" for cell in cells)] for name, cells in rows.items()]
    )


def compare(auc: pd.DataFrame, method: str, other: str) -> str:
    """Return a sentence: how far a method's mean is above another's, and in how many splits it is not below."""
    gap = auc[method] - auc[other]
    spread = f" (standard error {gap.sem():.3f})" if len(gap) > 1 else ""
    return (
        f"{method} against {other}: {gap.mean():+.3f}{spread}, at or above in {(gap >= 0).sum()} of {len(gap)} splits."
    )


def count_pixels(X: pd.DataFrame, y: np.ndarray, splits: int) -> str:
    """Return a sentence: how many pixels and fields there are, and how many of them are learnt from."""
    n_train = [int(deal_fields(X, y, seed).sum()) for seed in range(splits)]
    n_fields = X["field"].nunique()
    return f"{len(X)} pixels of {n_fields} fields, {min(n_train)} to {max(n_train)} of half of the fields for training."


def write_page(X: pd.DataFrame, y: np.ndarray, results: pd.DataFrame) -> str:
    """Return the page: figures, what they say, what they cost, and how to get them again."""
    results = results.droplevel("table")
    auc, seconds = 1 - results["error"], results["seconds"]
    about = (
        "AUC on fields that were left out as a whole: corn or soybean, by the 200 bands of a pixel, averaged to 40. "
        "All models use the pixel's own bands; they differ in what the similarity sees: the pixel, its 8 neighbours as "
        f"well, or their mean and standard deviation. {count_pixels(X, y, len(auc))} {pages.stamp(*STUDY.packages)}. "
        "Rewritten by `make spatial`."
    )
    pairs = [(name, LASSO) for name in CONTEXTS] + [(RAW, ALONE), (SUMMARY, ALONE)]
    reading = pages.bullets(compare(auc, *pair) for pair in pairs)
    costs = ", ".join(f"{name} {value:.1f}" for name, value in seconds.mean().items())
    cost = f"Seconds by the clock to fit and predict a split, whatever else the machine did meanwhile: {costs}."
    return pages.join("Attention to a pixel's surroundings", about, tabulate(auc, results["mixing"]), reading, cost)


def draw_pixels(ax: Any, X: pd.DataFrame, values: Any, title: str, **style: Any) -> Any:
    """Draw one value per pixel where it lies in the image, and return what a scale needs."""
    corner = X[PLACE[1:]].min()
    row, column = (X[PLACE[1:]] - corner).to_numpy().T
    picture = np.full((row.max() + 1, column.max() + 1), np.nan)
    picture[row, column] = values
    left, top = corner["column"] - 0.5, corner["row"] - 0.5
    extent = (left, left + picture.shape[1], top + picture.shape[0], top)
    shown = ax.imshow(picture, extent=extent, interpolation="nearest", **style)
    finish(ax, "column", "row")
    ax.set_title(title, fontsize=font_size(), color=INK)
    return shown


def draw_scene(X: pd.DataFrame, y: np.ndarray, chances: dict[str, np.ndarray], label: str, path: Path) -> None:
    """Draw the test fields: what grows there, and what two models say of each pixel."""
    panels = {f"is {label}": (y == label).astype(float)} | chances
    figure, axes = plt.subplots(1, len(panels), figsize=(9, 3.3), sharey=True, layout="constrained")
    for ax, (title, values) in zip(axes, panels.items(), strict=True):
        shown = draw_pixels(ax, X, values, title, cmap="cividis", vmin=0.0, vmax=1.0)
        ax.label_outer()
    finish(figure.colorbar(shown, ax=axes, pad=0.01, fraction=0.03).ax, "", f"probability of {label}", frame=())
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_models(explanation: Any, X: pd.DataFrame, path: Path) -> None:
    """Draw the coefficients of one field's pixels by cluster, and where the clusters lie."""
    groups = explanation.clusters(N_CLUSTERS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained", width_ratios=[3, 2])
    plot.heatmap(explanation, groups, ax=left)
    hues = ListedColormap([cluster_colour(cluster) for cluster in groups.table.index])
    draw_pixels(right, X, groups.labels.to_numpy(), f"field {X['field'].iloc[0]}, by cluster", cmap=hues)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_split(X: pd.DataFrame, y: np.ndarray, seed: int, folder: Path) -> None:
    """Draw the probabilities of one split's test fields, and the models of the largest of them; neighbours are raw."""
    train, table = deal_fields(X, y, seed), add_context(X, CONTEXTS[RAW])
    own = own_bands(X)
    model = make_attention(own, seed).fit(table[train], y[train], groups=X["field"][train])
    places, pixels = X[~train], table[~train]
    chances = {LASSO: model.baseline_.predict_proba(pixels[own]), f"attention, {RAW}": model.predict_proba(pixels)}
    chances = {name: chance[:, 1] for name, chance in chances.items()}
    draw_scene(places, y[~train], chances, model.classes_[1], folder / "field.png")
    field = places["field"] == places["field"].mode()[0]
    draw_models(model.explain(pixels[field]), places[field], folder / "coefficients.png")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--data", help="folder that holds spatial/indian_pines.npz")


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, add=add_options)
    plt.switch_backend("Agg")
    path = None if options.smoke else data_folder(options.data) / "spatial" / "indian_pines.npz"
    X, y = stand_in() if path is None else read_pixels(path)
    results = study.run(STUDY, {"tissue" if options.smoke else "Indian Pines": (X, y)}, options)
    folder = study.publish(STUDY.home, options, write_page(X, y, results))
    draw_split(X, y, 0, folder)


if __name__ == "__main__":
    main()
