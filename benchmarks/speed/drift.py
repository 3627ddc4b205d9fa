"""Speed and memory of correcting predictions, against getting them and their leaf numbers from the model, in one run.

    python -m benchmarks.speed.drift [--smoke]

Writes drift.md beside this file; with ``--smoke``, of few rows, under build/. The model and the correction take
turns; all cores.
"""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMRegressor
from sklearn.ensemble import RandomForestRegressor
from xgboost import DMatrix, XGBRegressor

from benchmarks import pages, study
from benchmarks.speed.parts import make_table, once
from heedful import DriftCorrector

BAR, ROUNDS = 5, 15
HEAD = ("model", "leaf numbers", "predict", "corrected", "to leaf numbers", "to both", "added memory", "fit", "update")


def models(X: np.ndarray, y: np.ndarray) -> dict[str, tuple[Any, Callable[[np.ndarray], np.ndarray]]]:
    """Return fitted models and how each gives leaf numbers."""
    booster = LGBMRegressor(verbose=-1).fit(X, y)
    large = LGBMRegressor(n_estimators=500, verbose=-1).fit(X, y)
    other = XGBRegressor(n_estimators=100).fit(X, y)
    forest = RandomForestRegressor(100, min_samples_leaf=5, n_jobs=-1, random_state=0).fit(X, y)
    return {
        "LightGBM, 100 trees": (booster, lambda rows: booster.predict(rows, pred_leaf=True)),
        "LightGBM, 500 trees": (large, lambda rows: large.predict(rows, pred_leaf=True)),
        "XGBoost, 100 trees": (other, lambda rows: other.get_booster().predict(DMatrix(rows), pred_leaf=True)),
        "forest, 100 trees": (forest, forest.apply),
    }


def measure(
    name: str, model: Any, leaves: Callable[[np.ndarray], np.ndarray], similarity: str | None, sizes: tuple[int, ...]
) -> tuple[str, ...]:
    """Return a line of the table: correct queries by as many recent rows, of so many columns, in so many rounds."""
    n, p, rounds = sizes
    (recent, y), queries = make_table(n, p, seed=1), make_table(n, p, seed=2)[0]
    drifted = y + np.where(recent[:, 0] > 0, y.std(), 0.0)
    corrector = DriftCorrector(model, similarity=similarity, n_jobs=-1, random_state=0)
    fit = once(lambda: corrector.fit(recent[:-100], drifted[:-100]))
    update = once(lambda: corrector.update(recent[-100:], drifted[-100:]))
    works = (lambda: leaves(queries), lambda: model.predict(queries), lambda: corrector.predict(queries))
    seconds = np.array([[once(work) for work in works] for _ in range(rounds)])[1:]
    number, predict, ours = np.median(seconds, axis=0)
    ratio = np.median(seconds[:, 2] / seconds[:, 0])
    both = np.median(seconds[:, 2] / seconds[:, :2].sum(axis=1))
    times = tuple(f"{1e3 * part:.0f} ms" for part in (number, predict, ours))
    memory = f"{peak(lambda: corrector.predict(queries)) / 1e6:.0f} MB"
    title = f"{name}, {'leaves and forest' if similarity is None else 'own leaves'}"
    return (title, *times, f"{ratio:.1f}x", f"{both:.1f}x", memory, f"{fit:.2f} s", f"{update:.2f} s")


def peak(work: Callable[[], object]) -> int:
    """Return the most bytes that some work holds at a time."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def main() -> None:
    """Measure every model."""
    options = study.read_options(__doc__, rows=(10_000, 300), columns=(30, 5), rounds=(ROUNDS, 3))
    n, p, rounds = sizes = options.rows, options.columns, options.rounds
    served = models(*make_table(n, p)).items()
    rows = [measure(name, *model, who, sizes) for who in ("leaves", None) for name, model in served]
    about = (
        f"{n} queries against {n} recent rows, p = {p}, all cores; median of {rounds - 1} rounds in which all take "
        f"turns. The bar is {BAR}x leaf numbers, for LightGBM by its own leaves. A matrix of queries and rows would be "
        f"{n * n / 1e6:.0f} MB at one byte each. `fit` tries all temperatures on all but 100 of the recent rows, "
        "`update` adds these and chooses anew. Leaves and forest are the default."
    )
    again = f"{pages.stamp('heedful', 'lightgbm')}. Run again: `make bench`."
    page = pages.join("Speed of correcting a model", again, about, pages.draw_table(HEAD, rows))
    study.publish(Path(__file__).parent, options, page, name="drift.md")


if __name__ == "__main__":
    main()
