"""Errors by cluster."""

import matplotlib.colors as mc
import numpy as np
import pytest

from heedful import plot
from heedful.plot._style import cluster_colour


@pytest.mark.one_value
def test_bars_are_the_errors_of_both_models(each):
    groups = each.clusters(3)
    ax = plot.cluster_errors(each, groups)
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, [*groups.table["baseline_error"], *groups.table["error"]])
    hues = [mc.to_hex(bar.get_facecolor()).upper() for bar in ax.patches[3:]]
    assert hues == [cluster_colour(cluster).upper() for cluster in (1, 2, 3)]


def test_clusters_are_named_with_their_sizes_and_changes(small, no_overlap):
    groups = small.clusters(3)
    ax = plot.cluster_errors(small, groups)
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == [f"{cluster}\nn={size}" for cluster, size in groups.table["size"].items()]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["baseline", "attention"]
    assert len(ax.texts) == 3
    no_overlap([*ax.get_xticklabels(), *ax.texts, ax.xaxis.label, *ax.get_legend().get_texts()])


@pytest.mark.parametrize("n_clusters", [12, 40])
def test_many_clusters_are_named_without_overlap(small, n_clusters, no_overlap):
    no_overlap(plot.cluster_errors(small, n_clusters).get_xticklabels())


def test_without_y_the_error_says_what_to_do(unknown):
    with pytest.raises(ValueError, match=r"got one made without `y`\. Use `explain\(X, y\)`"):
        plot.cluster_errors(unknown)
