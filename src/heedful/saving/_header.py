"""The header of a file: its format, and the versions that wrote it."""

from importlib.metadata import version
from typing import Any

from heedful._version import __version__

# Grows whenever files of before cannot be read any more.
FORMAT = 1
HEADER = "heedful.json"


def make_header(notes: dict[str, Any]) -> dict[str, Any]:
    """Return the format and who writes it, followed by what else is to be known of the model."""
    return {"format": FORMAT, "heedful": __version__, "libraries": libraries(), **notes}


def libraries() -> dict[str, str]:
    """Return the versions of the packages that a model is made of."""
    return {name: version(name) for name in ("numpy", "scikit-learn", "skops")}


def check_format(name: str, header: Any) -> None:
    """Refuse a format that is not ours, and say where it can be read."""
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        raise ValueError(f"{name}: not a model of heedful, or a damaged one: its header names no format.")
    wrote, written = header.get("heedful"), header["format"]
    if written > FORMAT:
        raise ValueError(
            f"{name}: the model was written by heedful {wrote} (format {written}), this is {__version__} (format "
            f"{FORMAT}). Upgrade: pip install --upgrade heedful"
        )
    if written < FORMAT:
        raise ValueError(
            f"{name}: the model was written by heedful {wrote} (format {written}), this is {__version__} (format "
            f"{FORMAT}). Fit it again, or use it with: pip install heedful=={wrote}"
        )


def other_versions(header: dict[str, Any]) -> str:
    """Return which versions wrote a file, where they are not those that read it; nothing if all are the same."""
    now, then = {"heedful": __version__, **libraries()}, {"heedful": header.get("heedful")}
    then |= header["libraries"] if isinstance(header.get("libraries"), dict) else {}
    other = [f"{name} {then[name]} (this is {now[name]})" for name in now if then.get(name, now[name]) != now[name]]
    return f" It was written with {', '.join(other)}." if other else ""
