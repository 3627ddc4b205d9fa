"""Responses that have nothing to do with the columns: how often is skill claimed of a model.

    python -m benchmarks.guard.noise [--runs 100] [--smoke]

prints the table; it is a part of ``make guard``. About a second of one core per draw.
"""

import argparse

import numpy as np
import pandas as pd

from benchmarks import pages, study
from heedful import AttentionCox, AttentionGLM, AttentionLasso, AttentionLassoClassifier
from heedful.explain._errors import compare_errors

SIZES, N_COLUMNS, RUNS = (60, 100, 200, 500), 5, 100
KINDS = {kind: (kind,) for kind in ("numbers", "two classes", "three classes", "counts", "survival")}
CLAIM = "It predicts new rows better"


def respond(kind: str, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return a response of pure noise: numbers, classes of equal chances, counts around 2, times of which half end."""
    if kind == "survival":
        time, end = rng.exponential(size=(2, n_rows))
        return np.rec.fromarrays([time <= end, np.minimum(time, end)], names=["event", "time"])
    drawn = rng.normal(size=n_rows)
    classes = {"two classes": drawn > 0, "three classes": np.digitize(drawn, [-0.43, 0.43])}
    return rng.poisson(2.0, n_rows) if kind == "counts" else classes.get(kind, drawn)


def one_sample(kind: str, seed: int) -> study.Scores:
    """Return whether a model of pure noise is said to predict new rows better than the lasso, and its gain."""
    rng = np.random.default_rng(seed)
    size = SIZES[seed % len(SIZES)]
    X, y = rng.normal(size=(size, N_COLUMNS)), respond(kind, size, rng)
    estimators = {"numbers": AttentionLasso, "counts": AttentionGLM, "survival": AttentionCox}
    model = estimators.get(kind, AttentionLassoClassifier)(random_state=seed, n_jobs=1).fit(X, y)
    unseen = model.held_out_error_
    claimed = compare_errors(unseen, model.mixing_).meaning.startswith(CLAIM)
    return {"noise": {"claimed": float(claimed), "gain": float(1 - unseen["attention"] / unseen["baseline"])}}


def tell(found: pd.DataFrame) -> str:
    """Return one row for each kind of response."""
    rows = []
    for kind in found.index.unique("table"):
        own = found.loc[kind]
        rows.append(
            [
                kind,
                f"{len(own)}",
                f"{int(own['claimed', 'noise'].sum())}",
                f"{int((own['gain', 'noise'] > 0.01).sum())}",
            ]
        )
    return pages.draw_table(["response", "draws", "skill is claimed", "error at least 1 % lower"], rows)


def main() -> None:
    """Print how often skill is claimed of each kind of response."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--smoke", action="store_true", help="one draw of each")
    options = parser.parse_args()
    runs = 1 if options.smoke else options.runs
    rows = [(kind, seed, one_sample(kind, seed)["noise"]) for kind in KINDS for seed in range(runs)]
    found = pd.DataFrame([row for *_, row in rows], pd.MultiIndex.from_tuples([row[:2] for row in rows]))
    found.columns = pd.MultiIndex.from_product([found.columns, ["noise"]])
    print(tell(found.rename_axis(["table", "split"])))


if __name__ == "__main__":
    main()
