"""Sketches: the same facts as text and as HTML, in which names stay text."""

from html.parser import HTMLParser

import pytest

from heedful._show import LONGEST, MOST_FACTS, Sketch, count, cut, middle_and_range, percent, short, shorten


class Reader(HTMLParser):
    """Collects tags, attributes and texts."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.texts = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.texts.append(data)


def read_html(page):
    """Return the reader of a page, after a look at what it may hold."""
    reader = Reader()
    reader.feed(page)
    text = {"div", "strong", "table", "tr", "th", "td", "small"}
    assert reader.tags <= text | {"style", "section", "h4", "svg", "text", "rect", "line"}
    places = {"x", "y", "x1", "x2", "y1", "y2", "width", "height", "viewbox", "text-anchor"}
    assert reader.attributes <= places | {"style", "class", "role"}
    return reader


HOSTILE = '<script>alert("1")</script>&lt;'


@pytest.mark.parametrize("hint", ["", HOSTILE])
def test_text_and_html_hold_the_same_facts(hint):
    sketch = Sketch(HOSTILE, [("a", "1"), (HOSTILE, HOSTILE)], hint)
    texts = read_html(sketch.html()).texts
    assert "".join(texts) == f"{HOSTILE}a1{HOSTILE}{HOSTILE}{hint}"
    assert all(part in sketch.text() for part in texts)
    assert len(sketch.text().splitlines()) == 3 + bool(hint)


def test_a_name_is_one_line_of_bounded_length():
    assert cut("a\nb\u2028 c") == "a b c"
    assert len(cut("x" * 500)) == LONGEST
    assert cut("x" * LONGEST) == "x" * LONGEST


def test_long_lists_say_how_much_is_left_out():
    facts = [(str(number), "") for number in range(MOST_FACTS + 3)]
    assert shorten(facts)[-1] == ("...", "and 3 more")
    assert shorten(facts)[:-1] == facts[:MOST_FACTS]
    assert shorten(facts[:MOST_FACTS]) == facts[:MOST_FACTS]


def test_numbers_are_written_as_people_write_them():
    assert [short(value) for value in (0.12345, 1234.5, -1234.5, 1e6, 2.0)] == [
        "0.123",
        "1234",
        "-1234",
        "1,000,000",
        "2",
    ]
    assert (percent(0.256), count(1, "query", "queries"), count(0, "row")) == ("26 %", "1 query", "0 rows")
    assert middle_and_range([1.0, 2.0, 9.0]) == "2 (median; 1 to 9)"
    assert middle_and_range([3.0]) == "3"
