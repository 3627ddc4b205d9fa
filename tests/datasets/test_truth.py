import numpy as np
import pytest

from heedful.datasets import make_continuous, make_mixture


def test_split_cuts_the_rows_in_two_halves_in_order(rng):
    sim = make_continuous(21, random_state=rng)
    first, second = sim.split()
    assert (first.y.size, second.y.size) == (10, 11)
    for whole, *parts in zip(sim[:5], first[:5], second[:5], strict=True):
        np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_both_parts_share_the_truth(rng):
    first, second = make_mixture(20, random_state=rng).split(15)
    assert (first.y.size, second.y.size) == (15, 5)
    assert first.noise == second.noise
    np.testing.assert_array_equal(first.components, second.components)


@pytest.mark.parametrize("n_first", [0, 20])
def test_split_leaves_no_part_empty(n_first, rng):
    with pytest.raises(ValueError, match=f"`n_first` must be >= 1 and <= 19, got {n_first}"):
        make_mixture(20, random_state=rng).split(n_first)


def test_a_generator_is_drawn_from_and_moves_on(rng):
    assert not np.allclose(make_continuous(5, random_state=rng).y, make_continuous(5, random_state=rng).y)


def test_none_gives_fresh_rows():
    assert not np.allclose(make_continuous(5).y, make_continuous(5).y)
