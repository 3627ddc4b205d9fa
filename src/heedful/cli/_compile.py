"""``heedful compile``: compile all functions ahead."""

import logging
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from heedful._first_use import compile_kernels
from heedful.cli._console import log_notice


def run(arguments: Namespace) -> dict[str, Any]:
    """Fit small tables of every kind; return what was compiled."""
    log_notice("compiling all functions that are not compiled yet, up to two minutes")
    with _without_notices(), tqdm(disable=not arguments.verbose, unit="fit") as bar:
        compiled = compile_kernels(lambda label: (bar.set_description(label), bar.update()))
    return {"compiled": sorted(compiled)}


@contextmanager
def _without_notices() -> Iterator[None]:
    """Leave out what the library says of a first use, which waits for less."""
    log = logging.getLogger("heedful")
    keep = lambda record: not getattr(record, "notice", False)  # noqa: E731 - the very object is taken away again
    log.addFilter(keep)
    try:
        yield
    finally:
        log.removeFilter(keep)


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield what was compiled."""
    names, seconds = summary["compiled"], summary["seconds"]
    if names:
        yield f"compiled {len(names)} functions in {seconds:.1f} s: {', '.join(names)}"
    else:
        yield f"all functions were compiled already ({seconds:.1f} s)"
