"""Where do shape functions help? R2 of the lasso, an additive model, attention without shapes, and heedful.

Four responses of the same columns: nonlinear and additive, the same plus an interaction, the interaction alone, and
linear. Shape functions help with the first two. Option ``-o`` draws one of them.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score

from heedful import AttentionLasso, LocalLasso, plot
from heedful.explain import Explanation

ROWS, NEW_ROWS = 500, 2000


def simulate(rng: np.random.Generator) -> tuple[pd.DataFrame, dict[str, pd.Series]]:
    """Return a table, and for each kind of response its values."""
    n_rows = ROWS + NEW_ROWS
    often = 1 / np.arange(1, 13)
    X = pd.DataFrame({
        "hours": rng.uniform(0, 60, n_rows),
        "income": rng.lognormal(10, 0.5, n_rows),
        "age": rng.uniform(20, 80, n_rows),
        "site": rng.choice(["north", "south"], n_rows),
        "code": rng.choice(list("abcdefghijkl"), n_rows, p=often / often.sum()),
        "noise": rng.normal(size=n_rows),
    })  # fmt: skip
    levels = dict(zip("abcdefghijkl", rng.normal(size=12), strict=True))
    curves = 1.5 * np.sin(X["hours"] / 8) + 2 * (X["income"] > 25_000) + X["code"].map(levels)
    product = 0.06 * (X["age"] - 50) * np.where(X["site"] == "north", 1, -1)
    lines = 0.05 * X["hours"] + 0.04 * X["age"] + 0.5 * X["noise"]
    made = {"curves": curves, "curves and interaction": curves + product, "interaction": product, "lines": lines}
    return X, {name: y + 0.5 * rng.normal(size=n_rows) for name, y in made.items()}


def add_curves(explanation: Explanation, X: pd.DataFrame) -> np.ndarray:
    """Return the sum of the shape functions at each row: the additive model, up to a constant; 0 without shapes."""
    total = np.zeros(len(X))
    if explanation.curves is None:
        return total
    for name, pieces in explanation.curves.groupby("feature"):
        if pieces["level"].notna().any():
            total += X[name].map(pieces.set_index("level")["curve"]).fillna(0.0).to_numpy()
        else:
            inner = pieces["low"].to_numpy()[1:]
            total += pieces["curve"].to_numpy()[np.searchsorted(inner, X[name], side="left")]
    return total


def compare(X: pd.DataFrame, y: pd.Series) -> tuple[list[float], Explanation]:
    """Return the R2 of four models on new rows, and an explanation of the last one."""
    new, y_new = X[ROWS:], y[ROWS:]
    lines = AttentionLasso(local=LocalLasso(shapes=False), n_jobs=-1, random_state=0).fit(X[:ROWS], y[:ROWS])
    model = AttentionLasso(n_jobs=-1, random_state=0).fit(X[:ROWS], y[:ROWS])
    explanation = model.explain(new)
    predicted = (
        model.baseline_.predict(explanation.values),
        y[:ROWS].mean() + add_curves(explanation, new),
        lines.predict(new),
        explanation.prediction,
    )
    return [r2_score(y_new, values) for values in predicted], explanation


def draw(explanation: Explanation, output: Path) -> None:
    """Draw the shape function that varies most, if matplotlib is installed."""
    try:
        ax = plot.shapes(explanation)
    except ImportError:
        print("no picture: pip install 'heedful[plot]'")
        return
    ax.figure.savefig(output, dpi=200)
    print(f"shape function of {ax.get_xlabel()}: {output}")


def main() -> None:
    """Print the R2 of four models for each response."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, help="file for a plot of one shape function")
    parser.add_argument("--seed", type=int, default=0, help="seed of the tables")
    given = parser.parse_args()
    X, responses = simulate(np.random.default_rng(given.seed))
    print(f"{'R2 of new rows':24s}  lasso  additive  shapes=False  heedful")
    shown = None
    for name, y in responses.items():
        (lasso, additive, lines, both), explanation = compare(X, y)
        shown = shown or explanation
        print(f"{name:24s}  {lasso:5.2f}  {additive:8.2f}  {lines:12.2f}  {both:7.2f}")
    if given.output is not None and shown is not None:
        draw(shown, given.output)


if __name__ == "__main__":
    main()
