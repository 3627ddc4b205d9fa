"""Simulated policies: their truth, and what was drawn from it."""

import numpy as np
import pytest

from heedful.datasets import make_claims


def test_draws_follow_the_truth():
    sim = make_claims(40_000, frequency=0.5, random_state=0)
    assert sim.rate.mean() == pytest.approx(0.5)
    for part in (sim.group == 0, sim.group == 1):
        expected = (sim.exposure * sim.rate)[part].sum()
        assert abs(sim.counts[part].sum() - expected) < 4 * np.sqrt(expected)
        cost = (sim.exposure * sim.rate * sim.severity)[part].sum()
        assert sim.costs[part].sum() == pytest.approx(cost, rel=0.05)
    assert ((sim.costs > 0) == (sim.counts > 0)).all()
    assert 0 < sim.exposure.min() <= sim.exposure.max() <= 1


def test_power_turns_round_in_business_use():
    sim = make_claims(20_000, random_state=0)
    rest = sim.X.drop(columns=["power", "driver_age", "region", "car_age", "mileage"])
    assert rest.shape[1] == 0
    for group, sign in ((0, 1), (1, -1)):
        part = sim.group == group
        power = sim.X["power"][part]
        assert sign * np.corrcoef(power, np.log(sim.severity[part]))[0, 1] > 0.5
    assert 0.05 < sim.group.mean() < 0.4


def test_the_same_seed_gives_the_same_policies():
    one, other = (make_claims(50, random_state=3) for _ in range(2))
    assert one.X.equals(other.X)
    np.testing.assert_array_equal(one.costs, other.costs)
    train, test = one.split(20)
    assert (len(train.X), len(test.counts)) == (20, 30)


@pytest.mark.parametrize(("how", "error"), [({"n": 1}, "`n` must be"), ({"frequency": 0}, "`frequency` must be > 0")])
def test_settings_are_checked(how, error):
    with pytest.raises(ValueError, match=error):
        make_claims(**how)
    with pytest.raises(ValueError, match="`n_first` must be"):
        make_claims(5, random_state=0).split(5)
