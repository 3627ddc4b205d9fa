"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pandas as pd

from heedful.cli._csv import SEPARATORS, write_csv
from heedful.cli._errors import UserError
from heedful.cli._parquet import PARQUET, need_parquet, write_parquet


def check_output(path: Path, inputs: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse a place that cannot be written to, before any work is done."""
    if endings and path.suffix.lower() not in endings:
        raise UserError(f"{path}: the name of the output must end in {', '.join(endings)}.")
    if path.suffix.lower() in set(PARQUET) & set(endings):
        need_parquet(path)
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UserError(f"{path}: there is no folder {folder}. Make it first.")
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: the output must be a file, and this is something else. Give another name.")
    if not os.access(folder, os.W_OK):
        raise UserError(f"{path}: the folder {folder} cannot be written to.")
    if any(path.exists() and source.exists() and path.samefile(source) for source in inputs):
        raise UserError(f"{path}: the output would replace an input. Give another name.")


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file that has no name until it is complete; then it takes the place of an older one at once.

    Where the system has files without names, even a killed process leaves nothing behind.
    """
    target = path.resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with os.fdopen(_open_nameless(target.parent, part), "wb") as file:
            write(file)
            file.flush()
            _give_mode(file.fileno(), target)
            os.fsync(file.fileno())
            if not part.exists():
                # a directory, though not needed, makes Python follow the link to the file without a name
                os.link(f"/proc/self/fd/{file.fileno()}", part, src_dir_fd=file.fileno())
        part.replace(target)
    except OSError as error:
        raise UserError(f"{path}: the file cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _open_nameless(folder: Path, part: Path) -> int:
    """Open a file without a name in a folder, or ``part`` where the system has no such files."""
    part.unlink(missing_ok=True)
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    return os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)


def _give_mode(number: int, target: Path) -> None:
    """Give an open file the permissions of the file that it will replace, or those of a new one."""
    if not hasattr(os, "fchmod"):
        return
    mask = os.umask(0)
    os.umask(mask)
    os.fchmod(number, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)


def _sync_folder(folder: Path) -> None:
    # not every system can; the file itself is on disk by now
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class Written(NamedTuple):
    """How many rows a table has, and which columns."""

    rows: int
    columns: list[str]


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV or Parquet, by the ending of its name."""
    write_blocks(path, [table])


def write_blocks(path: Path, blocks: Iterable[pd.DataFrame]) -> Written:
    """Write a table whose rows come in blocks; a block is asked for when the one before it is written."""
    ending, written = path.suffix.lower(), Written(0, [])

    def counted() -> Iterator[pd.DataFrame]:
        nonlocal written
        for block in blocks:
            yield block
            written = Written(written.rows + len(block), list(block))

    if ending in PARQUET:
        write_whole(path, lambda file: write_parquet(file, counted(), need_parquet(path)))
    else:
        write_whole(path, lambda file: write_csv(file, counted(), SEPARATORS[ending]))
    return written


def copy_whole(path: Path, make: Callable[[Path], object]) -> None:
    """Let ``make`` write a file of the same name elsewhere, then bring it here."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / path.name
        make(draft)
        write_whole(path, lambda file: file.write(draft.read_bytes()))
