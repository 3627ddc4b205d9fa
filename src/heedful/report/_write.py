"""``render`` and ``write``: the page as text and as a file."""

import os
from pathlib import Path
from typing import Any

from heedful._files import write_whole
from heedful.explain import DriftReport, Explanation
from heedful.report._collect import collect
from heedful.report._drift import collect_drift
from heedful.report._page import build_page


def render(
    explanation: Explanation | DriftReport,
    *,
    title: str | None = None,
    n_clusters: int | None = None,
    interval: Any = None,
    survival: Any = None,
) -> str:
    """Return one self-contained interactive HTML page about predictions or drift.

    See :func:`write`, which saves it.

    Parameters
    ----------
    explanation : Explanation or DriftReport
        Made by ``explain(X)`` or ``explain(X, y)`` of an estimator, or by ``drift_report()`` of a
        :class:`heedful.DriftCorrector`.
    title : str, default=None
        Heading of the page.
    n_clusters : int, default=None
        Groups of queries with like models; by default as many as the data speak for. For explanations only.
    interval : array-like of shape (n_query, 2), default=None
        What ``predict_interval`` of the same rows returned, to be shown with each prediction.
    survival : DataFrame of shape (n_query, n_times), default=None
        What ``predict_survival_function`` of the same rows returned, to be drawn for each query.

    Returns
    -------
    str
        The page, with plotly.js in it.

    Raises
    ------
    ImportError
        If plotly is not installed.
    TypeError
        If ``explanation`` is neither of them.
    ValueError
        If ``n_clusters``, ``interval`` or ``survival`` is given for a drift report, or the last two are not of the
        same queries.

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
    if isinstance(explanation, DriftReport):
        if n_clusters is not None:
            raise ValueError(f"`n_clusters` must be None for a drift report, got {n_clusters!r}. Leave it out.")
        if interval is not None or survival is not None:
            raise ValueError("`interval` and `survival` must be None for a drift report. Leave them out.")
        return build_page(collect_drift(explanation, title), "drift")
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"`explanation` must be an Explanation or a DriftReport, got {type(explanation).__name__}. "
            "Pass `model.explain(X)` or `corrector.drift_report()`."
        )
    return build_page(collect(explanation, title, n_clusters, interval, survival), "explanation")


def write(
    explanation: Explanation | DriftReport,
    path: str | os.PathLike,
    *,
    title: str | None = None,
    n_clusters: int | None = None,
    interval: Any = None,
    survival: Any = None,
) -> Path:
    """Write one self-contained interactive HTML page about predictions or drift.

    The page opens from the disk, without network. Of an explanation: choose a query and see its prediction beside the
    baseline's, the features that drove it, the training rows it attended to, and the group of like models it belongs
    to. Of a drift report: whether the model has drifted, when, and for which queries. The page holds labels, features
    and responses: pass it on with the care that these need. All else, errors too, is as in
    :func:`render`.

    Parameters
    ----------
    explanation : Explanation or DriftReport
    path : str or path-like
        Where to write; an existing file is replaced, in one step.
    title : str, default=None
    n_clusters : int, default=None
    interval : array-like of shape (n_query, 2), default=None
    survival : DataFrame of shape (n_query, n_times), default=None

    Returns
    -------
    Path
        Where the page is.

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
    page = render(explanation, title=title, n_clusters=n_clusters, interval=interval, survival=survival)
    write_whole(path, lambda file: file.write(page.encode()))
    return Path(path)
