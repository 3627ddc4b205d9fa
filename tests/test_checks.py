import numpy as np
import pytest

from heedful._checks import check_choice, check_grid, check_number, check_positive, check_response, check_weights


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
    with pytest.raises(ValueError, match=r"`y` must not hold NaN or infinity \(inf\), got 2 such values"):
        check_response([1.0, bad, bad])


@pytest.mark.parametrize("value", [["a", "b"], [{}, {}], [[1, 2], ["a", "b"]]])
def test_a_response_of_other_things_is_refused(value):
    with pytest.raises(ValueError, match="`y` must be numbers"):
        check_response(np.array(value, dtype=object))


def test_a_complex_response_is_refused():
    with pytest.raises(ValueError, match="`y` must be numbers"):
        check_response(np.array([1j, 2.0]))
