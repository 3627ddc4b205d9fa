import numpy as np
import pytest

from heedful.datasets import make_claims, make_effects, make_mixture, make_subgroups


def test_split_cuts_the_rows_in_two_halves_in_order(rng):
    sim = make_subgroups(21, random_state=rng)
    first, second = sim.split()
    assert (first.y.size, second.y.size) == (10, 11)
    for name in ("X", "y", "coef", "latent", "signal"):
        parts = [getattr(part, name) for part in (first, second)]
        np.testing.assert_array_equal(np.concatenate(parts), getattr(sim, name))


def test_both_parts_share_the_truth(rng):
    first, second = make_mixture(20, random_state=rng).split(15)
    assert (first.y.size, second.y.size) == (15, 5)
    assert first.noise == second.noise
    np.testing.assert_array_equal(first.components, second.components)


@pytest.mark.parametrize("n_first", [0, 20])
def test_split_leaves_no_part_empty(n_first, rng):
    with pytest.raises(ValueError, match=f"`n_first` must be >= 1 and <= 19, got {n_first}"):
        make_mixture(20, random_state=rng).split(n_first)


@pytest.mark.parametrize(("make", "truth"), [(make_claims, "rate"), (make_effects, "effect")])
def test_every_truth_is_cut_with_its_rows(make, truth):
    sim = make(n=21, random_state=0)
    first, second = sim.split(8)
    assert (len(first.X), len(second.X)) == (8, 13)
    np.testing.assert_array_equal(getattr(second, truth), getattr(sim, truth)[8:])


def test_a_generator_is_drawn_from_and_moves_on(rng):
    assert not np.allclose(make_subgroups(5, random_state=rng).y, make_subgroups(5, random_state=rng).y)


def test_none_gives_fresh_rows():
    assert not np.allclose(make_subgroups(5).y, make_subgroups(5).y)
