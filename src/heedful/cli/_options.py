"""What options hold: text that must be a number, a share, a sign or a length of time."""

import argparse
import importlib
import math


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def coverage(text: str) -> float:
    """Return a share between 0 and 1."""
    if not 0 < number(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, such as 0.9, got {text!r}")
    return number(text)


def times(text: str) -> list[float]:
    """Return different times with commas between them."""
    found = [number(part) for part in text.split(",")]
    if not all(0 <= time < math.inf for time in found) or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"must be different numbers >= 0 with commas between them, got {text!r}")
    return found


def seed(text: str) -> int:
    """Return a whole number that can start random draws."""
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 4294967295, got {text!r}")
    return int(text)


def limit(text: str) -> tuple[str, str]:
    """Return a column and its sign."""
    column, between, sign = text.rpartition("=")
    if not column or not between or sign not in ("+", "-"):
        raise argparse.ArgumentTypeError(f"must be a column and its sign, such as accidents=+ or age=-, got {text!r}")
    return column, sign


def propensity(text: str) -> float | str:
    """Return a number, or else the name of a column."""
    return text if math.isnan(number(text)) else number(text)


def separator(text: str) -> str:
    """Return one character."""
    text = "\t" if text == "\\t" else text
    if len(text) != 1:
        raise argparse.ArgumentTypeError(f"must be one character, got {text!r}")
    return text


def temperature(text: str) -> float | str:
    """Return "auto" or a number > 0."""
    if text != "auto" and not 0 < number(text) < math.inf:
        raise argparse.ArgumentTypeError(f"must be auto or a number > 0, got {text!r}")
    return text if text == "auto" else number(text)


def mixing(text: str) -> float | str:
    """Return "auto" or a number from 0 to 1."""
    if text != "auto" and not 0 <= number(text) <= 1:
        raise argparse.ArgumentTypeError(f"must be auto or a number from 0 to 1, got {text!r}")
    return text if text == "auto" else number(text)


def window(text: str) -> int | float | str:
    """Return a number of rows, or a length of time as it was written unless it is a number."""
    if text.isascii() and text.isdigit():
        return positive(text)
    if math.isnan(number(text)) and not is_length_of_time(text):
        raise argparse.ArgumentTypeError(f"must be a number of rows or a length of time, got {text!r}")
    return text if math.isnan(number(text)) else number(text)


def is_length_of_time(text: str) -> bool:
    """Return whether pandas reads a text as a length of time; pandas is loaded for texts with a digit only."""
    if not any(letter.isdigit() for letter in text):
        return False
    try:
        importlib.import_module("pandas").Timedelta(text)
    except ValueError:
        return False
    return True


def number(text: str) -> float:
    """Return a number; NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        return math.nan
