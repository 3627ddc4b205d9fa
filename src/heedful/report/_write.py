"""``render`` and ``write``: the page as text and as a file."""

import os
import secrets
from pathlib import Path

from heedful.explain import Explanation
from heedful.report._collect import collect
from heedful.report._page import build_page


def render(explanation: Explanation, *, title: str | None = None, n_clusters: int | None = None) -> str:
    """Return one self-contained interactive HTML page about some predictions.

    See :func:`write`, which saves it.

    Parameters
    ----------
    explanation : Explanation
        Made by ``explain(X)`` or ``explain(X, y)`` of an estimator.
    title : str, default=None
        Heading of the page.
    n_clusters : int, default=None
        Groups of queries with like models; by default 5, or as many as there are queries.

    Returns
    -------
    str
        The page, with plotly.js in it.

    Raises
    ------
    ImportError
        If plotly is not installed.
    TypeError
        If ``explanation`` is not an explanation.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, report
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> model = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1]))
    >>> page = report.render(model.explain(X[:5]), title="Five rows")
    >>> "<title>Five rows</title>" in page
    True
    """
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"`explanation` must be an Explanation, got {type(explanation).__name__}. Pass `model.explain(X)`."
        )
    return build_page(collect(explanation, title, n_clusters))


def write(
    explanation: Explanation, path: str | os.PathLike, *, title: str | None = None, n_clusters: int | None = None
) -> Path:
    """Write one self-contained interactive HTML page about some predictions.

    The page opens from the disk, without network: choose a query and see its prediction beside the baseline's, the
    features that drove it, the training rows it attended to, and the group of like models it belongs to. It holds
    labels, features and responses of the explanation: pass it on with the care that these need.

    Parameters
    ----------
    explanation : Explanation
        Made by ``explain(X)`` or ``explain(X, y)`` of an estimator.
    path : str or path-like
        Where to write; an existing file is replaced, in one step.
    title : str, default=None
        Heading of the page.
    n_clusters : int, default=None
        Groups of queries with like models; by default 5, or as many as there are queries.

    Returns
    -------
    Path
        Where the page is.

    Raises
    ------
    ImportError
        If plotly is not installed.
    TypeError
        If ``explanation`` is not an explanation.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from heedful import AttentionLasso, report
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> model = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.write(model.explain(X[:5]), f"{folder}/report.html").name
    'report.html'
    """
    page = render(explanation, title=title, n_clusters=n_clusters)
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as file:
            file.write(page)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return target
