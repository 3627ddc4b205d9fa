"""What goes wrong because of what the user gave."""

import errno
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REMEDIES = {
    errno.ENOSPC: "Make room, or choose another place (-o, or TMPDIR for what is kept in between)",
    errno.EDQUOT: "Make room, or choose another place (-o, or TMPDIR for what is kept in between)",
    errno.ENAMETOOLONG: "Give a shorter name",
    errno.EACCES: "Ask for the permission, or choose another place",
    errno.EMFILE: "Close some files, or raise the limit (ulimit -n)",
}
# What the command line can do about a column that looks like something else than categories.
COLUMN_REMEDIES = {
    "dates": "To read it as dates: --dates {column}",
    "numbers": "Correct such cells, or leave them empty.",
    "ids": "Nothing that holds for other rows can be learned from it: --drop {column}",
}


class UserError(Exception):
    """One line that names the file, the column and the remedy; the program ends with exit code 2."""


@contextmanager
def naming(path: Path, problem: str) -> Iterator[None]:
    """Turn what a model raises about rows into an error that names their table."""
    try:
        yield
    except model_errors() as error:
        raise UserError(f"{path}: {problem}: {message_of(error)}") from error


def model_errors() -> tuple[type[Exception], ...]:
    """Return what models raise if rows do not suit them."""
    lightgbm_error = getattr(sys.modules.get("lightgbm.basic"), "LightGBMError", None)
    return (TypeError, ValueError, *([lightgbm_error] if lightgbm_error else []))


def message_of(error: Exception) -> str:
    """Return the message of a model's error, without the places in its code that XGBoost adds."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    text = re.sub(r"^\[[\d:]+\] \S+: |\nStack trace:.*", "", str(error), flags=re.DOTALL)
    return " ".join(text.split()) or type(error).__name__


def one_line(error: BaseException) -> str:
    """Return an error's message as one line."""
    return " ".join(str(error).split()) or type(error).__name__


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
