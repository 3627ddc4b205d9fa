"""Pictures of answers about effects draw their tables."""

import numpy as np
import pandas as pd
import pytest
from tests._effects.cases import assess, draw_rows

from heedful import plot
from heedful._effects.overlap import assess_overlap


def test_gain_curves_start_at_nothing_and_have_a_band_of_the_difference(rng):
    found = assess(draw_rows(rng, 80))
    ax, table = plot.gain_curve(found, linewidth=3), found.curve
    own, random = ax.lines
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["by effect", "at random"]
    np.testing.assert_allclose(own.get_ydata(), [0.0, *table["gain"]])
    np.testing.assert_allclose(random.get_ydata(), [0.0, *table["random"]])
    assert own.get_linewidth() == 3
    band = ax.collections[0].get_paths()[0].vertices
    for end in (0.0, 1.0):
        assert np.ptp(band[band[:, 0] == end, 1]) == pytest.approx(0.0, abs=1e-9)
    half = np.sort(band[np.isclose(band[:, 0], 0.5), 1])
    np.testing.assert_allclose(half, table.loc[0.5, ["low", "high"]])


def test_gain_curves_say_which_effects_come_first(rng):
    rows = draw_rows(rng, 80)
    plain, small = (plot.gain_curve(assess(rows, smaller_is_better=flag)) for flag in (False, True))
    assert plain.get_xlabel() == "share treated, largest effects first"
    assert plain.get_ylabel() == "gain in the mean response"
    assert small.get_xlabel() == "share treated, smallest effects first"
    assert small.get_ylabel() == "fall of the mean response"


def test_balance_draws_both_differences_of_the_columns_that_differ_most(rng):
    rows = draw_rows(rng, 300)
    table = pd.DataFrame(rng.normal(size=(300, 4))).assign(baseline=rows.outcome, arm=rows.treatment)
    found = assess_overlap(table, rows)
    ax = plot.balance(found, 3)
    shown = found.balance.drop(index="arm").iloc[:3]
    before, after = (line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(before.get_xdata(), shown["before"])
    np.testing.assert_allclose(after.get_xdata(), shown["after"])
    assert [text.get_text() for text in ax.get_yticklabels()] == list(shown.index)
    with pytest.raises(ValueError, match="`k` must be a whole number of columns"):
        plot.balance(found, 0)


def test_amounts_have_correlations(rng):
    rows = draw_rows(rng, amounts=True)
    ax = plot.balance(assess_overlap(pd.DataFrame({"a": rows.outcome}), rows))
    assert ax.get_xlabel() == "correlation with the treatment"
