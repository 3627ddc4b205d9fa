"""``render`` and ``write``: the page as text and as a file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heedful._files import check_folder, write_whole
from heedful.explain import DriftReport, Explanation
from heedful.report._answers import Answer
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
    answers: Sequence[Answer] = (),
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
        Number of clusters of queries with similar models; by default it is chosen. For explanations only.
    interval : array-like of shape (n_query, 2), default=None
        Result of ``predict_interval`` or ``effect_interval`` for the same rows, shown with each prediction.
    survival : DataFrame of shape (n_query, n_times), default=None
        Result of ``predict_survival_function`` for the same rows, drawn for each query.
    answers : list of AverageEffect, Heterogeneity and Overlap, default=()
        Results of ``average_effect()``, ``heterogeneity()`` and ``overlap()`` of a :class:`heedful.AttentionEffect`,
        shown at the top.

    Returns
    -------
    str
        The page, including plotly.js.

    Raises
    ------
    ImportError
        If plotly is not installed.
    TypeError
        If ``explanation`` is neither an Explanation nor a DriftReport, or ``answers`` holds something else.
    ValueError
        If anything but ``title`` is given for a drift report, or ``interval`` or ``survival`` is not of the same
        queries.

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
        if interval is not None or survival is not None or len(answers):
            raise ValueError(
                "`interval` and `survival` must be None for a drift report, and `answers` empty. Leave them out."
            )
        return build_page(collect_drift(explanation, title), "drift")
    if not isinstance(explanation, Explanation):
        raise TypeError(
            f"`explanation` must be an Explanation or a DriftReport, got {type(explanation).__name__}. "
            "Pass `model.explain(X)` or `corrector.drift_report()`."
        )
    return build_page(collect(explanation, title, n_clusters, interval, survival, answers), "explanation")


def write(
    explanation: Explanation | DriftReport,
    path: str | os.PathLike,
    *,
    title: str | None = None,
    n_clusters: int | None = None,
    interval: Any = None,
    survival: Any = None,
    answers: Sequence[Answer] = (),
) -> Path:
    """Write one self-contained interactive HTML page about predictions or drift.

    The page is one file and needs no network. For an explanation: choose a query to see its prediction beside that of
    the global model, its small model, predictions at other values, contributions of columns, the training rows it is
    compared with, and its cluster. For a drift report: whether the model has drifted, when, and for which queries. The
    page contains labels, features and responses: share it with the care that these need. Everything else, including
    errors, is as in :func:`render`.

    Parameters
    ----------
    explanation : as in :func:`render`
    path : str or path-like
        File to write; an existing file is replaced in one step.
    title, n_clusters, interval, survival : as in :func:`render`, default=None
    answers : as in :func:`render`, default=()

    Returns
    -------
    Path
        Path of the page.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.

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
    check_folder(path)
    known = {"interval": interval, "survival": survival, "answers": answers}
    page = render(explanation, title=title, n_clusters=n_clusters, **known)
    write_whole(path, lambda file: file.write(page.encode()))
    return Path(path)
