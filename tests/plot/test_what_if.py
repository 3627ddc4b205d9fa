"""What would be predicted of one query at other values of a column."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, plot
from heedful.similarity import ForestProximity


def line_of(ax):
    (line,) = [line for line in ax.lines if line.get_markersize() == 2.2]
    return line.get_xdata(), line.get_ydata()


def ring_of(ax):
    """Return the point at the query's own value."""
    (ring,) = [line for line in ax.lines if line.get_markersize() == 6.5]
    return ring.get_xdata(), ring.get_ydata()


def mean_of(ax):
    (line,) = [line for line in ax.lines if line.get_label() == "mean"]
    return line.get_xdata(), line.get_ydata()


def test_the_line_is_what_would_be_predicted(small):
    query = small.index[2]
    x, y = line_of(plot.what_if(small, query, "measure 0"))
    found = small.what_if("measure 0", n_values=20, queries=[2])
    np.testing.assert_allclose(x, found["value"].astype(float))
    np.testing.assert_allclose(y, found["prediction"])


def test_the_own_value_is_ringed_at_the_prediction(small, classes):
    query = small.index[2]
    x, y = ring_of(plot.what_if(small, query, "measure 0"))
    np.testing.assert_allclose([x[0], y[0]], [small.values.loc[query, "measure 0"], small.prediction[query]])
    x, y = ring_of(plot.what_if(classes, query, "measure 0", output="mid"))
    np.testing.assert_allclose(y[0], classes.prediction.loc[query, "mid"])


def test_the_grey_line_is_the_mean_of_thirty_evenly_spaced_queries(small):
    x, y = mean_of(plot.what_if(small, small.index[0], "measure 0"))
    chosen = np.unique(np.linspace(0, len(small.index) - 1, 30).round().astype(int))
    found = small.what_if("measure 0", n_values=20, queries=chosen)
    counts = found.groupby("value")["prediction"].agg(["mean", "size"])
    shared = counts[counts["size"] == len(chosen)]
    np.testing.assert_allclose(x, shared.index.astype(float))
    np.testing.assert_allclose(y, shared["mean"])
    assert len(x) >= 19


def test_training_rows_stand_at_the_foot(small):
    ax = plot.what_if(small, small.index[0], "measure 0")
    (rug,) = [line for line in ax.lines if line.get_marker() == "|"]
    np.testing.assert_allclose(rug.get_xdata(), np.sort(small.train_values["measure 0"]))


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "flag": rng.random(80) < 0.5, "kind": rng.choice(["u", "v"], 80)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, 80), "D")
    X["grade"] = pd.Categorical(rng.choice([1, 2, 3], 80), ordered=True)
    X.loc[[0, 5], ["a", "kind"]] = [np.nan, None]
    y = X["a"].fillna(0.0) + 2.0 * X["flag"] + (X["kind"] == "u")
    return AttentionLasso(similarity=ForestProximity(10), random_state=0).fit(X, y).explain(X[:12])


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("column", "names"), [("kind", ["u", "v"]), ("flag", ["false", "true"]), ("grade", list("123"))]
)
def test_levels_stand_side_by_side_and_are_not_joined(mixed, column, names):
    ax = plot.what_if(mixed, 1, column)
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    assert len(line_of(ax)[0]) == 0
    x, y = ring_of(ax)
    assert names[round(x[0])] == str(mixed.values.loc[1, column]).lower()
    np.testing.assert_allclose(y[0], mixed.prediction[1])


@pytest.mark.one_value
@pytest.mark.parametrize("column", ["a", "kind"])
def test_an_own_cell_that_is_missing_stands_at_the_right(mixed, column):
    ax = plot.what_if(mixed, 0, column)
    x, y = ring_of(ax)
    np.testing.assert_allclose(y[0], mixed.prediction[0])
    assert x[0] > np.max(mean_of(ax)[0])
    # and is not joined to the numbers
    assert x[0] not in line_of(ax)[0]


def test_missing_cells_of_other_queries_have_no_place(mixed):
    ax = plot.what_if(mixed, 1, "kind")
    ax.figure.draw_without_rendering()
    assert "missing" not in [text.get_text() for text in ax.get_xticklabels()]
    assert "missing" not in [text.get_text() for text in plot.what_if(mixed, 1, "a").texts]


def test_dates_are_dates(mixed):
    ax = plot.what_if(mixed, 1, "day")
    ax.figure.draw_without_rendering()
    assert any("Feb" in text.get_text() for text in ax.get_xticklabels())


def test_one_query_has_no_mean(rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    one = AttentionLasso(similarity=ForestProximity(10), random_state=0).fit(X, X["a"]).explain(X[:1])
    ax = plot.what_if(one, 0, "a")
    assert "mean" not in [line.get_label() for line in ax.lines]
    np.testing.assert_allclose(ring_of(ax)[1], one.prediction)


def test_labels_do_not_overlap(small, no_overlap, ticks):
    for column in ("measure 0", "kind"):
        ax = plot.what_if(small, small.index[1], column)
        no_overlap([*ticks(ax.xaxis), ax.xaxis.label])
        no_overlap([*ticks(ax.yaxis), ax.yaxis.label])


def test_unknown_columns_are_named(small):
    with pytest.raises(ValueError, match=r"`column` must be a column .*got 'size'"):
        plot.what_if(small, small.index[0], "size")
