"""Labels that do not overlap."""

from itertools import pairwise

import numpy as np
import pytest

from heedful.plot._labels import choose, number, shorten, shorten_all, spread
from heedful.plot._style import CLUSTERS, cluster_colour


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_spread_positions_are_a_gap_apart_in_their_order_and_within_bounds(rng, n):
    at = rng.uniform(0, 1, size=n)
    moved = spread(at, 0.1, 0.0, 1.0)
    assert (np.diff(moved[np.argsort(at)]) >= 0.1 - 1e-12).all()
    assert ((moved >= -1e-12) & (moved <= 1 + 1e-12)).all()


def test_positions_that_are_apart_stay(rng):
    at = rng.permutation(np.arange(6.0))
    np.testing.assert_allclose(spread(at, 0.9, 0, 5), at)


def test_chosen_positions_are_a_gap_apart_and_the_first_in_priority_is_among_them(rng):
    at, priority = rng.uniform(size=50), rng.uniform(size=50)
    kept = choose(at, priority, 0.1)
    assert priority.argmax() in kept
    assert np.diff(np.sort(at[kept])).min() >= 0.1


def test_long_names_keep_both_ends():
    short = shorten("a very long name of a column in a table, in cm", 20)
    assert len(short) == 20
    assert short.startswith("a very")
    assert short.endswith("in cm")
    assert shorten("short") == "short"


def test_numbers_have_four_digits():
    assert [number(-1.23456), number(7), number("text")] == ["−1.235", "7", "text"]


def test_neighbouring_clusters_differ_in_hue():
    hues = [cluster_colour(cluster) for cluster in range(1, 30)]
    assert all(first != second for first, second in pairwise(hues))
    assert len(set(CLUSTERS)) == len(CLUSTERS)


def test_a_name_is_one_line_and_never_a_formula():
    assert shorten("$a$\nb") == r"\$a\$ b"


def test_long_names_that_differ_in_the_middle_are_told_apart():
    names = [f"a beginning that all have {j} and an end that all have" for j in range(12)]
    short = shorten_all(names, 18)
    assert len(set(short)) == 12
    assert max(map(len, short)) <= 18
    assert shorten_all(["one", "two"], 18) == ["one", "two"]
    assert shorten_all([], 18) == []


def test_names_that_are_alike_stay_apart_beside_one_that_is_not():
    names = [f"the quantity that was measured first, number {j} [milligrams per litre]" for j in range(12)]
    short = shorten_all([*names, "place"], 24)
    assert len(set(short)) == 13
    assert max(map(len, short)) <= 24
    assert short[-1] == "place"
