"""Tables in files: opened by the ending of their name, and read whole or block by block."""

import csv
import gzip
import importlib
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, cast

import pandas as pd

from heedful.cli._console import log_notice
from heedful.cli._errors import UserError, one_line, reason_of

SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = (".parquet", ".pq")
ENDINGS = (*SEPARATORS, *PARQUET)
LONGEST_CELL = 2**27
# Bytes of a Parquet column that are read ahead.
AHEAD = 2**16
GZIP = b"\x1f\x8b"
# What files begin with that have to be unpacked first, and how.
PACKED = {
    GZIP: "compressed by gzip. Name it .csv.gz, or unpack it: gunzip < {name} > new.csv",
    b"BZh": "compressed by bzip2. Unpack it: bunzip2 < {name} > new.csv",
    b"PK\x03\x04": "a ZIP archive, or a spreadsheet. Unpack it, or export the sheet as CSV.",
}
# Excel's text in Unicode is UTF-16.
MARKS = {b"\xff\xfe\x00\x00": "utf-32", b"\x00\x00\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# Before pandas 3.1 the nearest number to what is written has to be asked for.
NEAREST = {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}


def open_table(path: Path, sep: str | None = None) -> "CsvTable | ParquetTable":
    """Return a table with distinct names, whose ``blocks`` can be read as often as they are asked for."""
    check_file(path)
    ending = ending_of(path)
    _check_packing(path)
    if ending not in ENDINGS:
        raise UserError(f"{path}: the name of a table must end in {', '.join(ENDINGS)}. Rename or convert it.")
    if path.stat().st_size == 0:
        raise UserError(f"{path}: the file is empty. A table needs a header line and rows.")
    table: CsvTable | ParquetTable = (
        ParquetTable(path) if ending in PARQUET else CsvTable(path, sep or SEPARATORS[ending])
    )
    _check_distinct(path, table.names)
    if not table.n_rows:
        raise UserError(f"{path}: the table has a header but no rows.")
    return table


def read_table(path: Path, sep: str | None = None, text: Iterable[str] = ()) -> pd.DataFrame:
    """Return a whole table; columns in ``text`` are read as text."""
    (table,) = open_table(path, sep).blocks(text=text)
    return table


def check_file(path: Path) -> None:
    """Refuse what is not a file that can be read."""
    try:
        if path.is_dir():
            raise UserError(f"{path}: this is a directory. Give a file.")
        path.open("rb").close()
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such file.") from error
    except OSError as error:
        raise UserError(f"{path}: the file cannot be read: {reason_of(error)}.") from error


def ending_of(path: Path) -> str:
    """Return the ending of a file's name, with the one before if the last says that it is packed."""
    return "".join(path.suffixes[-2:] if is_packed(path) else path.suffixes[-1:]).lower()


def is_packed(path: Path) -> bool:
    """Return whether the name of a file says that gzip has packed it."""
    return path.suffix.lower() == ".gz"


class CsvTable:
    """A CSV file whose lines have all as many cells as its header; each is checked before the first row is read."""

    def __init__(self, path: Path, sep: str):
        self._path, self._sep = path, sep
        with _reading_csv(path):
            self._encoding = _find_encoding(path)
            self.names, self.n_rows, self._blank = _check_lines(path, sep, self._encoding)

    def blocks(
        self, size: int | None = None, text: Iterable[str] = (), columns: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, or all, numbered from 0 through all blocks; all ``columns`` if these are None.

        Cells in the columns ``text`` are read as text; in others the rows of a block decide together what they are.
        """
        options: dict[str, Any] = {
            "sep": self._sep,
            "encoding": self._encoding,
            "compression": "gzip" if is_packed(self._path) else None,
            "dtype": {name: "str" for name in text if name in self.names},
            # not the labels of rows, which have no name
            "usecols": self.names if columns is None else columns,
            "index_col": False,
            "low_memory": False,
            **NEAREST,
        }
        n_read = 0
        with _reading_csv(self._path), pd.read_csv(self._path, chunksize=size or self.n_rows, **options) as reader:
            for block in reader:
                n_read += len(block)
                if n_read > self.n_rows:
                    break
                yield block
        # a file of which pandas leaves out rows, or adds some
        if n_read != self.n_rows:
            where = f" Line {self._blank} is blank." if self._blank else ""
            raise UserError(
                f"{self._path}: {self.n_rows} rows were found and {n_read} were read.{where} Delete such lines, or "
                "write NA for a missing cell."
            )


def _open_text(path: Path) -> BinaryIO:
    """Return the bytes of a file, unpacked."""
    return cast("BinaryIO", gzip.open(path)) if is_packed(path) else path.open("rb")


def _check_packing(path: Path) -> None:
    """Refuse a file that has to be unpacked first, or is not packed as its name says."""
    with path.open("rb") as file:
        start = file.read(4)
    if is_packed(path):
        if start and not start.startswith(GZIP):
            raise UserError(f"{path}: the name ends in .gz, but the file is not compressed. Leave out .gz.")
        return
    for mark, remedy in PACKED.items():
        if start.startswith(mark):
            raise UserError(f"{path}: the file is {remedy.format(name=path.name)}")


def _find_encoding(path: Path) -> str:
    """Return the encoding that the first bytes tell; refuse text of two bytes a letter that has no mark."""
    with _open_text(path) as file:
        start = file.read(4)
    if len(start) > 1 and 0 in start[:2] and not start.startswith(tuple(MARKS)):
        encoding = "utf-16le" if start[1] == 0 else "utf-16be"
        raise UserError(
            f"{path}: the file looks like {encoding.upper()} without a mark. "
            f"Convert it: iconv -f {encoding} -t utf-8 {path.name} > new.csv"
        )
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "utf-8-sig")


def _check_lines(path: Path, sep: str, encoding: str) -> tuple[list[str], int, int]:
    """Return names, number of rows, and the first line of nothing but blanks (0 if there is none).

    Lines with more or fewer cells are refused, as pandas would shift or fill them up.
    """
    limit, n_rows, blank = csv.field_size_limit(LONGEST_CELL), 0, 0
    try:
        with io.TextIOWrapper(_open_text(path), encoding=encoding, newline="") as file:
            lines = csv.reader(file, delimiter=sep, strict=True)
            header = next((line for line in lines if line), [])
            names = _leave_out_labels(path, header)
            for line in filter(None, lines):
                if len(line) != len(header):
                    raise UserError(
                        f"{path}: line {lines.line_num} has {len(line)} cells, the header has {len(header)}. "
                        "Correct the line, or quote cells that contain the separator."
                    )
                n_rows += 1
                blank = blank or (lines.line_num if len(line) == 1 and not line[0].strip() else 0)
    finally:
        csv.field_size_limit(limit)
    return names, n_rows, blank


def _leave_out_labels(path: Path, names: list[str]) -> list[str]:
    """Return names without a first one that is empty: pandas writes the labels of rows below it."""
    if len(names) < 2 or names[0].strip():
        return names
    log_notice(f"{path}: the first column has no name: used as row labels, not as a feature.")
    return names[1:]


def _check_distinct(path: Path, names: list[str]) -> None:
    """Refuse a table in which a column has no name, or that of another."""
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise UserError(f"{path}: the column name {twice!r} occurs more than once. Rename one of the columns.")
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise UserError(f"{path}: column {number} has no name. Name it.")


@contextmanager
def _reading_csv(path: Path) -> Iterator[None]:
    """Turn what is wrong with a CSV file into one line."""
    try:
        yield
    except UnicodeError as error:
        raise UserError(
            f"{path}: the text cannot be read: {one_line(error)}. Save it as UTF-8, or convert it: iconv -f latin1 -t "
            f"utf-8 {path.name} > new.csv"
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: damaged or cut short: {one_line(error)}. Pack it again: gzip.") from error
    except OSError as error:
        raise UserError(f"{path}: the file cannot be read: {reason_of(error)}.") from error
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: not a CSV file that can be read: {one_line(error)}. Look for open quotes.") from error


class ParquetTable:
    """A Parquet file, read as pandas would; an index that has a name is a column."""

    def __init__(self, path: Path):
        self._path, self._arrow = path, import_arrow(path)
        with _reading_parquet(path), self._open() as file:
            self.n_rows = file.metadata.num_rows
            self._fields, self._range = file.schema_arrow.names, _range_index(file.schema_arrow, self.n_rows)
            self.names = list(self._as_frame(file.schema_arrow.empty_table(), 0))

    def blocks(
        self,
        size: int | None = None,
        text: Iterable[str] = (),  # noqa: ARG002 - the file says what is text
        columns: Sequence[str] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, as ``CsvTable`` does."""
        # an index may have another name in the file
        wanted = None if columns is None or set(columns) - set(self._fields) else list(columns)
        first = 0
        with _reading_parquet(self._path), self._open() as file:
            for batch in file.iter_batches(size or self.n_rows, columns=wanted, use_pandas_metadata=True):
                yield self._as_frame(batch, first)
                first += batch.num_rows

    def _open(self) -> Any:
        # with pre_buffer all that was read would be kept until the end
        return self._arrow.parquet.ParquetFile(self._path, buffer_size=AHEAD, pre_buffer=False)

    def _as_frame(self, batch: Any, first: int) -> pd.DataFrame:
        """Return rows under text names, numbered from ``first``."""
        table = batch.to_pandas()
        if self._range is not None:
            table.index = self._range[first : first + len(table)]
        table = table.reset_index(drop=not any(name is not None for name in table.index.names), allow_duplicates=True)
        table.columns = pd.Index([str(name) for name in table.columns])
        return table.set_axis(pd.RangeIndex(first, first + len(table)))


def import_arrow(path: Path) -> ModuleType:
    """Return the package that reads and writes Parquet files; it is optional."""
    try:
        importlib.import_module("pyarrow.parquet")
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise UserError(
            f"{path}: Parquet needs pyarrow, which is not installed. Run: pip install 'heedful[cli]'"
        ) from error


@contextmanager
def _reading_parquet(path: Path) -> Iterator[None]:
    """Turn what is wrong with a Parquet file into one line."""
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
