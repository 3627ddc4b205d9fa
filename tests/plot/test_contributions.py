"""What drove one prediction."""

from itertools import pairwise

import numpy as np
import pytest

from heedful import plot
from heedful.explain import Explanation


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.one_value
@pytest.mark.parametrize("k", [1, 2, 8])
def test_bars_lead_from_the_mean_to_the_prediction(small, k):
    query = small.index[1]
    bars = plot.contributions(small, query, k).patches
    first, last = bars[0], bars[-1]
    np.testing.assert_allclose(first.get_x(), small.base_value)
    np.testing.assert_allclose(last.get_x() + last.get_width(), small.link[query])
    for bar, following in pairwise(bars):
        np.testing.assert_allclose(bar.get_x() + bar.get_width(), following.get_x())


def test_columns_are_named_with_their_values_as_given(small):
    query = small.index[0]
    names = names_of(plot.contributions(small, query))
    assert f"kind = {small.values.loc[query, 'kind']}" in names
    assert all(" = " in name for name in names)


def test_what_is_not_shown_is_one_bar(wide):
    names = names_of(plot.contributions(wide, wide.index[0], 5))
    assert len(names) == 6
    n_columns = wide.values.shape[1]
    assert names[-1] == f"{n_columns - 5} others"
    assert names_of(plot.contributions(wide, wide.index[0], n_columns - 1))[-1] == "1 other"


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


def test_a_model_of_nothing_has_no_bars(small, no_overlap):
    found = small.attribution()
    nothing = found._replace(total=0 * found.total, model=0 * found.model)
    level = small.base_value + 0 * small.link
    flat = Explanation(**{**vars(small), "link": level, "attribution": lambda: nothing})
    ax = plot.contributions(flat, small.index[0])
    assert len(ax.patches) == 0
    no_overlap(ax.texts)
