"""The law over libraries: who brought a table does not matter."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from heedful import AttentionLasso
from heedful._frames import TableReader, as_table, read_table
from heedful.similarity import ForestProximity

SIZES = ["S", "M", "L"]
LIBRARIES = ["pandas", "polars", "pyarrow", "pandas of arrow"]


def of_pandas(cells):
    """Return cells as a frame of pandas; "size" is ordered, "kind" is not."""
    frame = pd.DataFrame(cells)
    size = pd.Categorical(cells["size"], categories=SIZES, ordered=True)
    return frame.assign(size=size, kind=pd.Categorical(cells["kind"]), day=pd.to_datetime(cells["day"]))


def of_polars(cells):
    return pl.DataFrame(cells, schema_overrides={"size": pl.Enum(SIZES), "kind": pl.Categorical})


def of_pyarrow(cells):
    table = pa.table(cells)
    at = [None if cell is None else SIZES.index(cell) for cell in cells["size"]]
    size = pa.DictionaryArray.from_arrays(pa.array(at, pa.int8()), pa.array(SIZES), ordered=True)
    kind = pa.array(cells["kind"]).dictionary_encode()
    for name, column in (("size", size), ("kind", kind)):
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def of_library(library, cells):
    if library == "pandas of arrow":
        return (
            of_pyarrow(cells)
            .to_pandas(types_mapper=pd.ArrowDtype)
            .astype({name: pd.ArrowDtype(of_pyarrow(cells)[name].type) for name in ("size", "kind")})
        )
    return {"pandas": of_pandas, "polars": of_polars, "pyarrow": of_pyarrow}[library](cells)


def some_cells(rng, n_rows):
    """Return columns of every kind with a gap in each but the first."""
    start = dt.datetime(2024, 1, 1)
    cells = {
        "number": rng.normal(size=n_rows).tolist(),
        "gaps": rng.normal(size=n_rows).tolist(),
        "count": rng.integers(0, 9, n_rows).tolist(),
        "text": rng.choice(["red", "blue", "Öl"], n_rows).tolist(),
        "on": (rng.random(n_rows) < 0.5).tolist(),
        "day": [(start + dt.timedelta(days=int(days))).date() for days in rng.integers(0, 99, n_rows)],
        "time": [start + dt.timedelta(seconds=int(seconds)) for seconds in rng.integers(0, 10**6, n_rows)],
        "size": rng.choice(SIZES, n_rows).tolist(),
        "kind": rng.choice(["b", "a", "c"], n_rows).tolist(),
    }
    for j, name in enumerate(list(cells)[1:]):
        cells[name][j] = None
    return cells


def codes_of(frame, reader=None):
    table = read_table(BaseEstimator(), frame, reset=True)
    reader = reader or TableReader().fit(table)
    return reader, reader.read(table)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_changes_no_code_name_or_level(library, rng):
    cells = some_cells(rng, 30)
    expected, codes = codes_of(of_pandas(cells))
    found, found_codes = codes_of(of_library(library, cells))
    assert found.names == expected.names
    assert found.levels == expected.levels
    np.testing.assert_array_equal(found_codes, codes)


@pytest.mark.one_value
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_changes_no_prediction(library, rng):
    cells, new = some_cells(rng, 60), some_cells(rng, 12)
    y = np.array(cells["number"]) + np.array([size == "M" for size in cells["size"]])
    model = AttentionLasso(similarity=ForestProximity(8), random_state=0)
    expected = model.fit(of_pandas(cells), y).predict(of_pandas(new))
    np.testing.assert_array_equal(model.predict(of_library(library, new)), expected)
    model.fit(of_library(library, cells), y)
    np.testing.assert_array_equal(model.predict(of_library(library, new)), expected)
    np.testing.assert_array_equal(model.predict(of_pandas(new)), expected)
    assert model.explain(of_library(library, new)).prediction.to_list() == expected.tolist()


@pytest.mark.parametrize("library", LIBRARIES)
def test_ordered_categories_keep_their_order(library, rng):
    table = as_table(of_library(library, some_cells(rng, 9)))
    assert table["size"].dtype == pd.CategoricalDtype(SIZES, ordered=True)
    assert not table["kind"].dtype.ordered


def test_dictionaries_that_differ_from_chunk_to_chunk_are_one():
    chunks = [pa.array(cells).dictionary_encode() for cells in (["b", None], ["a", "b"])]
    reader, codes = codes_of(pa.table({"a": pa.chunked_array(chunks)}))
    assert reader.levels == [["a", "b"]]
    np.testing.assert_array_equal(codes.ravel(), [1.0, np.nan, 0.0, 1.0])


ODD = {
    "decimals": ([Decimal("1.5"), None, Decimal("2.0")], None, [1.5, np.nan, 2.0]),
    "durations": ([dt.timedelta(days=1), None, dt.timedelta(hours=12)], None, [1.0, np.nan, 0.5]),
    "times with a zone": ([dt.datetime(1970, 1, 2, tzinfo=dt.UTC), None], None, [1.0, np.nan]),
    "nothing but nulls": ([None, None], [], [np.nan, np.nan]),
}


@pytest.mark.parametrize(
    "frame", [pl.DataFrame, pa.table, lambda cells: pa.table(cells).to_pandas(types_mapper=pd.ArrowDtype)]
)
@pytest.mark.parametrize("name", ODD)
def test_rarer_kinds_of_columns_are_read_alike(name, frame):
    cells, levels, expected = ODD[name]
    reader, codes = codes_of(frame({"a": cells}))
    assert reader.levels == [levels]
    np.testing.assert_array_equal(codes.ravel(), expected)


def test_a_frame_without_arrow_is_passed_on_as_it_is():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert as_table(frame) is frame


def test_arrow_columns_leave_the_index_and_the_given_frame_alone():
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="int64[pyarrow]"), "b": [1, 2]}, index=["x", "y"])
    table = as_table(frame)
    assert table.index.tolist() == ["x", "y"]
    assert table["a"].dtype == np.float64
    assert isinstance(frame["a"].dtype, pd.ArrowDtype)


def test_repeated_names_are_refused_whoever_brought_them():
    columns = [pa.array([1, 2]), pa.array([3, 4])]
    table = pa.table(columns, names=["a", "a"])
    for frame in (table, pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"], dtype="int64[pyarrow]")):
        with pytest.raises(ValueError, match="`X` must have distinct column names, got 'a' more than once"):
            read_table(BaseEstimator(), frame, reset=True)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_without_columns_or_rows_is_refused(frame):
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        read_table(BaseEstimator(), frame({}), reset=True)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read_table(BaseEstimator(), frame({"a": np.empty(0)}), reset=True)


@pytest.mark.more
def test_polars_is_read_without_pyarrow():
    code = """
import sys
sys.modules["pyarrow"] = None
import polars as pl
from heedful._frames import TableReader, as_table
size = pl.Series(["S", None, "L"], dtype=pl.Enum(["S", "M", "L"]))
kind = pl.Series(["b", "a", None], dtype=pl.Categorical)
table = as_table(pl.DataFrame({"size": size, "kind": kind, "text": ["x", None, "y"], "on": [True, None, False]}))
print(TableReader().fit(table).levels)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[['S', 'L'], ['a', 'b'], ['x', 'y'], None]"
