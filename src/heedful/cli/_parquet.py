"""Tables in Parquet files, as pandas would read them, and as many rows of them at a time as are asked for."""

import importlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import pandas as pd

from heedful.cli._columns import check_distinct
from heedful.cli._errors import UserError, one_line

PARQUET = (".parquet", ".pq")
# Bytes of a column that are read ahead.
AHEAD = 2**16


class ParquetTable:
    """A Parquet file; an index that has a name is a column."""

    def __init__(self, path: Path):
        self._path, self._arrow = path, need_parquet(path)
        with _reading(path), self._open() as file:
            self.n_rows = file.metadata.num_rows
            self._fields, self._range = file.schema_arrow.names, _range_index(file.schema_arrow, self.n_rows)
            self.names = list(self._as_table(file.schema_arrow.empty_table(), 0))
        check_distinct(path, self.names)

    def blocks(
        self, size: int | None = None, text: Iterable[str] = (), columns: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, all of them if it is None; the file says what is text."""
        # an index may have another name in the file
        wanted = None if columns is None or set(columns) - set(self._fields) else list(columns)
        how: dict[str, Any] = {"columns": wanted, "use_pandas_metadata": True}
        first = 0
        with _reading(self._path), self._open() as file:
            for batch in [file.read(**how)] if size is None else file.iter_batches(size, **how):
                yield self._as_table(batch, first)
                first += batch.num_rows

    def _open(self) -> Any:
        # with pre_buffer all that was read would be kept until the end
        return self._arrow.parquet.ParquetFile(self._path, buffer_size=AHEAD, pre_buffer=False)

    def _as_table(self, batch: Any, first: int) -> pd.DataFrame:
        """Return rows under text names, numbered from ``first``."""
        table = batch.to_pandas()
        if self._range is not None:
            table.index = self._range[first : first + len(table)]
        table = table.reset_index(drop=not any(name is not None for name in table.index.names), allow_duplicates=True)
        table.columns = pd.Index([str(name) for name in table.columns])
        return table.set_axis(pd.RangeIndex(first, first + len(table)))


def write_parquet(file: BinaryIO, blocks: Iterable[pd.DataFrame], arrow: ModuleType) -> None:
    """Write blocks of rows below each other; the first decides what the columns hold."""
    rest = iter(blocks)
    first = arrow.Table.from_pandas(next(rest), preserve_index=False)
    with arrow.parquet.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for block in rest:
            writer.write_table(arrow.Table.from_pandas(block, first.schema, preserve_index=False))


def need_parquet(path: Path) -> ModuleType:
    """Return the package that reads and writes Parquet files; it is optional."""
    try:
        importlib.import_module("pyarrow.parquet")
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise UserError(
            f"{path}: Parquet needs pyarrow, which is not installed. Run: pip install 'heedful[cli]'"
        ) from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what is wrong with a file into one line."""
    try:
        yield
    except Exception as error:
        raise UserError(f"{path}: not a Parquet file that can be read: {one_line(error)}") from error


def _range_index(schema: Any, n_rows: int) -> pd.RangeIndex | None:
    """Return an index that is no column of the file but has a name: its rows are numbered."""
    entry = next(iter((schema.pandas_metadata or {}).get("index_columns", [])), None)
    if not isinstance(entry, dict) or entry["name"] is None:
        return None
    index = pd.RangeIndex(entry["start"], entry["stop"], entry["step"], name=entry["name"])
    return index if len(index) == n_rows else None
