"""Cut queries into blocks under a memory budget and run them in threads, in order, with a progress bar.

BLAS is held to one thread meanwhile: the blocks are the parallel work, and a sum that is split among threads would
depend on how many there are.

Ctrl-C may come at any moment, also within Python's own futures, conditions and events, which it can leave locked for
ever. So threads are waited for by what is written in C: simple queues and locks.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController
from tqdm.auto import tqdm

BUDGET = 64 * 2**20
LARGEST = 512
# Libraries of threadpoolctl, and their numbers of threads.
Found: TypeAlias = list[tuple[Any, int]]


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
    if jobs <= 1 or getattr(backend, "uses_threads", False):
        # joblib looks for finished threads every 10 ms only, as long as a small job takes
        yield from _in_threads(lambda block: work(block, *shared), blocks, jobs)
        return
    # one task for each job: what blocks share travels once to each worker, not once with each block
    ends = [len(blocks) * k // jobs for k in range(jobs + 1)]
    tasks = (delayed(_run_part)(work, blocks[a:b], shared) for a, b in pairwise(ends))
    way = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    for part in Parallel(n_jobs=n_jobs, return_as=way)(tasks):
        yield from part


def start_thread(thread: threading.Thread) -> None:
    """Start a thread; Ctrl-C is raised as such, not as the error of a lock that it left in the middle of a wait."""
    try:
        thread.start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def _in_threads(work: Callable[[Any], Any], tasks: Sequence[Any], n_threads: int) -> Iterator[Any]:
    """Yield the results of tasks in order; if it is left early, tasks that were begun are waited for."""
    if n_threads <= 1:
        yield from map(work, tasks)
        return
    numbers, results, early, n_serving = SimpleQueue[int](), SimpleQueue[Any](), dict[int, Any](), 0
    for number in range(len(tasks)):
        numbers.put(number)
    try:
        for _ in range(n_threads):
            start_thread(threading.Thread(target=_serve, args=(work, tasks, numbers, results), daemon=True))
            n_serving += 1
        for number in range(len(tasks)):
            while number not in early:
                done = results.get()
                if done is None:
                    n_serving -= 1
                elif isinstance(done, BaseException):
                    raise done
                else:
                    early[done[0]] = done[1]
            yield early.pop(number)
    finally:
        with suppress(Empty):
            while True:
                numbers.get_nowait()
        while n_serving:
            n_serving -= results.get() is None


def _serve(work: Callable[[Any], Any], tasks: Sequence[Any], numbers: SimpleQueue[int], results: SimpleQueue) -> None:
    """Do tasks until none is left; put the number of each with its result, or its error, and None at the end."""
    with suppress(Empty):
        while True:
            number = numbers.get_nowait()
            try:
                results.put((number, work(tasks[number])))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits for it
                results.put(error)
    results.put(None)


def side_by_side(work: Callable[..., Any], tasks: Sequence[tuple], *shared: Any, n_jobs: int | None) -> list[Any]:
    """Return ``work(*task, *shared)`` for each task, from threads of this process: tasks may write to its arrays."""
    jobs = min(effective_n_jobs(n_jobs), len(tasks))
    return list(_in_threads(lambda task: work(*task, *shared), tasks, jobs))


def _run_part(work: Callable[..., Any], blocks: list[slice], shared: tuple) -> list[Any]:
    with one_blas_thread():
        return [work(block, *shared) for block in blocks]


class Holder:
    """Holds BLAS to one thread, from the first of its users to the last.

    Most BLAS libraries have one number of threads for the whole process: a user that gave it back would end what
    others, in other threads, still need. After Ctrl-C in between, the next user gives back what was found.
    """

    def __init__(self) -> None:
        self.lock, self.users, self.found = threading.Lock(), set[object](), list[tuple[Any, int]]()

    def enter(self, user: object) -> None:
        with self.lock:
            self.users.add(user)
            libraries, _ = _blas()
            self.found = self.found or find(libraries)
            set_threads([(library, 1) for library in libraries])

    def leave(self, user: object) -> None:
        """Take a user away, if it is one: Ctrl-C may come before it was."""
        with self.lock:
            self.users.discard(user)
            if not self.users:
                set_threads(self.found)
                self.found = []


HOLDER, HELD = Holder(), threading.local()
if hasattr(os, "register_at_fork"):
    # of a lock that another thread held, and of all threads, nothing is left in the child
    os.register_at_fork(after_in_child=lambda: vars(HOLDER).update(lock=threading.Lock(), users=set()))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread for a while; its idle threads would spin on the cores that the blocks need."""
    if getattr(HELD, "user", None) in HOLDER.users:
        # this thread holds it already, as where one prediction is made within another
        yield
        return
    user, found = object(), find(_blas()[1])
    try:
        HOLDER.enter(user)
        HELD.user = user
        set_threads([(library, 1) for library, _ in found])
        yield
    finally:
        set_threads(found)
        HOLDER.leave(user)


def find(libraries: list[Any]) -> Found:
    """Return libraries with their numbers of threads."""
    return [(library, library.num_threads) for library in libraries]


def set_threads(numbers: Found) -> None:
    """Set numbers of threads. Since threadpoolctl 3.8 only the thread that was first may, until that is cleared."""
    for library, number in numbers:
        clear = getattr(library, "clear_controlling_thread", lambda **_: None)
        clear(force=True)
        library.set_num_threads(number)
        clear(force=True)


@cache
def _blas() -> tuple[list[Any], list[Any]]:
    """Return the BLAS libraries with one number of threads for the process, and those with one for each thread.

    Looking for them takes milliseconds, so they are kept.
    """
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    found = find(libraries)
    try:
        # what another thread sets is seen here, if there is one number
        other = threading.Thread(
            target=set_threads, args=([(library, 1 + (n == 1)) for library, n in found],), daemon=True
        )
        start_thread(other)
        other.join()
        shared = [library.num_threads != number for library, number in found]
    finally:
        set_threads(found)
    pairs = list(zip(libraries, shared, strict=True))
    return [library for library, one in pairs if one], [library for library, one in pairs if not one]
