"""Results as a few lines of text and as a small piece of HTML: the same facts in both."""

from html import escape
from typing import Any, NamedTuple

import numpy as np

# Longer names and cells are cut; lists of facts too.
LONGEST, MOST_FACTS = 40, 8
# Numbers from here on are written with exponents.
LARGE = 1e9
CELL = ' style="text-align:left"'


class Sketch(NamedTuple):
    """What is worth knowing of a result at first sight: a title, facts under their names, and where to go on."""

    title: str
    facts: list[tuple[str, str]]
    hint: str = ""

    def text(self) -> str:
        width = max((len(name) for name, _ in self.facts), default=0)
        facts = [f"  {name:<{width}}  {text}" for name, text in self.facts]
        return "\n".join([self.title, *facts, *([self.hint] if self.hint else [])])

    def html(self) -> str:
        """Return a table; names and cells stay text, whatever they hold."""
        rows = (f"<tr><th{CELL}>{escape(name)}</th><td{CELL}>{escape(text)}</td></tr>" for name, text in self.facts)
        hint = f"<div><small>{escape(self.hint)}</small></div>" if self.hint else ""
        return f"<div><strong>{escape(self.title)}</strong><table>{''.join(rows)}</table>{hint}</div>"


class Shown:
    """A result that shows itself by its sketch, in a terminal and in a notebook."""

    def _sketch(self) -> Sketch:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._sketch().text()

    def _repr_html_(self) -> str:
        return self._sketch().html()


def shorten(facts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    more = len(facts) - MOST_FACTS
    return facts if more <= 0 else [*facts[:MOST_FACTS], ("...", f"and {more} more")]


def count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


def middle_and_range(values: Any) -> str:
    """Return the median of numbers, with the smallest and the largest if these differ."""
    values = np.asarray(values, dtype=np.float64)
    low, middle, high = (short(value) for value in np.quantile(values, (0.0, 0.5, 1.0)))
    return middle if low == high else f"{middle} (median; {low} to {high})"


def short(value: float, digits: int = 3) -> str:
    """Return a number as people write it: 1403, 55,550, 0.0123."""
    if abs(value) < 10.0**digits or not abs(value) < LARGE:
        return f"{value:.{digits}g}"
    return f"{value:.0f}" if abs(value) < 9999.5 else f"{value:,.0f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def format_p(p_value: float) -> str:
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"


def cut(name: Any, longest: int = LONGEST) -> str:
    """Return a name on one line, not too long."""
    text = " ".join(str(name).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
