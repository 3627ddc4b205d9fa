"""Tables in CSV files: every line is checked before the first row is handed out."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from heedful.cli._columns import check_distinct
from heedful.cli._errors import UserError, one_line

SEPARATORS = {".csv": ",", ".tsv": "\t"}
LONGEST_CELL = 2**27
# Before pandas 3.1 the nearest number to what is written has to be asked for.
NEAREST = {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}


class CsvFile:
    """A CSV file whose lines have all as many cells as its header."""

    def __init__(self, path: Path, sep: str):
        self._path, self._sep = path, sep
        with _reading(path):
            self.names, self.n_rows = _check_lines(path, sep)

    def blocks(
        self, size: int | None = None, text: Iterable[str] = (), columns: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, all of them if it is None."""
        how: dict[str, Any] = {
            "sep": self._sep,
            "encoding": "utf-8-sig",
            "dtype": {name: "str" for name in text if name in self.names},
            "usecols": columns,
            "index_col": False,
            "low_memory": False,
            **NEAREST,
        }
        with _reading(self._path):
            if size is None:
                yield pd.read_csv(self._path, **how)
                return
            with pd.read_csv(self._path, chunksize=size, **how) as reader:
                yield from reader


def write_csv(file: BinaryIO, blocks: Iterable[pd.DataFrame], sep: str) -> None:
    """Write blocks of rows below each other."""
    for number, block in enumerate(blocks):
        block.to_csv(file, sep=sep, index=False, header=number == 0)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what is wrong with a file into one line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: the file is not UTF-8 (byte {error.object[error.start]:#04x} cannot be read). "
            f"Convert it: iconv -f latin1 -t utf-8 {path.name} > new.csv"
        ) from error
    except OSError as error:
        raise UserError(f"{path}: the file cannot be read: {error.strerror or error}.") from error
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: not a CSV file that can be read: {one_line(error)}. Look for open quotes.") from error


def _check_lines(path: Path, sep: str) -> tuple[list[str], int]:
    """Return names and number of rows; refuse lines with more or fewer cells, which pandas would shift or fill up."""
    limit, n_rows = csv.field_size_limit(LONGEST_CELL), 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=sep, strict=True)
            names = next((line for line in lines if line), [])
            check_distinct(path, names)
            for line in filter(None, lines):
                if len(line) != len(names):
                    raise UserError(
                        f"{path}: line {lines.line_num} has {len(line)} cells, the header has {len(names)}. "
                        "Mend the line, or quote cells that contain the separator."
                    )
                n_rows += 1
    finally:
        csv.field_size_limit(limit)
    return names, n_rows
