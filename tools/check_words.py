"""Find words of our own where the field has a word: ``python tools/check_words.py``, part of ``make lint``.

The words are the table "Words" in CONTRIBUTING.md; pages, the README, docstrings and messages are searched. Code in
pages and quoted output are left alone.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```.*?^```$|`[^`\n]+`|\]\([^)]*\)|^#+ .*\((?=[^)]*`)", re.DOTALL | re.MULTILINE)


def read_words(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a word to avoid and what to write, from the section "Words" of CONTRIBUTING."""
    section = re.split(r"^## ", text.split("\n## Words\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", section, flags=re.MULTILINE)
    return [(avoid, better) for avoid, better in rows if set(avoid) != {"-"} and avoid != "instead of"]


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield docstrings and other texts of a Python file, each with its first line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def texts(root: Path) -> Iterator[tuple[Path, int, str]]:
    """Yield what people read: pages whole, without their code, and the strings of the package."""
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        yield path, 1, FENCE.sub(lambda part: "\n" * part[0].count("\n"), text)
    for path in sorted((root / "src").rglob("*.py")):
        for line, text in strings_of(path):
            yield path, line, text


def findings(root: Path, words: list[tuple[str, str]]) -> list[str]:
    """Return a line for each place where a word of the table stands."""
    patterns = [
        (re.compile(rf"(?<![\w-]){re.escape(avoid)}(?![\w-])", re.IGNORECASE), better) for avoid, better in words
    ]
    lines = []
    for path, first, text in texts(root):
        for pattern, better in patterns:
            # a phrase may be broken over two lines
            loose = re.compile(pattern.pattern.replace(r"\ ", r"\s+"), re.IGNORECASE)
            for match in loose.finditer(text):
                line = first + text[: match.start()].count("\n")
                lines.append(f'{path.relative_to(root)}:{line}: "{" ".join(match[0].split())}": write {better}')
    return lines


def main() -> int:
    """Print what was found; the status is 1 if there is any."""
    words = read_words((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    lines = findings(ROOT, words)
    print("\n".join(lines) or f"None of {len(words)} words to avoid is used.")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
