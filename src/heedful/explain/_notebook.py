"""Pictures and tables in HTML, as notebooks show them: plain SVG that follows the colours of the page."""

from collections.abc import Iterable
from html import escape
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from heedful._show import cut, percent, short
from heedful.explain._values import format_cell

# Of a picture, in pixels: a line, a letter, a gap, all of the bars, and the numbers at their right.
LINE, LETTER, GAP, BARS, NUMBERS = 20, 7.4, 5, 280, 70
LONGEST_NAME = 34
STYLE = """<style>
.heedful{font:13px/1.45 system-ui,sans-serif;color:inherit}
.heedful>div{display:flex;flex-wrap:wrap;gap:4px 36px;align-items:flex-start}
.heedful h4{font-size:13px;font-weight:600;margin:10px 0 4px}
.heedful svg{max-width:100%;height:auto;overflow:visible}
.heedful svg text{fill:currentColor;font-size:12px}
.heedful svg line{stroke:currentColor;stroke-opacity:.45}
.heedful .more{fill:#c8443c;color:#c8443c}.heedful .less{fill:#2f74b5;color:#2f74b5}.heedful .size{fill:#7f8c8d}
.heedful table{color:inherit;font:inherit;border-collapse:collapse;margin:0;font-variant-numeric:tabular-nums}
.heedful th,.heedful td{text-align:right;padding:2px 0 2px 16px;background:none}
.heedful tr{border-bottom:1px solid rgba(128,128,128,.3)}
.heedful th:first-child,.heedful td:first-child{text-align:left;padding-left:0}
.heedful .sum td{font-weight:600}
@media(prefers-color-scheme:dark){.heedful .more{fill:#ee8179;color:#ee8179}.heedful .less{fill:#74b3ea;color:#74b3ea}}
</style>"""


def lay_out(title: str, parts: Iterable[tuple[str, str]], hint: str = "") -> str:
    """Return a title, parts (HTML already) under their headings side by side, and a hint below."""
    below = f"<small>{escape(hint)}</small>" if hint else ""
    sections = "".join(f"<section><h4>{escape(name)}</h4>{part}</section>" for name, part in parts)
    return f'{STYLE}<div class="heedful"><strong>{escape(title)}</strong><div>{sections}</div>{below}</div>'


def draw_waterfall(names: list[str], start: float, parts: list[float], end: float) -> str:
    """Return bars that lead from one value to another, each from where the one before it ended.

    ``names`` are those of the start, of each part and of the end.
    """
    edges = start + np.cumsum([0.0, *parts])
    picture = _Picture(names, edges)
    for line, part in enumerate(parts, start=1):
        right = picture.bar(edges[line - 1], edges[line], line, "more" if part >= 0 else "less")
        picture.write(_signed(part), right + GAP, line)
    for line, edge in enumerate(edges):
        picture.join(edge, line)
    for line, value in ((0, start), (len(parts) + 1, end)):
        picture.write(short(value), picture.place(value) + GAP, line)
    return picture.svg()


def draw_sizes(sizes: pd.Series) -> str:
    picture = _Picture([str(name) for name in sizes.index], np.append(0.0, sizes.to_numpy()))
    for line, size in enumerate(sizes):
        picture.write(short(size), picture.bar(0.0, size, line, "size") + GAP, line)
    return picture.svg()


class _Picture:
    """Lines of an SVG, each with a name at the left, and places of values right of the names."""

    def __init__(self, names: list[str], values: np.ndarray):
        names = [cut(name, LONGEST_NAME) for name in names]
        self.left = LETTER * max(map(len, names))
        self.low, high = float(np.min(values)), float(np.max(values))
        self.span, self.n_lines = (high - self.low) or 1.0, len(names)
        self.parts: list[str] = []
        for line, name in enumerate(names):
            self.write(name, self.left, line, ' text-anchor="end"')

    def place(self, value: float) -> float:
        return self.left + 2 * GAP + BARS * (float(value) - self.low) / self.span

    def write(self, text: str, x: float, line: int, how: str = "") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{LINE * line + 14}"{how}>{escape(text)}</text>')

    def bar(self, start: float, end: float, line: int, kind: str) -> float:
        """Draw a bar between two values and return where it ends at the right."""
        left, right = sorted((self.place(start), self.place(end)))
        size = f'width="{max(right - left, 0.5):.1f}" height="{LINE - 6}"'
        self.parts.append(f'<rect class="{kind}" x="{left:.1f}" y="{LINE * line + 3}" {size}/>')
        return right

    def join(self, value: float, line: int) -> None:
        x, y = f"{self.place(value):.1f}", LINE * line + LINE // 2
        self.parts.append(f'<line x1="{x}" x2="{x}" y1="{y}" y2="{y + LINE}"/>')

    def svg(self) -> str:
        width, height = round(self.left + 2 * GAP + BARS + NUMBERS), LINE * self.n_lines
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        return f'<svg {size} role="img">{"".join(self.parts)}</svg>'


def table_facts(facts: list[tuple[str, str]]) -> str:
    return f"<table>{''.join(_row(list(fact)) for fact in facts)}</table>"


def table_terms(terms: pd.DataFrame, start: float, total: float) -> str:
    """Return a small model as a table whose last column adds up."""
    rows = [_row(["at the reference", "", "", "", short(start)])]
    for term in terms.itertuples():
        slope = short(term.slope) + ("" if isinstance(term.value, Real) else " a day") if has_slope(term) else ""
        cells = [term.feature, format_cell(term.value), format_cell(term.reference)]
        row = [*(cut(cell, LONGEST_NAME) for cell in cells), slope, _signed(term.term)]
        rows.append(_row(row, last="more" if term.term >= 0 else "less"))
    rows.append(_row(["this query", "", "", "", short(total)], of="sum"))
    return _table(["column", "value", "reference", "slope", "term"], rows)


def table_rows(rows: pd.DataFrame) -> str:
    table = rows.astype(object).map(format_cell)
    table["weight"] = rows["weight"].map(percent)
    names = [cut(name, LONGEST_NAME) for name in rows.columns]
    return _table(names, [_row([cut(cell, LONGEST_NAME) for cell in cells]) for cells in table.to_numpy()])


def has_slope(term: Any) -> bool:
    """Return whether a term is a slope times a distance; that of a level or a missing number is there or not."""
    return term.slope != term.term


def _table(names: list[str], rows: list[str]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _row(cells: list[str], last: str = "", of: str = "") -> str:
    """Return a row of cells; ``last`` is the kind of the last one, ``of`` that of the row."""
    *first, end = (escape(cell) for cell in cells)
    row = "".join(f"<td>{cell}</td>" for cell in first) + (f'<td class="{last}">' if last else "<td>") + f"{end}</td>"
    return (f'<tr class="{of}">' if of else "<tr>") + f"{row}</tr>"


def _signed(part: float) -> str:
    return f"{'+' if part >= 0 else '−'}{short(abs(part))}"
