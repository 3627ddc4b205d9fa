"""The small model of one query."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from heedful import plot
from heedful.explain import format_cell


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_bars_are_terms_that_lead_from_the_start_to_the_prediction(small):
    for query in small.index[:5]:
        bars = plot.small_model(small, query).patches
        terms = small.terms.loc[query][small.coef.loc[query] != 0]
        np.testing.assert_allclose([bar.get_width() for bar in bars], sorted(terms, key=abs, reverse=True))
        np.testing.assert_allclose(bars[0].get_x(), small.start[query])
        np.testing.assert_allclose(bars[-1].get_x() + bars[-1].get_width(), small.link[query])
        for bar, following in pairwise(bars):
            np.testing.assert_allclose(bar.get_x() + bar.get_width(), following.get_x())


def test_terms_are_named_with_value_and_reference_and_the_axis_with_the_fidelity(small):
    query = small.index[small.coef["kind"].to_numpy().nonzero()[0][0]]
    ax = plot.small_model(small, query)
    expected = f"kind = {small.values.loc[query, 'kind']} vs {format_cell(small.reference.loc[query, 'kind'])}"
    assert expected in names_of(ax)
    assert ax.get_xlabel() == f"prediction (fidelity {small.fidelity[query]:.2f})"
    assert any(text.get_text().startswith("at the reference: ") for text in ax.texts)


def test_a_class_can_be_asked_for(classes):
    query = classes.index[0]
    last = plot.small_model(classes, query, output="high").patches[-1]
    np.testing.assert_allclose(last.get_x() + last.get_width(), classes.link.loc[query, "high"])


@pytest.mark.one_value
def test_labels_do_not_overlap(each, no_overlap):
    for query in each.index[:4]:
        ax = plot.small_model(each, query)
        no_overlap(ax.get_yticklabels())
        no_overlap(ax.texts)


def test_a_model_of_no_column_has_no_bars(small):
    flat = replace(small, coef=0 * small.coef, terms=0 * small.terms, start=small.link)
    assert len(plot.small_model(flat, small.index[0]).patches) == 0


def test_models_without_slopes_are_refused(small):
    with pytest.raises(ValueError, match=r"small models.*plot\.contributions"):
        plot.small_model(replace(small, terms=None), small.index[0])
