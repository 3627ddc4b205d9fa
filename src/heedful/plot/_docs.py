"""Parts that the docstrings of all plots share."""

import inspect
from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)

PARTS = {
    "explanation": "explanation : Explanation\n    What ``explain(X)`` of a fitted estimator returned.",
    "with_y": "explanation : Explanation\n    What ``explain(X, y)`` returned: the responses must be known.",
    "query": "query : label\n    A row of ``X`` by its label.",
    "column": "column : label\n    Column of the table, one of ``explanation.values``.",
    "clusters": """\
clusters : int or Clusters, default=None
    Number of clusters, or what ``explanation.clusters(...)`` returned. None lets the data choose.""",
    "output": """\
output : label, default=None
    With several classes, the one to draw; None takes the most probable one of each query.""",
    "scale": """\
scale : {"link", "factor"}, default=None
    What is written beside the bars: what a column adds, or the factor that this is. None is "factor" for counts and
    costs, else "link".""",
    "explained": """\
>>> import numpy as np
>>> from heedful import AttentionLasso, plot
>>> X = np.random.default_rng(0).normal(size=(60, 3))
>>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)""",
    "explained_claims": """\
>>> from heedful import AttentionGLM, plot
>>> from heedful.datasets import make_claims
>>> train, test = make_claims(600, frequency=2.0, random_state=0).split()
>>> model = AttentionGLM(heads="single", random_state=0).fit(train.X, train.counts, exposure=train.exposure)
>>> e = model.explain(test.X, test.counts, exposure=test.exposure)""",
}
AXES = """\
ax : Axes, default=None
    Where to draw; None makes a new figure.
style : keywords
    For matplotlib's {}.

Returns
-------
Axes
    What was drawn on."""


def fill_docstring(style: str) -> Callable[[Function], Function]:
    """Fill in the shared parts of a docstring; ``style`` says which function of matplotlib takes the keywords."""

    def fill(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        for name, part in {**PARTS, "axes": AXES.format(style)}.items():
            text = text.replace(f"{{{name}}}", part)
        function.__doc__ = text
        return function

    return fill
