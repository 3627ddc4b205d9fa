"""Messages of the logger ``heedful`` about kernels: that they are compiled, or cannot be kept; once each.

Which kernels are needed depends on what is done, so that a later process may compile others.

A logger that nobody has configured writes to standard error. The environment variable ``HEEDFUL_QUIET`` silences it.
"""

import logging
import multiprocessing
import os
from functools import cache

QUIET = "HEEDFUL_QUIET"
# Names of the kernels that this process has compiled, one entry for each kind of arguments.
COMPILED: list[str] = []


def note_compiling(name: str) -> None:
    """Note that a kernel is about to be compiled; log it if it is the first one."""
    COMPILED.append(name)
    log_compiling()


def is_main_process() -> bool:
    # of worker processes each would log the same
    return multiprocessing.parent_process() is None


@cache
def log_compiling() -> None:
    if is_main_process():
        message = "compiling functions at their first use, up to a minute; they are kept for later ones"
        _log(f"{message} (heedful compile: all at once)", notice=True)


@cache
def warn_uncached() -> None:
    """Warn that compiled kernels cannot be kept, and say what helps."""
    _log(
        "compiled functions cannot be kept, so every process compiles them anew. Set the environment variable "
        "NUMBA_CACHE_DIR to a folder that can be written to.",
        notice=False,
    )


def _log(message: str, *, notice: bool) -> None:
    if not os.environ.get(QUIET):
        logging.getLogger("heedful").warning("heedful: %s", message, extra={"notice": notice})
