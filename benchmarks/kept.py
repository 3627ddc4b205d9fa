"""Splits that studies have measured and keep, one a line of splits.jsonl, with the versions that they were measured by.

A split of other versions is measured again; one of the same versions is not, whatever has changed in the code since.
So a line also says at which commit it was measured, and the page names all of its commits.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

# A part of a study, a table, and a seed.
Part = tuple[str, str, int]
Scores = dict[str, dict[str, Any]]
Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    """Return the splits that a file holds; a line that an interruption cut off is left out."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            lines.append(json.loads(line))
    return lines


def write_lines(path: Path, lines: list[Line]) -> None:
    """Write splits in order."""
    lines = sorted(lines, key=part_of)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def part_of(line: Line) -> Part:
    """Return what a line is about."""
    return line.get("part", ""), line["table"], line["seed"]
