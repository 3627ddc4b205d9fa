"""Files that appear whole or not at all."""

import errno
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: str | os.PathLike, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that has no name until it is complete; it then takes the place of an older one at once.

    Links are followed and the permissions of an older file are kept. Where the system has files without names, even a
    killed process leaves nothing behind. Any number of threads and processes may write to one path: whoever reads it
    sees the whole file of one of them. Raises OSError if that fails, or if something that is no file is in the way.
    """
    check_folder(path)
    target = Path(path).resolve()
    mode = _mode_of(target, os.fspath(path))
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    number, ours = _open(target.parent, part, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(number, "wb") as file:
            write(file)
            file.flush()
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            if not ours:
                # a directory, though not needed, makes Python follow the link to the file without a name
                os.link(f"/proc/self/fd/{file.fileno()}", part, src_dir_fd=file.fileno())
                ours = True
        part.replace(target)
    finally:
        if ours:
            part.unlink(missing_ok=True)
    _sync_folder(target.parent)


def check_folder(path: str | os.PathLike) -> None:
    """Raise unless there is a folder for a file."""
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        missing = FileNotFoundError(
            f"{os.fspath(path)!r} must be in a folder that exists, and there is no folder {str(folder)!r}. Make it "
            f"first: os.makedirs({str(folder)!r})"
        )
        # what the system would say, for those who have but one line
        missing.strerror = os.strerror(errno.ENOENT)
        raise missing


def _mode_of(target: Path, given: str | bytes) -> int | None:
    """Return the permissions of the file that is to be replaced, None if there is none."""
    try:
        found = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        raise FileExistsError(f"{given!r} must be a file, and this is something else. Give another name.")
    return stat.S_IMODE(found) & 0o777


def _open(folder: Path, part: Path, mode: int) -> tuple[int, bool]:
    """Open a file without a name in a folder, or ``part`` where there are no such files; say whether ``part`` is it.

    The system takes its mask off the permissions. Nobody asks for that mask, as it can only be had by changing it, for
    all threads.
    """
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir():
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_RDWR, mode), False
    return os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), mode), True


def _sync_folder(folder: Path) -> None:
    # not every system can; the file itself is on disk by now
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
