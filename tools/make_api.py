"""Write docs/api.md from the public names, their signatures and the first lines of their docstrings.

Run as ``python tools/make_api.py`` (``make api``). The page is made from the code: mend a docstring, not the page.
"""

import importlib
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "docs" / "api.md"
# Pages that tell a room's story.
STORIES = {
    "heedful": ("which_estimator.md", "attention_lasso.md", "responses.md", "learners.md", "drift.md", "certainty.md"),
    "heedful.attention": ("method.md",),
    "heedful.baseline": ("attention_lasso.md",),
    "heedful.cluster": ("cluster.md",),
    "heedful.context": ("time.md", "space.md"),
    "heedful.datasets": ("datasets.md",),
    "heedful.explain": ("explain.md",),
    "heedful.plot": ("plots.md",),
    "heedful.report": ("report.md",),
    "heedful.saving": ("saving.md",),
    "heedful.similarity": ("similarities.md",),
}
HEAD = """\
# The public names

Made from the code by `make api`: mend a docstring, not this page. Each name has a docstring with its parameters and an
example that runs: `help(heedful.AttentionLasso)`. Words: [glossary.md](glossary.md).
"""
WIDTH = 100


class Member(NamedTuple):
    """A public method or property of a class, and the class that defines it."""

    name: str
    value: Any
    owner: type

    @property
    def is_property(self) -> bool:
        """Whether it is read, not called."""
        return isinstance(self.value, property | cached_property)


def rooms() -> list[str]:
    """Return the package and the rooms that it exports."""
    package = importlib.import_module("heedful")
    inner = [name for name in package.__all__ if inspect.ismodule(getattr(package, name))]
    return ["heedful", *(f"heedful.{name}" for name in inner)]


def public_names(room: str) -> Iterator[tuple[str, Any]]:
    """Yield the full name and the object of each public name of a room that is not a room itself."""
    module = importlib.import_module(room)
    for name in module.__all__:
        value = getattr(module, name)
        if not inspect.ismodule(value):
            yield f"{room}.{name}", value


def public_objects() -> dict[str, Any]:
    """Return the public classes and functions, each once and under its first name."""
    found: dict[str, Any] = {}
    for room in rooms():
        for name, value in public_names(room):
            if callable(value) and value not in found.values():
                found[name] = value
    return found


def public_members(cls: type) -> list[Member]:
    """Return the methods and properties that heedful defines for a class, ``fit`` first and then by name."""
    found: dict[str, Member] = {}
    for owner in cls.__mro__:
        if not owner.__module__.startswith("heedful"):
            continue
        for name, value in vars(owner).items():
            member = Member(name, unwrap(value), owner)
            if not name.startswith("_") and (member.is_property or inspect.isfunction(member.value)):
                found.setdefault(name, member)
    return sorted(found.values(), key=lambda member: (member.name != "fit", member.name))


def unwrap(value: Any) -> Any:
    """Return the function behind a static method, a class method or scikit-learn's ``available_if``."""
    if type(value).__name__ == "_AvailableIfDescriptor":
        return value.fn
    return value.__func__ if isinstance(value, staticmethod | classmethod) else value


def summary(target: Any) -> str:
    """Return the first paragraph of a docstring on one line, as Markdown."""
    text = (inspect.getdoc(target) or "").split("\n\n")[0].replace("\n", " ")
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    return text.replace("|", "\\|")


def show_default(value: Any) -> str:
    """Return a default as it would be written; nothing that differs from run to run."""
    if isinstance(value, str):
        return json.dumps(value)
    if inspect.isclass(value) or inspect.isfunction(value):
        return value.__name__
    text = repr(value)
    return "..." if " at 0x" in text else text


def arguments(function: Callable, *, bound: bool = False) -> list[str]:
    """Return the arguments of a signature without annotations; ``bound`` leaves out the first, ``self``."""
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    written, starred = [], False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            written.append("*")
            starred = True
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f"={show_default(parameter.default)}"
        written.append(f"{star}{parameter.name}{default}")
    return written


def call(name: str, function: Callable) -> str:
    """Return how a class or function is called, broken into lines as wide as the page."""
    whole = f"{name}({', '.join(arguments(function))})"
    if len(whole) <= WIDTH:
        return whole
    inside = textwrap.wrap(", ".join(arguments(function)), WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{name}(", *(f"    {line}" for line in inside), ")"])


def fill(text: str) -> str:
    """Return a paragraph in lines of the pages' width."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def is_protocol(target: Any) -> bool:
    """Return whether a class only says what others must offer: nobody calls it."""
    return bool(getattr(target, "_is_protocol", False))


def attributes(cls: type) -> list[str]:
    """Return the names in the Attributes section of a class."""
    section = re.search(r"\nAttributes\n-+\n(.*?)(?:\n\n\w+\n---|\Z)", inspect.getdoc(cls) or "", re.DOTALL)
    entries = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section.group(1) if section else "", re.MULTILINE)
    return [name for entry in entries for name in entry.split(", ")]


def write_members(cls: type) -> list[str]:
    """Return the table of a class's methods and properties."""
    rows = []
    for member in public_members(cls):
        shown = (
            member.name if member.is_property else f"{member.name}({', '.join(arguments(member.value, bound=True))})"
        )
        rows.append(f"| `{shown}` | {summary(member.value)} |")
    return ["", "| method or property | what it gives |", "|---|---|", *rows] if rows else []


def write_class(cls: type) -> list[str]:
    """Return what is said of a class below its heading."""
    lines = [] if is_protocol(cls) else ["", "```text", call(cls.__name__, cls), "```"]
    lines += write_members(cls)
    fitted = attributes(cls)
    return [*lines, "", fill(f"After `fit`: {', '.join(f'`{name}`' for name in fitted)}.")] if fitted else lines


def write_name(name: str, value: Any, first: dict[int, str]) -> list[str]:
    """Return the entry of one public name; one that was told before points there."""
    heading = ["", f"### `{name}`", ""]
    if not callable(value):
        return [*heading, f"The constant `{show_default(value)}`."]
    known = first.setdefault(id(value), name)
    if known != name:
        return [*heading, f"The same as `{known}`, above."]
    if inspect.isclass(value):
        return [*heading, summary(value), *write_class(value)]
    return [*heading, summary(value), "", "```text", call(value.__name__, value), "```"]


def write_room(room: str, first: dict[int, str]) -> list[str]:
    """Return the section of one room."""
    lines = ["", f"## `{room}`", "", summary(importlib.import_module(room))]
    if room in STORIES:
        lines += ["", fill(f"More: {', '.join(f'[{page}]({page})' for page in STORIES[room])}.")]
    for name, value in public_names(room):
        lines += write_name(name, value, first)
    return lines


def write_page() -> str:
    """Return the whole page."""
    first: dict[int, str] = {}
    links = [f"[`{room}`](#{room.replace('.', '')})" for room in rooms()]
    lines = [HEAD, fill(f"Rooms: {', '.join(links)}.")]
    for room in rooms():
        lines += write_room(room, first)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
    print(f"wrote {PAGE}")
