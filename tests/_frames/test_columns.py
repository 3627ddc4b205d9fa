from decimal import Decimal

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


SAMPLES = {
    "numbers": [1.0, 2.0],
    "booleans": [True, False],
    "dates": pd.to_datetime(["2024-01-01", "2024-01-02"]),
    "durations": pd.to_timedelta([1, 2], unit="D"),
    "text": ["1", "2"],
    "bytes": pd.Series([b"1", b"2"], dtype=object),
}


@pytest.mark.parametrize("then", SAMPLES)
@pytest.mark.parametrize("first", SAMPLES)
def test_a_column_keeps_its_kind(first, then):
    reader, table = TableReader().fit(pd.DataFrame({"a": SAMPLES[first]})), pd.DataFrame({"a": SAMPLES[then]})
    for use in (reader.check, reader.read):
        if first == then:
            use(table)
            continue
        with pytest.raises(
            ValueError, match=f"Column 'a' held {first} in `fit`, now it holds {then}: .*Convert it first"
        ):
            use(table)


@pytest.mark.parametrize(
    ("first", "way"),
    [("numbers", "pd.to_numeric"), ("dates", "pd.to_datetime"), ("durations", "pd.to_timedelta"), ("text", "astype")],
)
def test_a_refused_column_comes_with_the_way_to_convert_it(first, way):
    with pytest.raises(ValueError, match=way):
        codes_of(SAMPLES[first], then=SAMPLES["bytes"])


def test_one_cell_of_another_kind_is_shown():
    with pytest.raises(ValueError, match="'a' held text in `fit`, now it holds numbers: 7"):
        codes_of(["x", "y"], then=pd.Series(["x", 7], dtype=object))


SAME = [1.0, NAN, 0.0]
ALIKE = {
    "integers": pd.array([1, None, 0], dtype="Int64"),
    "booleans": pd.array([True, None, False], dtype="boolean"),
    "objects": pd.Series([1, None, 0.0], dtype=object),
    "decimals": pd.Series([Decimal(1), None, Decimal(0)], dtype=object),
    "categories": pd.Categorical([1, None, 0]),
    "float32": np.array(SAME, dtype=np.float32),
}


@pytest.mark.parametrize("name", ALIKE)
def test_numbers_are_numbers_however_they_are_held(name):
    np.testing.assert_array_equal(codes_of(SAME, then=ALIKE[name])[1], SAME)
    if name != "categories":
        np.testing.assert_array_equal(codes_of(ALIKE[name], then=SAME)[1], SAME)


@pytest.mark.parametrize("cell", [2, 0.5, -1])
def test_no_number_but_0_and_1_is_a_boolean(cell):
    for held, truth in ((float, bool), (object, object), ("category", "category")):
        column, flags = pd.Series([cell, 1]).astype(held), pd.Series([True, False]).astype(truth)
        with pytest.raises(ValueError, match="'a' held booleans in `fit`, now it holds numbers"):
            codes_of(flags, then=column)
        with pytest.raises(ValueError, match=r"'a' held numbers in `fit`, now it holds booleans: .* first\.$"):
            codes_of(column, then=flags)
    with pytest.raises(ValueError, match="now it holds booleans"):
        TableReader().fit(np.array([[cell], [1]])).check(np.array([[True]]))
    TableReader().fit(np.array([[0.0, NAN], [1.0, NAN]])).check(np.array([[True, False]]))


def test_booleans_among_numbers_are_numbers():
    assert TableReader().fit(pd.DataFrame({"a": pd.Series([True, 2.5], dtype=object)})).kinds == [("numbers",)]


def test_categories_of_numbers_are_read_from_plain_numbers():
    np.testing.assert_array_equal(codes_of(pd.Categorical([7, 3]), then=[3.0, 7.0])[1], [0.0, 1.0])


def test_some_of_the_kinds_of_a_mixed_column_are_enough():
    mixed = pd.Series([1, "1", "b"], dtype=object)
    assert codes_of(mixed)[0] == [1, "1", "b"]
    np.testing.assert_array_equal(codes_of(mixed, then=[1, 1])[1], [0.0, 0.0])
    np.testing.assert_array_equal(codes_of(mixed, then=["1", "b"])[1], [1.0, 2.0])


EMPTY = {
    "floats": [NAN, NAN],
    "objects": pd.Series([None, None], dtype=object),
    "text": pd.Series([None, None], dtype="string"),
    "dates": pd.to_datetime([None, None]),
    "categories": pd.Categorical([None, None], categories=["other"]),
}


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("other", SAMPLES)
def test_a_column_of_missing_cells_is_of_any_kind(empty, other):
    np.testing.assert_array_equal(codes_of(SAMPLES[other], then=EMPTY[empty])[1], [NAN, NAN])
    np.testing.assert_array_equal(codes_of(EMPTY[empty], then=SAMPLES[other])[1], [NAN, NAN])


def test_an_array_has_numbers_and_nothing_else():
    reader = TableReader().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    for use in (reader.check, reader.read):
        with pytest.raises(ValueError, match="Column 'b' held text in `fit`, now it holds numbers"):
            use(np.ones((2, 2)))
    np.testing.assert_array_equal(reader.read(np.array([[5.0, NAN]])), [[5.0, NAN]])


def test_a_column_without_a_cell_in_an_array_stays_missing():
    reader = TableReader().fit(np.array([[1.0, NAN], [2.0, NAN]]))
    np.testing.assert_array_equal(reader.read(np.array([[3.0, 4.0]])), [[3.0, NAN]])


def test_a_warning_tells_that_most_cells_have_levels_never_seen():
    reader = TableReader().fit(pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}))
    with pytest.warns(UserWarning, match="Column 'b': 2 of 3 cells hold levels.*'X', 'Y'.*as in `fit`: 'x', 'y'"):
        reader.check(pd.DataFrame({"a": ["x", "y", "z", None], "b": ["X", "Y", "y", None]}))
    reader.check(pd.DataFrame({"a": ["x", "z"], "b": [None, None]}))


def test_infinity_is_an_error_that_names_the_column():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.inf]})
    with pytest.raises(ValueError, match="column 'b' does"):
        TableReader().fit(frame).read(frame)
    with pytest.raises(ValueError, match="column 'x1' does"):
        TableReader().fit(frame.to_numpy()).read(frame.to_numpy())


def test_an_array_of_objects_is_read_as_one_of_numbers():
    X = np.array([[1.5, None], [2, None]], dtype=object)
    assert TableReader().fit(X).kinds == [("numbers",), ()]
    np.testing.assert_array_equal(TableReader().fit(X).read(X), [[1.5, NAN], [2.0, NAN]])


def test_an_array_is_its_own_codes(rng):
    X = rng.normal(size=(4, 2))
    reader = TableReader().fit(X)
    assert reader.names == ["x0", "x1"]
    np.testing.assert_array_equal(reader.read(X), X)


def test_names_are_text_whatever_the_frame_has():
    assert TableReader().fit(pd.DataFrame([[1, 2]], columns=[10, 20])).names == ["10", "20"]
