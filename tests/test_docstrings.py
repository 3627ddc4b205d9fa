"""Docstrings say what signatures say, for every public name."""

import ast
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REQUIRED = inspect.Parameter.empty
LIMIT = 76


def load_tool(name):
    """Import a script of ``tools``."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


make_api = load_tool("make_api")
PUBLIC = make_api.public_objects()
MEMBERS = {
    f"{member.owner.__module__}.{member.owner.__name__}.{member.name}": member
    for target in PUBLIC.values()
    if inspect.isclass(target)
    for member in make_api.public_members(target)
}


def each(targets):
    return pytest.mark.parametrize("target", targets.values(), ids=targets.keys())


def section(target, title):
    """Return one section of a docstring, empty if there is none."""
    found = re.search(rf"(?:^|\n){title}\n-+\n(.*?)(?=\n\n\w+\n---|\Z)", inspect.getdoc(target) or "", re.DOTALL)
    return found.group(1) if found else ""


def documented(target):
    """Return the names and defaults in the Parameters section of a docstring.

    A class or a method may name another whose parameters it has too; a method that overrides one of heedful has those.
    """
    found, doc = {}, inspect.getdoc(target) or ""
    named = re.search(r"parameters are those of\s+:(?:class|meth):`(heedful\.[\w.]+)`", doc)
    if named:
        found |= documented(find(named.group(1)))
    for names, kind, text in own_parameters(target):
        default, other = re.search(r"default=(.*)$", kind), re.search(r":class:`(heedful\.\w+)`", text)
        if not kind and other:
            known = documented(PUBLIC[other.group(1)])
            found |= {name: known[name] for name in names.split(", ")}
        else:
            found |= dict.fromkeys(names.split(", "), written(default.group(1)) if default else REQUIRED)
    return found


def own_parameters(target):
    """Return names, kind and text of each entry of a Parameters section; no kind means as in another class."""
    entries = re.findall(r"^([\w*, ]+)(?: : (.*))?\n((?: .*\n?)*)", section(target, "Parameters") + "\n", re.MULTILINE)
    return [(names, kind, " ".join(text.split())) for names, kind, text in entries]


def find(name):
    """Return the public class or method of a name."""
    if name in PUBLIC:
        return PUBLIC[name]
    owner, _, method = name.rpartition(".")
    return getattr(PUBLIC[owner], method)


def first_documented(member):
    """Return a method, or the one of heedful that it overrides if it has no sections of its own."""
    for owner in member.owner.__mro__:
        method = vars(owner).get(member.name)
        if owner.__module__.startswith("heedful") and "---" in (inspect.getdoc(unwrapped(method)) or ""):
            return unwrapped(method)
    return member.value


def unwrapped(method):
    """Return the function behind a class method or scikit-learn's ``available_if``."""
    return make_api.unwrap(method)


def written(default):
    """Return a default in a docstring as Python shows the value."""
    try:
        return repr(ast.literal_eval(default))
    except (ValueError, SyntaxError):
        return default


def expected(target):
    """Return the names and defaults of a signature, without ``self``."""
    if make_api.is_protocol(target):
        return {}
    parameters = inspect.signature(target).parameters.values()
    return {
        parameter.name: REQUIRED if parameter.default is REQUIRED else repr(parameter.default)
        for parameter in parameters
        if parameter.name not in ("self", "cls")
    }


def returns_something(function):
    """Return whether a function gives back what its caller did not hand in: neither nothing nor ``self``."""
    function = inspect.unwrap(function)
    if function.__name__ == "fit" or inspect.signature(function).return_annotation not in (REQUIRED, None):
        return True
    body = ast.parse(textwrap.dedent(inspect.getsource(function)))
    given = [node.value for node in ast.walk(body) if isinstance(node, ast.Return) and node.value]
    return any(ast.unparse(value) not in ("None", "self") for value in given)


def check_summary(target):
    first, *rest = (inspect.getdoc(target) or "").split("\n\n")[0].split("\n")
    assert not rest, "the summary must be one line"
    assert 0 < len(first) < LIMIT, f"{len(first)} characters"
    assert first.endswith(".")
    return first.split()[0]


@each(PUBLIC)
def test_summaries_are_one_short_line_that_says_what_to_do(target):
    word = check_summary(target)
    # a class is named by a noun, as in scikit-learn
    assert inspect.isclass(target) or not re.search(r"[^s]s$", word), f"{word!r} is no imperative"


@each({name: member.value for name, member in MEMBERS.items()})
def test_summaries_of_methods_and_properties_are_one_short_line(target):
    check_summary(target)


METHODS = {name: first_documented(member) for name, member in MEMBERS.items() if not member.is_property}


@each(PUBLIC)
def test_docstrings_name_every_parameter_in_order_with_its_default(target):
    assert documented(target) == expected(target)
    if hasattr(target, "get_params"):
        own = [name for names, *_ in own_parameters(target) for name in names.split(", ")]
        assert own == [name for name in expected(target) if name in own], "in the order of the signature"


@each(METHODS)
def test_docstrings_of_methods_name_every_parameter_in_order_with_its_default(target):
    assert list(documented(target).items()) == list(expected(target).items())


@each({name: target for name, target in PUBLIC.items() if not inspect.isclass(target)} | METHODS)
def test_docstrings_say_what_is_returned(target):
    assert bool(section(target, "Returns")) or not returns_something(target)


@each({name: target for name, target in METHODS.items() if target.__name__ == "fit"})
def test_fit_says_that_it_returns_the_estimator(target):
    assert section(target, "Returns") == "self : the fitted estimator"


@each(PUBLIC)
def test_docstrings_have_an_example(target):
    assert ">>> " in section(target, "Examples")
