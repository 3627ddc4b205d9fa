import datetime as dt

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from heedful._checks import (
    check_choice,
    check_classes,
    check_grid,
    check_number,
    check_positive,
    check_response,
    check_survival,
    check_weights,
)
from heedful._responses import Classification


def test_a_choice_is_returned():
    assert check_choice("task", "auto", ("auto", "other")) == "auto"


@pytest.mark.parametrize("value", ["Auto", "", None, 1, ["auto"], np.array(["auto"])])
def test_anything_but_a_choice_is_refused_with_the_options(value):
    with pytest.raises(ValueError, match="`task` must be one of 'auto', 'other', got"):
        check_choice("task", value, ("auto", "other"))


@pytest.mark.parametrize("value", [0, 0.5, 1, np.float32(0.5), np.int64(1)])
def test_a_number_within_bounds_is_returned_as_a_float(value):
    number = check_number("mixing", value, 0.0, 1.0)
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, np.inf, -np.inf])
def test_a_number_out_of_bounds_is_refused(value):
    with pytest.raises(ValueError, match=r"`mixing` must be >= 0 and <= 1, got .*\. Try 0\.5\."):
        check_number("mixing", value, 0.0, 1.0, hint="Try 0.5.")


@pytest.mark.parametrize("value", ["1", None, True, np.True_, [1.0], np.array([1.0]), 1j])
def test_what_is_no_number_is_a_type_error(value):
    with pytest.raises(TypeError, match="`mixing` must be a number, got"):
        check_number("mixing", value, 0.0, 1.0)


def test_an_open_bound_is_not_reached():
    with pytest.raises(ValueError, match="`alpha` must be > 0, got 0"):
        check_number("alpha", 0, 0.0, np.inf, open_low=True)
    assert check_number("alpha", np.inf, 0.0, np.inf) == np.inf


@pytest.mark.parametrize("value", [0, -1.0, np.nan])
def test_what_is_not_positive_is_refused_with_a_hint(value):
    with pytest.raises(ValueError, match=r"`temperature` must be > 0, got .*\. Try a value near 1\.0\."):
        check_positive("temperature", value)


@pytest.mark.parametrize(
    ("value", "grid"), [(2, (2.0,)), ([1.0, 0.5, 1.0], (1.0, 0.5)), (np.array([3.0]), (3.0,)), ((1, 2), (1.0, 2.0))]
)
def test_a_grid_is_a_tuple_without_repeats(value, grid):
    assert check_grid("temperature", value, "") == grid


@pytest.mark.parametrize("value", [[], "many", None, {1.0: 2.0}, [0.0], [-1.0], np.array([])])
def test_a_grid_without_positive_numbers_is_refused(value):
    with pytest.raises(ValueError, match="`temperature` must be"):
        check_grid("temperature", value, "")


@pytest.mark.parametrize("value", [["a"], [None], np.ones((2, 2)), True])
def test_a_grid_of_other_things_is_a_type_error(value):
    with pytest.raises(TypeError, match="`temperature` must be a number"):
        check_grid("temperature", value, "")


def test_an_array_of_no_dimension_is_a_number_or_an_error_that_names_the_argument():
    with pytest.raises(ValueError, match="`temperature` must be a number > 0"):
        check_grid("temperature", np.array(3.0), "")


@pytest.mark.parametrize(("value", "weight"), [(None, [1, 1, 1]), (2, [2, 2, 2]), ([0, 1, 2], [0, 1, 2])])
def test_sample_weights_are_one_float_per_row(value, weight):
    found = check_weights(value, 3)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, weight)


@pytest.mark.parametrize("value", [[1, 2], [[1, 2, 3]], [1, -1, 1], [1, np.nan, 1], [1, np.inf, 1], [0, 0, 0], 0, -1.0])
def test_bad_sample_weights_are_refused(value):
    with pytest.raises(ValueError, match="`sample_weight` must"):
        check_weights(value, 3)


@pytest.mark.parametrize("value", [[1, 2], np.array([True, False]), np.array([1, 2], dtype=object), ["1", "2"]])
def test_a_response_of_numbers_is_returned_as_floats(value):
    found = check_response(value)
    assert found.dtype == np.float64
    assert found.size == 2


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None])
def test_a_response_that_is_not_finite_is_refused_with_a_count(bad):
    with pytest.raises(ValueError, match=r"`y` must not hold NaN or infinity, got 2 such values"):
        check_response([1.0, bad, bad])


@pytest.mark.parametrize("value", [["a", "b"], [{}, {}], [[1, 2], ["a", "b"]]])
def test_a_response_of_other_things_is_refused(value):
    with pytest.raises(ValueError, match="`y` must be numeric"):
        check_response(np.array(value, dtype=object))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pd.date_range("2024-01-01", periods=3), r"dates. Give days: \(y - y.min\(\)\) / pd.Timedelta\(days=1\)"),
        (pd.Series(pd.date_range("2024-01-01", periods=3, tz="UTC")), "dates"),
        ([dt.date(2024, 1, 1), None], "dates"),
        (pd.period_range("2024-01", periods=3, freq="M"), "dates"),
        (np.array([1, 2], "m8[h]"), r"durations. Give days: y / pd.Timedelta\(days=1\)"),
        ([dt.timedelta(1), dt.timedelta(2)], "durations"),
    ],
)
def test_a_response_of_times_is_refused_with_the_way_to_numbers(value, words):
    with pytest.raises(TypeError, match=f"`y` must be numeric, got {words}"):
        check_response(value)


def test_text_for_a_number_names_the_classifier():
    with pytest.raises(ValueError, match="For labels use a classifier, such as AttentionLassoClassifier"):
        check_response(["a", "b"])


def test_a_complex_response_is_refused():
    with pytest.raises(ValueError, match="`y` must be numeric"):
        check_response(np.array([1j, 2.0]))


LABELS = [
    (["b", "a", "b"], ["a", "b"]),
    ([7, -1, 7], [-1, 7]),
    ([1.0, 0.0, 1.0], [0.0, 1.0]),
    ([True, False, True], [False, True]),
    (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
    (pd.Series(["b", "a", "b"], index=[5, 6, 7]), ["a", "b"]),
    (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"]),
    (pd.Series([7, -1, 7], dtype=object), [-1, 7]),
]


@pytest.mark.parametrize(("given", "labels"), LABELS, ids=[repr(given)[:30] for given, _ in LABELS])
def test_labels_are_sorted_and_rows_get_their_number(given, labels):
    classes, codes = check_classes(given)
    assert classes.tolist() == labels
    assert codes.tolist() == [1, 0, 1]


BAD_LABELS = [
    (["a", "a"], "at least 2 classes, got one class: .*'a'"),
    ([1, 1, 1], "at least 2 classes, got one class: .*1"),
    (["a", None, "b"], "must not hold NaN.* or missing labels"),
    (np.array(["a", np.nan, "b"], dtype=object), "must not hold NaN.* or missing labels"),
    ([0.0, 1.0, np.nan], "must not hold NaN.* or missing labels"),
    ([0.0, 1.0, np.inf], "must not hold NaN"),
    (pd.Series([1, 2, None], dtype="Int64"), "must not hold NaN.* or missing labels"),
    ([0.5, 1.5, 2.7], "Unknown label type: continuous.* For regression use AttentionLasso"),
    (["a", "\ud800"], r"`y` must hold text that can be written as UTF-8, got '\\ud800'"),
    ([["a", "b"], ["b", "a"]], "should be a 1d array"),
    (None, "should be a 1d array"),
]


@pytest.mark.parametrize(("value", "message"), BAD_LABELS, ids=[repr(value)[:30] for value, _ in BAD_LABELS])
def test_bad_labels_are_one_clear_error(value, message):
    with pytest.raises(ValueError, match=message):
        check_classes(value)


@pytest.mark.parametrize("mixed", [[1, "a"], [True, "a", 2.5], [True, 3], [b"a", "a"]])
def test_labels_of_several_kinds_are_refused_by_their_kinds(mixed):
    with pytest.raises(TypeError, match=r"`y` must hold labels of one kind, got .* and .* Convert them first"):
        check_classes(pd.Series(mixed, dtype=object))


@pytest.mark.parametrize("kind", [int, str])
def test_numbers_and_names_of_rows_are_no_classes(kind):
    many = np.arange(400)
    for labels in (many, many % 140):
        with pytest.raises(ValueError, match=r"got (400|140) in 400 rows\. For regression use AttentionLasso"):
            Classification.learn(labels.astype(kind))
    for labels in (many % 100, many[:30]):
        assert Classification.learn(labels.astype(kind)).classes.size == len(set(labels))


def test_labels_in_one_column_are_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert check_classes([["b"], ["a"]])[1].tolist() == [1, 0]


EVENT, TIME = np.array([True, False, True]), np.array([3.0, 2.0, 5.0])


def records(**columns):
    """Return a structured array of these fields, in this order."""
    out = np.empty(3, dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        out[name] = values
    return out


SURVIVAL = {
    "event and time": records(event=EVENT, time=TIME),
    "time and event": records(time=TIME, event=EVENT),
    "whole numbers by name": records(time=TIME.astype(int), event=EVENT.astype(int)),
    "scikit-survival's names": records(cens=EVENT, time=TIME),
    "other names": records(Status=EVENT, Survival_in_days=TIME),
    "other names, time first": records(lenfol=TIME, fstat=EVENT),
    "numbers, event first": records(status=EVENT.astype(int), days=TIME),
    "frame": pd.DataFrame({"event": EVENT, "time": TIME}),
    "frame, time first": pd.DataFrame({"time": TIME, "event": EVENT.astype(float)}, index=[7, 8, 9]),
    "frame with other names": pd.DataFrame({"days": TIME, "died": EVENT}),
    "nullable frame": pd.DataFrame({"time": pd.array([3, 2, 5], dtype="Int64"), "event": pd.array(EVENT, "boolean")}),
    "array": np.column_stack([EVENT, TIME]),
    "list of pairs": list(zip(EVENT.tolist(), TIME.tolist(), strict=True)),
}


@pytest.mark.parametrize("kind", SURVIVAL)
def test_events_and_times_are_found_in_any_form(kind):
    event, time = check_survival(SURVIVAL[kind])
    assert event.dtype == time.dtype == np.float64
    assert event.tolist() == [1.0, 0.0, 1.0]
    assert time.tolist() == [3.0, 2.0, 5.0]


BAD_SURVIVAL = {
    "no event": (records(event=~EVENT & False, time=TIME), "at least one event, got censored rows only"),
    "time zero": (records(event=EVENT, time=TIME * [1, 0, 1]), "times > 0, got 1 that are not; the smallest is 0"),
    "negative time": (records(event=EVENT, time=-TIME), "times > 0, got 3 that are not; the smallest is -5"),
    "NaN time": (records(event=EVENT, time=TIME * [1, np.nan, 1]), "times as finite numbers without NaN"),
    "infinite time": (records(event=EVENT, time=TIME * [1, np.inf, 1]), "times as finite numbers"),
    "text times": (pd.DataFrame({"event": EVENT, "time": list("abc")}), "times as finite numbers"),
    "dates": (pd.DataFrame({"event": EVENT, "time": pd.to_timedelta(TIME, "D")}), "finite numbers.* / pd.Timedelta"),
    "event 2": (records(event=np.array([0, 1, 2]), time=TIME), "events as True and False"),
    "NaN event": (records(event=np.array([0, 1, np.nan]), time=TIME), "events as True and False"),
    "missing event": (
        pd.DataFrame({"event": pd.array([True, None, False], "boolean"), "time": TIME}),
        "events as True and False",
    ),
    "text events": (pd.DataFrame({"event": ["yes", "no", "yes"], "time": TIME}), "events as True and False"),
    "times where events should be": (np.column_stack([TIME, EVENT]), "Times seem to come first and events second"),
    "names that do not tell": (pd.DataFrame({"a": TIME, "b": 1 * EVENT}), "Times seem to come first"),
    "one dimension": (TIME, r"two columns, first event, then time, got ndarray of shape \(3,\)"),
    "three columns": (np.ones((3, 3)), r"got ndarray of shape \(3, 3\)"),
    "three fields": (records(event=EVENT, time=TIME, age=TIME), r"got 3: \['event', 'time', 'age'\]"),
    "one column": (pd.DataFrame({"time": TIME}), r"got 1: \['time'\]"),
    "None": (None, "got NoneType of shape"),
}


@pytest.mark.parametrize("kind", BAD_SURVIVAL)
def test_bad_events_and_times_are_one_clear_error(kind):
    value, message = BAD_SURVIVAL[kind]
    with pytest.raises(ValueError, match=message):
        check_survival(value)
