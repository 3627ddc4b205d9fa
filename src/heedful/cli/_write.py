"""Outputs of commands: checked before any work, written in one step."""

import gzip
import importlib
import os
import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pandas as pd

from heedful import _files
from heedful.cli._errors import UserError, os_message, reason_of
from heedful.cli._read import PARQUET, SEPARATORS, ending_of, import_arrow, is_packed

PAGES = (".html", ".htm")
# Text that spreadsheets take for a formula, unless it is a number.
FORMULA = re.compile(r"(?![-+](?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z)[-=+@\t\r]")


def check_output(path: Path, inputs: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, or what needs a missing package, before any work is done."""
    ending = ending_of(path)
    if endings and ending not in endings:
        raise UserError(f"{path}: the name of the output must end in {', '.join(endings)}.")
    if ending in set(PARQUET) & set(endings):
        import_arrow(path)
    with _writing(path):
        folder = path.resolve().parent
        if not folder.is_dir():
            raise UserError(f"{path}: there is no folder {folder}. Create it first.")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: the output must be a file. Choose another name.")
        if not os.access(folder, os.W_OK):
            raise UserError(f"{path}: the folder {folder} cannot be written to.")
    if any(_are_one_file(path, source) for source in inputs):
        raise UserError(f"{path}: the output would replace an input. Choose another name.")
    if ending in set(PAGES) & set(endings):
        _import_report(path)


def check_outputs(arguments: Namespace, endings: Mapping[str, Sequence[str]], inputs: Sequence[Path | None]) -> None:
    """Check the outputs of a command, whose endings are given by option; refuse two that are one file."""
    taken = dict[Path, str]()
    for option, of_option in endings.items():
        path = getattr(arguments, option)
        if path is None:
            continue
        check_output(path, [source for source in inputs if source is not None], of_option)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise UserError(f"{path}: --{other} and --{option} would be the same file. Choose another name.")


def _are_one_file(path: Path, other: Path) -> bool:
    """Return whether two names are those of one file; a name that cannot be looked up is refused when it is read."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def _import_report(output: Path) -> Any:
    """Return the room that makes pages; what it draws with is optional."""
    try:
        importlib.import_module("plotly.offline")
        return importlib.import_module("heedful.report")
    except ImportError as error:
        raise UserError(
            f"{output.name}: a page needs {error.name or 'plotly'}, which is not installed. Run: pip install "
            "'heedful[report]', or write a table: -o OUT.csv"
        ) from error


def render_page(explanation: Any, output: Path, title: str, **shown: Any) -> bytes:
    """Return the page to be written to ``output``."""
    return _import_report(output).render(explanation, title=title, **shown).encode()


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
    """Where a table was written, how many rows it has, and which columns."""

    output: Path
    rows: int
    columns: list[str]


def wrote(summary: dict[str, Any]) -> str:
    """Return the line that says what table was written."""
    return f"wrote  {summary['output']}: {summary['rows']} rows, columns {', '.join(summary['columns'])}"


def write_table(path: Path, blocks: Iterable[pd.DataFrame], *, raw: bool) -> Written:
    """Write blocks of rows below each other, as CSV or Parquet by the ending of the name.

    A block is asked for when the one before it is written. In CSV files text that a spreadsheet would run has a mark
    before it, unless cells are to be ``raw``.
    """
    written = Written(path, 0, [])

    def counted() -> Iterator[pd.DataFrame]:
        nonlocal written
        try:
            for block in blocks:
                yield block
                written = Written(path, written.rows + len(block), list(block))
        except OSError as error:
            # what the system refuses while a block is made has nothing to do with the file that is written
            raise UserError(os_message(error)) from error

    if ending_of(path) in PARQUET:
        write_whole(path, lambda file: _write_parquet(file, counted(), import_arrow(path)))
    else:
        write_whole(path, lambda file: _write_packed(file, path, counted(), raw=raw))
    return written


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
