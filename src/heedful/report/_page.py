"""The page around the data: style, scripts, and what they may do."""

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any

from heedful._optional import import_optional

# What every page has, and what each kind of page has beside it: its body is a file of its name.
SHARED = ("basics", "colours", "charts", "tuning")
SCRIPTS = {
    "explanation": (
        *("choice", "link", "answers", "queries", "compare", "small", "what_if", "panel", "curves", "picker", "whole"),
        "start",
    ),
    "drift": ("drift",),
}
# What JSON must not hold between script tags; it may stand only inside strings, where an escape means the same.
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def build_page(data: dict[str, Any], kind: str) -> str:
    """Return a page about an "explanation" or a "drift": one file, no network."""
    plotly, own = plotly_script(), _own_script(kind)
    policy = (
        f"default-src 'none'; script-src {_digest(plotly)} {_digest(own)}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "TITLE": html.escape(data["title"]).encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "POLICY": policy,
        "STYLE": _part("page.css"),
        "BODY": _part(f"{kind}.html"),
        "DATA": to_json(data),
        "PLOTLY": plotly,
        "SCRIPT": own,
    }
    return re.sub(r"@([A-Z]+)@", lambda found: parts[found.group(1)], _part("page.html"))


def to_json(data: Any) -> str:
    """Return JSON in ASCII that cannot end or open a tag, nor break a line of script."""
    plain = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda found: UNSAFE[found.group()], plain)


def plotly_script() -> str:
    """Return plotly.js of the installed package."""
    return _inside_tags(import_optional("plotly.offline", "report", "heedful.report").get_plotlyjs())


def _own_script(kind: str) -> str:
    body = "\n".join(_part(f"{name}.js") for name in SHARED + SCRIPTS[kind])
    return _inside_tags(f'(function () {{\n"use strict";\n{body}}})();')


def _inside_tags(script: str) -> str:
    """Return a script as a browser reads it between tags; in strings and patterns the escapes mean the same."""
    lines = script.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"<(?=/script|!--)", r"<\\", lines, flags=re.IGNORECASE)


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return files("heedful.report").joinpath("page", name).read_text(encoding="utf-8")
