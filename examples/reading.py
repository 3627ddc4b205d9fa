"""Draw the pictures of docs/reading.md: one predicted rent by its contributions, its small model, what if, its rows.

Run as ``python examples/reading.py -o docs/_static`` (``make picture``).
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso, plot
from heedful.explain import Explanation

QUERY = 623


def explain_flats() -> Explanation:
    """Fit 600 flats of the page and explain the others."""
    rng = np.random.default_rng(0)
    flats = pd.DataFrame(
        {
            "area": rng.integers(30, 121, 800),
            "age": rng.integers(0, 81, 800),
            "district": rng.choice(["centre", "north", "south"], 800),
            "floor": rng.integers(0, 7, 800),
            "lift": rng.choice(["yes", "no"], 800),
        }
    )
    a_metre = flats["district"].map({"centre": 15, "north": 10, "south": 12})
    a_floor = flats["lift"].map({"yes": 30, "no": -30})
    truth = 150 + a_metre * flats["area"] - 3 * flats["age"] + a_floor * flats["floor"]
    rent = (truth + 40 * rng.normal(size=800)).rename("rent")
    return AttentionLasso(random_state=0).fit(flats[:600], rent[:600]).explain(flats[600:], rent[600:])


def draw_why(explanation: Explanation, path: Path) -> None:
    """Draw contributions beside the small model."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    plot.contributions(explanation, QUERY, ax=axes[0])
    axes[0].set_title("contributions", fontsize=9, pad=16)
    plot.small_model(explanation, QUERY, ax=axes[1])
    axes[1].set_title("small model", fontsize=9, pad=16)
    figure.savefig(path, dpi=110)


def draw_what_if(explanation: Explanation, path: Path) -> None:
    """Draw what would be predicted on other floors beside the rows attended to."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    plot.what_if(explanation, QUERY, "floor", ax=axes[0])
    axes[0].set_title("what if: other floors", fontsize=9, pad=16)
    plot.attended_rows(explanation, QUERY, k=10, ax=axes[1])
    axes[1].set_title("whom it attended to", fontsize=9, pad=16)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Draw both pictures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("."), help="folder of the pictures (default: here)")
    folder = parser.parse_args().output
    plt.switch_backend("Agg")
    explanation = explain_flats()
    folder.mkdir(parents=True, exist_ok=True)
    draw_why(explanation, folder / "reading_why.png")
    draw_what_if(explanation, folder / "reading_what_if.png")
    print(f"{explanation.prediction[QUERY]:.0f} euros predicted; pictures in {folder}")


if __name__ == "__main__":
    main()
