"""What commands write: checked before any work, whole or not at all."""

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pandas as pd

from heedful import _files
from heedful.cli._errors import UserError, os_message, reason_of
from heedful.cli._read import PARQUET, SEPARATORS, ending_of, import_arrow, is_packed

# Text that spreadsheets take for a formula, unless it is a number.
FORMULA = re.compile(r"(?![-+](?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z)[-=+@\t\r]")


def check_output(path: Path, inputs: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, before any work is done."""
    if endings and ending_of(path) not in endings:
        raise UserError(f"{path}: the name of the output must end in {', '.join(endings)}.")
    if ending_of(path) in set(PARQUET) & set(endings):
        import_arrow(path)
    with _writing(path):
        folder = path.resolve().parent
        if not folder.is_dir():
            raise UserError(f"{path}: there is no folder {folder}. Make it first.")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: the output must be a file, and this is something else. Give another name.")
        if not os.access(folder, os.W_OK):
            raise UserError(f"{path}: the folder {folder} cannot be written to.")
    if any(_are_one_file(path, source) for source in inputs):
        raise UserError(f"{path}: the output would replace an input. Give another name.")


def _are_one_file(path: Path, other: Path) -> bool:
    """Return whether two names are those of one file; a name that cannot be looked up is refused when it is read."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that appears whole or not at all; say in one line why it cannot."""
    with _writing(path):
        _files.write_whole(path, write)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: the file cannot be written: {reason_of(error)}.") from error


class Written(NamedTuple):
    """How many rows a table has, and which columns."""

    rows: int
    columns: list[str]


def write_table(path: Path, blocks: Iterable[pd.DataFrame], *, raw: bool) -> Written:
    """Write blocks of rows below each other, as CSV or Parquet by the ending of the name.

    A block is asked for when the one before it is written. In CSV files text that a spreadsheet would run has a mark
    before it, unless cells are to be ``raw``.
    """
    written = Written(0, [])

    def counted() -> Iterator[pd.DataFrame]:
        nonlocal written
        for block in _making(blocks):
            yield block
            written = Written(written.rows + len(block), list(block))

    if ending_of(path) in PARQUET:
        write_whole(path, lambda file: _write_parquet(file, counted(), import_arrow(path)))
    else:
        write_whole(path, lambda file: _write_packed(file, path, counted(), raw=raw))
    return written


def _making(blocks: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Yield blocks; what the system refuses while one is made has nothing to do with the file that is written."""
    try:
        yield from blocks
    except OSError as error:
        raise UserError(os_message(error)) from error


def _write_packed(file: BinaryIO, path: Path, blocks: Iterator[pd.DataFrame], *, raw: bool) -> None:
    """Write rows as CSV, packed if the name says so; without the time, so that equal tables make equal files."""
    packed = is_packed(path)
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) if packed else nullcontext(file) as text:
        write_csv(text, blocks, SEPARATORS[ending_of(path)], raw=raw)


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


def _write_parquet(file: BinaryIO, blocks: Iterator[pd.DataFrame], arrow: Any) -> None:
    """Write blocks of rows below each other; the first decides what the columns hold."""
    first = arrow.Table.from_pandas(next(blocks), preserve_index=False)
    with arrow.parquet.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for block in blocks:
            writer.write_table(arrow.Table.from_pandas(block, first.schema, preserve_index=False))
