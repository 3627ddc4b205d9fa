"""Appendix B of the paper: when softmax attention and a Gaussian kernel give the same weights.

    python -m benchmarks.paper.appendix_b [--smoke]

Writes results.md beside this file; with ``--smoke``, one temperature, under build/.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import pages, study
from heedful.attention import attend
from heedful.similarity import GaussianSimilarity, RidgeSimilarity

ROWS, QUERIES, COLUMNS = 64, 20, 6
TEMPERATURES = [4.0, 1.0, 0.25]


def kernel(query: np.ndarray, train: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return Gaussian kernel weights that sum to one for each query, written out by hand."""
    distance = ((query[:, None, :] - train) ** 2).sum(axis=2)
    weights = np.exp(-distance / (2 * bandwidth**2))
    return weights / weights.sum(axis=1, keepdims=True)


def cases(rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield a title, scores for the softmax, and the queries and training rows for the kernel."""
    query, train = rng.normal(size=(QUERIES, COLUMNS)), rng.normal(size=(ROWS, COLUMNS))
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    # all sign patterns: columns have mean 0 and variance 1, and rows one norm, whatever weighs their columns
    signs = np.array(list(product([-1.0, 1.0], repeat=COLUMNS)))
    noise = rng.normal(size=ROWS)
    yield "rows of norm 1, x'z", query @ unit.T, query, unit
    yield "rows of norm 1, all rows and queries moved by 1, x'z", (query + 1) @ (unit + 1).T, query + 1, unit + 1
    yield "normal rows, x'z", query @ train.T, query, train
    yield "normal rows, x'z - z'z / 2", query @ train.T - (train**2).sum(axis=1) / 2, query, train
    gaussian = GaussianSimilarity(standardize=False).fit(train)
    yield "normal rows, `GaussianSimilarity`", gaussian.scores(query), query, train
    for title, rows in {"rows of signs": signs, "normal rows": train}.items():
        ridge = RidgeSimilarity().fit(rows, rows @ np.arange(COLUMNS) + noise)
        scale = np.sqrt(ridge.diagonal_) / rows.std(axis=0)
        moved = query - rows.mean(axis=0), rows - rows.mean(axis=0)
        yield f"{title}, `RidgeSimilarity`", ridge.scores(query), *(part * scale for part in moved)


def compare(temperatures: list[float]) -> pd.DataFrame:
    """Return the largest weight and the largest difference of weights, by case and temperature."""
    found = []
    for title, scores, query, train in cases(np.random.default_rng(0)):
        for temperature in temperatures:
            softmax = attend(scores, temperature).toarray()
            difference = np.abs(softmax - kernel(query, train, np.sqrt(temperature))).max()
            found.append((title, temperature, softmax.max(), difference))
    return pd.DataFrame(found, columns=["rows, scores", "temperature", "largest weight", "largest difference"])


def write_page(found: pd.DataFrame) -> str:
    """Return the page."""
    about = (
        f"Weights of {ROWS} training rows for {QUERIES} queries: the softmax of scores at a temperature, and a "
        f"Gaussian kernel whose bandwidth is the square root of it. {pages.stamp('heedful')}. This page is rewritten "
        "by `make appendix_b`; the README explains the rows."
    )
    rows = [
        [title, f"{temperature:g}", f"{weight:.3f}", f"{difference:.1e}"]
        for title, temperature, weight, difference in found.itertuples(index=False)
    ]
    worst = found.groupby("rows, scores", sort=False)["largest difference"].max()
    said = [
        f"Equal to rounding (below 1e-12): {'; '.join(worst.index[worst < 1e-12])}.",
        f"Different: {'; '.join(worst.index[worst >= 1e-12])}.",
    ]
    return pages.join("Appendix B: softmax and kernel", about, pages.draw_table(found, rows), pages.bullets(said))


def main() -> None:
    """Compare the weights."""
    options = study.read_options(__doc__, temperatures=(TEMPERATURES, TEMPERATURES[:1]))
    study.publish(Path(__file__).parent, options, write_page(compare(options.temperatures)))


if __name__ == "__main__":
    main()
