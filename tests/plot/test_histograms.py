"""Histograms over queries."""

import pytest

from heedful import plot


@pytest.mark.parametrize("function", [plot.mixing_histogram, plot.n_eff_histogram])
def test_every_query_is_counted(function, each):
    ax = function(each)
    assert sum(bar.get_height() for bar in ax.patches) == len(each.index)
    assert ax.get_ylabel() == "queries"


def test_medians_are_written(small):
    assert plot.mixing_histogram(small).texts[0].get_text() == "median 0.6"
    assert plot.n_eff_histogram(small).texts[0].get_text() == f"median {small.n_eff.median():.3g}"


def test_style_goes_to_the_histogram(small):
    assert len(plot.mixing_histogram(small, bins=5).patches) == 5
