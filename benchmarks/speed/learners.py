"""Speed of one learner per query, as ratios in one run: cloned and fitted, on shared bins, and without light rows.

    python benchmarks/speed/learners.py [--smoke]

Prints two tables. In the first, learners have one thread and take turns, in time of the processor. In the second, all
cores are used: by LightGBM inside of each fit, and by heedful for several queries at a time. A change is that of
predictions against the cloned learner's, in standard deviations of the response.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from lightgbm import LGBMRegressor
from run import make_table
from sklearn.base import clone
from sklearn.linear_model import Ridge
from xgboost import XGBRegressor

from heedful import _blocks
from heedful.attention import attend
from heedful.local._learners import LocalLearner, heavy_rows, make_learner
from heedful.similarity import ForestProximity

NEGLIGIBLE = 0.01
Learn = Callable[[np.ndarray, np.ndarray], float]


def attentions(X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> dict[str, np.ndarray]:
    """Return weights of some kinds (n_query, n_train), from spread out to sharp."""
    scores = ForestProximity(200, random_state=0).fit(X, y).scores(queries)
    softmax = {f"softmax, {t:g}": attend(scores, temperature=t).toarray() for t in (0.1, 0.03, 0.01)}
    return softmax | {"share of trees": scores.toarray() / scores.sum(axis=1)[:, None]}


def contestants(estimator: object, X: np.ndarray, y: np.ndarray) -> dict[str, Learn]:
    """Return three ways to a prediction from weights and a query."""
    how = (estimator, X, y, np.ones(y.size))
    every, heavy = (make_learner(*how, n_classes=None, negligible=share) for share in (0.0, NEGLIGIBLE))
    return {
        "clone": lambda weight, query: clone(estimator).fit(X, y, sample_weight=weight * y.size).predict(query)[0],
        "every row": lambda weight, query: every.refit(weight, query).value[0],
        "heavy rows": lambda weight, query: heavy.refit(weight, query).value[0],
    }


def take_turns(ways: dict[str, Learn], weights: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the median seconds of each way, and predictions (n_query, n_ways)."""
    seconds, said = np.empty((2, weights.shape[0], len(ways)))
    for way in ways.values():
        way(weights[0], queries[:1])
    for q in range(weights.shape[0]):
        for number, way in enumerate(ways.values()):
            start = time.process_time()
            said[q, number] = way(weights[q], queries[q : q + 1])
            seconds[q, number] = time.process_time() - start
    return np.median(seconds, axis=0), said


def one_thread(n: int, p: int, n_query: int) -> list[tuple[str, ...]]:
    """Time every learner under every attention."""
    (X, y), queries = make_table(n, p), make_table(n_query, p, seed=1)[0]
    small = {"n_estimators": 100, "n_jobs": 1, "random_state": 0}
    learners = {
        "LightGBM, 8 leaves": LGBMRegressor(num_leaves=8, verbose=-1, **small),
        "LightGBM, 8 leaves, 63 bins": LGBMRegressor(num_leaves=8, max_bin=63, verbose=-1, **small),
        "XGBoost, depth 3": XGBRegressor(max_depth=3, **small),
        "ridge": Ridge(),
    }
    rows = []
    for name, estimator in learners.items():
        for kind, weights in attentions(X, y, queries).items():
            (plain, every, heavy), said = take_turns(contestants(estimator, X, y), weights, queries)
            kept = np.median([heavy_rows(weight, NEGLIGIBLE).size for weight in weights])
            change = np.abs(said[:, 1:] - said[:, :1]) / y.std()
            times = (f"{1e3 * plain:.1f} ms", f"{1e3 * every:.1f} ms", f"{plain / every:.2f}x")
            left = (f"{kept:.0f}", f"{1e3 * heavy:.1f} ms", f"{plain / heavy:.2f}x")
            changes = [f"{part.max():.2g}, {part.mean():.2g}" for part in change.T]
            rows.append((name, kind, *times, changes[0], *left, changes[1]))
    return rows


def refit_all(learner: LocalLearner, weights: np.ndarray, queries: np.ndarray) -> list[np.ndarray]:
    """Return predictions of all queries, in threads."""

    def work(block: slice) -> list[np.ndarray]:
        return [learner.refit(weights[q], queries[q : q + 1]).value for q in range(block.start, block.stop)]

    blocks = _blocks.cut(weights.shape[0], 1, -1)
    return [value for part in _blocks.run(work, blocks, n_jobs=-1) for value in part]


def all_cores(n: int, p: int, n_query: int, rounds: int = 3) -> list[tuple[str, ...]]:
    """Time LightGBM with its default number of threads, query by query, against queries in threads, in turns."""
    (X, y), queries = make_table(n, p), make_table(n_query, p, seed=1)[0]
    estimator = LGBMRegressor(num_leaves=8, n_estimators=100, random_state=0, verbose=-1)
    rows = []
    for kind, weights in attentions(X, y, queries).items():
        how = (estimator, X, y, np.ones(n))
        every, heavy = (make_learner(*how, n_classes=None, negligible=share) for share in (0.0, NEGLIGIBLE))
        works = (
            lambda w=weights: [
                clone(estimator).fit(X, y, sample_weight=n * weight).predict(queries[:1]) for weight in w
            ],
            lambda w=weights, every=every: refit_all(every, w, queries),
            lambda w=weights, heavy=heavy: refit_all(heavy, w, queries),
        )
        seconds = np.empty((rounds, 3))
        for turn in range(rounds):
            for number, work in enumerate(works):
                start = time.perf_counter()
                work()
                seconds[turn, number] = (time.perf_counter() - start) / n_query
        plain, *ours = np.min(seconds, axis=0)
        rows.append((kind, f"{1e3 * plain:.1f} ms", *(f"{1e3 * our:.1f} ms, {plain / our:.2f}x" for our in ours)))
    return rows


def show(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print a table."""
    lines = [head, ("---",) * len(head), *rows]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), end="\n\n")


def main() -> None:
    """Run both measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true")
    size = (80, 5, 2) if parser.parse_args().smoke else (1000, 30, 20)
    head = ("learner", "attention", "clone, fit", "every row", "ratio", "change: largest, mean")
    light = ("rows kept", f"without {NEGLIGIBLE:.0%}", "ratio", "change: largest, mean")
    show((*head, *light), one_thread(*size))
    show(("attention", "clone, fit", "every row", f"without {NEGLIGIBLE:.0%}"), all_cores(*size))


if __name__ == "__main__":
    main()
