"""The tree of merges."""

import matplotlib.colors as mc
import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy

from heedful import plot
from heedful.explain import Clusters
from heedful.plot._dendrogram import _merges
from heedful.plot._style import cluster_colour


def lines_of(ax):
    return ax.collections[0]


def test_merges_are_those_that_scipy_draws(each):
    groups = each.clusters(3)
    corners, _ = _merges(groups)
    drawn = hierarchy.dendrogram(groups.linkage, no_plot=True)
    expected = np.stack([(np.array(drawn["icoord"]) - 5) / 10, np.array(drawn["dcoord"])], axis=2)
    for side in (corners, expected):
        side[:] = side[np.lexsort((side[:, 1, 0], side[:, 1, 1]))]
    np.testing.assert_allclose(corners, expected)
    assert drawn["leaves"] == groups.order.tolist()


def test_merges_within_a_cluster_have_its_hue_and_no_other_has_one(small):
    groups = small.clusters(3)
    colours = {mc.to_hex(colour).upper() for colour in lines_of(plot.dendrogram(small, groups)).get_colors()}
    several = groups.table.index[groups.table["size"] > 1]
    assert {cluster_colour(int(cluster)).upper() for cluster in several} == colours - {"#737373"}


def test_prototypes_are_marked_at_their_leaves_and_named(small):
    groups = small.clusters(3)
    ax = plot.dendrogram(small, groups)
    at = ax.collections[1].get_offsets()[:, 0].astype(int)
    assert small.index[groups.order[at]].tolist() == groups.table["prototype"].tolist()
    assert [text.get_text() for text in ax.get_xticklabels()] == list("123")


def test_names_of_prototypes_stand_in_a_key(small, no_overlap):
    groups = small.clusters(8)
    ax = plot.dendrogram(small, groups)
    names = [f"{cluster}: {row}" for cluster, row in groups.table["prototype"].items()]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names
    no_overlap(ax.get_legend().get_texts())


@pytest.mark.each_value
@pytest.mark.parametrize("n_clusters", [1, 3, 20, 45])
def test_names_do_not_overlap(each, n_clusters, no_overlap):
    ax = plot.dendrogram(each, n_clusters)
    no_overlap([*ax.get_xticklabels(), ax.xaxis.label])


def test_a_number_none_and_clusters_are_understood(small):
    four = plot.dendrogram(small, 4).collections[1].get_offsets()
    np.testing.assert_array_equal(plot.dendrogram(small, small.clusters(4)).collections[1].get_offsets(), four)
    assert len(four) == 4
    assert len(plot.dendrogram(small).collections[1].get_offsets()) == len(small.clusters().named)


def test_clusters_of_other_queries_are_refused(small, wide):
    part = wide.clusters(2)
    other = Clusters(**{**vars(part), "labels": part.labels.iloc[:3]})
    with pytest.raises(ValueError, match=r"`clusters` must be of the same queries.*45"):
        plot.dendrogram(small, other)


def test_a_long_chain_of_equal_models_is_drawn(small):
    n_rows = 3000
    chain = np.arange(n_rows - 1)
    linkage = np.column_stack([chain + 1, np.r_[0, n_rows + chain[:-1]], np.zeros(n_rows - 1), chain + 2]).astype(float)
    labels = pd.Series(1, pd.RangeIndex(n_rows))
    groups = Clusters(labels, None, None, None, linkage, chain, np.arange(n_rows)[::-1])
    corners, owner = _merges(groups)
    assert np.isfinite(corners).all()
    assert (owner == 1).all()
