"""Write the API pages of the site, one for each public name and one for each room, from the code and its docstrings.

Called by `tools/make_site.py` (``make docs``). Nothing here is written by hand: mend a docstring, not a page.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# Examples of the gallery, as they are to be read.
GALLERY_ORDER = (
    *("one_prediction", "house_price", "credit", "binary", "survival", "claims", "effects", "free_care"),
    *("drift", "moving", "series", "tissue", "intervals", "certainty", "clusters", "prototypes"),
    *("learners", "choosing", "beside", "saving_and_serving", "dask_workers", "extending_similarity", "paper_row"),
)

# Pages that tell a room's story.
STORIES = {
    "heedful": (
        *("start", "which_estimator", "reading", "how_it_works", "classification", "survival", "counts"),
        *("effects", "uncertainty", "learners", "drift"),
    ),
    "heedful.attention": ("method",),
    "heedful.baseline": ("how_it_works",),
    "heedful.cluster": ("explain",),
    "heedful.context": ("time_and_space",),
    "heedful.datasets": ("extending",),
    "heedful.explain": ("reading", "explain"),
    "heedful.plot": ("plots",),
    "heedful.report": ("plots",),
    "heedful.saving": ("deployment",),
    "heedful.similarity": ("similarities", "extending"),
}


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
            offered = member.is_property or (inspect.isfunction(member.value) and is_offered(cls, name, value))
            if not name.startswith("_") and offered:
                found.setdefault(name, member)
    return sorted(found.values(), key=lambda member: (member.name != "fit", member.name))


def is_offered(cls: type, name: str, value: Any) -> bool:
    """Return whether objects of a class have a method; scikit-learn's ``available_if`` may take it from some."""
    if type(value).__name__ != "_AvailableIfDescriptor":
        return True
    try:
        return hasattr(cls(), name)
    except TypeError:
        # it wraps an object that has to be given, on which it depends
        return True


@cache
def names_used(example: str) -> frozenset[str]:
    """Return the names and attributes that an example of the gallery uses."""
    nodes = list(ast.walk(ast.parse((EXAMPLES / f"{example}.py").read_text(encoding="utf-8"))))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return frozenset(used | {node.attr for node in nodes if isinstance(node, ast.Attribute)})


def examples_of(name: str) -> list[str]:
    """Return a line that leads to the examples of the gallery that use a public name, none if there are none."""
    short = name.rpartition(".")[2]
    using = [example for example in GALLERY_ORDER if short in names_used(example)]
    links = ", ".join(f":doc:`/gallery/{example}`" for example in using)
    return [f"**Examples that use it:** {links}", ""] if using else []


def unwrap(value: Any) -> Any:
    """Return the function behind a static method, a class method or scikit-learn's ``available_if``."""
    if type(value).__name__ == "_AvailableIfDescriptor":
        return value.fn
    return value.__func__ if isinstance(value, staticmethod | classmethod) else value


def summary(target: Any) -> str:
    """Return the first paragraph of a docstring on one line."""
    return (inspect.getdoc(target) or "").split("\n\n")[0].replace("\n", " ")


def is_protocol(target: Any) -> bool:
    """Return whether a class only says what others must offer: nobody calls it."""
    return bool(getattr(target, "_is_protocol", False))


def write_name(name: str, value: Any) -> str:
    """Return the page of one public name: its docstring, and those of its methods and properties."""
    room, _, short = name.rpartition(".")
    lines = [short, "=" * len(short), "", f".. py:currentmodule:: {room}", ""]
    if not callable(value):
        return "\n".join([*lines, f".. py:data:: {short}", f"   :value: {value!r}", ""])
    if not inspect.isclass(value):
        return "\n".join([*lines, f".. autofunction:: {short}", "", *examples_of(name)])
    members = public_members(value)
    lines += [*examples_of(name), f".. autoclass:: {short}", ""]
    if members:
        lines += ["   .. list-table:: Methods and attributes", "      :widths: 35 65", ""]
    for member in members:
        title = f"``{member.name}``" if member.is_property else f":py:obj:`{member.name} <{name}.{member.name}>`"
        lines += [f"      * - {title}", f"        - {summary(member.value)}"]
    lines.append("")
    directives = {property: "autoproperty", cached_property: "autoattribute"}
    for member in members:
        lines += [f"   .. {directives.get(type(member.value), 'automethod')}:: {member.name}", ""]
    return "\n".join(lines)


def write_room(room: str, first: dict[int, str]) -> str:
    """Return the page of one room: what it is for, where to read more, and its names with what they do."""
    stories = ", ".join(f":doc:`/{page}`" for page in STORIES.get(room, ()))
    lines = [room, "=" * len(room), "", f".. automodule:: {room}", "   :no-members:", ""]
    lines += [f"Read more: {stories}.", ""] if stories else []
    lines += [".. list-table::", "   :widths: 35 65", ""]
    own = []
    for name, value in public_names(room):
        known = first.setdefault(id(value), name) if callable(value) else name
        said = summary(value) if callable(value) else f"The constant ``{value!r}``."
        if known == name:
            own.append(name)
        lines += [f"   * - :py:obj:`{name} <{known}>`", f"     - {said}"]
    return "\n".join([*lines, "", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in own), ""])


def pages() -> dict[str, str]:
    """Return the text of each page by its name in the folder of the API."""
    texts: dict[str, str] = {}
    first: dict[int, str] = {}
    for room in rooms():
        texts[f"{room}.rst"] = write_room(room, first)
        for name, value in public_names(room):
            if not callable(value) or first[id(value)] == name:
                texts[f"{name}.rst"] = write_name(name, value)
    return texts
