"""Standard output and standard error, each of which may be closed or full."""

import json
import logging
import math
import os
import sys
from contextlib import suppress
from typing import Any

from heedful.cli._errors import UserError, reason_of


def print_text(text: str) -> None:
    """Write lines to standard output, at once; what cannot be written is not tried again when the program ends."""
    if sys.stdout is None or sys.stdout.closed:
        raise UserError("standard output is closed. Open it, or use --quiet")
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise UserError(f"standard output cannot be written: {reason_of(error)}.") from error


def print_json(values: dict[str, Any]) -> None:
    """Write one JSON object to standard output; what JSON has no word for (NaN, infinity) becomes null."""
    print_text(json.dumps(_plain(values), allow_nan=False, ensure_ascii=False))


def _plain(value: Any) -> Any:
    """Return a value in the types of JSON; tables are lists of rows."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if hasattr(value, "to_dict"):
        return [_plain(row) for row in value.to_dict("records")]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool) or value is None else str(value)


def log_notice(text: str) -> None:
    """Write a line to standard error about what asks for nothing; a quiet program leaves it out."""
    logging.getLogger("heedful").warning(text, extra={"notice": True})


def print_error(text: str) -> None:
    """Write a line to standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text + "\n")
