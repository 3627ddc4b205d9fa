"""Tables in CSV files: every line is checked before the first row is handed out."""

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import pandas as pd

from heedful.cli._columns import check_distinct, leave_out_labels
from heedful.cli._errors import UserError, one_line, why

SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
LONGEST_CELL = 2**27
GZIP = b"\x1f\x8b"
# What files begin with that have to be unpacked first, and how.
PACKED = {
    GZIP: "compressed by gzip. Name it .csv.gz, or unpack it: gunzip < {name} > new.csv",
    b"BZh": "compressed by bzip2. Unpack it: bunzip2 < {name} > new.csv",
    b"PK\x03\x04": "a ZIP archive, or a spreadsheet. Unpack it, or export the sheet as CSV.",
}
# Excel's text in Unicode is UTF-16.
MARKS = {b"\xff\xfe\x00\x00": "utf-32", b"\x00\x00\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# Text that spreadsheets take for a formula, unless it is a number.
FORMULA = re.compile(r"(?![-+](?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z)[-=+@\t\r]")
# Before pandas 3.1 the nearest number to what is written has to be asked for.
NEAREST = {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}


class CsvFile:
    """A CSV file whose lines have all as many cells as its header."""

    def __init__(self, path: Path, sep: str):
        self._path, self._sep = path, sep
        with _reading(path):
            self._encoding = _find_encoding(path)
            self.names, self.n_rows, self._blank = _check_lines(path, sep, self._encoding)

    def blocks(
        self, size: int | None = None, text: Iterable[str] = (), columns: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, all of them if it is None."""
        how: dict[str, Any] = {
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
        with _reading(self._path):
            if size is None:
                table = pd.read_csv(self._path, **how)
                self._check_count(len(table), last=True)
                yield table
                return
            with pd.read_csv(self._path, chunksize=size, **how) as reader:
                n_read = 0
                for block in reader:
                    n_read += len(block)
                    self._check_count(n_read, last=False)
                    yield block
                self._check_count(n_read, last=True)

    def _check_count(self, n_read: int, *, last: bool) -> None:
        """Refuse a file of which rows were left out on the way, or added."""
        if n_read > self.n_rows or (last and n_read < self.n_rows):
            where = f" Line {self._blank} holds nothing but blanks." if self._blank else ""
            raise UserError(
                f"{self._path}: {self.n_rows} rows were found and {n_read} were read.{where} Delete such lines, or "
                "write NA for a missing cell."
            )


def ending_of(path: Path) -> str:
    """Return the ending of a file's name, with the one before if the last says that it is packed."""
    return "".join(path.suffixes[-2:] if is_packed(path) else path.suffixes[-1:]).lower()


def is_packed(path: Path) -> bool:
    """Return whether the name of a file says that gzip has packed it."""
    return path.suffix.lower() == ".gz"


def _open(path: Path) -> BinaryIO:
    """Return the bytes of a file, unpacked."""
    return cast("BinaryIO", gzip.open(path)) if is_packed(path) else path.open("rb")


def pack(file: BinaryIO) -> gzip.GzipFile:
    """Return a file whose bytes are packed; the time is left out, so that equal tables make equal files."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


def write_csv(file: BinaryIO | gzip.GzipFile, blocks: Iterable[pd.DataFrame], sep: str, *, raw: bool) -> None:
    """Write blocks of rows below each other; text that is a formula to spreadsheets gets a mark, unless ``raw``."""
    for number, block in enumerate(blocks):
        cells = block if raw else _disarm(block)
        cells.to_csv(file, sep=sep, index=False, header=number == 0)


def _disarm(block: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts no spreadsheet takes for a formula: an apostrophe is put before such."""
    texts = [name for name, dtype in block.dtypes.items() if not pd.api.types.is_numeric_dtype(dtype)]
    harmless = {name: block[name].astype(object).map(_mark, na_action="ignore") for name in texts}
    return block.assign(**harmless).rename(columns=_mark)


def _mark(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def check_packing(path: Path) -> None:
    """Refuse a file that has to be unpacked first, or is not packed as its name says."""
    with _reading(path), path.open("rb") as file:
        start = file.read(4)
    if is_packed(path):
        if start and not start.startswith(GZIP):
            raise UserError(f"{path}: the name says that gzip has packed the file, and it has not. Leave out .gz.")
        return
    kind = next((kind for kind in PACKED if start.startswith(kind)), None)
    if kind is not None:
        raise UserError(f"{path}: the file is {PACKED[kind].format(name=path.name)}")


def _find_encoding(path: Path) -> str:
    """Return the encoding that the first bytes tell; refuse text of two bytes a letter that has no mark."""
    with _open(path) as file:
        start = file.read(4)
    if len(start) > 1 and 0 in start[:2] and not start.startswith(tuple(MARKS)):
        kind = "utf-16le" if start[1] == 0 else "utf-16be"
        raise UserError(
            f"{path}: the file looks like {kind.upper()} without a mark. "
            f"Convert it: iconv -f {kind} -t utf-8 {path.name} > new.csv"
        )
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), "utf-8-sig")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what is wrong with a file into one line."""
    try:
        yield
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError) or not error.encoding.startswith("utf-8"):
            raise UserError(f"{path}: the text cannot be read: {one_line(error)}. Save it as UTF-8.") from error
        raise UserError(
            f"{path}: the file is not UTF-8 (byte {error.object[error.start]:#04x} cannot be read). "
            f"Convert it: iconv -f latin1 -t utf-8 {path.name} > new.csv"
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: damaged or cut short: {one_line(error)}. Pack it again: gzip.") from error
    except OSError as error:
        raise UserError(f"{path}: the file cannot be read: {why(error)}.") from error
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: not a CSV file that can be read: {one_line(error)}. Look for open quotes.") from error


def _check_lines(path: Path, sep: str, encoding: str) -> tuple[list[str], int, int]:
    """Return names, number of rows, and the first line of nothing but blanks (0 if there is none).

    Lines with more or fewer cells are refused, as pandas would shift or fill them up.
    """
    limit, n_rows, blank = csv.field_size_limit(LONGEST_CELL), 0, 0
    try:
        with io.TextIOWrapper(_open(path), encoding=encoding, newline="") as file:
            lines = csv.reader(file, delimiter=sep, strict=True)
            header = next((line for line in lines if line), [])
            names = leave_out_labels(path, header)
            check_distinct(path, names)
            for line in filter(None, lines):
                if len(line) != len(header):
                    raise UserError(
                        f"{path}: line {lines.line_num} has {len(line)} cells, the header has {len(header)}. "
                        "Mend the line, or quote cells that contain the separator."
                    )
                n_rows += 1
                blank = blank or (lines.line_num if len(line) == 1 and not line[0].strip() else 0)
    finally:
        csv.field_size_limit(limit)
    return names, n_rows, blank
