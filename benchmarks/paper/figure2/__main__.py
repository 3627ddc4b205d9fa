"""Figure 2 of the paper, the outline of the method, with the numbers of one real prediction in its boxes.

    python -m benchmarks.paper.figure2 [--smoke]

Writes results.md and figure.png beside this file; with ``--smoke``, of few rows and trees, under build/.
"""

from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from benchmarks import pages, study
from heedful import AttentionLasso
from heedful.datasets import make_subgroups
from heedful.plot._axes import finish, font_size
from heedful.plot._style import INK, NEUTRAL, PALE, POSITIVE, cluster_colour, series_colour

GROUPS = ("majority", "minority")


class Outline(NamedTuple):
    """All that happens to one query: scores and weights of the training rows, two models and their blend."""

    rows: pd.DataFrame
    coef: pd.DataFrame
    prediction: pd.Series
    temperature: float
    mixing: float
    n_eff: float


def follow(n: int, n_trees: int) -> Outline:
    """Follow the first test row of the minority through one fit of setting 3 with one head."""
    train, test = make_subgroups(2 * n, random_state=0).split(n)
    query = np.flatnonzero(test.latent == 1)[0]
    x = test.X[[query]]
    forest = RandomForestRegressor(n_trees, max_features="sqrt", min_samples_split=6, random_state=0)
    forest.fit(train.X, train.y)
    how = {"heads": "single", "temperature": [0.3, 0.2, 0.1, 0.05, 0.03], "random_state": 0}
    model = AttentionLasso(similarity=forest, **how).fit(train.X, train.y)
    attention, fitted = model.attention(x), model.local_models(x)
    rows = {
        "score": (forest.apply(x) == forest.apply(train.X)).mean(axis=1),
        "weight": attention.toarray()[0],
        "group": np.array(GROUPS)[train.latent],
    }
    local = fitted.local_intercept.iloc[0] + x[0] @ fitted.local_coef.iloc[0]
    prediction = {
        "lasso": fitted.baseline_prediction.iloc[0],
        "local": local,
        "blend": fitted.prediction.iloc[0],
        "truth": test.signal[query],
    }
    coef = {"lasso": fitted.baseline_coef, "local": fitted.local_coef.iloc[0], "truth": test.components[1]}
    best = model.heads_.loc[model.heads_["share"].idxmax()]
    return Outline(
        pd.DataFrame(rows),
        pd.DataFrame(coef),
        pd.Series(prediction),
        best["temperature"],
        model.mixing_,
        attention.n_eff[0],
    )


def tabulate(found: Outline) -> str:
    """Return the steps as a markdown table: one line per number in the picture."""
    minority = found.rows["group"] == GROUPS[1]
    far = (found.coef.drop(columns="truth").sub(found.coef["truth"], axis=0) ** 2).sum() ** 0.5
    lines = {
        "1. minority among training rows": f"{100 * minority.mean():.0f} %",
        "1. mean score of minority rows": f"{found.rows.loc[minority, 'score'].mean():.3f}",
        "1. mean score of majority rows": f"{found.rows.loc[~minority, 'score'].mean():.3f}",
        "2. temperature chosen": f"{found.temperature:g}",
        "2. weight of minority rows": f"{100 * found.rows.loc[minority, 'weight'].sum():.0f} %",
        "2. effective rows": f"{found.n_eff:.0f} of {len(found.rows)}",
        "3. the lasso's coefficients are off the truth by": f"{far['lasso']:.2f}",
        "3. the local model's are off by": f"{far['local']:.2f}",
        "4. mixing chosen": f"{found.mixing:.2f}",
    }
    lines |= {f"4. prediction, {name}": f"{value:.2f}" for name, value in found.prediction.items()}
    return pages.draw_table(["step", "number"], lines.items())


def draw(found: Outline, path: Path) -> None:
    """Draw the four steps beside each other."""
    figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained", width_ratios=[1, 1, 1.1, 0.8])
    draw_scores(axes[0], found)
    draw_weights(axes[1], found)
    draw_models(axes[2], found)
    draw_blend(axes[3], found)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_scores(ax: plt.Axes, found: Outline) -> None:
    """Draw how often training rows meet the query in the forest, by hidden group."""
    scores = [found.rows.loc[found.rows["group"] == name, "score"] for name in GROUPS]
    bins = np.linspace(0.0, found.rows["score"].max(), 16)
    for number, (name, part) in enumerate(zip(GROUPS, scores, strict=True)):
        style = {"color": cluster_colour(number + 1), "alpha": 0.7, "label": f"{name}, {len(part)} rows"}
        ax.hist(part, bins=bins, density=True, **style)
    ax.legend(fontsize=font_size(), frameon=False, labelcolor=INK)
    head(ax, "1. A forest: who is alike", "share of trees in which a row meets the query", "density of rows")


def draw_weights(ax: plt.Axes, found: Outline) -> None:
    """Draw the weights of the rows attended to most, and the weight that all rows have without attention."""
    top = found.rows.nlargest(40, "weight")
    hues = [cluster_colour(1 + GROUPS.index(name)) for name in top["group"]]
    ax.bar(np.arange(len(top)), 100 * top["weight"], width=0.9, color=hues)
    ax.axhline(100 / len(found.rows), color=NEUTRAL, linestyle=":", linewidth=1)
    about = f"40 of {len(found.rows)} rows, heaviest first (dotted: equal weights)"
    head(ax, f"2. Attention at temperature {found.temperature:g}", about, "weight, per cent")


def draw_models(ax: plt.Axes, found: Outline) -> None:
    """Draw the coefficients of the lasso for all, of the query's own lasso, and of its group in truth."""
    shown = found.coef[(found.coef.abs() > 0.05).any(axis=1)]
    place = np.arange(len(shown))
    ax.axhline(0.0, color=PALE, linewidth=0.8)
    ax.bar(place, shown["truth"], width=0.8, color=PALE, label="truth of the minority")
    for name, mark, hue in [("lasso", "x", series_colour(0)), ("local", "o", POSITIVE)]:
        ax.plot(place, shown[name], mark, markersize=5, color=hue, label={"lasso": "lasso for all"}.get(name, name))
    ax.set_xticks(place, shown.index, rotation=90, fontsize=font_size())
    ax.legend(fontsize=font_size(), frameon=False, labelcolor=INK)
    head(ax, "3. Two models", "", "coefficient")


def draw_blend(ax: plt.Axes, found: Outline) -> None:
    """Draw the three predictions and the truth."""
    hues = [series_colour(0), POSITIVE, cluster_colour(3), PALE]
    ax.bar(np.arange(4), found.prediction, width=0.7, color=hues)
    ax.axhline(found.prediction["truth"], color=NEUTRAL, linestyle=":", linewidth=1)
    ax.set_xticks(np.arange(4), found.prediction.index)
    share = f"{found.mixing:.2f} local + {1 - found.mixing:.2f} lasso"
    head(ax, "4. The blend", share, "prediction")


def head(ax: plt.Axes, title: str, x: str, y: str) -> None:
    """Name a picture and its axes."""
    ax.set_title(title, loc="left", fontsize=font_size(), color=INK)
    finish(ax, x, y)


def write_page(found: Outline) -> str:
    """Return the page: every number of the picture."""
    about = (
        "Figure 2 of the paper outlines the method; here every box holds the numbers of one prediction: the first test "
        "row of the minority in setting 3 (`make_subgroups`, seed 0), a forest with ranger's defaults, one head; "
        "temperature, penalty and mixing are chosen out of bag. "
        f"{pages.stamp('heedful')}. This page is rewritten by `make figure2`."
    )
    picture = "![Scores, weights, two models and their blend, for one query](figure.png)"
    return pages.join("Figure 2: one prediction, step by step", about, picture, tabulate(found))


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, rows=(300, 60), trees=(500, 20))
    plt.switch_backend("Agg")
    found = follow(options.rows, options.trees)
    folder = study.publish(Path(__file__).parent, options, write_page(found))
    draw(found, folder / "figure.png")


if __name__ == "__main__":
    main()
