"""Coefficients of all queries."""

import matplotlib.colors as mc
import matplotlib.pyplot as plt
import numpy as np
import pytest

from heedful import plot
from heedful.explain import Explanation
from heedful.plot._style import cluster_colour


def names_of(ax):
    ax.figure.draw_without_rendering()
    return [text.get_text() for text in ax.get_yticklabels()]


def test_cells_are_coefficients_per_deviation_in_the_order_of_the_leaves(each):
    groups = each.clusters(3)
    cells = plot.heatmap(each, groups).images[0].get_array()
    np.testing.assert_array_equal(cells, groups.scaled.iloc[groups.order].to_numpy().T)


def test_colours_are_centred_at_zero_and_have_a_scale(each):
    ax = plot.heatmap(each)
    norm = ax.images[0].norm
    assert norm.vmin == -norm.vmax
    assert [other.get_ylabel() for other in ax.figure.axes if other is not ax] == ["coefficient per s.d."]
    assert len(plot.heatmap(each, colorbar=False).figure.axes) == 1


def test_clusters_are_parted_by_lines_and_named_in_their_hue(small):
    groups = small.clusters(3)
    ax = plot.heatmap(small, groups)
    ends = np.cumsum(groups.table["size"])[:-1] - 0.5
    np.testing.assert_allclose([line.get_xdata()[0] for line in ax.lines], ends)
    assert [patch.get_width() for patch in ax.patches] == groups.table["size"].tolist()
    hues = [mc.to_hex(patch.get_facecolor()).upper() for patch in ax.patches]
    assert hues == [cluster_colour(cluster).upper() for cluster in (1, 2, 3)]
    assert [text.get_text() for text in ax.texts] == ["1", "2", "3"]


def test_categories_go_by_their_own_names(small):
    assert {"kind=blue", "kind=red"} & set(names_of(plot.heatmap(small)))


def test_sixty_features_are_all_named_on_a_new_figure(wide, no_overlap):
    ax = plot.heatmap(wide)
    assert names_of(ax) == list(wide.clusters(4).scaled.columns)
    no_overlap([*ax.get_yticklabels(), *ax.texts, ax.xaxis.label])


def test_where_names_do_not_fit_the_largest_coefficients_are_named(wide, no_overlap):
    _, ax = plt.subplots(figsize=(3.5, 1.8), layout="constrained")
    names = names_of(plot.heatmap(wide, ax=ax))
    scaled = wide.clusters(4).scaled
    assert 3 <= len(names) < scaled.shape[1]
    assert scaled.abs().max().idxmax() in names
    no_overlap(ax.get_yticklabels())


def test_few_queries_are_named_and_many_are_counted(small, no_overlap):
    names = ("coef", "lasso_coef", "lasso_design", "lasso_intercept", "multiple", "shape")
    parts = {name: getattr(small, name) for name in names}
    first = {name: None if part is None else part[:8] for name, part in parts.items()}
    few = Explanation(**{**vars(small), **first, "loss": None})
    ax = plot.heatmap(few, 2)
    no_overlap(ax.get_xticklabels())
    assert {text.get_text() for text in ax.get_xticklabels()} == set(few.index)
    assert plot.heatmap(small).get_xlabel() == "45 queries, by cluster"


def test_classes_are_named_with_their_features_unless_one_is_asked_for(classes):
    assert all(name.split(": ")[0] in {"low", "mid", "high"} for name in names_of(plot.heatmap(classes)))
    assert all(name.startswith(("measure", "kind=")) for name in names_of(plot.heatmap(classes, output="high")))


def test_models_without_coefficients_are_refused(small):
    empty = Explanation(**{**vars(small), "lasso_coef": 0 * small.lasso_coef})
    with pytest.raises(ValueError, match="must have a coefficient that is not 0"):
        plot.heatmap(empty)
    assert plt.get_fignums() == []
