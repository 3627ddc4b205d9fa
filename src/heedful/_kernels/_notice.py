"""What is said while kernels are compiled, and where they cannot be kept: once each, by the logger ``heedful``.

A logger that nobody has configured writes to standard error. The environment variable ``HEEDFUL_QUIET`` silences it.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import event

QUIET = "HEEDFUL_QUIET"


class Announcer(event.Listener):
    """Says that a kernel is being compiled, when numba has not found it in its disk cache."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def on_start(self, event: Any) -> None:
        """Say it before the first one."""
        if event.data["dispatcher"] is self.kernel:
            say("compiling, once per installation (about 10 s)")

    def on_end(self, event: Any) -> None:
        """Say nothing."""


@contextmanager
def announced(kernel: Any) -> Iterator[None]:
    """Say so if ``kernel`` is compiled meanwhile."""
    with event.install_listener("numba:compile", Announcer(kernel)):
        yield


def say_uncached() -> None:
    """Say that compiled kernels cannot be kept, and what helps."""
    say(
        "compiled functions cannot be kept, so every process compiles them anew. Set the environment variable "
        "NUMBA_CACHE_DIR to a folder that can be written to."
    )


@cache
def say(message: str) -> None:
    """Log a message the first time that it comes up."""
    if not os.environ.get(QUIET):
        logging.getLogger("heedful").warning("heedful: %s", message)
