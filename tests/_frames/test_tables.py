import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator

from heedful._frames.tables import MOST_LEVELS, Dummies, TableReader, is_frame, merge_rows, read_table, select

LAW = settings(deadline=None, max_examples=50, derandomize=True)
NAN = np.nan


def codes_of(column, **later):
    """Return the levels and codes of one column, or the codes of another one read the same way."""
    reader = TableReader().fit(pd.DataFrame({"a": column}))
    return reader.levels[0], reader.read(pd.DataFrame({"a": later.get("then", column)})).ravel()


DAYS = pd.to_datetime(["1970-01-02 00:00", None, "1970-01-01 12:00"])
COLUMNS = {
    "floats": ([1.5, NAN, -2.0], None, [1.5, NAN, -2.0]),
    "nullable integers": (pd.array([1, None, 3], dtype="Int64"), None, [1.0, NAN, 3.0]),
    "booleans": ([True, False, True], None, [1.0, 0.0, 1.0]),
    "nullable booleans": (pd.array([True, None, False], dtype="boolean"), None, [1.0, NAN, 0.0]),
    "booleans as objects": (pd.Series([True, None, False], dtype=object), None, [1.0, NAN, 0.0]),
    "numbers as objects": (pd.Series([1, None, 2.5], dtype=object), None, [1.0, NAN, 2.5]),
    "dates": (DAYS, None, [1.0, NAN, 0.5]),
    "dates with a zone": (DAYS.tz_localize("UTC"), None, [1.0, NAN, 0.5]),
    "text": (["b", None, "a"], ["a", "b"], [1.0, NAN, 0.0]),
    "text as objects": (pd.Series(["b", None, "a"], dtype=object), ["a", "b"], [1.0, NAN, 0.0]),
    "categories": (pd.Categorical(["b", None, "a"], categories=["b", "a", "c"]), ["a", "b"], [1.0, NAN, 0.0]),
    "ordered categories": (
        pd.Categorical(["lo", "hi", None], categories=["lo", "mid", "hi"], ordered=True),
        ["lo", "hi"],
        [0.0, 1.0, NAN],
    ),
    "numbers as categories": (pd.Categorical([7, 3, 7]), [3, 7], [1.0, 0.0, 1.0]),
    "mixed": (pd.Series(["a", 1, None], dtype=object), [1, "a"], [1.0, 0.0, NAN]),
    "nothing but missing": (pd.Series([None, None], dtype=object), [], [NAN, NAN]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_into_codes(name):
    column, levels, codes = COLUMNS[name]
    found_levels, found = codes_of(column)
    assert found_levels == levels
    np.testing.assert_array_equal(found, codes)


def test_durations_are_read_as_days():
    levels, codes = codes_of(pd.to_timedelta([1.0, None, 2.5], unit="D"))
    assert levels is None
    np.testing.assert_array_equal(codes, [1.0, NAN, 2.5])


def test_an_unseen_level_becomes_missing():
    np.testing.assert_array_equal(codes_of(["a", "b"], then=["b", "new", None])[1], [1.0, NAN, NAN])


def test_text_is_read_where_categories_were_learned():
    learned = pd.Categorical(["a", "b"])
    np.testing.assert_array_equal(codes_of(learned, then=["b", "a"])[1], [1.0, 0.0])
    np.testing.assert_array_equal(codes_of(["a", "b"], then=pd.Categorical(["b", "b"]))[1], [1.0, 1.0])


def test_text_where_numbers_were_learned_is_an_error_that_names_the_column():
    with pytest.raises(ValueError, match="Column 'a' held numbers in `fit`"):
        codes_of([1.0, 2.0], then=["x", "y"])


def test_infinity_is_an_error_that_names_the_column():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.inf]})
    with pytest.raises(ValueError, match="column 'b' does"):
        TableReader().fit(frame).read(frame)
    with pytest.raises(ValueError, match="column 'x1' does"):
        TableReader().fit(frame.to_numpy()).read(frame.to_numpy())


def test_an_array_is_its_own_codes(rng):
    X = rng.normal(size=(4, 2))
    reader = TableReader().fit(X)
    assert reader.names == ["x0", "x1"]
    np.testing.assert_array_equal(reader.read(X), X)


def test_names_are_text_whatever_the_frame_has():
    assert TableReader().fit(pd.DataFrame([[1, 2]], columns=[10, 20])).names == ["10", "20"]


@pytest.mark.parametrize(("X", "answer"), [(np.ones((2, 2)), False), ([[1]], False), (pd.DataFrame({"a": [1]}), True)])
def test_frames_are_told_from_arrays(X, answer):
    assert is_frame(X) is answer


class OtherFrame:
    """A frame of another library: columns, a shape, and columns by name."""

    def __init__(self, columns):
        self._data, self.columns = columns, list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def __getitem__(self, name):
        return self._data[name]


def test_a_frame_of_another_kind_becomes_a_pandas_frame():
    table = read_table(BaseEstimator(), OtherFrame({"a": [1, 2], "b": ["x", "y"]}), reset=True)
    pd.testing.assert_frame_equal(table, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), check_dtype=False)


def test_the_estimator_learns_names_and_number_of_columns():
    learner = BaseEstimator()
    read_table(learner, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), reset=True)
    assert learner.n_features_in_ == 2
    assert learner.feature_names_in_.tolist() == ["a", "b"]


def test_a_table_with_other_columns_is_refused_later():
    learner, frame = BaseEstimator(), pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    read_table(learner, frame, reset=True)
    with pytest.raises(ValueError, match="feature names should match"):
        read_table(learner, frame[["b", "a"]], reset=False)


def test_repeated_column_names_are_refused():
    with pytest.raises(ValueError, match="distinct column names, got 'a' more than once"):
        read_table(BaseEstimator(), pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), reset=True)


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray])
def test_two_rows_are_needed_to_fit_and_one_to_predict(kind):
    learner = BaseEstimator()
    read_table(learner, kind(np.ones((2, 2))), reset=True)
    assert read_table(learner, kind(np.ones((1, 2))), reset=False).shape == (1, 2)
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        read_table(learner, kind(np.ones((1, 2))), reset=True)


FRAME = pd.DataFrame({"a": [1.0], "b": [2.0], "c": ["x"]})


@pytest.mark.parametrize(
    ("columns", "positions"),
    [
        (None, [0, 1, 2]),
        ("b", [1]),
        (["c", "a"], [2, 0]),
        ([2, -3], [2, 0]),
        (np.array([1, 2]), [1, 2]),
        ([True, False, True], [0, 2]),
        (np.array([False, True, False]), [1]),
        (pd.Index(["a", "c"]), [0, 2]),
        (lambda X: X.select_dtypes("number").columns, [0, 1]),
    ],
)
def test_columns_are_selected_by_name_position_mask_or_function(columns, positions):
    np.testing.assert_array_equal(select(FRAME, columns, "model_features"), positions)


@pytest.mark.parametrize("columns", [["z"], [3], [-4], ["a", "z"], [1.5], [None]])
def test_a_column_that_is_not_there_is_an_error_that_names_it(columns):
    with pytest.raises(ValueError, match=f"`model_features` names {columns[-1]!r}, which is not a column"):
        select(FRAME, columns, "model_features")


def test_an_array_has_no_column_names():
    with pytest.raises(ValueError, match=r"names 'a', which is not a column of `X`\. Its columns are 3"):
        select(np.ones((2, 3)), "a", "model_features")


@pytest.mark.parametrize("columns", [[], [False, False, False], lambda X: []])
def test_selecting_nothing_is_refused(columns):
    with pytest.raises(ValueError, match="`model_features` must select at least one column"):
        select(FRAME, columns, "model_features")


def test_a_mask_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="`model_features` is a mask of 2 entries for 3 columns"):
        select(FRAME, [True, False], "model_features")


@pytest.mark.parametrize("columns", [1, slice(0, 2), 2.5])
def test_a_selection_of_the_wrong_kind_is_an_error_that_names_the_argument(columns):
    with pytest.raises(TypeError, match="`model_features`"):
        select(FRAME, columns, "model_features")


def test_dummies_have_one_column_per_level_and_training_means_for_missing_numbers():
    codes = np.array([[1.0, 0.0], [NAN, 1.0], [4.0, 1.0]])
    dummies = Dummies().fit(codes, ["age", "sex"], [None, ["f", "m"]], np.array([1.0, 5.0, 2.0]))
    assert dummies.names == ["age", "sex=f", "sex=m"]
    np.testing.assert_array_equal(dummies.transform(codes), [[1.0, 1.0, 0.0], [3.0, 0.0, 1.0], [4.0, 0.0, 1.0]])


def test_a_missing_category_is_a_level_of_its_own_if_training_rows_have_it():
    codes = np.array([[0.0], [NAN], [1.0]])
    dummies = Dummies().fit(codes, ["sex"], [["f", "m"]], np.ones(3))
    assert dummies.names == ["sex=(missing)", "sex=f", "sex=m"]
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN]])), [[1.0, 0.0, 0.0]])


def test_a_missing_category_that_training_rows_do_not_have_is_zero_everywhere():
    dummies = Dummies().fit(np.array([[0.0], [1.0]]), ["sex"], [["f", "m"]], np.ones(2))
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN]])), [[0.0, 0.0]])


def test_a_column_of_missing_numbers_becomes_zero():
    dummies = Dummies().fit(np.full((2, 1), NAN), ["age"], [None], np.ones(2))
    np.testing.assert_array_equal(dummies.transform(np.array([[NAN], [3.0]])), [[0.0], [3.0]])


def test_only_the_most_frequent_levels_get_a_column():
    codes = np.repeat(np.arange(MOST_LEVELS + 5.0), 2)[1:, None]
    levels = [f"l{code}" for code in range(MOST_LEVELS + 5)]
    dummies = Dummies().fit(codes, ["a"], [levels], np.ones(codes.size))
    assert len(dummies.names) == MOST_LEVELS
    assert "a=l0" not in dummies.names
    assert dummies.transform(np.array([[0.0]])).sum() == 0


def test_rare_is_counted_by_weight():
    codes = np.arange(MOST_LEVELS + 1.0)[:, None]
    weight = np.where(codes[:, 0] == 7, 0.5, 1.0)
    dummies = Dummies().fit(codes, ["a"], [list(range(MOST_LEVELS + 1))], weight)
    assert "a=7" not in dummies.names


def test_limit_pulls_values_back_into_reach_of_the_training_range():
    dummies = Dummies().fit(np.array([[0.0], [10.0]]), ["a"], [None], np.ones(2))
    rows = np.array([[-9.0], [-4.0], [5.0], [99.0]])
    np.testing.assert_array_equal(dummies.limit(rows, 0.5), [[-5.0], [-4.0], [5.0], [15.0]])
    np.testing.assert_array_equal(dummies.limit(rows, 0.0), [[0.0], [0.0], [5.0], [10.0]])
    np.testing.assert_array_equal(dummies.limit(rows, None), rows)


ROWS = arrays(np.float64, (7, 3), elements=st.sampled_from([0.0, 1.0, NAN]))
WEIGHT = arrays(np.float64, 7, elements=st.sampled_from([0.0, 1.0, 2.0]))


def merged(rows, weight):
    """Return the distinct rows (codes, fold, response) and their weights."""
    rows = np.column_stack([rows, np.nan_to_num(rows[:, 0]), np.nan_to_num(rows[:, 1])])
    first, number = merge_rows(rows[:, :3], rows[:, 4], rows[:, 3], weight)
    kept = number >= 0
    return rows[first], np.bincount(number[kept], weights=weight[kept], minlength=first.size)


@LAW
@given(rows=ROWS, weight=WEIGHT, order=st.permutations(range(7)))
def test_merged_rows_do_not_depend_on_the_order(rows, weight, order):
    weight[0] = 1.0
    for one, other in zip(merged(rows, weight), merged(rows[order], weight[order]), strict=True):
        np.testing.assert_array_equal(one, other)


@LAW
@given(rows=ROWS, weight=WEIGHT)
def test_a_row_of_weight_two_is_the_same_row_twice(rows, weight):
    weight[0] = 1.0
    again = np.repeat(np.arange(7), weight.astype(int))
    for one, other in zip(merged(rows, weight), merged(rows[again], np.ones(again.size)), strict=True):
        np.testing.assert_array_equal(one, other)


@LAW
@given(rows=ROWS, weight=WEIGHT)
def test_every_row_finds_itself_among_the_distinct_ones(rows, weight):
    weight[0] = 1.0
    first, number = merge_rows(rows, rows[:, 0], np.zeros(7), weight)
    np.testing.assert_array_equal(number == -1, weight == 0)
    np.testing.assert_array_equal(rows[first][number[weight > 0]], rows[weight > 0])
    assert len({tuple(row) for row in np.nan_to_num(rows[first], nan=9.0)}) == first.size


@pytest.mark.parametrize("part", ["codes", "y", "fold"])
def test_rows_that_differ_in_anything_stay_apart(part):
    parts = {"codes": np.zeros((2, 1)), "y": np.zeros(2), "fold": np.zeros(2)}
    parts[part][1] = 1.0
    first, number = merge_rows(**parts, weight=np.ones(2))
    assert first.size == 2
    assert set(number) == {0, 1}


def test_missing_equals_missing():
    codes = np.array([[NAN, 1.0], [NAN, 1.0]])
    assert merge_rows(codes, np.zeros(2), np.zeros(2), np.ones(2))[0].size == 1
