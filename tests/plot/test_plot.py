"""What every picture promises."""

import inspect
import sys
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests._effects.cases import assess, draw_rows

from heedful import plot
from heedful._effects.overlap import assess_overlap
from heedful._responses import CountsOrCosts
from heedful.explain import Explanation

ALL = [getattr(plot, name) for name in plot.__all__]
OF_QUERY = (plot.attended_rows, plot.coefficient_path, plot.contributions, plot.small_model, plot.what_if)
OF_COLUMN = (plot.dependence, plot.local_effects)
OF_NUMBERS = (plot.calibration, plot.lift)
# Pictures of answers about effects, and what these are called.
OF_EFFECTS = {plot.gain_curve: "heterogeneity", plot.balance: "overlap"}
OF_OUTPUT = (
    plot.coefficient_path,
    plot.contributions,
    plot.heatmap,
    plot.shapes,
    plot.beeswarm,
    plot.importance,
    plot.small_model,
    plot.what_if,
    *OF_COLUMN,
)


def as_costs(explanation):
    """Return an explanation as if its queries had costs."""
    costs = pd.Series(np.arange(1.0, len(explanation.index) + 1), explanation.index)
    words = CountsOrCosts(2.0).words
    return replace(explanation, task="gamma", words=words, y=costs, prediction=costs, baseline_prediction=costs[::-1])


def answer(name, n_rows=60):
    """Return an answer about effects."""
    rows = draw_rows(np.random.default_rng(0), n_rows)
    table = pd.DataFrame({"baseline": rows.outcome, "a column of a long, long, long name": rows.y})
    return assess(rows) if name == "heterogeneity" else assess_overlap(table, rows)


def beside_query(function):
    """Return what a picture of one query takes beside it."""
    return ("measure 0",) if function is plot.what_if else ()


def call(function, explanation, **how):
    if function in OF_EFFECTS:
        return function(answer(OF_EFFECTS[function]), **how)
    arguments = (explanation.index[0],) if function in OF_QUERY else ()
    # effects are known of the most important columns only
    column = (
        explanation.effects().index.get_level_values("feature")[0] if function is plot.local_effects else "measure 0"
    )
    arguments += (column,) if function in OF_COLUMN else beside_query(function)
    explanation = as_costs(explanation) if function in OF_NUMBERS else explanation
    return function(explanation, *arguments, **how)


@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
class TestEveryPicture:
    @pytest.mark.each_value
    def test_axes_that_are_given_are_used_and_no_figure_is_left_open(self, function, each):
        figure, axes = plt.subplots(1, 2)
        assert call(function, each, ax=axes[1]) is axes[1]
        assert axes[1].has_data()
        assert not axes[0].has_data()
        assert plt.get_fignums() == [figure.number]

    @pytest.mark.each_value
    def test_without_axes_there_is_one_new_figure_as_wide_as_a_notebook(self, function, each):
        ax = call(function, each)
        assert plt.get_fignums() == [ax.figure.number]
        assert ax.figure.get_figwidth() == 7.0
        assert ax.get_title() == ""

    def test_settings_of_matplotlib_stay_as_they_are(self, function, small):
        before = dict(mpl.rcParams)
        call(function, small).figure.draw_without_rendering()
        assert dict(mpl.rcParams) == before

    @pytest.mark.each_value
    def test_no_text_is_smaller_than_seven_points(self, function, each):
        ax = call(function, each)
        ax.figure.draw_without_rendering()
        texts = ax.figure.findobj(mpl.text.Text)
        assert min(text.get_fontsize() for text in texts if text.get_text() and text.get_visible()) >= 7

    def test_fonts_follow_the_users_settings(self, function, small):
        with mpl.rc_context({"font.size": 20}):
            ax = call(function, small)
        assert ax.xaxis.label.get_fontsize() == 17

    def test_an_estimator_is_refused_and_leaves_no_figure(self, function):
        name = OF_EFFECTS.get(function, "explanation")
        method = OF_EFFECTS.get(function, "explain")
        with pytest.raises(TypeError, match=rf"`{name}` must be .*got object.*model\.{method}"):
            function(object(), *((0,) if function in OF_QUERY + OF_COLUMN else ()), *beside_query(function))
        assert plt.get_fignums() == []

    def test_a_missing_matplotlib_is_named_with_its_remedy(self, function, small, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(ImportError, match=r"`heedful.plot` needs matplotlib, .*pip install 'heedful\[plot\]'"):
            call(function, small)

    def test_takes_an_explanation_axes_by_name_and_style(self, function):
        parameters = inspect.signature(function).parameters
        assert next(iter(parameters)) == OF_EFFECTS.get(function, "explanation")
        assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters["style"].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize("function", OF_QUERY, ids=lambda function: function.__name__)
def test_an_unknown_query_is_named_with_some_that_are_known(function, small):
    with pytest.raises(ValueError, match=r"`query` must be a label .*'case 45'.*got 'nobody'"):
        function(small, "nobody", *beside_query(function))
    assert plt.get_fignums() == []


def test_a_label_of_several_rows_is_refused(small):
    same = Explanation(**{**vars(small), "coef": small.coef.set_axis(["twin"] * len(small.coef))})
    with pytest.raises(ValueError, match=r"45 rows have.*reset_index"):
        plot.contributions(same, "twin")


@pytest.mark.parametrize("function", OF_OUTPUT, ids=lambda function: function.__name__)
def test_an_unknown_class_is_refused(function, classes, small):
    with pytest.raises(ValueError, match=r"`output` must be one of the classes.*got 'none'"):
        call(function, classes, output="none")
    with pytest.raises(ValueError, match="`output` must be None where"):
        call(function, small, output="high")
    assert plt.get_fignums() == []


def test_without_y_all_pictures_but_errors_are_drawn(unknown):
    for function in ALL:
        if function is not plot.cluster_errors:
            assert call(function, unknown).has_data()
