"""Queries in no cluster: grey, and called others."""

import matplotlib.colors as mc
import pytest

from heedful import plot
from heedful.plot._style import PALE


@pytest.fixture
def groups(small):
    found = small.clusters(12, min_size=4)
    assert (found.labels == -1).sum() > 1
    return found


def test_their_bars_are_grey_and_named(small, groups):
    ax = plot.cluster_errors(small, groups)
    assert [text.get_text().split("\n")[0] for text in ax.get_xticklabels()][-1] == "others"
    assert mc.to_hex(ax.containers[1][-1].get_facecolor()).upper() == PALE


def test_only_clusters_have_prototypes_in_the_tree(small, groups):
    ax = plot.dendrogram(small, groups)
    assert len(ax.collections[1].get_offsets()) == len(groups.named)
    height = ax.lines[0].get_ydata()[0]
    assert groups.named["radius"].max() <= height
    assert "prediction" in ax.get_ylabel()


def test_the_strip_above_the_map_shows_each_query_under_its_hue(small, groups):
    ax = plot.heatmap(small, groups, colorbar=False)
    shown = {}
    for patch in ax.patches:
        for place in range(round(patch.get_x() + 0.5), round(patch.get_x() + patch.get_width() + 0.5)):
            shown[place] = mc.to_hex(patch.get_facecolor()).upper()
    for place, q in enumerate(groups.order):
        others = groups.labels.iloc[q] == -1
        assert (shown[place] == PALE) == others
    assert {text.get_text() for text in ax.texts} <= {str(cluster) for cluster in groups.named.index}
