"""Cut queries into blocks under a memory budget and run them in threads, in order, with a progress bar.

BLAS is held to one thread meanwhile: the blocks are the parallel work, and a sum that is split among threads would
depend on how many there are.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
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
        yield from tqdm(results, total=len(blocks), desc=label, unit="block", disable=not verbose)


def _start(work: Callable[..., Any], blocks: list[slice], shared: tuple, n_jobs: int | None) -> Iterator[Any]:
    """Run the blocks here, in threads, or on the backend that the caller has configured in joblib."""
    jobs = min(effective_n_jobs(n_jobs), len(blocks))
    if jobs <= 1:
        yield from (work(block, *shared) for block in blocks)
    elif getattr(get_active_backend(prefer="threads")[0], "uses_threads", False):
        # joblib looks for finished threads every 10 ms only, as long as a small job takes
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda block: work(block, *shared), blocks)
    else:
        # one task for each job: what blocks share travels once to each worker, not once with each block
        ends = [len(blocks) * k // jobs for k in range(jobs + 1)]
        tasks = (delayed(_run_part)(work, blocks[a:b], shared) for a, b in pairwise(ends))
        for part in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            yield from part


def _run_part(work: Callable[..., Any], blocks: list[slice], shared: tuple) -> list[Any]:
    """Run some blocks in a worker process."""
    with one_blas_thread():
        return [work(block, *shared) for block in blocks]


class OneBlasThread:
    """Holds BLAS to one thread as long as anybody uses it; the last one gives the threads back.

    The number of threads is one for the whole process, so that users in several threads must be counted.
    """

    def __init__(self) -> None:
        self.lock, self.n_users, self.limit = threading.Lock(), 0, None

    def __enter__(self) -> None:
        with self.lock:
            if self.n_users == 0:
                self.limit = _blas().limit(limits=1, user_api="blas")
            self.n_users += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.n_users -= 1
            if self.n_users == 0 and self.limit is not None:
                self.limit.restore_original_limits()
                self.limit = None


ONE_THREAD = OneBlasThread()
if hasattr(os, "register_at_fork"):
    # a lock that another thread held stays locked in the child, and its users are not there
    os.register_at_fork(after_in_child=ONE_THREAD.__init__)  # type: ignore[misc]  # same object, state of a new one


def one_blas_thread() -> AbstractContextManager:
    """Hold BLAS to one thread for a while; its idle threads would spin on the cores that the blocks need."""
    return ONE_THREAD


@cache
def _blas() -> ThreadpoolController:
    """Return the handle on the loaded BLAS libraries; looking for them takes milliseconds, so it is kept."""
    return ThreadpoolController()
