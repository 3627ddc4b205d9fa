"""The curve of one column."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heedful import plot
from heedful.explain import Explanation

HOSTILE = "<b>$\\frac{ of_many\nlines & signs"


def levels(names, rows):
    table = {"level": list(names), "rows": np.asarray(rows, dtype=float)}
    return pd.DataFrame(table).assign(effect=np.sin(np.arange(len(rows))))


def steps(edges, heights):
    ends = np.array([-np.inf, *edges, np.inf])
    table = {"low": ends[:-1], "high": ends[1:], "rows": np.arange(1.0, len(heights) + 1), "effect": heights}
    return pd.DataFrame(table)


def missing(rows, effect):
    return pd.DataFrame({"rows": [rows], "effect": [effect]})


def with_curves(explanation, **columns):
    """Return an explanation with these curves: for each column a list of tables of pieces."""
    parts = [part.assign(feature=name) for name, tables in columns.items() for part in tables]
    columns = ["feature", "low", "high", "level", "rows", "effect"]
    curves = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return Explanation(**{**vars(explanation), "curves": curves.assign(curve=2 * curves["effect"])})


@pytest.fixture
def made(small):
    long = [f"the same long beginning of the name of level {j} and its end" for j in range(20)]
    return with_curves(
        small,
        **{"measure 0": [steps([-1.0, 0.5, 1.0], [2.0, -1.0, 0.5, 3.0]), missing(7.0, -2.0)]},
        flat=[steps([], [0.0])],
        hostile=[levels([HOSTILE, "$", "$a$", ""], [4, 3, 2, 1]), missing(9.0, 0.5)],
        long=[levels(long, np.arange(20))],
    )


def pieces_of(explanation, feature, output=None):
    table = explanation.curves[explanation.curves["feature"] == feature]
    return table if output is None else table[table["class"] == output]


def panel_of(ax):
    return ax.child_axes[0]


def lines_of(ax):
    return [line for line in ax.lines if line.get_drawstyle() == "steps-post"]


def names_of(ax):
    ax.figure.draw_without_rendering()
    return [text.get_text() for text in ax.get_xticklabels()]


def height_at(line, value):
    """Return the height of a line of steps."""
    x, y = line.get_data()
    return y[np.searchsorted(x, value, side="right") - 1]


def test_steps_are_those_of_the_curve_and_missing_cells_stand_apart(made):
    ax = plot.shapes(made, "measure 0")
    (line,) = lines_of(ax)
    found = [height_at(line, value) for value in (-1.01, -0.9, 0.49, 0.51, 0.99, 1.01)]
    assert found == [2.0, -1.0, -1.0, 0.5, 0.5, 3.0]
    ((place, height),) = ax.collections[0].get_offsets()
    assert place > line.get_xdata().max()
    assert height == -2.0
    assert [text.get_text() for text in ax.texts] == ["missing"]


@pytest.mark.one_value
@pytest.mark.parametrize("feature", ["measure 0", "measure 1"])
def test_a_fitted_curve_is_drawn_at_its_heights_over_a_finite_range(small, feature):
    pieces = pieces_of(small, feature)
    (line,) = lines_of(plot.shapes(small, feature))
    x, y = line.get_data()
    assert np.isfinite(x).all()
    np.testing.assert_array_equal(x[1:-1], pieces["high"].iloc[:-1])
    np.testing.assert_array_equal(y[:-1], pieces["effect"])


def test_bars_at_the_foot_count_the_training_rows(made):
    for feature in ("measure 0", "flat", "hostile"):
        heights = [bar.get_height() for bar in panel_of(plot.shapes(made, feature)).patches]
        np.testing.assert_allclose(np.sum(heights), pieces_of(made, feature)["rows"].sum())
    assert heights == [4.0, 3.0, 2.0, 1.0, 9.0]


def test_the_counts_of_numbers_lie_where_the_rows_are(made):
    bars = panel_of(plot.shapes(made, "measure 0")).patches
    inside = sum(bar.get_height() for bar in bars if -1 <= bar.get_x() + bar.get_width() / 2 < 0.5)
    assert inside == pytest.approx(2.0, abs=0.4)
    assert bars[-1].get_height() == 7.0


def test_levels_are_bars_with_their_own_names(small):
    ax = plot.shapes(small, "kind")
    assert names_of(ax) == ["blue", "red"]
    np.testing.assert_array_equal([bar.get_height() for bar in ax.patches], pieces_of(small, "kind")["effect"])


def test_hostile_names_are_drawn_as_they_are(made, no_overlap):
    ax = plot.shapes(made, "hostile")
    assert names_of(ax) == [r"<b>\$\fra…s & signs", r"\$", r"\$a\$", "", "missing"]
    no_overlap([*ax.get_xticklabels(), ax.xaxis.label, ax.yaxis.label, *panel_of(ax).get_yticklabels()])


def test_the_most_frequent_of_many_levels_are_drawn_and_told_apart(made, no_overlap):
    ax = plot.shapes(made, "long")
    assert len(ax.patches) == 15
    assert ax.get_xlabel() == "long (15 of 20 levels)"
    np.testing.assert_array_equal([bar.get_height() for bar in ax.patches], pieces_of(made, "long")["effect"][5:])
    names = names_of(ax)
    assert len(set(names)) == len(names) == 15
    no_overlap([*ax.get_xticklabels(), ax.xaxis.label, ax.yaxis.label])


def test_the_widest_curve_is_taken_by_default(made, classes):
    assert plot.shapes(made).get_xlabel() == "measure 0"
    spread = classes.curves.groupby(["class", "feature"]).apply(
        lambda part: np.cov(part["effect"], aweights=part["rows"], ddof=0), include_groups=False
    )
    assert plot.shapes(classes).get_xlabel() == spread.groupby("feature").sum().idxmax()
    assert plot.shapes(classes, output="mid").get_xlabel() == spread["mid"].idxmax()


@pytest.mark.more
def test_all_classes_are_drawn_and_named_or_one(classes, no_overlap):
    ax = plot.shapes(classes, "measure 0")
    for line, output in zip(lines_of(ax), classes.outputs, strict=True):
        np.testing.assert_array_equal(line.get_ydata()[:-1], pieces_of(classes, "measure 0", output)["effect"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == classes.outputs
    no_overlap([*ax.get_legend().get_texts(), *ax.get_xticklabels(), ax.xaxis.label, ax.yaxis.label])
    one = plot.shapes(classes, "kind", output="high")
    assert one.get_legend() is None
    assert one.get_ylabel() == "adds to linear predictor of class high"
    np.testing.assert_array_equal(
        [bar.get_height() for bar in one.patches], pieces_of(classes, "kind", "high")["effect"]
    )


def test_ticks_stay_beside_what_they_measure(made):
    ax = plot.shapes(made, "measure 0")
    ax.figure.draw_without_rendering()
    top = panel_of(ax).get_window_extent().y1
    heights = ax.transData.transform([(0, tick) for tick in ax.get_yticks()])[:, 1]
    assert (heights > top).all()
    assert max(ax.get_xticks()) <= lines_of(ax)[0].get_xdata().max()


def test_without_shapes_the_error_says_what_to_do(small):
    plain = Explanation(**{**vars(small), "curves": None})
    with pytest.raises(ValueError, match=r"`explanation` must have shape functions.*`local=LocalLasso\(shapes=True\)`"):
        plot.shapes(plain)
    assert plt.get_fignums() == []


def test_an_unknown_column_is_named_with_some_that_are_known(small):
    with pytest.raises(ValueError, match=r"`feature` must be a column .*'measure 0'.*got 'kind=red'"):
        plot.shapes(small, "kind=red")
    assert plt.get_fignums() == []


def test_style_reaches_the_line_and_the_bars(small):
    assert [line.get_color() for line in lines_of(plot.shapes(small, "measure 0", color="green"))] == ["green"]
    assert plot.shapes(small, "kind", alpha=0.5).patches[0].get_alpha() == 0.5


def test_the_curve_of_a_query_is_its_multiple_of_the_additive_model(made):
    multiple = pd.Series(np.linspace(0, 1, len(made.index)), made.index)
    own = Explanation(**{**vars(made), "multiple": multiple, "shape": 0 * made.design})
    last = made.index[-1]
    (whole,), (line,) = (lines_of(plot.shapes(own, "measure 0", query=query)) for query in (None, last))
    np.testing.assert_allclose(line.get_ydata(), 2 * multiple[last] * whole.get_ydata())
    with pytest.raises(ValueError, match="has no shape functions"):
        plot.shapes(own, "measure 0", query=made.index[0])
    flat = Explanation(**{**vars(own), "curves": own.curves.assign(effect=0.0)})
    (mean,) = lines_of(plot.shapes(flat, "measure 0"))
    np.testing.assert_allclose(mean.get_ydata(), 2 * multiple.mean() * whole.get_ydata())


def test_the_curves_of_classes_enter_a_query_by_all_of_its_multiples(classes):
    names, n_query = classes.outputs, len(classes.index)
    parts = [steps([0.0], [1.0 + k, 2.0 - k]).assign(feature="measure 0", **{"class": name, "level": None})
             for k, name in enumerate(names)]  # fmt: skip
    multiple = np.random.default_rng(0).normal(size=(n_query, len(names), len(names)))
    table = pd.concat(parts, ignore_index=True).assign(curve=lambda table: table["effect"])
    shown = Explanation(**{**vars(classes), "curves": table, "multiple": pd.DataFrame(multiple.reshape(n_query, -1))})
    heights = multiple[2] @ np.array([[1.0 + k, 2.0 - k] for k in range(len(names))])
    drawn = [line.get_ydata()[:2] for line in lines_of(plot.shapes(shown, "measure 0", query=classes.index[2]))]
    np.testing.assert_allclose(drawn, heights)
