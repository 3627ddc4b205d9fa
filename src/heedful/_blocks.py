"""Cut queries into blocks under a memory budget and run them in threads, in order, with a progress bar.

BLAS is held to one thread meanwhile: the blocks are the parallel work, and a sum that is split among threads would
depend on how many there are.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController
from tqdm.auto import tqdm

BUDGET = 64 * 2**20
LARGEST = 512


def cut(n_query: int, bytes_per_query: int, n_jobs: int | None, largest: int = LARGEST) -> list[slice]:
    """Return consecutive slices: few enough bytes each, enough to keep every job busy; one empty slice of nothing."""
    jobs = effective_n_jobs(n_jobs)
    fair = -(-n_query // (4 * jobs)) if jobs > 1 else n_query
    size = max(1, min(largest, BUDGET // max(bytes_per_query, 1), fair))
    return [slice(start, min(start + size, n_query)) for start in range(0, max(n_query, 1), size)]


def run(
    work: Callable[..., Any], blocks: list[slice], *shared: Any, n_jobs: int | None, verbose: int = 0, label: str = ""
) -> Iterator[Any]:
    """Yield ``work(block, *shared)`` for each block, in order."""
    with one_blas_thread():
        results = _start(work, blocks, shared, n_jobs)
        yield from tqdm(results, total=len(blocks), desc=label, unit="block") if verbose else results


def _start(work: Callable[..., Any], blocks: list[slice], shared: tuple, n_jobs: int | None) -> Iterator[Any]:
    """Run the blocks here, in threads, or on the backend that the caller has configured in joblib."""
    jobs = min(effective_n_jobs(n_jobs), len(blocks))
    backend = get_active_backend(prefer="threads")[0]
    if jobs <= 1:
        yield from (work(block, *shared) for block in blocks)
    elif getattr(backend, "uses_threads", False):
        # joblib looks for finished threads every 10 ms only, as long as a small job takes
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda block: work(block, *shared), blocks)
    else:
        # one task for each job: what blocks share travels once to each worker, not once with each block
        ends = [len(blocks) * k // jobs for k in range(jobs + 1)]
        tasks = (delayed(_run_part)(work, blocks[a:b], shared) for a, b in pairwise(ends))
        way = "generator" if getattr(backend, "supports_return_generator", False) else "list"
        for part in Parallel(n_jobs=n_jobs, return_as=way)(tasks):
            yield from part


def _run_part(work: Callable[..., Any], blocks: list[slice], shared: tuple) -> list[Any]:
    """Run some blocks in a worker process."""
    with one_blas_thread():
        return [work(block, *shared) for block in blocks]


class Holder:
    """Holds BLAS to one thread in a thread of its own, from the first of its users to the last.

    Most BLAS libraries have one number of threads for the whole process, which only the thread that has set it may give
    back: each user would end what others, in other threads, still need.
    """

    def __init__(self) -> None:
        self.lock, self.users = threading.Lock(), set[object]()
        self.thread, self.done = threading.Thread(), threading.Event()

    def enter(self, user: object) -> None:
        """Add a user."""
        with self.lock:
            self.users.add(user)
            if not self.thread.is_alive():
                held, self.done = threading.Event(), threading.Event()
                self.thread = threading.Thread(target=self._hold, args=(held, self.done), daemon=True)
                self.thread.start()
                held.wait()

    def leave(self, user: object) -> None:
        """Take a user away, if it is one: Ctrl-C may come before it was."""
        with self.lock:
            self.users.discard(user)
            if not self.users and self.thread.is_alive():
                self.done.set()
                self.thread.join()

    def _hold(self, held: threading.Event, done: threading.Event) -> None:
        """Hold it until the last user has left."""
        with _blas().limit(limits=1, user_api="blas"):
            held.set()
            done.wait()


HOLDER = Holder()
if hasattr(os, "register_at_fork"):
    # of a lock that another thread held, and of all threads, nothing is left in the child
    os.register_at_fork(after_in_child=lambda: vars(HOLDER).update(vars(Holder())))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread for a while; its idle threads would spin on the cores that the blocks need."""
    user = object()
    try:
        HOLDER.enter(user)
        # some libraries have a number of threads for each thread
        with _blas().limit(limits=1, user_api="blas"):
            yield
    finally:
        HOLDER.leave(user)


@cache
def _blas() -> ThreadpoolController:
    """Return the handle on the loaded BLAS libraries; looking for them takes milliseconds, so it is kept."""
    return ThreadpoolController()
