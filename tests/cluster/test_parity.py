"""Heights, prototypes and cuts equal those of R's protoclust on every stored case."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from heedful.cluster import cut, minimax_linkage
from reference.linkage import merged_sets

STORED = json.loads((Path(__file__).parents[1] / "fixtures" / "protoclust.json").read_text())["cases"]
SAME = {"rtol": 1e-12, "atol": 1e-12}
each_case = pytest.mark.parametrize("case", STORED, ids=lambda case: f"{len(case['points'])}-rows")


def theirs(case):
    """Return R's merges as a linkage matrix without sizes, and its prototypes counted from 0."""
    merge, n_rows = np.array(case["merge"]), len(case["points"])
    clusters = np.where(merge < 0, -merge - 1, merge + n_rows - 1)
    return np.column_stack([clusters, case["height"]]), np.array(case["protos"]) - 1


def radii_of_members(D, pair):
    """Return the largest distance of every member of a union to the others."""
    rows = sorted(frozenset.union(*pair))
    return dict(zip(rows, D[np.ix_(rows, rows)].max(axis=1), strict=True))


@each_case
def test_merges_and_heights_equal_those_of_r(case):
    Z, _ = minimax_linkage(pdist(case["points"]))
    Z_r, _ = theirs(case)
    np.testing.assert_allclose(Z[:, 2], Z_r[:, 2], **SAME)
    assert merged_sets(Z) == merged_sets(Z_r)


@each_case
def test_prototypes_equal_those_of_r_and_two_rows_are_the_only_tie(case):
    D = squareform(pdist(case["points"]))
    Z, prototypes = minimax_linkage(D)
    np.testing.assert_array_equal(prototypes, theirs(case)[1])
    for pair, height, prototype in zip(merged_sets(Z), Z[:, 2], prototypes, strict=True):
        radius = radii_of_members(D, pair)
        as_good = [row for row, value in radius.items() if np.isclose(value, height, **SAME)]
        assert as_good == (sorted(radius) if len(radius) == 2 else [prototype])
        assert prototype == as_good[0]


@each_case
def test_cuts_equal_those_of_r(case):
    Z, merge_prototypes = minimax_linkage(pdist(case["points"]))
    for stored in case["cuts"]:
        labels, prototypes, _ = cut(Z, merge_prototypes, stored["k"])
        np.testing.assert_array_equal(labels + 1, stored["cl"])
        np.testing.assert_array_equal(prototypes + 1, stored["protos"])


def test_no_case_is_missing():
    assert [len(case["points"]) for case in STORED] == [12, 40, 60, 25]
    assert all(len(case["cuts"]) == 4 for case in STORED)
