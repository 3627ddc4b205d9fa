"""What two versions of heedful are asked to do, each in a process of its own; only names that both of them have."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lightgbm import LGBMRegressor

import heedful
from benchmarks.speed.parts import make_table, status
from heedful import AttentionLasso, DriftCorrector


class Sizes(NamedTuple):
    """Training rows and columns, and the rows that each job is about."""

    rows: int
    columns: int
    predicted: int
    explained: int
    recent: int
    corrected: int
    at_once: int


def tell(measure: Callable[[Sizes], dict[str, float]], source: str, sizes: tuple[int, ...]) -> None:
    """Print what is measured of the heedful in a folder; another one that was found first is an error."""
    if Path(source) not in Path(heedful.__file__).parents:
        raise SystemExit(f"heedful is that of {heedful.__file__}, not of {source}.")
    print(json.dumps(measure(Sizes(*sizes))))


def times(sizes: Sizes) -> dict[str, float]:
    """Return the seconds of each job, and the peak of memory in MB over all of them."""
    (X, y), p = make_table(sizes.rows, sizes.columns), sizes.columns
    queries, few = (make_table(n, p, seed=1)[0] for n in (sizes.predicted, sizes.explained))
    AttentionLasso(random_state=0).fit(X[:60], y[:60])
    model, size = AttentionLasso(random_state=0), f"{sizes.rows} x {p}"
    found = {
        f"s: fit to {size}": seconds(lambda: model.fit(X, y), 1),
        f"s: predict {len(queries)} rows": after_one(lambda: model.predict(queries)),
        f"s: explain {len(few)} rows": after_one(lambda: model.explain(few)),
        f"s: intervals of {len(queries)} rows": after_one(lambda: model.predict_interval(queries)),
    }
    booster = LGBMRegressor(n_jobs=1, verbose=-1).fit(X, y)
    (recent, y), queries = make_table(sizes.recent, p, seed=2), make_table(sizes.corrected, p, seed=3)[0]
    corrector = DriftCorrector(booster, random_state=0).fit(recent, y + y.std() * (recent[:, 0] > 0))
    name = f"s: correct {len(queries)} rows by {len(recent)}"
    found[name] = after_one(lambda: corrector.predict(queries))
    return found | {"MB: peak of all these": status("VmHWM") / 1024}


def large_fit(sizes: Sizes) -> dict[str, float]:
    """Return the seconds, as a clock on the wall tells them, of a fit on all cores."""
    X, y = make_table(sizes.rows, sizes.columns)
    AttentionLasso(n_jobs=-1, random_state=0).fit(X[:60], y[:60])
    start = time.perf_counter()
    AttentionLasso(n_jobs=-1, random_state=0).fit(X, y)
    return {f"s: fit to {sizes.rows:,} x {sizes.columns}": time.perf_counter() - start}


def memory(sizes: Sizes) -> dict[str, float]:
    """Return what predicting many rows at once adds to the peak of memory, in MB; a tenth at least."""
    model = AttentionLasso(random_state=0).fit(*make_table(sizes.rows, sizes.columns))
    queries = make_table(sizes.at_once, sizes.columns, seed=1)[0]
    model.predict(queries[:10])
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status("VmRSS")
    model.predict(queries)
    return {f"MB: added by predicting {len(queries)} rows": max((status("VmHWM") - before) / 1024, 0.1)}


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the fewest seconds of the processor that some work takes: they do not tell what else it was doing."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def after_one(work: Callable[[], object]) -> float:
    """Return the seconds of some work after a first run, which loads what was compiled."""
    work()
    return seconds(work)
