"""Which columns matter over all queries."""

import numpy as np
import pandas as pd
import pytest

from heedful import plot
from heedful.explain import Explanation
from heedful.explain._attribution import Attribution


def names_of(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def with_parts(explanation, total, model):
    """Return an explanation with these contributions, of every query, by column."""
    n_query = len(explanation.index)
    total, model = (np.tile(values, (n_query, 1, 1)) for values in (total, model))
    found = Attribution(np.zeros(1), total, model, model)
    return Explanation(**{**vars(explanation), "attribution": lambda: found})


def test_parts_stand_end_to_end_and_add_up_to_the_importance(small):
    ax = plot.importance(small)
    table = small.importance()
    assert names_of(ax) == list(table.index)
    first, second = ax.containers
    np.testing.assert_allclose([bar.get_width() for bar in first], table["attention"])
    np.testing.assert_allclose([bar.get_width() for bar in second], table["model"])
    together = [one.get_width() + other.get_width() for one, other in zip(first, second, strict=True)]
    np.testing.assert_allclose(together, table["contribution"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["attention", "own model"]


def test_a_part_against_the_whole_is_left_of_zero(small):
    ax = plot.importance(with_parts(small, [4.0, 2.0, 1.0, 0.5], [5.0, 1.0, -1.0, 0.5]))
    attention, model = ax.containers
    assert [bar.get_x() for bar in attention][:3] == [0.0, 0.0, 0.0]
    assert [bar.get_width() for bar in attention] == [-1.0, 1.0, 2.0, 0.0]
    # beside a negative part the other starts at zero, beside a positive one at its end
    assert [bar.get_x() for bar in model] == [0.0, 1.0, 0.0, 0.0]


def test_the_rest_is_one_bar(wide):
    ax = plot.importance(wide, 5)
    table = wide.importance()
    assert names_of(ax)[-1] == f"sum of {len(table) - 5} others"
    last = sum(bars[-1].get_width() for bars in ax.containers)
    np.testing.assert_allclose(last, table["contribution"].iloc[5:].sum())


def test_columns_that_add_only_rounding_are_among_the_rest(small):
    ax = plot.importance(with_parts(small, [4.0, 1e-12, 1e-13, 0.0], [4.0, 0.0, 0.0, 0.0]))
    assert names_of(ax) == ["measure 0", "sum of 3 others"]
    assert [text.get_text() for text in ax.texts] == ["4", "0"]


def test_nothing_that_matters_is_a_picture_too(small):
    assert len(names_of(plot.importance(with_parts(small, [0.0] * 4, [0.0] * 4)))) == 2


@pytest.mark.one_value
@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_labels_do_not_overlap_with_long_names_and_large_numbers(wide, factor, no_overlap, ticks):
    long = pd.Index([f"a very long name of a measured quantity, number {j} [mg]" for j in range(wide.values.shape[1])])
    found = wide.attribution()
    large = found._replace(total=factor * found.total, model=factor * found.model)
    renamed = wide.values.set_axis(long, axis=1)
    ax = plot.importance(Explanation(**{**vars(wide), "values": renamed, "attribution": lambda: large}))
    assert len(set(names_of(ax))) == 11
    no_overlap(ax.get_yticklabels())
    no_overlap([*ax.texts, *ax.get_legend().get_texts(), ax.xaxis.label, *ticks(ax.xaxis)])


def test_the_axis_says_what_the_classes_and_hazards_are_measured_in(small, classes):
    assert (
        plot.importance(classes).get_xlabel()
        == "mean absolute contribution\nto linear predictor\nof the likeliest class"
    )
    assert plot.importance(classes, output="mid").get_xlabel().endswith("\nto linear predictor of class mid")
    hazard = Explanation(**{**vars(small), "words": small.words._replace(link="log hazard")})
    assert plot.importance(hazard).get_xlabel() == "mean absolute contribution\nto log hazard"


def test_no_columns_are_refused(small):
    with pytest.raises(ValueError, match="`k` must be"):
        plot.importance(small, 0)
