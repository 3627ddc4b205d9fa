"""Kinds of columns, and tables whose columns are stored in unusual ways."""

import datetime as dt
import decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heedful.cli._columns import conform, convert, describe_columns, kind_of
from heedful.cli._errors import UserError
from heedful.cli._read import read_table

T = Path("t.parquet")
DAY = dt.date(2024, 5, 1)


@pytest.mark.parametrize(
    ("column", "kind", "stored"),
    [
        (pd.Series([1, 2, None], dtype="Int64"), "number", [1.0, 2.0, np.nan]),
        (pd.Series([decimal.Decimal("1.5"), None]), "number", [1.5, np.nan]),
        (pd.Series([None, None]), "number", [np.nan, np.nan]),
        (pd.Series([True, None, False]), "boolean", [1.0, np.nan, 0.0]),
        (pd.Series([True, None], dtype="boolean"), "boolean", [1.0, np.nan]),
        (pd.Series([3, 1], dtype="category"), "text", ["3", "1"]),
        (pd.Series(["a", "b"]), "text", ["a", "b"]),
        (pd.Series([DAY, None]), "date", [pd.Timestamp(DAY), pd.NaT]),
        (pd.Series(pd.to_datetime(["2024-05-01"]).tz_localize("UTC")), "date", [pd.Timestamp(DAY)]),
    ],
)
def test_every_kind_is_stored_in_one_way(column, kind, stored):
    assert kind_of(column) == kind
    found = convert(T, column, kind)
    pd.testing.assert_series_equal(found.astype(object), pd.Series(stored, dtype=object), check_names=False)


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, b"x", 1j])
def test_other_things_are_refused_by_column(cell):
    with pytest.raises(UserError, match=r"t\.parquet: column 'c' .* --drop"):
        describe_columns(T, pd.DataFrame({"c": pd.Series([cell, cell])}))


@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        *(("number", cell) for cell in ("x", "1_000", "１", "True", True, pd.Timestamp(DAY), b"x", [1])),
        *(("boolean", cell) for cell in ("maybe", 2, "0.5", pd.Timestamp(DAY))),
        *(("date", cell) for cell in ("soon", 5, "5", "2024", True)),
    ],
)
def test_a_cell_of_another_kind_is_named(kind, cell):
    table = pd.DataFrame({"c": [cell]})
    with pytest.raises(UserError, match=f"column 'c' must hold {kind}s.*, got .* in row 1"):
        conform(T, table, [{"name": "c", "kind": kind}])


def test_the_row_of_a_bad_cell_is_counted_through_all_blocks():
    with pytest.raises(UserError, match="got 'x' in row 13"):
        convert(T, pd.Series(["1", "x"], index=[11, 12], name="c"), "number")


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("number", ["12345678901234567", "0.1", None, " 1e3 ", "-inf", "18446744073709551616"]),
        ("boolean", ["True", "0", None, "FALSE", "1.0"]),
        ("date", ["2024-05-01", "2024-05-01T12:00:00.123456789Z", None]),
    ],
)
def test_a_cell_of_text_is_the_same_whatever_the_others_are(kind, cells):
    column = pd.Series(cells, dtype=object)
    parts = pd.concat([convert(T, column[k : k + 1], kind) for k in range(len(cells))])
    pd.testing.assert_series_equal(parts, convert(T, column, kind), check_exact=True)


def test_numbers_in_text_are_the_nearest_ones():
    cells = ["12345678901234567", "0.1234567890123456789", "7.1e-300"]
    assert convert(T, pd.Series(cells), "number").tolist() == [float(cell) for cell in cells]


def test_words_and_iso_dates_of_a_csv_fit_the_kinds_of_a_parquet_file():
    table = pd.DataFrame({"flag": ["True", "false", None], "day": ["2024-05-01", "2024-05-01T12:00", None]})
    found = conform(T, table, [{"name": "flag", "kind": "boolean"}, {"name": "day", "kind": "date"}])
    np.testing.assert_array_equal(found["flag"], [1.0, 0.0, np.nan])
    assert found["day"].tolist()[:2] == [pd.Timestamp(2024, 5, 1), pd.Timestamp(2024, 5, 1, 12)]


def test_a_named_index_of_a_parquet_file_is_a_column(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index(["x", "y"], name="key"))
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet")) == ["key", "a"]
    frame.rename_axis(None).to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet")) == ["a"]


def test_a_byte_order_mark_and_blank_lines_do_not_matter(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n")
    table = read_table(tmp_path / "t.csv")
    assert (list(table), table.shape) == (["a", "b"], (2, 2))
