"""``show``: the page in a notebook or in a browser."""

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from heedful._checks import check_number
from heedful._optional import import_optional
from heedful._show import escape
from heedful.explain import DriftReport, Explanation
from heedful.report._write import render, write


def show(
    explanation: Explanation | DriftReport,
    *,
    title: str | None = None,
    n_clusters: int | None = None,
    height: int = 800,
) -> None:
    """Show the interactive page in a notebook, else in a browser.

    A notebook holds the page, 5 MB of it plotly.js, in a frame of its own; a browser opens a file that stays in the
    folder for temporary files. All else, errors too, is as in :func:`render`.

    Parameters
    ----------
    explanation : as in :func:`render`
    title, n_clusters : as in :func:`render`, default=None
    height : int, default=800
        Of the frame in a notebook, in pixels.

    Raises
    ------
    RuntimeError
        If there is neither a notebook nor a browser.

    Examples
    --------
    >>> from heedful import report
    >>> report.show(model.explain(X))  # doctest: +SKIP
    """
    height = int(check_number("height", height, 100, 10_000, hint="Pixels."))
    if in_notebook():
        page = render(explanation, title=title, n_clusters=n_clusters)
        display = import_optional("IPython.display", None, "heedful.report.show")
        display.display(display.HTML(frame_page(page, height)))
        return
    path = Path(tempfile.mkdtemp(prefix="heedful-")) / "report.html"
    write(explanation, path, title=title, n_clusters=n_clusters)
    if not webbrowser.open(path.as_uri()):
        raise RuntimeError(
            f"`show` needs a notebook or a browser, but found neither. The page is in {path}; or use `report.write`."
        )


def in_notebook() -> bool:
    """Return whether a kernel runs this code, which can show HTML."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def frame_page(page: str, height: int) -> str:
    """Return a page in a frame, which may run its scripts and reach nothing of the notebook."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<div><iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(page)}"></iframe></div>'
