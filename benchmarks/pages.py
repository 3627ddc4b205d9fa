"""What pages of results are made of: figures, tables and lists in markdown, and what they were measured with."""

import datetime as dt
import platform
from collections.abc import Iterable
from importlib.metadata import version

import pandas as pd

# What every page names, beside the packages of its study.
BASE = ("heedful", "numpy", "numba", "scikit-learn")


def format_mean(values: pd.Series, digits: int = 1, sign: str = "") -> str:
    """Return mean (standard error); of a single value the value, of none that nothing was run."""
    values = values.dropna()
    if values.empty:
        return "not run"
    error = f" ({values.sem():.{digits}f})" if len(values) > 1 else ""
    return f"{values.mean():{sign}.{digits}f}{error}"


def draw_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in markdown."""
    head = list(head)
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def bullets(sentences: Iterable[str]) -> str:
    """Return a list in markdown."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def join(title: str, *parts: str) -> str:
    """Return a page; parts without text are left out."""
    return "\n\n".join([f"# {title}", *filter(None, parts)]) + "\n"


def list_words(words: Iterable[str]) -> str:
    """Return words as a list in a sentence."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def versions(packages: Iterable[str]) -> str:
    """Return the versions of packages and of Python."""
    return "".join(f"{name} {version(name)}, " for name in packages) + f"Python {platform.python_version()}"


def stamp(*packages: str) -> str:
    """Return the date, and what was measured with."""
    return f"{dt.date.today()}, {versions(dict.fromkeys((*BASE, *packages)))}"
