"""What goes wrong because of what the user gave."""

import errno
import os
import shlex

REMEDIES = {
    errno.ENOSPC: "Make room, or choose another place (-o, or TMPDIR for what is kept in between)",
    errno.EDQUOT: "Make room, or choose another place (-o, or TMPDIR for what is kept in between)",
    errno.ENAMETOOLONG: "Give a shorter name",
    errno.EACCES: "Ask for the permission, or choose another place",
    errno.EMFILE: "Close some files, or raise the limit (ulimit -n)",
}


# What the command line can do about a column that looks like something else than categories.
DOUBTS = {
    "dates": "To read it as dates: --dates {column}",
    "numbers": "Correct such cells, or leave them empty.",
    "ids": "Nothing that holds for other rows can be learned from it: --drop {column}",
}


class UserError(Exception):
    """One line that names the file, the column and the remedy; the program ends with exit code 2."""


def one_line(error: BaseException) -> str:
    """Return an error's message as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def warning_line(message: Warning) -> str:
    """Return a warning as one line; one about a column names what the command line can do."""
    remedy = DOUBTS.get(getattr(message, "looks_like", ""))
    if remedy is None:
        return one_line(message)
    column, seen = (getattr(message, name) for name in ("column", "seen"))
    return f"Column {column!r} is read as categories, but {seen} {remedy.format(column=shlex.quote(column))}"


def why(error: OSError) -> str:
    """Return what the system says, and the remedy if one is known, in the middle of a line."""
    reason = error.strerror or one_line(error)
    return f"{reason}. {REMEDIES[error.errno]}" if error.errno in REMEDIES else reason


def os_message(error: OSError) -> str:
    """Return one line for what the system refused where nobody knew what it was needed for."""
    name = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{name}the file cannot be used: {why(error)}." if name else f"the system refuses: {why(error)}."
