"""The best split of a node by one column, against trying all of them, and where cells go that the node has none of."""

from itertools import pairwise
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from heedful._kernels import splits, trees
from heedful._kernels.shapes import MISSING

pytestmark = pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="each part would be compiled alone; see _trees")
CENTERS = np.arange(256.0)[None]


def make_node(rng, n_bins=6, missing=0.2, n_outputs=1, n_rows=12):
    """Return codes, draws, weights and responses of a node's rows."""
    codes = rng.integers(0, n_bins, n_rows) * 3
    codes[rng.uniform(size=n_rows) < missing] = MISSING
    return codes, rng.integers(1, 4, n_rows), rng.integers(1, 9, n_rows), rng.integers(-9, 10, (n_rows, n_outputs))


def tallied(node, several):
    """Return bins with a node's rows in them, which are marked, and the node as a whole."""
    codes, draws, weights, values = node
    n_rows, mask = codes.size, np.zeros(4, np.uint64)
    bag = np.stack([np.arange(n_rows), draws, draws * values[:, 0]])
    table = np.ascontiguousarray(codes[None].astype(np.uint8))
    if several:
        tally = np.zeros((258, 2 + values.shape[1]), np.int64)
        splits.tally_outputs(table, 0, bag, values, weights, 0, n_rows, tally, mask)
    else:
        tally = np.zeros((258, 2), np.int64)
        splits.tally_row(table, 0, bag, 0, n_rows, tally, mask)
    return tally, mask, tally.sum(axis=0)


def gain_of(node, left, several):
    """Return what parting a node takes off the weighted squared error, times its weight; None of an empty part."""
    codes, draws, weights, values = node
    mass = draws * weights if several else draws

    def explained(part):
        return ((mass[part] @ values[part]) ** 2).sum() / mass[part].sum()

    if left.all() or not left.any():
        return None
    return mass.sum() * (explained(left) + explained(~left) - explained(np.ones(codes.size, bool)))


def best_by_order(node, several, least):
    """Return the largest gain of a cut between bins, with missing cells on either side or alone."""
    codes, draws = node[:2]
    known = np.unique(codes[codes != MISSING])
    lost = codes == MISSING
    sides = [codes < high for _, high in pairwise(known)]
    found = [side | (lost & also) for side in sides for also in (False, True)] + [~lost]
    large = [left for left in found if min(draws[left].sum(), draws[~left].sum()) >= least]
    return max((gain for left in large if (gain := gain_of(node, left, several)) is not None), default=-1.0)


def goes_left(codes, cut, shift):
    return ((codes + shift) & 255) < cut


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("least", [1, 4])
def test_the_best_cut_of_numbers_is_found_and_parts_rows_as_it_says(rng, several, least):
    for _ in range(40):
        node = make_node(rng, n_outputs=2 if several else 1)
        tally, mask, whole = tallied(node, several)
        scan = splits.scan_outputs if several else splits.scan_row
        gain, pair, shift, _ = scan(whole, least, tally, mask)
        assert gain == pytest.approx(best_by_order(node, several, least), abs=1e-6)
        # nothing is left behind for the next column
        assert not tally.any()
        assert not mask.any()
        if gain >= 0:
            left = goes_left(node[0], splits.settle_cut(CENTERS, 0, pair, shift), shift)
            assert gain_of(node, left, several) == pytest.approx(gain, abs=1e-6)
            assert min(node[1][left].sum(), node[1][~left].sum()) >= least


@pytest.mark.parametrize("several", [False, True])
def test_levels_are_parted_by_their_means_at_a_price_for_each_beyond_two(rng, several):
    for _ in range(40):
        node = make_node(rng, missing=0.0)
        codes, draws, weights, values = node
        mass = draws * weights if several else draws
        tally, mask, whole = tallied(node, several)
        levels, members = np.empty((2, 256)), np.empty(4, np.uint64)
        found = np.unique(codes)
        chance = 3.0
        gain, cut, _, any_found = splits.scan_levels(not several, whole, chance, 1, tally, mask, levels, members)
        means = np.array([np.average(values[codes == level, 0], weights=mass[codes == level]) for level in found])
        ordered = found[np.argsort(means, kind="stable")]
        gains = [gain_of(node, np.isin(codes, ordered[:k]), several) for k in range(1, found.size)]
        best = max(gains, default=-1.0)
        assert any_found == (found.size > 1)
        if best >= 0:
            assert gain == pytest.approx(max(best - chance * (found.size - 2), splits.LEAST_PART * best), abs=1e-6)
            left = in_set(members, codes)
            assert gain_of(node, left, several) == pytest.approx(best, abs=1e-6)
        assert cut == -1
        assert not tally.any()


def in_set(members, codes):
    return np.array([int(members[code >> 6]) >> (code & 63) & 1 for code in map(int, codes)], dtype=bool)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("high", [9, -9])
def test_cells_that_a_node_does_not_have_go_where_most_of_its_weight_goes(several, turned, high):
    """Missing cells of numbers, and levels that no row has; by draws, or where rows have weights by these."""
    codes = np.array([10, 20, 20, 20])
    # many draws of one row against three rows, which weigh more
    draws, weights = np.array([5, 1, 1, 1]), np.array([1, 4, 4, 4])
    codes = 30 - codes if turned else codes
    node = codes, draws, weights, np.array([[0], [high], [high], [high]])
    heavy = codes[1] if several else codes[0]
    tally, mask, whole = tallied(node, several)
    _, pair, shift, _ = (splits.scan_outputs if several else splits.scan_row)(whole, 1, tally, mask)
    cut = splits.settle_cut(CENTERS, 0, pair, shift)
    assert goes_left(MISSING, cut, shift) == goes_left(heavy, cut, shift)
    assert goes_left(codes[[0, 1]], cut, shift).sum() == 1
    tally, mask, whole = tallied(node, several)
    members = np.empty(4, np.uint64)
    splits.scan_levels(not several, whole, 0.0, 1, tally, mask, np.empty((2, 256)), members)
    unseen = in_set(members, [0, 15, 100, MISSING])
    assert (unseen == in_set(members, [heavy])).all()
    assert in_set(members, codes[[0, 1]]).sum() == 1


def test_known_cells_are_all_cut_off_from_missing_ones():
    cut = splits.settle_cut(CENTERS, 0, splits.pack(7, MISSING), 0)
    assert goes_left(np.arange(MISSING), cut, 0).all()
    assert not goes_left(MISSING, cut, 0)


@pytest.mark.parametrize("low", [0, 3])
def test_empty_bins_go_with_the_nearer_value(low):
    centers = np.array([[0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 50.0]])
    cut = splits.settle_cut(centers, 0, splits.pack(low, 6), 0)
    middle = (centers[0, low] + 50.0) / 2
    np.testing.assert_array_equal(goes_left(np.arange(6), cut, 0), centers[0, :6] <= middle)


def chance_of(node, unit, several):
    codes, draws, weights, values = node
    bag, weights = np.stack([np.arange(codes.size), draws, draws * values[:, 0]]), unit * weights
    mass = draws * weights if several else draws
    whole = np.array([draws.sum(), *([mass.sum()] if several else []), *(mass @ values)])
    table = SimpleNamespace(values=values, weights=weights, single=not several, unit=float(unit), bits=20)
    return trees.chance_of(np.array([True]), table, bag, 0, codes.size, whole)


@pytest.mark.parametrize("several", [False, True])
def test_a_level_gains_one_mean_squared_error_by_chance_in_the_unit_of_gains(rng, several):
    for unit, large in ((1, 1), (2**10, 1), (1, 10**9)):
        codes, draws, weights, values = make_node(rng, n_outputs=3 if several else 1)
        # of large numbers the first bits are squared: sums stay exact, and right to a few digits
        values = large * values + 7 * large
        node = codes, draws, weights, values
        weights = weights if several else np.ones(codes.size, int)
        mean = np.average(values, axis=0, weights=draws * weights)
        error = (draws * weights) @ ((values - mean) ** 2).sum(axis=1)
        # gains are times the weight of the node, in units of weight twice
        scale = float(unit) ** 2 if several else 1.0
        assert chance_of(node, unit, several) == pytest.approx(scale * error, rel=1e-9 if large == 1 else 1e-4)
