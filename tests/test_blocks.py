import os
import signal
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
import scipy.linalg  # noqa: F401 - its BLAS must be there before the first one is held to one thread
from hypothesis import given, settings, strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from heedful import _blocks

LAW = settings(deadline=None, max_examples=50, derandomize=True)
JOBS = pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def bounds(block, *shared):
    return block.start, block.stop, *shared


def late(block):
    """Finish the first blocks last."""
    time.sleep(0.02 / (1 + block.start))
    return block.start


@LAW
@given(n_query=st.integers(0, 3000), size=st.integers(0, 2**26), n_jobs=st.sampled_from([None, 1, 2, 5]))
def test_blocks_cover_every_query_once_and_in_order(n_query, size, n_jobs):
    blocks = _blocks.cut(n_query, size, n_jobs)
    rows = [row for block in blocks for row in range(block.start, block.stop)]
    assert rows == list(range(n_query))


@LAW
@given(n_query=st.integers(1, 3000), size=st.integers(1, 2**26), n_jobs=st.sampled_from([None, 1, 2, 5]))
def test_blocks_stay_under_the_budget_or_hold_one_query(n_query, size, n_jobs):
    for block in _blocks.cut(n_query, size, n_jobs):
        length = block.stop - block.start
        assert length == 1 or length * size <= _blocks.BUDGET
        assert length <= _blocks.LARGEST


def test_every_job_gets_blocks():
    assert len(_blocks.cut(100, 1, 5)) >= 5


@JOBS
def test_results_come_in_the_order_of_the_blocks(n_jobs):
    blocks = _blocks.cut(12, _blocks.BUDGET, 1)
    assert list(_blocks.run(late, blocks, n_jobs=n_jobs)) == list(range(12))


def test_shared_arguments_reach_the_work():
    blocks = _blocks.cut(4, 1, 2)
    results = list(_blocks.run(bounds, blocks, "shared", 7, n_jobs=2))
    assert results == [(block.start, block.stop, "shared", 7) for block in blocks]


@pytest.mark.one_value
@pytest.mark.parametrize("backend", ["threading", "sequential", "loky", "multiprocessing"])
def test_joblibs_configured_backend_is_used(backend):
    blocks = [slice(k, k + 1) for k in range(4)]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        results = list(_blocks.run(bounds, blocks, n_jobs=None))
    assert results == [(k, k + 1) for k in range(4)]


@JOBS
def test_no_blocks_give_no_results(n_jobs):
    assert list(_blocks.run(bounds, [], n_jobs=n_jobs)) == []


@JOBS
def test_an_error_in_the_work_reaches_the_caller(n_jobs):
    def fail(block):
        if block.start == 1:
            raise ZeroDivisionError("block 1")

    with pytest.raises(ZeroDivisionError, match="block 1"):
        list(_blocks.run(fail, [slice(0, 1), slice(1, 2)], n_jobs=n_jobs))


def test_blas_has_one_thread_during_the_work_and_its_own_number_after():
    np.ones((2, 2)) @ np.ones((2, 2))
    # a number of its own for this test: a thread that was never given back by others would not be seen
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        during = list(_blocks.run(lambda block: blas_threads(), [slice(0, 1)], n_jobs=1))
        assert set(during[0]) <= {1}
        assert blas_threads() == before
    assert not _blocks.HOLDER.users


def test_blas_gets_its_threads_back_after_an_error():
    before = blas_threads()
    with pytest.raises(AttributeError):
        list(_blocks.run(lambda block: block.nonsense, [slice(0, 1)], n_jobs=1))
    assert blas_threads() == before


def test_blas_gets_its_threads_back_when_users_in_threads_overlap():
    before = blas_threads()
    first_in, both_in, first_out = threading.Event(), threading.Event(), threading.Event()
    seen = []

    def first():
        with _blocks.one_blas_thread():
            first_in.set()
            both_in.wait(5)
        first_out.set()

    def second():
        first_in.wait(5)
        with _blocks.one_blas_thread():
            both_in.set()
            first_out.wait(5)
            seen.append(blas_threads())

    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen[0]) <= {1}
    assert blas_threads() == before


def test_blas_has_one_thread_where_another_thread_has_limits_of_its_own():
    seen = []
    _blocks._blas()

    def work():
        with _blocks.one_blas_thread():
            seen.append(blas_threads())

    with threadpool_limits(2, user_api="blas"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert set(seen[0]) <= {1}
        assert set(blas_threads()) <= {2}


def test_another_thread_can_have_limits_of_its_own_after_blas_was_held():
    seen = []

    def limited():
        with threadpool_limits(1, user_api="blas"):
            seen.append(blas_threads())

    with _blocks.one_blas_thread():
        pass
    thread = threading.Thread(target=limited)
    thread.start()
    thread.join()
    assert set(seen[0]) <= {1}


def test_a_thread_that_holds_blas_already_need_not_hold_it_again():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with _blocks.one_blas_thread():
            with _blocks.one_blas_thread():
                assert len(_blocks.HOLDER.users) == 1
            assert set(blas_threads()) <= {1}
        assert blas_threads() == before


def test_work_left_in_the_middle_leaves_the_next_to_hold_blas_itself():
    with threadpool_limits(2, user_api="blas"):
        left = _blocks.run(lambda block: blas_threads(), [slice(0, 1), slice(1, 2)], n_jobs=1)
        next(left)
        # by another thread, as when garbage is collected there
        ending = threading.Thread(target=left.close)
        ending.start()
        ending.join()
        with threadpool_limits(2, user_api="blas"):
            during = list(_blocks.run(lambda block: blas_threads(), [slice(0, 1)], n_jobs=1))
        assert set(during[0]) <= {1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_forked_while_blas_has_one_thread_can_use_it_too():
    with _blocks.HOLDER.lock:
        child = os.fork()
        if child == 0:
            with _blocks.one_blas_thread():
                os._exit(0)
    for _ in range(100):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (done, status) == (child, 0)


@pytest.mark.parametrize("verbose", [0, 1])
def test_a_progress_bar_is_shown_on_request(capsys, verbose):
    list(_blocks.run(bounds, [slice(0, 1)], n_jobs=1, verbose=verbose, label="local models"))
    assert ("local models" in capsys.readouterr().err) == bool(verbose)


class Unlucky(threading.Thread):
    """A thread whose start is interrupted between two steps of a lock, as in CPython's own wait."""

    def __init__(self, interrupted):
        super().__init__()
        self.interrupted = interrupted

    def start(self):
        try:
            raise KeyboardInterrupt if self.interrupted else OSError
        finally:
            raise RuntimeError("release unlocked lock")


@pytest.mark.parametrize(("interrupted", "error"), [(True, KeyboardInterrupt), (False, RuntimeError)])
def test_an_interrupt_while_a_thread_starts_is_an_interrupt(interrupted, error):
    with pytest.raises(error):
        _blocks.start_thread(Unlucky(interrupted))


@JOBS
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_tasks_side_by_side_write_to_arrays_of_this_process(n_jobs, backend):
    room = np.zeros(5)

    def work(number, factor):
        time.sleep(0.01 / (1 + number))
        room[number] = factor * number
        return number

    with joblib.parallel_config(backend, n_jobs=2):
        found = _blocks.side_by_side(work, [(k,) for k in range(5)], 3.0, n_jobs=n_jobs)
    assert found == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(room, 3.0 * np.arange(5))


def test_an_error_of_a_task_is_raised():
    def work(number):
        if number == 1:
            raise ZeroDivisionError(number)

    with pytest.raises(ZeroDivisionError):
        _blocks.side_by_side(work, [(0,), (1,)], n_jobs=2)


class Library:
    """A BLAS library with one number of threads for the process, or with one for each thread."""

    def __init__(self, where):
        self.where, self.steps_left = where, np.inf

    @property
    def num_threads(self):
        return getattr(self.where, "number", 4)

    def set_num_threads(self, number):
        self.steps_left -= 1
        if self.steps_left < 0:
            raise KeyboardInterrupt
        self.where.number = number


class OfProcess:
    pass


def use(monkeypatch, *libraries):
    """Let libraries be all that there are."""
    _blocks._blas.cache_clear()
    found = SimpleNamespace(select=lambda user_api: SimpleNamespace(lib_controllers=list(libraries)))
    monkeypatch.setattr(_blocks, "ThreadpoolController", lambda: found)
    monkeypatch.setattr(_blocks, "HOLDER", _blocks.Holder())


@pytest.fixture
def no_libraries_left():
    yield
    _blocks._blas.cache_clear()


@pytest.mark.usefixtures("no_libraries_left")
@pytest.mark.parametrize("number", [1, 4])
def test_libraries_are_told_apart_by_whether_threads_share_a_number(monkeypatch, number):
    shared, own = Library(OfProcess()), Library(threading.local())
    shared.where.number = own.where.number = number
    use(monkeypatch, own, shared)
    assert _blocks._blas() == ([shared], [own])
    assert (shared.num_threads, own.num_threads) == (number, number)


@pytest.mark.usefixtures("no_libraries_left")
def test_each_thread_gets_its_own_number_back_and_the_last_one_that_of_all(monkeypatch):
    shared, own = Library(OfProcess()), Library(threading.local())
    use(monkeypatch, shared, own)
    seen, steps = {}, [threading.Event() for _ in range(3)]

    def look():
        return shared.num_threads, own.num_threads

    def first():
        own.set_num_threads(3)
        with _blocks.one_blas_thread():
            seen["first in"] = look()
            steps[0].set()
            steps[1].wait(5)
        seen["first out"] = look()
        steps[2].set()

    def second():
        steps[0].wait(5)
        with _blocks.one_blas_thread():
            steps[1].set()
            steps[2].wait(5)
            seen["second in"] = look()
        seen["second out"] = look()

    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"first in": (1, 1), "first out": (1, 3), "second in": (1, 1), "second out": (4, 4)}


@pytest.mark.usefixtures("no_libraries_left")
@pytest.mark.parametrize("steps", range(8))
def test_after_ctrl_c_at_any_step_the_next_user_gives_back_what_was_found(monkeypatch, steps):
    libraries = [Library(OfProcess()), Library(OfProcess())]
    use(monkeypatch, *libraries)
    _blocks._blas()
    libraries[0].steps_left = steps // 2
    libraries[1].steps_left = steps - steps // 2
    with suppress(KeyboardInterrupt), _blocks.one_blas_thread():
        pass
    for library in libraries:
        library.steps_left = np.inf
    with _blocks.one_blas_thread():
        assert [library.num_threads for library in libraries] == [1, 1]
    assert [library.num_threads for library in libraries] == [4, 4]
