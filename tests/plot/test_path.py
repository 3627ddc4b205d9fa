"""Coefficients of one query from baseline to local model."""

import matplotlib.pyplot as plt
import numpy as np

from heedful import plot


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_lines_go_from_the_baseline_to_the_local_model(small):
    query = small.index[3]
    lines = lines_of(plot.coefficient_path(small, query))
    for unit, feature in zip(small.unit(), small.lasso_features, strict=True):
        ends = np.array([small.baseline_coef[feature], small.local_coef.loc[query, feature]]) * unit
        assert (feature in lines) == bool(ends.any())
        if ends.any():
            np.testing.assert_allclose(lines[feature].get_ydata(), ends)


def test_dots_are_the_model_that_was_used(small):
    query = small.index[0]
    ax = plot.coefficient_path(small, query)
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    used = (small.lasso_coef.loc[query] * small.unit())[list(lines_of(ax))]
    np.testing.assert_allclose([dot.get_ydata()[0] for dot in dots], used)
    assert {dot.get_xdata()[0] for dot in dots} == {small.mixing[query]}
    assert "used: 0.6" in [text.get_text() for text in ax.texts]


def test_lines_are_named_without_overlap(each, no_overlap):
    ax = plot.coefficient_path(each, each.index[0])
    names = [text for text in ax.texts if not text.get_text().startswith("used")]
    assert 1 <= len(names) <= len(lines_of(ax))
    no_overlap(names)


def test_in_short_axes_the_largest_coefficients_are_named(wide):
    _, ax = plt.subplots(figsize=(3.5, 1.5))
    plot.coefficient_path(wide, wide.index[0], ax=ax)
    ends = {label: np.abs(line.get_ydata()).max() for label, line in lines_of(ax).items()}
    names = [text.get_text() for text in ax.texts if not text.get_text().startswith("used")]
    assert len(names) < len(ends)
    assert max(ends, key=ends.get) in names


def test_the_most_probable_class_is_drawn_unless_another_is_asked_for(classes):
    query = classes.index[0]
    best = classes.prediction.loc[query].idxmax()
    assert (
        plot.coefficient_path(classes, query).get_ylabel() == f"coefficient of class {best} per s.d.,\ncurves left out"
    )
    ax = plot.coefficient_path(classes, query, output="low")
    local = classes.local_coef.loc[query, "low"] * classes.unit()
    for feature, line in lines_of(ax).items():
        assert line.get_ydata()[1] == local[feature]
