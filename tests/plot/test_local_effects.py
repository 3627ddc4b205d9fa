"""Local effects of one column, over all queries."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionRegressor, plot


def points_of(ax):
    return np.asarray(ax.collections[0].get_offsets()).T


def whiskers_of(ax):
    """Return the ends of the strokes behind the points."""
    found = [part for part in ax.collections if hasattr(part, "get_segments")]
    return np.array([segment[:, 1] for part in found for segment in part.get_segments()]).reshape(-1, 2)


def with_ends(explanation, reach, n_query=None):
    """Return an explanation of the first queries whose effects are known up to ``reach``."""
    ends = explanation.effects()
    ends = ends.assign(low=ends["effect"] - reach, high=ends["effect"] + reach)
    n_query = n_query or len(explanation.index)
    ends = ends.iloc[: len(ends) // len(explanation.index) * n_query]
    parts = {name: getattr(explanation, name)[:n_query] for name in ("coef", "values", "link")}
    return replace(explanation, **parts, compute_effects=lambda _: ends)


def test_points_are_effects_at_the_values_of_the_column_beside_their_mean(small):
    ax = plot.local_effects(small, "measure 0")
    x, y = points_of(ax)
    np.testing.assert_allclose(x, small.values["measure 0"])
    np.testing.assert_allclose(y, small.effect["measure 0"])
    dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    np.testing.assert_allclose(dashed, [small.effect["measure 0"].mean()])
    assert ax.get_ylabel() == "effect on prediction\nper unit"


def test_levels_have_effects_of_their_own_and_no_mean(small):
    ax = plot.local_effects(small, "kind")
    np.testing.assert_allclose(points_of(ax)[1], small.effect["kind"])
    assert not [line for line in ax.lines if line.get_linestyle() == "--"]
    assert ax.get_ylabel() == "effect of the level on\nprediction"


def test_effects_of_a_class_or_of_the_likeliest_one(classes):
    y = points_of(plot.local_effects(classes, "measure 0", output="mid"))[1]
    np.testing.assert_allclose(y, classes.effect["mid", "measure 0"])
    y = points_of(plot.local_effects(classes, "measure 0"))[1]
    likely = classes.link.idxmax(axis=1)
    np.testing.assert_allclose(y, [classes.effect.loc[query, (name, "measure 0")] for query, name in likely.items()])


def test_few_queries_have_whiskers_where_they_are_known(small):
    few = with_ends(small, 0.3, 30)
    ends = few.effects().xs("measure 0", level="feature")
    np.testing.assert_allclose(np.sort(whiskers_of(plot.local_effects(few, "measure 0"))), ends[["low", "high"]])
    assert len(whiskers_of(plot.local_effects(with_ends(small, 0.3), "measure 0"))) == 0
    assert len(whiskers_of(plot.local_effects(with_ends(small, np.nan, 30), "measure 0"))) == 0


def test_whiskers_of_one_level_stand_beside_each_other(small):
    few = with_ends(small, 0.3, 20)
    x, y = points_of(plot.local_effects(few, "kind"))
    np.testing.assert_allclose(y, few.effects().xs("kind", level="feature")["effect"])
    assert len(set(np.round(x, 6))) == 20
    names = few.values["kind"].value_counts().index
    assert [names[round(place)] for place in x] == few.values["kind"].tolist()


def test_a_column_whose_effects_are_not_known_is_refused(small):
    known = small.effects()
    fewer = known[known.index.get_level_values("feature") != "measure 0"]
    with pytest.raises(ValueError, match=r"3 most important columns.*'measure 0'.*local_effects"):
        plot.local_effects(replace(small, compute_effects=lambda _: fewer), "measure 0")


def test_learners_are_sent_to_the_estimator(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    e = AttentionRegressor(mixing=0.5, temperature=0.1, random_state=0).fit(X, X["a"]).explain(X[:3])
    with pytest.raises(ValueError, match=r"local_effects\(X\)"):
        plot.local_effects(e, "a")
