import numpy as np
import pandas as pd
import pytest

from heedful._frames import TableReader

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
