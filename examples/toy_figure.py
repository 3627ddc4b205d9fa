"""The paper's figure 1, two features whose values decide the model, and what one lasso and attention make of it."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_toy

COLOURS = ("#0072b2", "#d55e00")


def main() -> None:
    """Draw the rows of both halves, and the coefficient of the second feature along the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("toy.png"))
    options = parser.parse_args()
    plt.switch_backend("Agg")
    train, test = make_toy(600, random_state=0).split(300)
    paper = AttentionLasso.as_in_the_paper(random_state=0).fit(train.X, train.y)
    models = {
        "the paper, temperature 1": paper,
        "the paper, temperature 0.1": AttentionLasso.as_in_the_paper(temperature=0.1, random_state=0).fit(
            train.X, train.y
        ),
        "heedful's defaults": AttentionLasso(random_state=0).fit(train.X, train.y),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for half, colour in enumerate(COLOURS):
        rows = train.latent == half
        label = "$x_1 \\geq 0$" if half else "$x_1 < 0$"
        left.scatter(train.X[rows, 1], train.y[rows], s=10, color=colour, label=label)
    left.set(xlabel="$x_2$", ylabel="y")
    left.legend(frameon=False)
    order = np.argsort(test.X[:, 0])
    right.step(test.X[order, 0], test.coef[order, 1], color="0.7", linewidth=3, label="truth")
    right.axhline(paper.baseline_.coef_[1], color="black", linestyle=":", label="one lasso")
    for name, model in models.items():
        right.plot(test.X[order, 0], model.local_models(test.X[order]).lasso_coef["x1"], linewidth=1, label=name)
        gain = 1 - np.mean((test.y - model.predict(test.X)) ** 2) / np.mean(
            (test.y - model.baseline_.predict(test.X)) ** 2
        )
        print(f"{name}: mixing {model.mixing_:.2f}, {100 * gain:.0f} % below the lasso's squared error")
    right.set(xlabel="$x_1$", ylabel="coefficient of $x_2$")
    right.legend(frameon=False, fontsize="small", loc="upper right", handlelength=1.0)
    figure.savefig(options.output, dpi=200)


if __name__ == "__main__":
    main()
