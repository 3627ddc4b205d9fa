"""Standard output and standard error, each of which may be closed or full."""

import logging
import os
import sys
from contextlib import suppress

from heedful.cli._errors import UserError, why

CLOSED = "standard output is closed, and nothing can be said. Open it, or use --quiet"


def say(text: str) -> None:
    """Write lines to standard output."""
    if sys.stdout is None or sys.stdout.closed:
        raise UserError(CLOSED)
    try:
        sys.stdout.write(text + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"standard output cannot be written: {why(error)}.") from error


def finish() -> None:
    """Write what is left for standard output; what cannot be written is not tried again when the program ends."""
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget()
        raise UserError(f"standard output cannot be written: {why(error)}.") from error


def forget() -> None:
    """Let nothing be written to standard output any more."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str) -> None:
    """Write a line to standard error about what asks for nothing; a quiet program leaves it out."""
    logging.getLogger("heedful").warning(text, extra={"notice": True})


def tell_error(text: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text + "\n")
