"""Growing forests: how long it takes beside other engines, one thread each, and what it predicts out of bag.

    python -m benchmarks.speed.trees [--smoke] [--data FOLDER]

Times are the best of several, taken in turns. Trees are grown until their leaves hold one row, by each engine, with the
same number of candidate columns; LightGBM draws without replacement, as it cannot do otherwise. Errors out of bag are
those of scikit-learn's forest and ours on every development table of numbers. Writes trees.md beside this file; with
``--smoke``, of tiny sizes, under build/. ydf and biosphere are left out where they are not installed.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from benchmarks import pages, study
from benchmarks.speed.parts import make_table
from benchmarks.tables import TABLES, data_folder, load, load_statlib, stand_in
from heedful._frames import TableReader
from heedful._trees import Bins
from heedful.similarity import ForestProximity

# Rows, columns and trees: the time of each engine but ours is that of its trees alone, so a few of them tell it.
SIZES = [(200, 8, 125), (1000, 30, 125), (10_000, 30, 50), (100_000, 30, 10)]
ERROR_TREES, SEEDS = 100, 2
# The largest tree that LightGBM grows, and the rows up to which it is asked: five trees of 100,000 take it minutes.
MOST_LEAVES, MOST_FOR_LIGHTGBM = 131_072, 10_000
ENGINES = ("heedful", "scikit-learn", "LightGBM rf", "ydf", "biosphere")
Table = tuple[str, pd.DataFrame, np.ndarray]


class Job(NamedTuple):
    """A forest to grow: rows, response (two classes are 0 and 1), and whether all columns are candidates."""

    X: np.ndarray
    y: np.ndarray
    labels: bool
    every: bool
    n_trees: int

    @property
    def features(self) -> str | float:
        """Candidate columns as scikit-learn takes them."""
        return 1.0 if self.every else "sqrt"

    @property
    def n_tried(self) -> int:
        """Number of candidate columns."""
        return self.X.shape[1] if self.every else int(np.sqrt(self.X.shape[1]))


def grow_ours(job: Job) -> Callable[[], Any]:
    """Return what grows our trees, bins and buckets of leaves included."""
    task = "classification" if job.labels else "regression"
    forest = ForestProximity(
        job.n_trees, max_features=job.features, min_samples_split=2, max_samples=None, leaf_rows=None, task=task
    )
    return lambda: forest.set_params(random_state=0).fit(job.X, job.y)


def grow_sklearn(job: Job) -> Callable[[], Any]:
    """Return what grows scikit-learn's trees."""
    kind = RandomForestClassifier if job.labels else RandomForestRegressor
    return lambda: kind(job.n_trees, max_features=job.features, n_jobs=1, random_state=0).fit(job.X, job.y)


def grow_lightgbm(job: Job) -> Callable[[], Any]:
    """Return what grows LightGBM's random forest."""
    kind = LGBMClassifier if job.labels else LGBMRegressor
    how = {
        "boosting_type": "rf",
        "subsample": 0.632,
        "subsample_freq": 1,
        "min_child_samples": 1,
        "n_jobs": 1,
        "num_leaves": max(2, min(len(job.X), MOST_LEAVES)),
        "min_child_weight": 0.0,
        "verbose": -1,
        "feature_fraction_bynode": job.n_tried / job.X.shape[1],
    }
    return lambda: kind(n_estimators=job.n_trees, random_state=0, **how).fit(job.X, job.y)


def grow_ydf(job: Job) -> Callable[[], Any]:
    """Return what grows ydf's random forest."""
    import ydf  # noqa: PLC0415 - not everybody has it

    table = {f"x{j}": column for j, column in enumerate(job.X.T)} | {"y": job.y}
    ydf.verbose(0)
    learner = ydf.RandomForestLearner(
        label="y",
        task=ydf.Task.CLASSIFICATION if job.labels else ydf.Task.REGRESSION,
        num_trees=job.n_trees,
        num_threads=1,
        max_depth=-1,
        min_examples=1,
        num_candidate_attributes=-1 if job.every else job.n_tried,
        compute_oob_performances=False,
    )
    return lambda: learner.train(table)


def grow_biosphere(job: Job) -> Callable[[], Any]:
    """Return what grows biosphere's random forest; it knows no classes."""
    from biosphere import RandomForest  # noqa: PLC0415 - not everybody has it

    y = job.y.astype(np.float64)
    return lambda: RandomForest(
        n_estimators=job.n_trees, max_depth=None, max_features=job.n_tried, random_state=0, n_jobs=1
    ).fit(job.X, y)


GROW = dict(zip(ENGINES, (grow_ours, grow_sklearn, grow_lightgbm, grow_ydf, grow_biosphere), strict=True))


def time_engines(job: Job, repeats: int) -> dict[str, float]:
    """Return the fewest seconds of each engine, which take turns."""
    names = [name for name in ENGINES if name not in ("ydf", "biosphere") or find_spec(name)]
    if len(job.X) > MOST_FOR_LIGHTGBM:
        names.remove("LightGBM rf")
    works = {name: GROW[name](job) for name in names}
    found = dict.fromkeys(names, np.inf)
    for _ in range(repeats):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


def time_all(sizes: list[tuple[int, int, int]]) -> Iterator[list[str]]:
    """Yield a row of the table of times for each size, kind of response and number of candidate columns."""
    for n, p, n_trees in sizes:
        X, y = make_table(n, p)
        for labels in (False, True):
            for every in (False, True):
                job = Job(X, (y > 0).astype(int) if labels else y, labels, every, n_trees)
                grow_ours(job)()
                found = time_engines(job, 3 if n <= 1000 else 1)
                ours = found["heedful"]
                what = f"n = {n:,}, p = {p}, {'two classes' if labels else 'numbers'}, {'all' if every else 'sqrt'}"
                times = [f"{found[name] / ours:.1f}x" if name in found else "" for name in ENGINES[1:]]
                print(what, f"{ours:.3f} s", *times, flush=True)
                yield [what, str(n_trees), f"{ours:.3f} s", *times]


def development_tables(folder: Path) -> Iterator[Table]:
    """Yield the tables of the paper and those for development whose response is a number."""
    for name, title in TABLES.items():
        X, y = load(name, folder)
        yield title, X, np.asarray(y, dtype=np.float64)
    for name, (X, y) in load_statlib(folder).items():
        yield name, X, y


def out_of_bag_errors(X: np.ndarray, y: np.ndarray, every: bool, n_trees: int, categories: np.ndarray) -> list[float]:
    """Return the ratio of our error out of bag to scikit-learn's, one for each seed; both see the same numbers."""
    ratios = []
    for seed in range(SEEDS):
        features = 1.0 if every else "sqrt"
        other = RandomForestRegressor(n_trees, max_features=features, oob_score=True, n_jobs=1, random_state=seed)
        theirs = np.mean((y - other.fit(X, y).oob_prediction_) ** 2)
        forest = ForestProximity(n_trees, max_features=features, min_samples_split=2, random_state=seed)
        rows = as_bins(X, categories)
        scores = forest.fit(rows, y).train_rows(np.arange(y.size))
        ours = np.add.reduceat(scores.leaf * y[scores.indices], scores.indptr[:-1])
        ratios.append(float(np.mean((y - ours) ** 2) / theirs))
    return ratios


def as_bins(X: np.ndarray, categories: np.ndarray) -> Any:
    """Return rows in bins, categories as such."""
    return Bins().fit(X, categories, np.ones(len(X))).transform(X)


def compare_errors(tables: Iterable[Table], n_trees: int, most: int) -> Iterator[list[Any]]:
    """Yield a row of the table of errors for each table."""
    for name, X, y in tables:
        known = np.flatnonzero(np.isfinite(y))[:most]
        frame, y = X.iloc[known].reset_index(drop=True), y[known]
        reader = TableReader().fit(frame)
        codes = reader.read(frame)
        found = [np.mean(out_of_bag_errors(codes, y, every, n_trees, reader.unordered)) for every in (False, True)]
        print(name, *(f"{value:.3f}" for value in found), flush=True)
        yield [name, y.size, codes.shape[1], int(reader.unordered.sum()), *found]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--data", metavar="FOLDER", help="folder of the tables; default ../shared/data")


def main() -> None:
    """Time, compare errors, and write the page."""
    small = [(60, 4, 5)], 10, 60
    options = study.read_options(__doc__, add=add_options, sizes=((SIZES, ERROR_TREES, 2500), small))
    sizes, error_trees, most = options.sizes
    tables = [("stand-in", *stand_in(60, 0))] if options.smoke else development_tables(data_folder(options.data))
    times = list(time_all(sizes))
    errors = pd.DataFrame(
        compare_errors(tables, error_trees, most),
        columns=["table", "rows", "columns", "categories", "sqrt", "all"],
    )
    ratios = errors[["sqrt", "all"]].to_numpy()
    plain = ratios[errors["categories"] == 0]
    lines = [
        f"{what}: mean of the ratios {part.mean():.3f}, largest {part.max(initial=0.0):.3f}."
        for what, part in (("All tables", ratios), ("Tables without categories", plain))
        if part.size
    ]
    rows = ([row.table, f"{row.rows:,}", str(row.columns), str(row.categories), f"{row.sqrt:.3f}", f"{row.all:.3f}"]
            for row in errors.itertuples())  # fmt: skip
    page = pages.join(
        "Growing trees",
        f"{pages.stamp('heedful', 'scikit-learn', 'lightgbm')}. Run again: `python -m benchmarks.speed.trees`.",
        "Seconds for some trees on one thread, ours, and how many times as long the others take in the same run. Ours "
        "include bins, once for all trees, and the rows of every leaf, which the others do not give.",
        pages.draw_table(["job", "trees", "heedful", *ENGINES[1:]], times),
        f"Squared error out of bag of {error_trees} trees, ours divided by scikit-learn's (mean of {SEEDS} seeds). "
        "Both see the same numbers; ours knows which of them stand for levels of a category.",
        pages.draw_table(["table", "rows", "columns", "categories", "sqrt", "all"], rows),
        pages.bullets(lines),
    )
    study.publish(Path(__file__).parent, options, page, name="trees.md")


if __name__ == "__main__":
    main()
