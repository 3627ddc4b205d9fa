"""Which code a study's numbers depend on, as a fingerprint of it.

Read from the sources, nothing is run. A study depends on what its ``main`` leads to: functions, classes and constants
of benchmarks/ one by one, modules of heedful with all that they import. Of a table of methods (a dict by name) a part
of a study depends on its own entries alone. Words do not count: comments, docstrings, functions called ``write_...``,
``tell_...``, ``draw_...``, modules that only show results, and those of explanations where no study asks for one.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

HERE = Path(__file__).resolve().parent
SOURCES = {"heedful": HERE.parent / "src", "benchmarks": HERE.parent}
WRITERS = re.compile(r"_?(write|tell|draw)(_|$)")
SHOWS = {"study", "kept", "pages", "boxes", "fingerprint"}
EXPLAINS = ("heedful.explain", "heedful.cluster")
WORDS = {"_show", "_files", "_optional", "_version", "_first_use", "plot", "report", "cli", "saving"}


class Module(NamedTuple):
    """A module read: what it defines, and where the names that it imports come from."""

    name: str
    text: str
    defined: dict[str, ast.stmt]
    imported: dict[str, tuple[str, str | None]]


def find_module(name: str) -> Path | None:
    """Return the file of a module of ours; of a package its ``__init__``."""
    first, *rest = name.split(".")
    if first not in SOURCES:
        return None
    path = SOURCES[first].joinpath(first, *rest)
    files = (path / "__init__.py", path.with_suffix(".py"))
    return next((file for file in files if file.exists()), None)


@cache
def read_module(name: str) -> Module | None:
    """Return a module of ours, None for one of others."""
    path = find_module(name)
    if path is None:
        return None
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    defined: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            defined |= dict.fromkeys(names, node)
    return Module(name, text, defined, dict(read_imports(tree)))


def read_imports(tree: ast.AST) -> Iterator[tuple[str, tuple[str, str | None]]]:
    """Return for each name that is imported anywhere in a tree the module, and the name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                yield alias.asname or alias.name, (node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], (alias.name, None)


def find_home(module: str, name: str | None) -> tuple[str, str | None]:
    """Return the module that defines what another one may only pass on, and its name there; None for the module."""
    while name is not None:
        if find_module(f"{module}.{name}"):
            return f"{module}.{name}", None
        found = read_module(module)
        if found is None or name in found.defined:
            break
        if name in found.imported:
            module, name = found.imported[name]
        elif name in (late := loads_late(module)):
            module = f"{module}.{late[name]}"
        else:
            break
    return module, name


@cache
def loads_late(module: str) -> dict[str, str]:
    """Return the names that a package loads when they are first asked for, and the modules they are in."""
    node = getattr(read_module(module), "defined", {}).get("_HOME")
    return ast.literal_eval(node.value) if node is not None else {}


def source_lines(text: str, tree: ast.AST) -> list[str]:
    """Return the lines of a piece of code without docstrings, comments on lines of their own, and empty lines."""
    skip = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            skip |= set(range(body[0].lineno, body[0].end_lineno + 1))  # type: ignore[index]
    first, last = getattr(tree, "lineno", 1), getattr(tree, "end_lineno", None)
    lines = enumerate(text.splitlines()[first - 1 : last], first)
    return [line for number, line in lines if number not in skip and line.strip() and not line.strip().startswith("#")]


def is_word(module: str) -> bool:
    """Return whether a module cannot change a number."""
    first, _, rest = module.partition(".")
    return rest.partition(".")[0] in (WORDS if first == "heedful" else SHOWS)


@cache
def package_code(module: str) -> dict[str, str]:
    """Return a module of heedful and all that it leads to, each as its code."""
    found, waiting = {}, [module]
    while waiting:
        name = waiting.pop()
        if name not in found and not is_word(name) and read_module(name) is not None:
            found[name], leads = module_code(name)
            waiting += leads
    return found


@cache
def module_code(name: str) -> tuple[str, list[str]]:
    """Return the code of a module, and the modules that it leads to."""
    read = cast(Module, read_module(name))
    tree = ast.parse(read.text)
    leads = {find_home(*where)[0] for where in read.imported.values()}
    leads |= {home[0] for node in ast.walk(tree) if (home := find_attribute(read, node))}
    return "\n".join(source_lines(read.text, tree)), sorted(leads)


def find_attribute(read: Module, node: ast.AST) -> tuple[str, str | None] | None:
    """Return where an attribute of an imported module is from; None for anything else."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in read.imported):
        return None
    module, name = find_home(*read.imported[node.value.id])
    return find_home(module, node.attr) if name is None else (module, name)


class Reach:
    """What some definitions of benchmarks/ lead to; of tables of methods only the entries of some ``names``."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.code: dict[str, str] = {}
        self.explains = False

    def visit(self, module: str, name: str | None) -> None:
        """Add a definition, or a module of heedful, and what it leads to."""
        module, name = find_home(module, name)
        if module.partition(".")[0] == "heedful":
            self.code |= package_code(module)
            return
        read, key = read_module(module), f"{module}:{name}"
        if read is None or name not in read.defined or key in self.code or is_word(module) or WRITERS.match(name):
            return
        for number, part in enumerate(self.pick(read, read.defined[name])):
            self.code[f"{key}:{number}" if number else key] = "\n".join(source_lines(read.text, part))
            for used in ast.walk(part):
                self.follow(read, used)

    def follow(self, read: Module, node: ast.AST) -> None:
        """Visit what a name, or an attribute of an imported module, stands for."""
        self.explains |= isinstance(node, ast.Attribute) and node.attr in ("explain", "cluster")
        home = find_attribute(read, node)
        if home is not None:
            self.visit(*home)
        elif isinstance(node, ast.Name) and node.id in read.imported:
            self.visit(*read.imported[node.id])
        elif isinstance(node, ast.Name) and node.id in read.defined:
            self.visit(read.name, node.id)

    def pick(self, read: Module, node: ast.stmt) -> list[ast.AST]:
        """Return a definition, or those entries of a dict that the names are about."""
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Dict):
            return [node]
        entries = list(zip([tell_key(read, key) for key in value.keys], value.values, strict=True))
        ours = [entry for key, entry in entries if key in self.names]
        return [*ours, *(entry for key, entry in entries if key is None)] if ours else [node]


def tell_key(read: Module, key: ast.expr | None) -> str | None:
    """Return the text that a key of a dict is, None where it is no text."""
    if isinstance(key, ast.Name):
        module, name = find_home(read.name, key.id)
        key = find_value(read_module(module), name or "")
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def find_value(read: Module | None, name: str) -> ast.expr | None:
    """Return what a name of a module is set to, also as one of several at once."""
    node = read.defined.get(name) if read else None
    if not isinstance(node, ast.Assign):
        return None
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        return next(part for own, part in pairs if isinstance(own, ast.Name) and own.id == name)
    return value


def code_of(module: str, names: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what a study depends on: pieces of code by where they are."""
    home = run_as(module)
    read, reach = read_module(home), Reach(names)
    for name in ["main"] if "main" in read.defined else list(read.defined):  # type: ignore[union-attr]
        reach.visit(home, name)
    return {key: code for key, code in reach.code.items() if reach.explains or not key.startswith(EXPLAINS)}


@cache
def fingerprint(module: str, names: tuple[str, ...] = ()) -> str:
    """Return twelve digits that change when the code behind a study, or behind a part of it by its names, does."""
    text = "\n".join(f"{where}\n{code}" for where, code in sorted(code_of(module, names).items()))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run_as(module: str) -> str:
    """Return the module whose code runs when a study is called by its name."""
    return f"{module}.__main__" if find_module(f"{module}.__main__") else module
