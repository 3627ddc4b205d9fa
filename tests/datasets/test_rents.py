"""Simulated rents: the truth that the guide tells, and what was drawn from it."""

import numpy as np
import pytest

from heedful.datasets import make_rents


def test_rents_follow_the_truth_that_the_docstring_tells():
    rents = make_rents(2000, random_state=1)
    flats = rents.X
    per_metre = np.select([flats["district"] == "centre", flats["district"] == "north"], [15, 10], 12)
    per_floor = np.where(flats["lift"] == "yes", 30, -30)
    truth = 150 + per_metre * flats["area"] - 3 * flats["age"] + per_floor * flats["floor"]
    np.testing.assert_allclose(rents.signal, truth)
    noise = rents.y - rents.signal
    assert noise.std() == pytest.approx(40, rel=0.1)
    assert abs(noise.mean()) < 4


def test_without_noise_rents_are_the_truth_and_the_same_seed_gives_the_same_flats():
    one, other = (make_rents(50, noise=0, random_state=3) for _ in range(2))
    assert one.X.equals(other.X)
    np.testing.assert_array_equal(one.y, one.signal)
    train, test = one.split(20)
    assert train.y.name == "rent"
    assert (len(train.X), len(test.signal)) == (20, 30)


@pytest.mark.parametrize(("how", "error"), [({"n": 1}, "`n` must be"), ({"noise": -1}, "`noise` must be")])
def test_settings_are_checked(how, error):
    with pytest.raises(ValueError, match=error):
        make_rents(**how)
