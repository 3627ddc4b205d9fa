"""Pictures of counts and costs."""

from dataclasses import replace

import numpy as np
import pytest
from tests.explain.test_lift import explained  # noqa: F401 - a fixture

from heedful import plot
from heedful.explain._calibration import gini


def test_calibration_draws_its_table(explained):  # noqa: F811 - the fixture of another file
    ax, table = plot.calibration(explained, 6), explained.calibration(6)
    for line, name in zip(ax.lines, ("observed", "attention", "baseline"), strict=True):
        assert line.get_label() == name
        np.testing.assert_array_equal(line.get_ydata(), table[name])
    assert ax.get_ylabel() == "mean response per unit of exposure"


def test_lift_draws_a_curve_for_each_model_with_its_gini(explained):  # noqa: F811 - the fixture of another file
    ax, curves = plot.lift(explained), explained.lift()
    own = curves[curves["model"] == "attention"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), own["response"])
    assert ax.lines[1].get_label() == f"attention, Gini {gini(own):.3f}"


def test_bars_of_counts_are_written_as_factors(explained):  # noqa: F811 - the fixture of another file
    query = explained.index[0]
    factor = explained.top_features(1).loc[query, "factor"].iloc[0]
    texts = [text.get_text() for text in plot.contributions(explained, query).texts]
    assert texts[0] == f"×{factor:.3g}"
    assert texts[-1] == f"this query: {np.exp(explained.link[query]):.4g}"
    added = [text.get_text() for text in plot.contributions(explained, query, scale="link").texts]
    assert added[0] == f"{np.log(factor):+.3g}".replace("-", "−")


def test_numbers_have_no_factors(explained, small):  # noqa: F811 - the fixture of another file
    with pytest.raises(ValueError, match="not logarithms of factors"):
        plot.contributions(small, small.index[0], scale="factor")
    with pytest.raises(ValueError, match="not logarithms of factors"):
        small.contributions(scale="factor")
    with pytest.raises(ValueError, match="`scale` must be one of"):
        replace(explained).contributions(scale="odds")
