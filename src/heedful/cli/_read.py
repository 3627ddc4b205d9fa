"""Tables from files: CSV and Parquet, refused in one line where they are not whole."""

import csv
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from heedful.cli._errors import UserError, one_line

SEPARATORS = {".csv": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")
ENDINGS = (*SEPARATORS, *PARQUET)
NO_PARQUET = "Parquet needs pyarrow, which is not installed. Run: pip install 'heedful[cli]'"
LONGEST_CELL = 2**27


def read_table(path: Path, sep: str | None = None, text: Iterable[str] = ()) -> pd.DataFrame:
    """Return a table with distinct text names and rows numbered from 0; columns in ``text`` are read as text."""
    check_file(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UserError(f"{path}: the name of a table must end in {', '.join(ENDINGS)}. Rename or convert it.")
    if path.stat().st_size == 0:
        raise UserError(f"{path}: the file is empty. A table needs a header line and rows.")
    table = _read_parquet(path) if ending in PARQUET else _read_csv(path, sep or SEPARATORS[ending], text)
    if not len(table):
        raise UserError(f"{path}: the table has a header but no rows.")
    return table


def check_file(path: Path) -> None:
    """Refuse what is not a file that can be read."""
    if path.is_dir():
        raise UserError(f"{path}: this is a directory. Give a file.")
    if not path.exists():
        raise UserError(f"{path}: there is no such file.")
    try:
        path.open("rb").close()
    except OSError as error:
        raise UserError(f"{path}: the file cannot be opened: {error.strerror}.") from error


def _read_csv(path: Path, sep: str, text: Iterable[str]) -> pd.DataFrame:
    try:
        names = _check_lines(path, sep)
        kinds = {name: "str" for name in text if name in names}
        return pd.read_csv(path, sep=sep, encoding="utf-8-sig", dtype=kinds, low_memory=False, index_col=False)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: the file is not UTF-8 (byte {error.object[error.start]:#04x} cannot be read). "
            f"Convert it: iconv -f latin1 -t utf-8 {path.name} > new.csv"
        ) from error
    except (csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: not a CSV file that can be read: {one_line(error)}. Look for open quotes.") from error


def _check_lines(path: Path, sep: str) -> list[str]:
    """Return the column names; refuse lines with more or fewer cells, which pandas would shift or fill up."""
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=sep, strict=True)
            names = next((line for line in lines if line), [])
            _check_names(path, names)
            for line in lines:
                if line and len(line) != len(names):
                    raise UserError(
                        f"{path}: line {lines.line_num} has {len(line)} cells, the header has {len(names)}. "
                        "Mend the line, or quote cells that contain the separator."
                    )
    finally:
        csv.field_size_limit(limit)
    return names


def _check_names(path: Path, names: list[str]) -> None:
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise UserError(f"{path}: the column name {twice!r} comes more than once. Rename one of the columns.")
    if "" in (name.strip() for name in names):
        raise UserError(f"{path}: column {[n.strip() for n in names].index('') + 1} has no name. Name it.")


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise UserError(f"{path}: {NO_PARQUET}") from error
    except Exception as error:
        raise UserError(f"{path}: not a Parquet file that can be read: {one_line(error)}") from error
    named = [name for name in table.index.names if name is not None]
    table = table.reset_index(drop=not named)
    table.columns = pd.Index([str(name) for name in table.columns])
    _check_names(path, list(table.columns))
    return table
