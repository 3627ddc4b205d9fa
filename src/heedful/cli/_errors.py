"""Errors in what the user gave."""

import errno
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL = "Free some space, or choose another place (-o, or TMPDIR for temporary files)"
REMEDIES = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.ENAMETOOLONG: "Give a shorter name",
    errno.EACCES: "Change the permissions, or choose another place",
    errno.EMFILE: "Close some files, or raise the limit (ulimit -n)",
}
# What the command line can do about a column that looks like something else than categories.
COLUMN_REMEDIES = {
    "dates": "To read it as dates: --dates {column}",
    "numbers": "Correct such cells, or leave them empty.",
    "ids": "Identifiers do not generalise to other rows: --drop {column}",
}


class UserError(Exception):
    """One line that names the file, the column and the remedy; the program ends with exit code 2."""


@contextmanager
def naming(path: Path, problem: str) -> Iterator[None]:
    """Turn what a model raises about rows into an error that names their table."""
    try:
        yield
    except Exception as error:
        # that of LightGBM is neither
        if not isinstance(error, TypeError | ValueError) and type(error).__name__ != "LightGBMError":
            raise
        raise UserError(f"{path}: {problem}: {one_line(error)}") from error


def one_line(error: BaseException) -> str:
    """Return an error's message as one line, without the places in its code that XGBoost adds."""
    text = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    text = re.sub(r"^\[[\d:]+\] \S+: |\nStack trace:.*", "", text, flags=re.DOTALL)
    return " ".join(text.split()) or type(error).__name__


def warning_line(message: Warning) -> str:
    """Return a warning as one line; one about a column names what the command line can do."""
    remedy = COLUMN_REMEDIES.get(getattr(message, "looks_like", ""))
    if remedy is None:
        return one_line(message)
    column, seen = (getattr(message, name) for name in ("column", "seen"))
    return f"Column {column!r} is read as categories, but {seen} {remedy.format(column=shlex.quote(column))}"


def reason_of(error: OSError) -> str:
    """Return what the system says, and the remedy if one is known, in the middle of a line."""
    reason = error.strerror or one_line(error)
    return f"{reason}. {REMEDIES[error.errno]}" if error.errno in REMEDIES else reason


def os_message(error: OSError) -> str:
    """Return one line for what the system refused where nobody knew what it was needed for."""
    if error.filename is None:
        return f"the system refuses: {reason_of(error)}."
    return f"{os.fsdecode(error.filename)}: the file cannot be used: {reason_of(error)}."
