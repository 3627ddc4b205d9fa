"""What is said while kernels are compiled, and where they cannot be kept: once each, by the logger ``heedful``.

Which kernels are needed depends on what is done, so that a later process may compile others.

A logger that nobody has configured writes to standard error. The environment variable ``HEEDFUL_QUIET`` silences it.
"""

import logging
import multiprocessing
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import event

QUIET = "HEEDFUL_QUIET"
# Names of the kernels that this process has compiled, one entry for each kind of arguments.
COMPILED: list[str] = []


class Announcer(event.Listener):
    """Says that a kernel is being compiled, when numba has not found it in its disk cache."""

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.thread = kernel, threading.get_ident()

    def on_start(self, event: Any) -> None:
        """Say it before the first one."""
        # numba tells all listeners, those of threads that wait for this very kernel too
        if event.data["dispatcher"] is self.kernel and threading.get_ident() == self.thread:
            COMPILED.append(self.kernel.__name__)
            say_compiling()

    def on_end(self, event: Any) -> None:
        """Say nothing."""


@contextmanager
def announced(kernel: Any) -> Iterator[None]:
    """Say so if ``kernel`` is compiled meanwhile."""
    with event.install_listener("numba:compile", Announcer(kernel)):
        yield


def says_so() -> bool:
    """Return whether this is no worker process: of those each would say the same."""
    return multiprocessing.parent_process() is None


@cache
def say_compiling() -> None:
    """Say that kernels are being compiled."""
    if says_so():
        said = "compiling functions at their first use, up to 20 s; they are kept for later ones"
        _log(f"{said} (heedful compile: all at once)", notice=True)


@cache
def say_uncached() -> None:
    """Say that compiled kernels cannot be kept, and what helps."""
    _log(
        "compiled functions cannot be kept, so every process compiles them anew. Set the environment variable "
        "NUMBA_CACHE_DIR to a folder that can be written to.",
        notice=False,
    )


def _log(message: str, *, notice: bool) -> None:
    """Log a message; a notice is one that asks for nothing."""
    if not os.environ.get(QUIET):
        logging.getLogger("heedful").warning("heedful: %s", message, extra={"notice": notice})
