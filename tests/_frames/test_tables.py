import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from heedful._frames import is_frame, read_table, select


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


@pytest.mark.parametrize("dtype", ["datetime64[D]", "datetime64[ns]", "timedelta64[h]"])
def test_an_array_of_times_is_refused_as_its_numbers_would_depend_on_the_unit(dtype):
    times = np.arange(4).astype(dtype).reshape(2, 2)
    for reset in (True, False):
        with pytest.raises(TypeError, match=r"`X` must be numeric if it is an array, got .*pandas.DataFrame\(X\)"):
            read_table(BaseEstimator(), times, reset=reset)
    read_table(BaseEstimator(), pd.DataFrame(times, columns=["a", "b"]), reset=True)


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
    np.testing.assert_array_equal(select(FRAME, columns, "features"), positions)


@pytest.mark.parametrize("columns", [["z"], [3], [-4], ["a", "z"], [1.5], [None]])
def test_a_column_that_is_not_there_is_an_error_that_names_it(columns):
    with pytest.raises(ValueError, match=f"`features` names {columns[-1]!r}, which is not a column"):
        select(FRAME, columns, "features")


def test_an_array_has_no_column_names():
    with pytest.raises(ValueError, match=r"names 'a', which is not a column of `X`\. Its columns are 3"):
        select(np.ones((2, 3)), "a", "features")


@pytest.mark.parametrize("columns", [[], [False, False, False], lambda X: []])
def test_selecting_nothing_is_refused(columns):
    with pytest.raises(ValueError, match="`features` must select at least one column"):
        select(FRAME, columns, "features")


def test_a_mask_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="`features` is a mask of 2 entries for 3 columns"):
        select(FRAME, [True, False], "features")


@pytest.mark.parametrize("columns", [["a", "a"], [0, 1, 0], ["a", 0], [0, -3]])
def test_a_column_is_selected_once(columns):
    with pytest.raises(ValueError, match=r"`features` must name each column once, got .* more than once"):
        select(FRAME, columns, "features")


@pytest.mark.parametrize("columns", [1, slice(0, 2), 2.5])
def test_a_selection_of_the_wrong_kind_is_an_error_that_names_the_argument(columns):
    with pytest.raises(TypeError, match="`features`"):
        select(FRAME, columns, "features")
