import logging

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from heedful.context import lag_features
from heedful.similarity import ForestProximity, GaussianSimilarity, RidgeSimilarity

LOOK = {"lags": [1, 3], "differences": True, "rolling": [2, 4], "first": "keep"}


@pytest.fixture
def panel(rng):
    """Three stations of unequal length, their rows interleaved, each in order of time."""
    site = rng.permutation(np.repeat(["a", "b", "c"], [12, 9, 3]))
    return pd.DataFrame(
        {"site": site, "day": np.arange(24), "x": rng.normal(size=24), "count": rng.integers(9, size=24)}
    )


def brute(frame, name, lags, rolling, decay=1.0):
    """Look back from every row by loops over the rows of its site before it."""
    rows = []
    for i in range(len(frame)):
        before = [frame[name][j] for j in range(i) if frame["site"][j] == frame["site"][i]]
        here = [*before, frame[name][i]]
        row = {f"{name}_lag{k}": decay ** (k - 1) * before[-k] if len(before) >= k else np.nan for k in lags}
        row |= {f"{name}_diff{k}": here[-k] - before[-k] if len(before) >= k else np.nan for k in lags}
        for w in rolling:
            window = before[-w:] if len(before) >= w else [np.nan] * w
            row |= {f"{name}_mean{w}": np.mean(window), f"{name}_sd{w}": np.std(window)}
        rows.append(row)
    return pd.DataFrame(rows, index=frame.index)


@pytest.mark.parametrize("decay", [None, 0.5, 1])
def test_every_column_is_that_of_a_loop_over_earlier_rows(decay, panel):
    found = lag_features(panel, "x", by="site", decay=decay, **LOOK)
    expected = brute(panel, "x", [1, 3], [2, 4], decay or 1.0)
    pd.testing.assert_frame_equal(found, pd.concat([panel, expected], axis=1))


@settings(max_examples=60, deadline=None)
@given(
    values=arrays(float, 14, elements=st.floats(-9, 9)), row=st.integers(0, 13), new=st.floats(-9, 9), data=st.data()
)
def test_no_row_sees_a_later_one(values, row, new, data):
    site = data.draw(arrays(np.int64, 14, elements=st.integers(0, 1)))
    site[:6] = 0
    frame = pd.DataFrame({"x": values, "site": site})
    changed = frame.assign(x=np.where(np.arange(14) == row, new, values))
    before, after = (lag_features(one, "x", by="site", decay=0.9, **LOOK) for one in (frame, changed))
    untouched = (np.arange(14) < row) | (site != site[row])
    pd.testing.assert_frame_equal(before[untouched], after[untouched])
    past = [name for name in before if "_diff" not in name and name != "x"]
    pd.testing.assert_series_equal(before.loc[row, past], after.loc[row, past])


def test_each_group_gets_what_it_gets_alone(panel):
    together = lag_features(panel, ["x", "count"], by="site", **LOOK)
    for name in ["a", "b"]:
        own = panel["site"] == name
        pd.testing.assert_frame_equal(together[own], lag_features(panel[own], ["x", "count"], **LOOK))


def test_permuting_the_groups_permutes_the_rows_only(panel):
    stacked = pd.concat([panel[panel["site"] == name] for name in "cab"])
    first, second = (lag_features(frame, "x", 2, by="site", time="day") for frame in (panel, stacked))
    pd.testing.assert_frame_equal(first, second.sort_index())


def test_dropping_leaves_out_the_rows_that_keeping_fills_with_missing(panel):
    dropped, kept = (lag_features(panel, "x", 3, by="site", rolling=4, first=first) for first in ("drop", "keep"))
    pd.testing.assert_frame_equal(dropped, kept.dropna())
    assert set(dropped["site"]) == {"a", "b"}
    assert len(kept) == len(panel)


def test_a_number_of_lags_means_all_up_to_it(panel):
    pd.testing.assert_frame_equal(lag_features(panel, "x", 3), lag_features(panel, ["x"], [1, 2, 3]))


def test_index_other_columns_and_the_users_frame_stay(panel):
    labelled = panel.set_axis([0, 0, *"pqrstuvwxyzabcdefghijk"])
    labelled.attrs["source"] = "gauge"
    copy = labelled.copy()
    found = lag_features(labelled, "x", 2)
    pd.testing.assert_frame_equal(found[panel.columns], labelled[2:], check_flags=False)
    pd.testing.assert_frame_equal(labelled, copy)
    assert found.attrs == {"source": "gauge", "heedful_lags": {"columns": ["x"], "lags": [1, 2], "dropped": 2}}
    assert labelled.attrs == {"source": "gauge"}


def test_whole_numbers_turn_to_floats_only_where_some_are_missing(panel):
    assert lag_features(panel, "count", 1)["count_lag1"].dtype == np.int64
    assert lag_features(panel, "count", 1, first="keep")["count_lag1"].dtype == np.float64


def test_text_and_times_and_categories_have_lags(panel):
    frame = panel.assign(when=pd.Timestamp("2020-01-01") + pd.to_timedelta(panel["day"], "D"))
    frame["kind"] = frame["site"].astype("category")
    found = lag_features(frame, ["site", "when", "kind"], 1, first="keep")
    for name in ["site", "when", "kind"]:
        pd.testing.assert_series_equal(found[f"{name}_lag1"], frame[name].shift(1), check_names=False)


def test_missing_values_stay_missing_where_they_are_looked_at():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0, 5.0, 6.0]})
    found = lag_features(frame, "x", 1, rolling=2, first="keep")
    assert found["x_lag1"].isna().tolist() == [True, False, True, False, False, False]
    assert found["x_mean2"].isna().tolist() == [True, True, True, True, False, False]


def test_decay_moves_only_similarities_that_see_the_scale_of_columns(rng):
    frame, y = pd.DataFrame({"x": rng.normal(size=40)}), rng.normal(size=36)
    plain, shrunk = (lag_features(frame, "x", 4, decay=decay).to_numpy() for decay in (None, 0.5))
    for similarity in (ForestProximity(20, random_state=0), RidgeSimilarity(), GaussianSimilarity()):
        same = (sparse.csr_array(similarity.fit(X, y).scores(X)).toarray() for X in (plain, shrunk))
        np.testing.assert_allclose(*same, rtol=1e-9, atol=1e-12)
    distance = GaussianSimilarity(standardize=False)
    weighted = (plain[:, None] - plain) ** 2 @ 0.25 ** np.array([0, 0, 1, 2, 3])
    np.testing.assert_allclose(distance.fit(shrunk, y).scores(shrunk), -weighted / 2, atol=1e-12)


def test_the_log_counts_rows_and_groups_that_do_not_reach_back(panel, caplog):
    with caplog.at_level(logging.INFO, logger="heedful"):
        lag_features(panel, "x", 4, by="site")
        lag_features(panel, "x", 4, first="keep")
    assert "11 of 24 rows do not reach back 4 rows, among them all of 1 of 3 groups; they are left out" in caplog.text
    assert "4 of 24 rows do not reach back 4 rows, among them all of 0 of 1 groups; they are kept" in caplog.text


def test_time_may_fall_from_one_group_to_the_next(panel):
    stacked = panel.sort_values(["site", "day"])
    assert len(lag_features(stacked, "x", 1, by="site", time="day")) == 21
    with pytest.raises(ValueError, match=r"`time` must increase .* in row 12, counted from 0\. Sort the frame"):
        lag_features(stacked, "x", 1, time="day")


def test_equal_times_and_unknown_times_are_refused():
    frame = pd.DataFrame({"x": np.arange(4.0), "day": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-03", None])})
    with pytest.raises(ValueError, match=r"got 2020-01-03.* after 2020-01-03.* in row 2.*Merge or drop"):
        lag_features(frame[:3], "x", 1, time="day")
    with pytest.raises(ValueError, match=r"`time` must be known, got none in row 3"):
        lag_features(frame, "x", 1, time="day")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": "z"}, "`columns` names 'z', which is no column"),
        ({"columns": []}, "`columns` must name at least one column"),
        ({"by": "town"}, "`by` names 'town'"),
        ({"by": ["site", "day"]}, "`by` must name one column"),
        ({"time": "hour"}, "`time` names 'hour'"),
        ({"lags": 0}, "`lags` must be a whole number >= 1 or a list of such, got 0"),
        ({"lags": []}, "`lags` must be"),
        ({"lags": [1, -1]}, r"`lags` must be .* got \[1, -1\]"),
        ({"lags": 1.5}, "`lags` must be .* got 1.5"),
        ({"lags": True}, "`lags` must be .* got True"),
        ({"rolling": 1}, "`rolling` must be a whole number >= 2"),
        ({"decay": 0}, "`decay` must be > 0 and <= 1"),
        ({"decay": 1.1}, "`decay` must be > 0 and <= 1"),
        ({"first": "fill"}, "`first` must be one of 'drop', 'keep'"),
        ({"lags": 24}, "look back 24 rows, but the longest group has only 24"),
        (
            {"lags": 1, "rolling": 12, "by": "site", "first": "keep"},
            "look back 12 rows, but the longest group has only 12",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, message, panel):
    with pytest.raises(ValueError, match=message):
        lag_features(panel, **({"columns": "x", "lags": 2} | arguments))


@pytest.mark.parametrize("arguments", [{"differences": True}, {"rolling": 2}, {"decay": 0.5}])
def test_arithmetic_on_text_is_refused(arguments, panel):
    with pytest.raises(TypeError, match=f"`{next(iter(arguments))}` needs numbers, but column 'site' holds"):
        lag_features(panel, ["x", "site"], 2, **arguments)


def test_what_is_no_frame_or_has_names_twice_is_refused(panel):
    with pytest.raises(TypeError, match="`frame` must be a data frame of pandas, polars or pyarrow, got ndarray"):
        lag_features(panel[["x"]].to_numpy(), "x", 1)
    with pytest.raises(ValueError, match="distinct column names, got 'x' more than once"):
        lag_features(pd.concat([panel, panel[["x"]]], axis=1), "x", 1)


def test_a_name_that_is_taken_is_refused(panel):
    with pytest.raises(ValueError, match="`frame` has a column 'x_lag1' already"):
        lag_features(lag_features(panel, "x", 1), "x", 1)


def test_a_row_without_a_group_is_refused(panel):
    panel.loc[5, "site"] = None
    with pytest.raises(ValueError, match="`by` must name a group for every row, got none in row 5"):
        lag_features(panel, "x", 1, by="site")


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
@pytest.mark.parametrize("first", ["drop", "keep"])
def test_frames_of_other_libraries_give_what_pandas_frames_give(first, kind, panel):
    options = LOOK | {"by": "site", "time": "day", "first": first}
    given = kind(panel.to_dict("list"))
    found = lag_features(given, ["x", "count"], **options)
    expected = lag_features(panel, ["x", "count"], **options)
    assert type(found) is type(given)
    back = pd.DataFrame(cells_of(found), index=expected.index)
    pd.testing.assert_frame_equal(back, expected, check_dtype=False)


def cells_of(frame):
    """Return the columns of a frame of polars or pyarrow as lists."""
    return frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False)


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_nulls_of_frames_of_other_libraries_stay_null(kind):
    cells = {"x": [1, None, 3, 4], "name": ["a", None, "c", "d"], "on": [True, None, False, True]}
    frame = kind(cells)
    found = cells_of(lag_features(frame, ["x", "name", "on"], 1, first="keep"))
    assert found["x_lag1"] == [None, 1, None, 3]
    assert found["name_lag1"] == [None, "a", None, "c"]
    assert found["on_lag1"] == [None, True, None, False]
    assert {name: found[name] for name in cells} == cells
    with pytest.raises(ValueError, match="`by` must name a group for every row, got none in row 1"):
        lag_features(frame, "x", 1, by="name")


def test_dates_of_polars_frames_order_rows_and_have_lags():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-05"]).to_pydatetime().tolist()
    frame = pl.DataFrame({"day": days}).with_columns(pl.col("day").cast(pl.Date))
    assert lag_features(frame, "day", 1, time="day")["day_lag1"].to_list() == days[:2]
    with pytest.raises(ValueError, match="Sort the frame by time"):
        lag_features(frame.reverse(), "day", 1, time="day")
