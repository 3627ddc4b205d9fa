"""What one column adds, over all queries."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from heedful import plot
from heedful.explain import Explanation
from heedful.plot._style import CLUSTERS, NEUTRAL

HOSTILE = "<b>$\\frac{ of_many\nlines & signs"


def points_of(ax):
    return np.asarray(ax.collections[0].get_offsets()).T


def with_values(explanation, **columns):
    return Explanation(**{**vars(explanation), "values": explanation.values.assign(**columns)})


def key_of(ax):
    """Return the texts beside the axes that say what colours are."""
    legend = ax.get_legend()
    if legend is None:
        return [text.get_text() for text in ax.figure.axes[-1].get_yticklabels()]
    return [text.get_text() for text in (legend.get_title(), *legend.get_texts())]


def test_points_are_contributions_at_the_values_of_the_column(small, classes):
    x, y = points_of(plot.dependence(small, "measure 1"))
    np.testing.assert_allclose(x, small.values["measure 1"])
    np.testing.assert_allclose(y, small.contributions()["measure 1"])
    y = points_of(plot.dependence(classes, "measure 0", output="mid"))[1]
    np.testing.assert_allclose(y, classes.contributions("mid")["measure 0"])


def test_levels_stand_side_by_side_by_frequency_and_missing_cells_apart(small):
    kind = small.values["kind"].where(np.arange(len(small.values)) > 2, None)
    ax = plot.dependence(with_values(small, kind=kind), "kind")
    x, y = points_of(ax)
    np.testing.assert_allclose(y, small.contributions()["kind"])
    ax.figure.draw_without_rendering()
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == [*kind.value_counts().index, "missing"]
    assert [names[place] for place in np.round(x).astype(int)] == kind.fillna("missing").tolist()


def test_missing_numbers_stand_right_of_all_others(small):
    value = small.values["measure 0"].where(np.arange(len(small.values)) > 2)
    ax = plot.dependence(with_values(small, **{"measure 0": value}), "measure 0", "kind")
    x = points_of(ax)[0]
    assert (x[:3] > x[3:].max()).all()
    assert "missing" in [text.get_text() for text in ax.texts]


def test_rare_levels_are_left_out_and_the_axis_says_so(small):
    ax = plot.dependence(with_values(small, kind=[f"level {j}" for j in range(len(small.values))]), "kind", "measure 0")
    assert len(points_of(ax)[0]) == len(ax.collections[0].get_facecolors()) == 15
    assert ax.get_xlabel() == "kind (15 of 45 levels)"


def test_dates_are_dates(small):
    when = pd.Timestamp("2024-02-28") + pd.to_timedelta(np.arange(len(small.values)), unit="D")
    ax = plot.dependence(with_values(small, kind=when), "kind", "kind")
    ax.figure.draw_without_rendering()
    assert any("Mar" in text.get_text() for text in ax.get_xticklabels())
    assert any("2024-03" in text for text in key_of(ax))


def test_colours_follow_another_column(small):
    colours = plot.dependence(small, "measure 0", "measure 1").collections[0].get_facecolors()
    order = np.argsort(small.values["measure 1"])
    assert (np.diff(colours[order, :3].sum(axis=1)) >= -1e-9).all()
    ax = plot.dependence(small, "measure 0", "kind")
    names = small.values["kind"].value_counts().index
    assert key_of(ax) == ["kind", *names]
    hues = {name: to_rgba(hue) for name, hue in zip(names, CLUSTERS, strict=False)}
    assert [tuple(colour) for colour in ax.collections[0].get_facecolors()] == [hues[k] for k in small.values["kind"]]


def test_levels_without_a_hue_of_their_own_are_grey(small):
    kind = pd.Series([f"k{j % 9}" for j in range(len(small.values))], small.values.index)
    kind.iloc[0] = None
    ax = plot.dependence(with_values(small, kind=kind), "measure 0", "kind")
    assert key_of(ax)[-1] == "other or missing"
    assert tuple(ax.collections[0].get_facecolors()[0]) == to_rgba(NEUTRAL)


@pytest.mark.one_value
@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_labels_do_not_overlap_whatever_names_and_numbers_are(small, factor, no_overlap, ticks):
    found = small.attribution()
    large = found._replace(total=factor * found.total, model=factor * found.model)
    values = small.values.assign(**{"measure 0": factor * small.values["measure 0"], "kind": HOSTILE})
    values = values.rename(columns={"kind": HOSTILE * 3})
    found = Explanation(**{**vars(small), "values": values, "attribution": lambda: large})
    ax = plot.dependence(found, "measure 0", HOSTILE * 3)
    no_overlap([*ticks(ax.xaxis), ax.xaxis.label])
    no_overlap([*ticks(ax.yaxis), ax.yaxis.label])


def test_a_narrow_range_far_from_zero_has_few_whole_numbers(small, no_overlap, ticks):
    ax = plot.dependence(with_values(small, **{"measure 0": 1.7e9 + small.values["measure 0"]}), "measure 0")
    shown = ticks(ax.xaxis)
    no_overlap([*shown, ax.xaxis.label])
    assert len({text.get_text() for text in shown}) == len(shown) > 1


def test_an_unknown_column_is_named_with_some_that_are_known(small):
    for call in (lambda: plot.dependence(small, "size"), lambda: plot.local_effects(small, "size")):
        with pytest.raises(ValueError, match=r"`column` must be a column .*'measure 0'.*got 'size'"):
            call()
    with pytest.raises(ValueError, match=r"`color` must be a column .*got 'size'"):
        plot.dependence(small, "kind", "size")
