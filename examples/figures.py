"""Draw every plot of heedful.plot, on tables of scikit-learn and simulations, into a folder of PNG files."""

import argparse
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import train_test_split

from heedful import AttentionEffect, AttentionGLM, AttentionLasso, AttentionLassoClassifier, plot
from heedful.datasets import make_claims, make_effects
from heedful.explain import Explanation


def explain_diabetes() -> Explanation:
    """Return an explanation of predictions of the progress of diabetes; sex is a category."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X["sex"] = X["sex"].map({1.0: "one", 2.0: "two"})
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    return AttentionLasso(mixing="adaptive", random_state=0).fit(X_train, y_train).explain(X_test, y_test)


def explain_wine() -> Explanation:
    """Return an explanation of predictions of the grower of a wine, one of three."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    growers = pd.Series(["first", "second", "third"], name="grower").loc[y].set_axis(y.index)
    X_train, X_test, y_train, y_test = train_test_split(X, growers, test_size=0.3, random_state=0)
    return AttentionLassoClassifier(mixing=0.5, random_state=0).fit(X_train, y_train).explain(X_test, y_test)


def explain_claims() -> Explanation:
    """Return an explanation of predicted claim counts."""
    train, test = make_claims(800, frequency=1.0, random_state=0).split()
    model = AttentionGLM(random_state=0).fit(train.X, train.counts, exposure=train.exposure)
    return model.explain(test.X, test.counts, exposure=test.exposure)


def draw_claims(explanation: Explanation, folder: Path) -> list[Path]:
    """Draw the plots for counts and costs."""
    return save({"calibration": plot.calibration(explanation), "lift": plot.lift(explanation)}, folder)


def draw_effects(folder: Path) -> list[Path]:
    """Draw the plots for treatment effects."""
    trial = make_effects("groups", 500, random_state=0)
    model = AttentionEffect(random_state=0).fit(trial.X, trial.y, treatment=trial.treatment)
    return save(
        {"gain_curve": plot.gain_curve(model.heterogeneity()), "balance": plot.balance(model.overlap())}, folder
    )


def draw(explanation: Explanation, folder: Path) -> list[Path]:
    """Draw the other plots into a folder and return the files."""
    query, groups = explanation.index[0], explanation.clusters()
    axes = {
        "dendrogram": plot.dendrogram(explanation, groups),
        "heatmap": plot.heatmap(explanation, groups),
        "cluster_errors": plot.cluster_errors(explanation, groups),
        "coefficient_path": plot.coefficient_path(explanation, query),
        "attended_rows": plot.attended_rows(explanation, query),
        "contributions": plot.contributions(explanation, query),
        "importance": plot.importance(explanation),
        "beeswarm": plot.beeswarm(explanation),
        "small_model": plot.small_model(explanation, query),
        "what_if": plot.what_if(explanation, query, explanation.importance().index[0]),
        "dependence": plot.dependence(explanation, *explanation.importance().index[:2]),
        "local_effects": plot.local_effects(explanation, explanation.importance().index[0]),
        "mixing_histogram": plot.mixing_histogram(explanation),
        "n_eff_histogram": plot.n_eff_histogram(explanation),
        "tuning_curve": plot.tuning_curve(explanation),
    }
    if explanation.curves is not None:  # the wine models have no shape functions
        axes["shapes"] = plot.shapes(explanation)
    return save(axes, folder)


def save(axes: dict[str, Any], folder: Path) -> list[Path]:
    """Write plots as files under their names."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, ax in axes.items():
        files.append(folder / f"{name}.png")
        ax.figure.savefig(files[-1], dpi=200)
        plt.close(ax.figure)
    return files


def main() -> None:
    """Draw the plots of all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("figures"), help="folder to write to")
    folder = parser.parse_args().output
    plt.switch_backend("Agg")
    for name, explanation in (("diabetes", explain_diabetes()), ("wine", explain_wine())):
        for file in draw(explanation, folder / name):
            print(file)
    for file in [*draw_claims(explain_claims(), folder / "claims"), *draw_effects(folder / "effects")]:
        print(file)


if __name__ == "__main__":
    main()
