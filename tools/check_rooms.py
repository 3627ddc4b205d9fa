"""Check that rooms import only from rooms above them, by their public doors, and that no import hides in a function.

Files of a room do not import in circles either, and what only type checkers read counts as well.

Run as ``python tools/check_rooms.py``; prints each breach and exits with 1 if there is one.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "heedful"

# Bottom to top, as in CONTRIBUTING.md. A room may import from those named for it, all of which are above in this list,
# and from itself.
GROUND = {
    "_kernels",
    "_checks",
    "_undo",
    "_optional",
    "_show",
    "_blocks",
    "_frames",
    "_file_checks",
    "_ensembles",
    "_trees",
}
FLOW = GROUND | {"_responses", "attention", "_solver", "_folds", "baseline", "similarity", "_flow"}
MAY_IMPORT: dict[str, set[str]] = {
    "_kernels": set(),
    "_checks": set(),
    "_undo": set(),
    "_blocks": set(),
    "_frames": {"_checks"},
    "_files": set(),
    "_optional": set(),
    "_show": set(),
    "_version": set(),
    "_file_checks": set(),
    "_ensembles": {"_kernels", "_checks", "_file_checks", "_optional"},
    "_trees": {"_kernels", "_blocks", "_file_checks"},
    "_responses": {"_kernels", "_checks"},
    "responses": {"_responses"},
    "attention": GROUND,
    "_solver": GROUND | {"_responses", "attention"},
    "_folds": {"_frames", "_solver"},
    "baseline": GROUND | {"_responses", "_solver", "_folds"},
    "similarity": GROUND,
    "context": GROUND,
    "_flow": FLOW - {"_flow"},
    "_models": FLOW,
    "cluster": GROUND,
    "explain": {"_checks", "_frames", "_optional", "_responses", "_show", "cluster"},
    "_explaining": FLOW | {"explain"},
    "_effects": FLOW | {"_models", "explain", "_explaining"},
    "estimators": FLOW | {"_models", "_effects", "explain", "_explaining"},
    "plot": {"_optional", "explain"},
    "report": {"_checks", "_files", "_optional", "_responses", "_show", "explain"},
    "datasets": {"_checks", "_files", "_optional"},
    "saving": {"_file_checks", "_files", "_version"},
    "_first_use": {"_kernels", "_solver", "cluster", "estimators", "similarity"},
    # public names only, the kinds of cells, the writer of files, and compiling ahead
    "cli": {
        "_files",
        "_first_use",
        "_frames",
        *(
            "AttentionCox",
            "AttentionEffect",
            "AttentionGLM",
            "AttentionLasso",
            "AttentionLassoClassifier",
            "DriftCorrector",
            "LocalLasso",
            "__version__",
        ),
        *("explain", "similarity", "report", "saving"),
    },
    "__main__": {"cli"},
}
OUTSIDE = {
    "_kernels": {
        "numpy",
        "numba",
        "typing",
        "importlib",
        "collections",
        "contextlib",
        "functools",
        "gc",
        "hashlib",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "threading",
    },
    "_checks": {"numpy", "sklearn", "pandas", "collections", "numbers", "typing", "warnings"},
}
# Private modules of a room that others may import, each for a reason.
PRIVATE_DOORS = {
    "_kernels._notice": "which kernels were compiled is for compiling ahead alone",
    "explain._drift_measures": "what the tests of drift write, and the report of drift reads",
}
OPTIONAL = {"matplotlib", "plotly", "lightgbm", "xgboost", "catboost"}


def room_of(path: Path) -> str:
    """Return the room that a file belongs to; the package's own ``__init__`` may import any public name."""
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported(tree: ast.AST) -> list[tuple[str, int]]:
    """Return every imported module with its line."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "heedful":
            found += [(f"heedful.{alias.name}", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, node.lineno))
    return found


def hidden_imports(tree: ast.AST) -> list[tuple[str, int]]:
    """Return imports inside functions that are not of an optional package."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += [(name, line) for name, line in imported(node) if name.split(".")[0] not in OPTIONAL]
    return found


def breaches(path: Path) -> list[str]:
    """Return what one file imports that it should not."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    where, room = path.relative_to(ROOT.parent.parent), room_of(path)
    found = [f"{where}:{line}: import of {name} hidden in a function" for name, line in hidden_imports(tree)]
    if room == "__init__":
        return found
    if room not in MAY_IMPORT:
        return [*found, f"{where}: room {room!r} is not in the picture; add it here and in CONTRIBUTING.md"]
    for name, line in imported(tree):
        parts = name.split(".")
        if parts[0] == "heedful":
            target = parts[1] if len(parts) > 1 else "__init__"
            if target != room and target not in MAY_IMPORT[room]:
                found.append(f"{where}:{line}: {room} must not import {target}")
            if target == room and len(parts) == 2 and path.name != "__init__.py":
                found.append(f"{where}:{line}: a file must not import its own package's __init__")
        elif room in OUTSIDE and parts[0] not in OUTSIDE[room]:
            found.append(f"{where}:{line}: {room} must not import {parts[0]}")
    return found


def circles() -> list[str]:
    """Return rooms that may import from a room below them: with none, imports cannot go in circles."""
    order = list(MAY_IMPORT)
    late = [(room, name) for room in order for name in MAY_IMPORT[room] if name in order[order.index(room) :]]
    return [f"{room} may import {name}, which is not above it" for room, name in late]


def private_imports(path: Path) -> list[str]:
    """Return what one file imports from a private module of another room."""
    where, room = path.relative_to(ROOT.parent.parent), room_of(path)
    found = []
    for name, line in imported(ast.parse(path.read_text(encoding="utf-8"))):
        parts = name.split(".")
        private = parts[0] == "heedful" and len(parts) > 2 and parts[2].startswith("_")
        if private and parts[1] != room and room != "__init__" and ".".join(parts[1:]) not in PRIVATE_DOORS:
            found.append(f"{where}:{line}: {name} is private to its room; export what others need")
    return found


def file_circles(files: list[Path]) -> list[str]:
    """Return files that import each other in a circle, one line a circle."""
    graph = {
        name_of(path): {name for name, _ in imported(ast.parse(path.read_text(encoding="utf-8")))} for path in files
    }
    graph = {name: found & graph.keys() for name, found in graph.items() if not name.endswith("__init__")}
    behind = {name: reachable(graph, name) for name in graph}
    circles = {
        frozenset(other for other in behind[name] if name in behind[other]) for name in graph if name in behind[name]
    }
    return [f"circle of imports: {', '.join(sorted(circle))}" for circle in circles]


def name_of(path: Path) -> str:
    """Return the name under which a file is imported."""
    return ".".join(("heedful", *path.relative_to(ROOT).with_suffix("").parts))


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return what a file imports, directly or by others."""
    seen: set[str] = set()
    queue = [start]
    while queue:
        fresh = graph.get(queue.pop(), set()) - seen
        seen |= fresh
        queue += fresh
    return seen


def main() -> int:
    """Check every file of the package."""
    files = sorted(ROOT.rglob("*.py"))
    found = circles() + file_circles(files)
    found += [line for path in files for line in breaches(path) + private_imports(path)]
    print("\n".join(found) if found else f"rooms: {len(list(ROOT.rglob('*.py')))} files, every import goes up")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
