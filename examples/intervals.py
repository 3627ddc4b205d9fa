"""Intervals for rows of two kinds, and nobody tells which: a minority has a model of its own and twice the noise.

Split conformal gives every prediction an interval of one width, too narrow for the minority and too wide for the rest.
Attention looks at the residuals of rows like the query.
"""

import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_subgroups

ROWS, NEW_ROWS, COVERAGE = 500, 1000, 0.9


def main() -> None:
    """Compare coverage and width by hidden group."""
    rng = np.random.default_rng(0)
    sim = make_subgroups(ROWS + NEW_ROWS, shift=3.0, random_state=rng)
    minority = sim.latent == 1
    y = sim.signal + sim.noise * np.where(minority, 2.0, 1.0) * rng.normal(size=ROWS + NEW_ROWS)
    X_new, y_new, minority_new = sim.X[ROWS:], y[ROWS:], minority[ROWS:]

    model = AttentionLasso(n_jobs=-1, random_state=0).fit(sim.X[:ROWS], y[:ROWS])
    found = {
        "by attention": model.predict_interval(X_new, COVERAGE),
        "split conformal": split_conformal(sim.X[:ROWS], y[:ROWS], X_new),
    }
    print(f"{100 * COVERAGE:.0f} % intervals of {NEW_ROWS} new rows, coverage in % (mean width):")
    for name, ends in found.items():
        inside, width = (ends[:, 0] <= y_new) & (y_new <= ends[:, 1]), np.diff(ends).ravel()
        parts = {"all rows": np.full(NEW_ROWS, True), "majority": ~minority_new, "minority": minority_new}
        cells = [f"{part} {100 * inside[rows].mean():.1f} ({width[rows].mean():.1f})" for part, rows in parts.items()]
        print(f"  {name:16s} {'   '.join(cells)}")


def split_conformal(X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> np.ndarray:
    """Return intervals by the textbook: half of the rows to fit, the residuals of the others for the width."""
    half = ROWS // 2
    model = AttentionLasso(n_jobs=-1, random_state=0).fit(X[:half], y[:half])
    residuals = np.sort(np.abs(y[half:] - model.predict(X[half:])))
    width = residuals[int(np.ceil((residuals.size + 1) * COVERAGE)) - 1]
    return model.predict(X_new)[:, None] + [-width, width]


if __name__ == "__main__":
    main()
