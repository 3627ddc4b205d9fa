"""Nodes of trees in files: packed, and the same when they are unpacked."""

import pickle

import numpy as np
import pytest

from heedful._trees.packed import pack_nodes, smallest, unpack_nodes
from heedful.similarity import ForestProximity


def grown(**settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return ForestProximity(9, random_state=0, **settings).fit(X, X[:, 0] + rng.normal(size=400))


@pytest.mark.parametrize("settings", [{}, {"leaf_rows": 2}, {"max_samples": 40}])
def test_a_forest_comes_back_with_its_rows(settings):
    model = grown(**settings)
    again = pickle.loads(pickle.dumps(model))
    for one, other in zip(model.index.index, again.index.index, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(model.forest_.nodes, again.forest_.nodes)
    assert again.forest_.nodes.dtype == np.int32
    assert again.forest_ is again.index.forest


def test_nodes_of_sets_and_many_columns_come_back():
    nodes = np.array([[70_000, -3, 1, 0], [0, 0, -1, 0], [2, 255, 3, 100], [0, 0, -1, 2], [0, 0, -1, 1]], np.int32)
    np.testing.assert_array_equal(unpack_nodes(pack_nodes(nodes)), nodes)


def test_a_tree_of_one_leaf_comes_back():
    nodes = np.array([[0, 0, -1, 0]], np.int32)
    np.testing.assert_array_equal(unpack_nodes(pack_nodes(nodes)), nodes)


def test_nodes_take_less_than_half_of_their_memory():
    nodes = grown().forest_.nodes
    assert sum(part.nbytes for part in pack_nodes(nodes).values()) < 0.5 * nodes.nbytes


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [(0, 255, "u1"), (-1, 127, "i1"), (-1, 128, "i2"), (0, 256, "u2"), (0, 65536, "u4"), (-40_000, 0, "i4")],
)
def test_the_smallest_type_holds_both_ends(low, high, kind):
    values = smallest(np.array([low, high]))
    assert values.dtype == np.dtype(kind)
    np.testing.assert_array_equal(values, [low, high])
