"""What drove one prediction."""

from itertools import pairwise

import numpy as np
import pytest

from heedful import plot
from heedful.explain import Explanation


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize("k", [1, 2, 8])
def test_bars_lead_from_the_mean_to_the_prediction(small, k):
    query = small.index[1]
    bars = plot.contributions(small, query, k).patches
    first, last = bars[0], bars[-1]
    np.testing.assert_allclose(first.get_x(), small.mean_link()[query])
    np.testing.assert_allclose(last.get_x() + last.get_width(), small.link[query])
    for bar, following in pairwise(bars):
        np.testing.assert_allclose(bar.get_x() + bar.get_width(), following.get_x())


def test_features_are_named_with_values_and_categories_by_name(small):
    query = small.index[0]
    names = names_of(plot.contributions(small, query))
    kinds = {f"kind={small.design.loc[query].filter(like='kind').idxmax()[5:]}", "not kind=red", "not kind=blue"}
    assert kinds & set(names)
    assert all(" = " in name for name in names if "kind" not in name)


def test_what_is_not_shown_is_one_bar(wide):
    names = names_of(plot.contributions(wide, wide.index[0], 5))
    assert len(names) == 6
    assert names[-1] == f"{len(wide.features) - 5} others"


def test_labels_do_not_overlap(each, no_overlap):
    for query in each.index[:4]:
        ax = plot.contributions(each, query)
        no_overlap(ax.get_yticklabels())
        no_overlap(ax.texts)


def test_a_class_can_be_asked_for(classes):
    query = classes.index[0]
    ax = plot.contributions(classes, query, output="high")
    assert ax.get_xlabel() == "linear predictor of class high"
    last = ax.patches[-1]
    np.testing.assert_allclose(last.get_x() + last.get_width(), classes.link.loc[query, "high"])


def test_a_model_without_coefficients_has_no_bars(small, no_overlap):
    changed = {"coef": 0 * small.coef, "link": small.intercept, "shape": None, "shape_mean": None}
    flat = Explanation(**{**vars(small), **changed})
    ax = plot.contributions(flat, small.index[0])
    assert len(ax.patches) == 0
    no_overlap(ax.texts)
