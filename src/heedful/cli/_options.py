"""Types of options: numbers, shares, signs and lengths of time."""

import argparse
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def option(read: Callable[[str], Any], accept: Callable[[Any], bool], required: str) -> Callable[[str], Any]:
    """Return a type of argparse: text as ``read`` converts it, refused unless ``accept`` takes the result."""

    def convert(text: str) -> Any:
        with suppress(ValueError):
            value = read(text)
            if accept(value):
                return value
        raise argparse.ArgumentTypeError(f"must be {required}, got {text!r}")

    return convert


def whole(text: str) -> int:
    """Return a whole number >= 0, written in digits only."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError
    return int(text)


def auto_or_number(text: str) -> float | str:
    """Return "auto" or a number."""
    return text if text == "auto" else float(text)


def number_or_text(text: str) -> float | str:
    """Return a number, or else the text: the name of a column, a length of time."""
    with suppress(ValueError):
        if not math.isnan(float(text)):
            return float(text)
    return text


def window(text: str) -> int | float | str:
    """Return a number of rows, or a length of time: a number, or text such as 30D."""
    return int(text) if text.isascii() and text.isdigit() else number_or_text(text)


positive = option(whole, lambda n: n >= 1, "a whole number of at least 1")
seed = option(whole, lambda n: n < 2**32, "a whole number from 0 to 4294967295")
coverage = option(float, lambda share: 0 < share < 1, "a number between 0 and 1, such as 0.9")
times = option(
    lambda text: [float(part) for part in text.split(",")],
    lambda found: all(0 <= time < math.inf for time in found) and len(set(found)) == len(found),
    "different numbers >= 0 with commas between them",
)
limit = option(
    lambda text: (text.rpartition("=")[0], text.rpartition("=")[2]),
    lambda pair: pair[0] and pair[1] in ("+", "-"),
    "a column and its sign, such as accidents=+ or age=-",
)
separator = option(lambda text: text.replace("\\t", "\t"), lambda text: len(text) == 1, "one character")
temperature = option(auto_or_number, lambda t: t == "auto" or 0 < t < math.inf, "auto or a number > 0")
mixing = option(auto_or_number, lambda share: share == "auto" or 0 <= share <= 1, "auto or a number from 0 to 1")
