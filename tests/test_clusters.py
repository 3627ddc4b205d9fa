"""Blocks on other processes: joblib's backends for Dask and Ray, real ones, with two workers on this machine."""

import os
import signal
from pathlib import Path

import joblib
import numpy as np
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, _blocks
from heedful.similarity import ForestProximity

distributed = pytest.importorskip("distributed", reason="Dask is an extra")
# what the packages warn of in their own code is not ours to mend
pytestmark = [pytest.mark.more, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes on this machine, restarted if they die."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def dask(cluster):
    """The cluster with both workers up, whatever the test before did to them."""
    cluster.wait_for_workers(2, timeout=60)
    return cluster


@pytest.fixture
def table(rng):
    X = rng.normal(size=(120, 4))
    return X, np.where(X[:, 0] > 0, 2, -2) * X[:, 1] + 0.1 * rng.normal(size=120)


class Counted:
    """Counts how often it is sent away."""

    sent = 0

    def __reduce__(self):
        type(self).sent += 1
        return str, ("arrived",)


def name(block, shared):
    return os.getpid(), block.start, str(shared)


def die_once(block, flag):
    """Kill the worker at the second block, once."""
    if block.start == 1 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return block.start


class DyingForest(ForestProximity):
    """A forest whose first worker dies as it scores; the process that it was fitted in does not."""

    flag, owner = Path(), os.getpid()

    def score_rows(self, X):
        if os.getpid() != self.owner and not self.flag.exists():
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().score_rows(X)


@pytest.mark.long
def test_two_workers_give_the_numbers_of_threads(dask, table):
    X, y = table
    here = AttentionLasso(similarity=ForestProximity(30), random_state=0, n_jobs=2).fit(X, y)
    with joblib.parallel_config("dask"):
        there = AttentionLasso(similarity=ForestProximity(30), random_state=0).fit(X, y)
        found = there.predict(X)
    np.testing.assert_array_equal(there.heads_["share"], here.heads_["share"])
    np.testing.assert_array_equal(found, here.predict(X))


def test_what_blocks_share_travels_once_to_each_worker(dask):
    Counted.sent = 0
    with joblib.parallel_config("dask"):
        done = list(_blocks.run(name, [slice(k, k + 1) for k in range(20)], Counted(), n_jobs=-1))
    assert [start for _, start, _ in done] == list(range(20))
    assert {shared for *_, shared in done} == {"arrived"}
    assert os.getpid() not in {process for process, *_ in done}
    assert Counted.sent == 2


def test_a_killed_worker_loses_no_block_and_doubles_none(dask, tmp_path):
    with joblib.parallel_config("dask"):
        done = list(_blocks.run(die_once, [slice(k, k + 1) for k in range(8)], tmp_path / "died", n_jobs=-1))
    assert (tmp_path / "died").exists()
    assert done == list(range(8))


@pytest.mark.long
def test_predictions_survive_a_killed_worker(dask, table, tmp_path):
    X, y = table
    model = AttentionLasso(similarity=DyingForest(30), random_state=0)
    expected = model.fit(X, y).predict(X)
    model.similarity_[0].flag, model.similarity_[0].owner = tmp_path / "died", os.getpid()
    with joblib.parallel_config("dask"):
        found = model.predict(X)
    assert (tmp_path / "died").exists()
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module")
def ray():
    """Two workers on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is an extra, not for every Python")
    from ray.util.joblib import register_ray

    try:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    except Exception as error:  # noqa: BLE001 - it starts servers, and not every machine lets it
        pytest.skip(f"Ray does not start here: {error}")
    register_ray()
    yield ray
    ray.shutdown()


def test_ray_gives_the_numbers_of_threads(ray, table):
    X, y = table
    labels = np.where(y > 0, "up", "down")
    here = AttentionLassoClassifier(similarity=ForestProximity(30), random_state=0, n_jobs=2).fit(X, labels)
    with joblib.parallel_config("ray"):
        there = AttentionLassoClassifier(similarity=ForestProximity(30), random_state=0).fit(X, labels)
        found = there.predict_proba(X)
    np.testing.assert_array_equal(found, here.predict_proba(X))
