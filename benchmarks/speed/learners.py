"""Speed of one learner per query, and of leaf attention, as ratios in one run.

    python -m benchmarks.speed.learners [--smoke]

Writes three tables to learners.md beside this file; with ``--smoke``, of few rows, under build/. One thread: a cloned
learner, one on shared bins, and one without light rows take turns, in time of the processor. All cores: LightGBM
uses them inside of each fit, and heedful for several queries at a time. Leaf attention: against getting leaf numbers
from the model. A change is that of predictions against the cloned learner's, in standard deviations of the response.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from lightgbm import LGBMRegressor
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from xgboost import XGBRegressor

from benchmarks import pages, study
from benchmarks.speed.parts import best_of, make_table, once
from heedful import LeafAttentionRegressor, _blocks
from heedful._solver.learners import AnyLearner, heavy_rows, make_learner
from heedful.attention import attend
from heedful.attention._weighting import weigh
from heedful.baseline._booster import small_booster
from heedful.similarity import BoostedProximity, ForestProximity, TeacherSimilarity

TRIM_WEIGHT = 0.01
BAR_EVERY, BAR_HEAVY, BAR_LEAF = 1.4, 3, 5
Learn = Callable[[np.ndarray, np.ndarray], float]


def attentions(X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> dict[str, np.ndarray]:
    """Return weights of some kinds (n_query, n_train), from spread out to sharp."""
    forest = ForestProximity(200, random_state=0).fit(X, y).scores(queries)
    teacher = TeacherSimilarity(random_state=0).fit(X, y).scores(queries)
    return {
        "forest, softmax at 0.1": attend(forest, temperature=0.1).toarray(),
        "forest, share of trees": forest.toarray() / forest.sum(axis=1)[:, None],
        "teacher, softmax at 0.03": attend(teacher, temperature=0.03).toarray(),
        "teacher, softmax at 0.01": attend(teacher, temperature=0.01).toarray(),
    }


def contestants(estimator: object, X: np.ndarray, y: np.ndarray) -> dict[str, Learn]:
    """Return three ways to a prediction from weights and a query."""
    how = (estimator, X, y, np.ones(y.size))
    every, heavy = (make_learner(*how, n_classes=None, trim_weight=share) for share in (0.0, TRIM_WEIGHT))
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
        "the default LightGBM (63 bins)": small_booster("a benchmark", n_classes=None, random_state=0),
        "LightGBM, 8 leaves, 255 bins": LGBMRegressor(num_leaves=8, verbose=-1, **small),
        "XGBoost, depth 3": XGBRegressor(max_depth=3, **small),
        "ridge": Ridge(),
    }
    rows = []
    for name, estimator in learners.items():
        for kind, weights in attentions(X, y, queries).items():
            (plain, every, heavy), said = take_turns(contestants(estimator, X, y), weights, queries)
            kept = np.median([heavy_rows(weight, TRIM_WEIGHT).size for weight in weights])
            change = np.abs(said[:, 1:] - said[:, :1]) / y.std()
            times = (f"{1e3 * plain:.1f} ms", f"{1e3 * every:.1f} ms", f"{plain / every:.2f}x")
            left = (f"{kept:.0f}", f"{1e3 * heavy:.1f} ms", f"{plain / heavy:.2f}x")
            changes = [f"{part.max():.2g}, {part.mean():.2g}" for part in change.T]
            rows.append((name, kind, *times, changes[0], *left, changes[1]))
    return rows


def refit_all(learner: AnyLearner, weights: np.ndarray, queries: np.ndarray) -> list[np.ndarray]:
    """Return predictions of all queries, in threads."""

    def work(block: slice) -> list[np.ndarray]:
        return [learner.refit(weights[q], queries[q : q + 1]).value for q in range(block.start, block.stop)]

    blocks = _blocks.cut(weights.shape[0], 1, -1)
    return [value for part in _blocks.run(work, blocks, n_jobs=-1) for value in part]


def all_cores(n: int, p: int, n_query: int, rounds: int = 3) -> list[tuple[str, ...]]:
    """Time LightGBM with its default number of threads, query by query, against queries in threads, in turns."""
    (X, y), queries = make_table(n, p), make_table(n_query, p, seed=1)[0]
    estimator = small_booster("a benchmark", n_classes=None, random_state=0).set_params(n_jobs=None)
    rows = []
    for kind, weights in attentions(X, y, queries).items():
        how = (estimator, X, y, np.ones(n))
        every, heavy = (make_learner(*how, n_classes=None, trim_weight=share) for share in (0.0, TRIM_WEIGHT))
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
                seconds[turn, number] = once(work) / n_query
        plain, *ours = np.min(seconds, axis=0)
        rows.append((kind, f"{1e3 * plain:.1f} ms", *(f"{1e3 * our:.1f} ms, {plain / our:.2f}x" for our in ours)))
    return rows


def leaf_attention(n: int, p: int, n_query: int) -> list[tuple[str, ...]]:
    """Time leaf attention of queries against getting their leaf numbers from the model."""
    (X, y), queries = make_table(n, p), make_table(n_query, p, seed=1)[0]
    forest = RandomForestRegressor(500, max_features="sqrt", min_samples_split=5, n_jobs=-1, random_state=0).fit(X, y)
    booster = small_booster("a benchmark", n_classes=None, random_state=0).set_params(n_jobs=None).fit(X, y)
    cases = [
        ("forest of 500 trees", forest, "itself", ForestProximity(forest=forest), lambda: forest.apply(queries)),
        ("LightGBM", booster, "itself", BoostedProximity(booster), lambda: booster.predict(queries, pred_leaf=True)),
        ("LightGBM", booster, "forest of 500", "forest", lambda: booster.predict(queries, pred_leaf=True)),
    ]
    rows = []
    for name, model, kind, similarity, number in cases:
        how = {"temperature": 0.1, "mixing": 0.5, "n_jobs": -1, "random_state": 0}
        ours = LeafAttentionRegressor(model, similarity=similarity, **how).fit(X, y)
        seconds = [fastest(number), *weigh_only(ours, queries), fastest(lambda ours=ours: ours.predict(queries))]
        times = [f"{1e3 * value:.1f} ms, {value / seconds[0]:.1f}x" for value in seconds[1:]]
        rows.append((name, kind, f"{1e3 * seconds[0]:.1f} ms", *times))
    return rows


def time_for_a_row(n: int, p: int, n_query: int) -> str:
    """Return how much time the bar of leaf attention leaves for one training row of one leaf."""
    (X, y), queries = make_table(n, p), make_table(n_query, p, seed=1)[0]
    booster = small_booster("a benchmark", n_classes=None, random_state=0).set_params(n_jobs=None).fit(X, y)
    train, asked = (booster.predict(rows, pred_leaf=True).T for rows in (X, queries))
    rows = np.mean([(mine[:, None] == theirs).sum(axis=0).mean() for mine, theirs in zip(train, asked, strict=True)])
    each = 1e9 * fastest(lambda: booster.predict(queries, pred_leaf=True)) / asked.size
    return (
        f"LightGBM finds a leaf in {each:.0f} ns. Attention goes through the training rows of that leaf, {rows:.0f} "
        f"on average, to see who is alike and to average them: the bar leaves {BAR_LEAF * each / rows:.2f} ns a row."
    )


def weigh_only(model: LeafAttentionRegressor, queries: np.ndarray) -> list[float]:
    """Return the seconds that weighted means of leaves take, leaves and attention weights being known."""
    fitted, problem = model._model, model._model.problem
    (group,), batch = fitted.grid.groups, fitted.read(queries)
    rows, leaves = group.similarity.score_rows(batch.seen[0]), batch.view.x
    weights = weigh(rows, group.weightings[0], problem.weight)
    blocks = _blocks.cut(len(queries), 1, -1)

    def work(block: slice) -> np.ndarray:
        excess, background = weights
        return problem.table.predict(excess[block], background[block], np.ascontiguousarray(leaves[block].T))

    return [fastest(lambda: list(_blocks.run(work, blocks, n_jobs=-1)))]


def fastest(work: Callable[[], object], rounds: int = 7) -> float:
    """Return the shortest of some runs after a first one."""
    work()
    return best_of(rounds, work)


def main() -> None:
    """Run all measurements."""
    options = study.read_options(__doc__, rows=(1000, 80), columns=(30, 5), queries=(20, 2), leaf_queries=(1000, 40))
    n, p, n_query = options.rows, options.columns, options.queries
    head = ("learner", "attention", "clone, fit", "every row", "ratio", "change: largest, mean")
    light = ("rows kept", f"without {TRIM_WEIGHT:.0%}", "ratio", "change: largest, mean")
    every, heavy = f"every row (bar {BAR_EVERY}x)", f"without {TRIM_WEIGHT:.0%} (bar {BAR_HEAVY}x)"
    parts = {
        f"One thread, n = {n}, p = {p}": pages.draw_table((*head, *light), one_thread(n, p, n_query)),
        "All cores": pages.draw_table(("attention", "clone, fit", every, heavy), all_cores(n, p, n_query)),
        f"Leaf attention of {options.leaf_queries} queries (bar {BAR_LEAF}x)": pages.draw_table(
            ("model", "attention by", "leaf numbers", "weighted leaves alone", "whole `predict`"),
            leaf_attention(n, p, options.leaf_queries),
        )
        + f"\n\n{time_for_a_row(n, p, options.leaf_queries)}",
    }
    about = f"{pages.stamp('heedful', 'lightgbm')}. Run again: `make bench`."
    page = pages.join("Speed of any learner", about, *(f"## {title}\n\n{part}" for title, part in parts.items()))
    study.publish(Path(__file__).parent, options, page, name="learners.md")


if __name__ == "__main__":
    main()
