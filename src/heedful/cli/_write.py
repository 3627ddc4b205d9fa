"""What commands write: checked before any work, whole or not at all."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pandas as pd

from heedful import _files
from heedful.cli._csv import SEPARATORS, ending_of, is_packed, pack, write_csv
from heedful.cli._errors import UserError, os_message, why
from heedful.cli._parquet import PARQUET, need_parquet, write_parquet


def check_output(path: Path, inputs: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, before any work is done."""
    if endings and ending_of(path) not in endings:
        raise UserError(f"{path}: the name of the output must end in {', '.join(endings)}.")
    if ending_of(path) in set(PARQUET) & set(endings):
        need_parquet(path)
    with _writing(path):
        folder = path.resolve().parent
        if not folder.is_dir():
            raise UserError(f"{path}: there is no folder {folder}. Make it first.")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: the output must be a file, and this is something else. Give another name.")
        if not os.access(folder, os.W_OK):
            raise UserError(f"{path}: the folder {folder} cannot be written to.")
    if any(_are_one(path, source) for source in inputs):
        raise UserError(f"{path}: the output would replace an input. Give another name.")


def _are_one(path: Path, other: Path) -> bool:
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
        raise UserError(f"{path}: the file cannot be written: {why(error)}.") from error


class Written(NamedTuple):
    """How many rows a table has, and which columns."""

    rows: int
    columns: list[str]


def write_table(path: Path, table: pd.DataFrame, *, raw: bool) -> None:
    """Write a table as CSV or Parquet, by the ending of its name."""
    write_blocks(path, [table], raw=raw)


def write_blocks(path: Path, blocks: Iterable[pd.DataFrame], *, raw: bool) -> Written:
    """Write a table whose rows come in blocks; a block is asked for when the one before it is written.

    In CSV files text that a spreadsheet would run has a mark before it, unless cells are to be ``raw``.
    """
    ending, written = ending_of(path), Written(0, [])

    def counted() -> Iterator[pd.DataFrame]:
        nonlocal written
        for block in _asked(blocks):
            yield block
            written = Written(written.rows + len(block), list(block))

    if ending in PARQUET:
        write_whole(path, lambda file: write_parquet(file, counted(), need_parquet(path)))
    else:
        write_whole(path, lambda file: _write_rows(file, path, counted(), raw=raw))
    return written


def _write_rows(file: BinaryIO, path: Path, blocks: Iterator[pd.DataFrame], *, raw: bool) -> None:
    """Write rows as CSV, packed if the name says so."""
    with pack(file) if is_packed(path) else nullcontext(file) as text:
        write_csv(text, blocks, SEPARATORS[ending_of(path)], raw=raw)


def _asked(blocks: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Yield blocks; what the system refuses while one is made has nothing to do with the file that is written."""
    try:
        yield from blocks
    except OSError as error:
        raise UserError(os_message(error)) from error
