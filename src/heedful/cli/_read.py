"""Tables in files: opened by the ending of their name, and read whole or block by block."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pandas as pd

from heedful.cli._csv import SEPARATORS, CsvFile, check_packing, ending_of
from heedful.cli._errors import UserError, why
from heedful.cli._parquet import PARQUET, ParquetTable

ENDINGS = (*SEPARATORS, *PARQUET)


class TableFile(Protocol):
    """A table with distinct text names, whose rows are read as often as they are asked for."""

    names: list[str]
    n_rows: int

    def blocks(
        self, size: int | None = None, text: Iterable[str] = (), columns: Sequence[str] | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield ``size`` rows at a time, all of them if it is None; rows are numbered from 0 through all blocks.

        Cells of CSV files are read as text in the columns ``text``; in others the rows of a block decide together what
        they are. Only ``columns`` are read, all of them if it is None.
        """


def open_table(path: Path, sep: str | None = None) -> TableFile:
    """Return a table whose names, and lines if it is CSV, have been checked."""
    check_file(path)
    ending = ending_of(path)
    check_packing(path)
    if ending not in ENDINGS:
        raise UserError(f"{path}: the name of a table must end in {', '.join(ENDINGS)}. Rename or convert it.")
    if path.stat().st_size == 0:
        raise UserError(f"{path}: the file is empty. A table needs a header line and rows.")
    table = ParquetTable(path) if ending in PARQUET else CsvFile(path, sep or SEPARATORS[ending])
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
        raise UserError(f"{path}: the file cannot be read: {why(error)}.") from error
