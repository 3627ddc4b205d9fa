"""What columns add to each prediction, all queries in one picture."""

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgba

from heedful import plot
from heedful.explain import Explanation
from heedful.plot._style import NEUTRAL


def brightness(colours):
    return np.asarray(colours)[:, :3].sum(axis=1)


def test_points_are_the_contributions_of_the_most_important_columns(each):
    ax = plot.beeswarm(each, 3)
    names = each.importance().index[:3]
    assert len(ax.collections) == 3
    for place, (name, points) in enumerate(zip(names, ax.collections, strict=True)):
        x, y = points.get_offsets().T
        np.testing.assert_allclose(x, each.contributions()[name])
        assert (np.abs(y - place) <= 0.4).all()


def test_colours_follow_the_rank_of_the_value_and_text_is_grey(small):
    ax = plot.beeswarm(small)
    names = list(small.importance().index)
    for name, points in zip(names, ax.collections, strict=True):
        if name == "kind":
            assert {tuple(colour) for colour in points.get_facecolors()} == {to_rgba(NEUTRAL)}
        else:
            bright = brightness(points.get_facecolors())
            assert (np.diff(bright[np.argsort(small.values[name])]) >= -1e-9).all()


def test_colours_do_not_depend_on_the_scale_and_missing_cells_are_grey(small):
    values = small.values.assign(**{"measure 0": np.exp(3 * small.values["measure 0"])})
    values.iloc[3, 0] = np.nan
    changed = Explanation(**{**vars(small), "values": values})
    place = list(small.importance().index).index("measure 0")
    before, after = (plot.beeswarm(e).collections[place].get_facecolors() for e in (small, changed))
    assert tuple(after[3]) == to_rgba(NEUTRAL)
    kept = np.arange(len(before)) != 3
    np.testing.assert_allclose(np.argsort(brightness(before[kept])), np.argsort(brightness(after[kept])))


def test_a_constant_column_has_one_colour(small):
    same = Explanation(**{**vars(small), "values": small.values.assign(**{"measure 0": 1.0})})
    place = list(small.importance().index).index("measure 0")
    assert len(np.unique(plot.beeswarm(same).collections[place].get_facecolors(), axis=0)) == 1


def test_names_do_not_overlap(wide, no_overlap, ticks):
    long = pd.Index([f"$a very long name of a measured quantity, number {j} [mg]" for j in range(60)])
    ax = plot.beeswarm(Explanation(**{**vars(wide), "values": wide.values.set_axis(long, axis=1)}))
    no_overlap(ax.get_yticklabels())
    no_overlap([*ticks(ax.xaxis), ax.xaxis.label])
