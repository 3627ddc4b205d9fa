import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from heedful._frames import TableReader, as_column, as_table, cell_kinds, utc_times

NAN = np.nan
BERLIN = dt.timezone(dt.timedelta(hours=1))
# days from 1970 to the first and the last day that Python knows
FIRST, LAST = -719162.0, 2932896.0
CELLS = {
    "decimals": ("numbers", [Decimal("1.5"), None, Decimal("NaN"), Decimal(2)], [1.5, NAN, NAN, 2.0]),
    "decimals among numbers": ("numbers", [Decimal("1.5"), 2, 2.5, True], [1.5, 2.0, 2.5, 1.0]),
    "fractions": ("numbers", [Fraction(1, 4), None, 3], [0.25, NAN, 3.0]),
    "dates": ("dates", [dt.date(1970, 1, 2), None, dt.date(9999, 12, 31), dt.date(1, 1, 1)], [1.0, NAN, LAST, FIRST]),
    "times": ("dates", [dt.datetime(1970, 1, 1, 12), dt.datetime(9999, 12, 31), pd.NaT], [0.5, LAST, NAN]),
    "times of several zones": (
        "dates",
        [dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(1970, 1, 3, 1, tzinfo=BERLIN), pd.Timestamp(0)],
        [1.0, 2.0, 0.0],
    ),
    "NumPy's dates": ("dates", [np.datetime64("1970-02"), np.datetime64("1970-01-01T06")], [31.0, 0.25]),
    "periods": ("dates", [pd.Period("1970-02", "M"), None, pd.Period("9999-12-31", "D")], [31.0, NAN, LAST]),
    "durations": ("durations", [dt.timedelta(hours=6), None, dt.timedelta(days=200_000)], [0.25, NAN, 200_000.0]),
    "NumPy's durations": ("durations", [np.timedelta64(1, "D"), pd.Timedelta(hours=12)], [1.0, 0.5]),
    "long durations": ("durations", [dt.timedelta.max, dt.timedelta.min], [999999999 + 1 - 1e-8 / 864, -999999999.0]),
    "times of day": ("times of day", [dt.time(18), None], [0.75, NAN]),
}


def read(frame):
    """Return the reader of a table of one column, and the codes of it."""
    table = as_table(frame)
    reader = TableReader().fit(table)
    return reader, reader.read(table).ravel()


@pytest.mark.parametrize("name", CELLS)
def test_objects_that_can_be_measured_are_no_categories(name):
    kind, cells, expected = CELLS[name]
    reader, codes = read(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))
    assert reader.kinds == [(kind,)]
    assert reader.levels == [None]
    np.testing.assert_array_equal(codes, expected)


@pytest.mark.parametrize(
    "frame", [pl.DataFrame, pa.table, lambda cells: pa.table(cells).to_pandas(types_mapper=pd.ArrowDtype)]
)
@pytest.mark.parametrize("name", ["dates", "durations", "times of day"])
def test_other_libraries_have_the_same_kinds(name, frame):
    kind, cells, expected = CELLS[name]
    reader, codes = read(frame({"a": cells}))
    assert reader.kinds == [(kind,)]
    np.testing.assert_array_equal(codes, expected)


ARROW = {
    "decimal128": (pa.array([Decimal("1.25"), None], pa.decimal128(38, 10)), "numbers", 1.25),
    "decimal256": (pa.array([Decimal("1.25"), None], pa.decimal256(60, 10)), "numbers", 1.25),
    "date32": (pa.array([dt.date(1970, 1, 2), None], pa.date32()), "dates", 1.0),
    "date64": (pa.array([dt.date(1970, 1, 2), None], pa.date64()), "dates", 1.0),
    "zone": (pa.array([86400, None], pa.timestamp("s", "Europe/Berlin")), "dates", 1.0),
    "duration": (pa.array([43200, None], pa.duration("s")), "durations", 0.5),
}


@pytest.mark.parametrize("to_pandas", [False, True])
@pytest.mark.parametrize("name", ARROW)
def test_types_of_arrow_are_read(name, to_pandas):
    cells, kind, expected = ARROW[name]
    table = pa.table({"a": cells})
    reader, codes = read(table.to_pandas() if to_pandas else table)
    assert reader.kinds == [(kind,)]
    np.testing.assert_array_equal(codes, [expected, NAN])


@pytest.mark.parametrize("freq", ["Y", "M", "D", "h", "s"])
def test_a_period_is_its_start(freq):
    periods = pd.period_range("2024-01-01", periods=3, freq=freq)
    codes = read(pd.DataFrame({"a": periods}))[1]
    np.testing.assert_array_equal(codes, read(pd.DataFrame({"a": periods.start_time}))[1])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_of_dates_makes_no_difference(unit, rng):
    times = np.array(rng.integers(-(2**32), 2**32, 200), "datetime64[s]")
    expected = read(pd.DataFrame({"a": times}))[1]
    np.testing.assert_array_equal(read(pd.DataFrame({"a": times.astype(f"datetime64[{unit}]")}))[1], expected)
    objects = pd.Series(times.astype("datetime64[us]").astype(object), dtype=object)
    np.testing.assert_array_equal(read(pd.DataFrame({"a": objects}))[1], expected)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_dates_out_of_reach_of_nanoseconds_are_read(zone):
    days = pd.Series(np.array(["9999-12-30", "NaT", "0001-01-03"], "datetime64[us]")).dt.tz_localize("UTC")
    column = days.dt.tz_localize(None) if zone is None else days.dt.tz_convert(zone)
    np.testing.assert_array_equal(read(pd.DataFrame({"a": column}))[1], [LAST - 1, NAN, FIRST + 2])


def test_a_number_too_large_for_a_float_is_infinite_and_refused():
    for cell in (10**400, -Fraction(10**400)):
        with pytest.raises(ValueError, match="column 'a' does"):
            read(pd.DataFrame({"a": pd.Series([cell, 1], dtype=object)}))


MANY = [[[1, 2], [3]], [{"b": 1}, {"b": 2}], [{1}, None], [np.ones(2), np.ones(2)], [([1],), None], [1j, 2.0]]


@pytest.mark.parametrize("cells", MANY, ids=lambda cells: type(cells[0]).__name__)
def test_cells_of_several_values_are_refused_by_the_name_of_their_column(cells):
    with pytest.raises(TypeError, match="Column 'a' must hold numbers, dates, text or categories, got a cell of type"):
        read(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table])
@pytest.mark.parametrize("cells", [[[1, 2], [3]], [{"b": 1}, {"b": 2}]])
def test_lists_and_structs_of_other_libraries_are_refused_too(cells, frame):
    with pytest.raises(TypeError, match="Column 'a' must hold"):
        read(frame({"a": cells}))


def test_complex_numbers_do_not_lose_a_part():
    with pytest.raises(TypeError, match="Column 'a' must hold numbers"):
        read(pd.DataFrame({"a": np.array([1j, 2.0])}))


TIMES = [dt.datetime(2026, 1, 1, 1), dt.datetime(2026, 1, 2)]


@pytest.mark.parametrize(
    "times",
    [
        TIMES,
        pd.Series(TIMES).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        pl.Series(TIMES).dt.replace_time_zone("UTC"),
        pa.chunked_array([pa.array(TIMES, pa.timestamp("us", "UTC"))]),
        pd.Series(TIMES).astype(pd.ArrowDtype(pa.timestamp("us"))),
        pd.PeriodIndex(TIMES, freq="h"),
        [time.replace(tzinfo=dt.UTC).astimezone(BERLIN) for time in TIMES],
    ],
)
def test_times_of_any_library_and_zone_are_in_utc(times):
    column = as_column(times)
    assert cell_kinds(column) == ("dates",)
    np.testing.assert_array_equal(utc_times(column), np.array(TIMES, "datetime64[us]"))
