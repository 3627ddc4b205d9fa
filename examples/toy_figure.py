"""Figure 1 of the paper: the sign of one feature decides the slope of another, fitted by the lasso and by attention."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso

COLOURS = ("#0072b2", "#d55e00")
ROWS = 600


def main() -> None:
    """Draw the rows of both groups, and the coefficient of the second feature along the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("toy.png"))
    options = parser.parse_args()
    plt.switch_backend("Agg")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (ROWS, 2))
    half = X[:, 0] >= 0
    slope = np.where(half, -2.0, 2.0)
    y = X[:, 0] + slope * X[:, 1] + 0.3 * rng.normal(size=ROWS)
    train, test = np.arange(ROWS) < ROWS // 2, np.arange(ROWS) >= ROWS // 2
    paper = AttentionLasso.as_in_the_paper(random_state=0).fit(X[train], y[train])
    models = {
        "the paper, temperature 1": paper,
        "the paper, temperature 0.1": AttentionLasso.as_in_the_paper(temperature=0.1, random_state=0).fit(
            X[train], y[train]
        ),
        "heedful's defaults": AttentionLasso(random_state=0).fit(X[train], y[train]),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for rows, label, colour in zip((~half & train, half & train), ("$x_1 < 0$", "$x_1 \\geq 0$"), COLOURS, strict=True):
        left.scatter(X[rows, 1], y[rows], s=10, color=colour, label=label)
    left.set(xlabel="$x_2$", ylabel="y")
    left.legend(frameon=False)
    order = np.flatnonzero(test)[np.argsort(X[test, 0])]
    right.step(X[order, 0], slope[order], color="0.7", linewidth=3, label="truth")
    right.axhline(paper.baseline_.coef_[1], color="black", linestyle=":", label="global lasso")
    for name, model in models.items():
        right.plot(X[order, 0], model.local_models(X[order]).lasso_coef["x1"], linewidth=1, label=name)
        gain = 1 - np.mean((y[test] - model.predict(X[test])) ** 2) / np.mean(
            (y[test] - model.baseline_.predict(X[test])) ** 2
        )
        print(f"{name}: mixing {model.mixing_:.2f}, {100 * gain:.0f} % below the lasso's squared error")
    right.set(xlabel="$x_1$", ylabel="coefficient of $x_2$")
    right.legend(frameon=False, fontsize="small", loc="upper right", handlelength=1.0)
    figure.savefig(options.output, dpi=200)


if __name__ == "__main__":
    main()
