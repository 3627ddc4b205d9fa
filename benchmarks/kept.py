"""Splits that studies have measured and keep, one a line of splits.jsonl, and what a change of code leaves of them.

A line has the key of the code that it was measured with. When code changes that changes no number, the first splits of
each table are measured again: if they are the same, the others are kept under the key of the new code, and the page
says so.
"""

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

# A part of a study, a table, and a seed.
Part = tuple[str, str, int]
Scores = dict[str, dict[str, Any]]
# What a clock says is never the same.
CLOCKS = {"seconds", "fit", "predict"}
SAME = 1e-9


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the splits that a file holds; a line that an interruption cut off is left out."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            lines.append(json.loads(line))
    return lines


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Write splits in order."""
    lines = sorted(lines, key=lambda line: (*part_of(line), line["key"]))
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def part_of(line: dict[str, Any]) -> Part:
    """Return what a line is about."""
    return line.get("part", ""), line["table"], line["seed"]


def read_parts(path: Path, keys: dict[str, str]) -> dict[Part, Scores]:
    """Return the splits kept under the keys of their parts."""
    return {part_of(line): line["scores"] for line in read_lines(path) if keys.get(part_of(line)[0]) == line["key"]}


def forget(path: Path, unwanted: Callable[[dict[str, Any]], bool]) -> None:
    """Take some splits out of a file."""
    write_lines(path, [line for line in read_lines(path) if not unwanted(line)])


def packages_of(key: str) -> str:
    """Return the versions of others' packages, which a key names after its code."""
    return key.partition(", ")[2]


def confirm(
    path: Path,
    keys: dict[str, str],
    wanted: list[Part],
    number: int,
    measure: Callable[[list[Part]], Iterable[dict[str, Any]]],
    where: tuple[str, str],
) -> None:
    """Measure the first wanted splits of each table again; if they are as they were, keep all for the code of today.

    Splits of other versions of others' packages stay what they are. If any number differs, nothing is written.
    """
    lines, asked = read_lines(path), set(wanted) - set(read_parts(path, keys))
    older = [
        line
        for line in lines
        if part_of(line) in asked and packages_of(line["key"]) == packages_of(keys[part_of(line)[0]])
    ]
    first: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in sorted(older, key=part_of):
        first.setdefault((*part_of(line)[:2], line["key"]), []).append(line)
    tried = [line for group in first.values() for line in group[:number]]
    again = {part_of(split): split["scores"] for split in measure(list(dict.fromkeys(map(part_of, tried))))}
    differ = [told for line in tried for told in differences(part_of(line), line["scores"], again[part_of(line)])]
    if differ:
        raise SystemExit(
            f"{len(differ)} numbers are no longer what they were, first {differ[0]}. Nothing was written: measure all "
            "splits again, without `--confirm`."
        )
    # runs that were interrupted may have left a split of several codes
    known = {part_of(line): line | {"key": keys[part_of(line)[0]], "confirmed": [*where, number]} for line in older}
    write_lines(path, [*(line for line in lines if part_of(line) not in known), *known.values()])


def differences(part: Part, before: Scores, after: Scores) -> list[str]:
    """Return what is not the same in two measurements of one split, but for clocks."""
    old, new = (
        {(name, what): value for name, scores in both.items() for what, value in scores.items() if what not in CLOCKS}
        for both in (before, after)
    )
    return [
        f"{', '.join(map(str, (*part, *name)))}: {old.get(name)} and {new.get(name)}"
        for name in sorted(old.keys() | new.keys())
        if not is_same(old.get(name), new.get(name))
    ]


def is_same(old: Any, new: Any) -> bool:
    """Return whether two values are the same, numbers to nine digits."""
    numbers = [np.asarray(value) for value in (old, new)]
    if any(value.dtype.kind not in "fiub" for value in numbers) or numbers[0].shape != numbers[1].shape:
        return old == new
    return np.allclose(*numbers, rtol=SAME, atol=0, equal_nan=True)
