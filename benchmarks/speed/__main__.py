"""Speed as ratios in one run, on this machine: against scikit-learn, against the forest, and against itself.

    python -m benchmarks.speed [--smoke]

Writes results.md beside this file; with ``--smoke``, of tiny sizes, under build/.
"""

import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from catboost import CatBoostRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.metrics import root_mean_squared_error

from benchmarks import pages, study
from benchmarks.speed.large import large_model
from benchmarks.speed.parts import best_of, make_table, once
from benchmarks.speed.wide import make_wide
from benchmarks.tables import PROJECT
from heedful import AttentionLasso, local_lasso, save_model
from heedful.attention import attend
from heedful.baseline import LassoBaseline, LogisticBaseline
from heedful.explain import Explanation
from heedful.report import write
from heedful.similarity import ForestProximity

Row = tuple[str, str, str, str]
NO_FILES = {"allow_writing_files": False}
# What takes time in a fit, and the function in which it does.
PARTS = {
    "growing trees": "grow_forest",
    "local fits of left-out rows": "head_rows",
    "leaves and scores of left-out rows": "train_rows",
    "calibrating intervals": "calibrate",
}


def local_fits(n: int, p: int, bar: int) -> Row:
    """Time one weighted lasso per row against a loop of scikit-learn's."""
    X, y = make_table(n, p)
    alpha = LassoBaseline(random_state=0).fit(X, y).alpha_
    forest = ForestProximity(100, random_state=0).fit(X, y)
    weights = attend(forest.scores(make_table(n, p, seed=1)[0]), temperature=0.1).toarray()
    local_lasso(X, y, weights, alpha=alpha)
    ours = best_of(7, lambda: local_lasso(X, y, weights, alpha=alpha))
    scaled = X / X.std(axis=0)
    some = weights[:: max(1, n // 200)]
    loop = best_of(3, lambda: [Lasso(alpha).fit(scaled, y, sample_weight=row) for row in some]) * n / len(some)
    what = f"{n} local fits, n = {n}, p = {p}, against a loop of scikit-learn Lasso.fit(sample_weight)"
    return what, f"{loop:.2f} s / {ours:.3f} s", f"{loop / ours:.1f}x faster", f">= {bar}x"


def binary_fits(n: int, p: int, bar: int) -> Row:
    """Time one weighted L1 logistic model per row against a loop of scikit-learn's."""
    X, level = make_table(n, p)
    y = (level > 0).astype(int)
    alpha = LogisticBaseline(random_state=0).fit(X, y).alpha_
    forest = ForestProximity(100, task="classification", random_state=0).fit(X, y)
    weights = attend(forest.scores(make_table(n, p, seed=1)[0]), temperature=0.1).toarray()
    ours = best_of(5, lambda: local_lasso(X, y, weights, alpha=alpha, family="binomial"))
    scaled = X / X.std(axis=0)
    some = weights[:: max(1, n // 100)]

    def fit(row: np.ndarray) -> LogisticRegression:
        return LogisticRegression(l1_ratio=1.0, C=1.0 / alpha, solver="liblinear").fit(scaled, y, sample_weight=row)

    loop = best_of(3, lambda: [fit(row) for row in some]) * n / len(some)
    what = f"{n} local fits, n = {n}, p = {p}, against a loop of scikit-learn L1 LogisticRegression.fit(sample_weight)"
    return what, f"{loop:.2f} s / {ours:.3f} s", f"{loop / ours:.1f}x faster", f">= {bar}x"


def whole_job(n: int, p: int) -> list[Row]:
    """Time fit with all its heads against other fits, one thread each, and predict against a forest's own."""
    X, y = make_table(n, p)
    queries = make_table(n // 2, p, seed=1)[0]
    model = AttentionLasso(random_state=0).fit(X, y)
    forests = [
        RandomForestRegressor(125, random_state=0, n_jobs=1, **how)
        for how in 2 * ({"max_features": "sqrt", "min_samples_split": 5}, {"max_features": 1.0})
    ]
    forests[0].set_params(min_samples_leaf=10)
    fit = best_of(3, lambda: AttentionLasso(random_state=0).fit(X, y))
    grow = best_of(2, lambda: [forest.fit(X, y) for forest in forests])
    boost = best_of(2, lambda: CatBoostRegressor(thread_count=1, random_seed=0, verbose=0, **NO_FILES).fit(X, y))
    predict = best_of(5, lambda: model.predict(queries))
    vote = best_of(5, lambda: [forest.predict(queries) for forest in forests])
    size = f"n = {n}, p = {p}, one thread"
    return [
        (f"fit, {len(model.heads_)} heads tried, against growing the same forests with scikit-learn, {size}",
         f"{fit:.2f} s / {grow:.2f} s", f"{fit / grow:.2f}x", "<= 0.6x"),
        (f"the same fit against CatBoost's default fit, {size}",
         f"{fit:.2f} s / {boost:.2f} s", f"{fit / boost:.2f}x", "<= 0.5x"),
        (f"predict {n // 2} rows against predict of scikit-learn's forests, {size}",
         f"{predict:.3f} s / {vote:.3f} s", f"{predict / vote:.2f}x", ""),
    ]  # fmt: skip


def against_catboost(n: int, p: int, times: int) -> Row:
    """Time fit against CatBoost's on two threads, and tell the errors of both on fresh rows."""
    (X, y), (fresh, truth) = make_table(n, p), make_table(5_000, p, seed=1)
    model = AttentionLasso(random_state=0, n_jobs=2)
    boost = CatBoostRegressor(thread_count=2, random_seed=0, verbose=0, **NO_FILES)
    ours, theirs = np.min(
        [[once(lambda: model.fit(X, y)), once(lambda: boost.fit(X, y))] for _ in range(times)], axis=0
    )
    errors = (f"{root_mean_squared_error(truth, fitted.predict(fresh)):.3f}" for fitted in (model, boost))
    what = f"fit against CatBoost's default fit, n = {n:,}, p = {p}, two threads; errors {' and '.join(errors)}"
    return what, f"{ours:.2f} s / {theirs:.2f} s", f"{ours / theirs:.2f}x", "<= 1x"


def one_row(n: int, p: int, calls: int) -> list[Row]:
    """Time predict and the effects of one row in calls of their own."""
    X, y = make_table(n, p)
    model = AttentionLasso(random_state=0).fit(X, y)
    jobs = (("predict", model.predict, "<= 2 ms"), ("effects", model.local_effects, "<= 10 ms"))
    return [
        (
            f"{name} of one row, n = {n:,}, p = {p}",
            f"{1e3 * best_of(calls, lambda job=job: job(X[:1])):.1f} ms",
            "",
            bar,
        )
        for name, job, bar in jobs
    ]


def wide_fit(n: int, numeric: int, text: int) -> Row:
    """Time a fit of many columns of text."""
    X, y = make_wide(n, 0, numeric, text)
    seconds = best_of(2, lambda: AttentionLasso(random_state=0).fit(X, y))
    return f"fit, {n:,} rows of {numeric} numbers and {text} texts, one thread", f"{seconds:.1f} s", "", "<= 8 s"


def explaining(n: int, n_query: int, numeric: int, text: int) -> list[Row]:
    """Time what explains queries of a wide table against the fit, one after the other."""
    X, y = make_wide(n + n_query, 0, numeric, text)
    model, found = AttentionLasso(random_state=0), dict[str, Explanation]()
    fit = once(lambda: model.fit(X[:n], y[:n]))
    with tempfile.TemporaryDirectory() as folder:
        jobs: dict[str, Callable[[], object]] = {
            "summary": lambda: str(model.summary()),
            "explain": lambda: found.update(all=model.explain(X[n:], y[n:])),
            "clusters": lambda: found["all"].clusters(),  # noqa: PLW0108 - it is not there yet
            "page": lambda: write(found["all"], Path(folder) / "page.html"),
        }
        taken = {name: once(job) for name, job in jobs.items()}
    table = f"{n:,} rows of {numeric} numbers and {text} texts"
    return [
        (f"{name} of {n_query:,} rows, against the fit, {table}", f"{seconds:.2f} s / {fit:.1f} s",
         f"{seconds / fit:.2f}x", "" if name == "explain" else "<= 0.5x")
        for name, seconds in taken.items()
    ]  # fmt: skip


def saving(n: int, p: int) -> Row:
    """Time saving a fitted model."""
    model = AttentionLasso(random_state=0, n_jobs=2).fit(*make_table(n, p))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.skops"
        seconds = best_of(2, lambda: save_model(model, path))
        size = f"{path.stat().st_size / 1e6:.0f} MB"
    return f"save a model, n = {n:,}, p = {p}", f"{seconds:.1f} s", size, "<= 1 s"


def where_it_goes(n: int, p: int) -> list[Row]:
    """Tell what a fit spends its time on."""
    X, y = make_table(n, p)
    profile = cProfile.Profile()
    profile.runcall(AttentionLasso(random_state=0).fit, X, y)
    stats = pstats.Stats(profile)
    taken: dict[str, float] = {}
    for (_, _, name), (*_, total, _) in stats.stats.items():  # type: ignore[attr-defined]  # not in the stubs
        taken[name] = max(taken.get(name, 0.0), total)
    whole = stats.total_tt  # type: ignore[attr-defined]  # not in the stubs
    return [
        (f"of a fit, n = {n:,}, p = {p}: {what}", f"{taken.get(name, 0.0):.2f} s of {whole:.2f} s",
         f"{taken.get(name, 0.0) / whole:.0%}", "")
        for what, name in PARTS.items()
    ]  # fmt: skip


def large_tables(small: int, large: int, p: int, trees: int, n_query: int) -> Row:
    """Time a query against two sizes of the training table, in turns."""
    queries = make_table(n_query, p, seed=1)[0]
    models = [large_model(n, p, trees) for n in (small, large)]
    for model in models:
        model.predict(queries[:10])
    rounds = [[best_of(1, lambda model=model: model.predict(queries)) for model in models] for _ in range(15)]
    first, second = 1e3 / n_query * np.min(rounds, axis=0)
    what = f"one query at n = {large:,} against n = {small:,} (one head, p = {p}, {trees} trees, leaves of 5)"
    return what, f"{second:.3f} ms / {first:.3f} ms", f"{second / first:.2f}x", "<= 1.5x"


MEMORY = """
from pathlib import Path
from benchmarks.speed.large import large_model
from benchmarks.speed.parts import make_table, status
model = large_model({n}, {p}, {trees})
queries = make_table({n_query}, {p}, seed=1)[0]
model.predict(queries[:10])
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
model.predict(queries)
print((status("VmHWM") - before) / 1024)
"""


def memory(n: int, p: int, trees: int, n_query: int) -> Row:
    """Measure what predicting adds to the peak memory of a process of its own."""
    script = MEMORY.format(n=n, p=p, trees=trees, n_query=n_query)
    added = float(run_python(script))
    what = f"peak memory added by predicting {n_query:,} rows against {n:,}"
    return what, f"{added:.0f} MB", "", "< 1000 MB"


FIRST_CALL = """
import time, numpy as np
from heedful import AttentionLasso, AttentionLassoClassifier, AttentionGLM
from heedful.similarity import ForestProximity
rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
def job(kind, y):
    start = time.perf_counter()
    kind(similarity=ForestProximity(20), random_state=0).fit(X, y).predict(X)
    return time.perf_counter() - start
for kind, response in ((AttentionLasso, y), (AttentionLassoClassifier, y > 0), (AttentionGLM, np.round(y**2))):
    first = job(kind, response)
    print(first - job(kind, response))
"""


HELP = """
import sys
from heedful.cli import main
sys.argv = ["heedful", "--help"]
main()
"""


def first_calls(empty: bool) -> list[Row]:
    """Measure what a process's first fit and predict cost more than its second, with an empty and a filled cache.

    To see that it runs, the cache need not be ``empty``: compiling takes a minute.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | ({"NUMBA_CACHE_DIR": folder} if empty else {})
        cold, warm = ([float(line) for line in run_python(FIRST_CALL, env).split()] for _ in range(2))
    return [
        ("first fit and predict ever (compiles the kernels once)", f"{cold[0]:.1f} s", "", "<= 12 s"),
        ("first fit and predict of two classes after it", f"{cold[1]:.1f} s", "", "<= 8 s"),
        ("first fit and predict of counts after these", f"{max(cold[2], 0.0):.1f} s", "", "<= 8 s"),
        ("first fit and predict of a new process, cache filled", f"{warm[0]:.2f} s", "", "< 1 s"),
        ("heedful --help", f"{best_of(3, lambda: run_python(HELP)):.2f} s", "", "< 0.5 s"),
    ]


def imports(times: int) -> Row:
    """Time importing heedful against importing what it builds on."""
    ours, theirs = (
        best_of(times, lambda code=code: run_python(code))
        for code in ("from heedful import AttentionLasso", "import sklearn.ensemble, pandas")
    )
    what = "import heedful against scikit-learn's ensemble module and pandas"
    return what, f"{ours:.2f} s / {theirs:.2f} s", f"{ours / theirs:.2f}x", "<= 1.5x"


def run_python(code: str, env: dict[str, str] | None = None) -> str:
    """Return what a new Python process prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=PROJECT)
    return done.stdout.strip()


def main() -> None:
    """Run every measurement."""
    options = study.read_options(__doc__)
    small = options.smoke
    n = 60 if small else 1000
    sizes = (200, 400, 10, 10, 20) if small else (10_000, 100_000, 30, 100, 2000)
    rows = [
        local_fits(n, 10 if small else 30, 20),
        local_fits(n, 50 if small else 100, 10),
        binary_fits(n, 10 if small else 30, 10),
        *whole_job(n, 10 if small else 30),
        *where_it_goes(n, 10 if small else 30),
        *where_it_goes(80 if small else 10_000, 10 if small else 30),
        *one_row(n, 10 if small else 30, 50),
        saving(80 if small else 10_000, 10 if small else 20),
        wide_fit(60 if small else 800, 8 if small else 33, 4 if small else 40),
        *explaining(*((60, 20, 8, 4) if small else (1_758, 1_200, 40, 40))),
    ]
    sizes_and_times = ((1_000, 2), (10_000, 2), (100_000, 1))
    rows += [against_catboost(60 if small else size, p, times) for size, times in sizes_and_times for p in (20, 30)]
    rows += [
        large_tables(*sizes),
        memory(sizes[1], sizes[2], sizes[3], 50 if small else 5000),
        *first_calls(empty=not small),
        imports(1 if small else 5),
    ]
    versions = pages.stamp("heedful", "scikit-learn", "numba", "numpy")
    about = f"{versions}, {os.cpu_count()} cores. Run again: `make bench`."
    page = pages.join("Speed", about, pages.draw_table(["what", "seconds", "ratio", "bar"], rows))
    study.publish(Path(__file__).parent, options, page)


if __name__ == "__main__":
    main()
