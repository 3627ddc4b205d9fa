"""Two thousand points are clustered in seconds."""

import time

import pytest
from scipy.spatial.distance import pdist

from heedful import minimax_linkage


@pytest.mark.more
def test_two_thousand_points_take_less_than_ten_seconds(rng):
    distances = pdist(rng.normal(size=(2000, 10)))
    minimax_linkage(distances[:3])
    start = time.perf_counter()
    Z, _ = minimax_linkage(distances)
    assert time.perf_counter() - start < 10
    assert Z.shape == (1999, 4)
