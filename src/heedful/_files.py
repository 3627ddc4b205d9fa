"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: str | os.PathLike, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that has no name until it is complete; it then takes the place of an older one at once.

    Links are followed and the permissions of an older file are kept. Where the system has files without names, even a
    killed process leaves nothing behind. Raises OSError if that fails, or if something that is no file is in the way.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{os.fspath(path)!r} must be a file, and this is something else. Give another name.")
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with os.fdopen(_open(target.parent, part), "wb") as file:
            write(file)
            file.flush()
            _give_mode(file.fileno(), target)
            os.fsync(file.fileno())
            if not part.exists():
                # a directory, though not needed, makes Python follow the link to the file without a name
                os.link(f"/proc/self/fd/{file.fileno()}", part, src_dir_fd=file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _open(folder: Path, part: Path) -> int:
    """Open a file without a name in a folder, or ``part`` where the system has no such files."""
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
