"""``heedful compile``: compile everything ahead, so that no first use has to wait."""

from argparse import Namespace
from time import perf_counter
from typing import Any

from tqdm import tqdm

from heedful._first_use import compile_kernels
from heedful.cli._output import say


def run(arguments: Namespace) -> dict[str, Any]:
    """Fit small tables of every kind; return what was compiled and how long it took."""
    start = perf_counter()
    with tqdm(disable=not arguments.verbose, unit="fit") as bar:
        compiled = compile_kernels(lambda label: (bar.set_description(label), bar.update()))
    return {"compiled": sorted(compiled), "seconds": perf_counter() - start}


def tell(found: dict[str, Any]) -> None:
    """Say what was compiled."""
    names, seconds = found["compiled"], found["seconds"]
    if names:
        say(f"compiled {len(names)} functions in {seconds:.1f} s: {', '.join(names)}")
    else:
        say(f"all functions were compiled already ({seconds:.1f} s)")
