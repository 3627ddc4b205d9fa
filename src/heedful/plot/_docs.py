"""Parts that the docstrings of all plots share."""

import inspect
from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)

PARTS = {
    "explanation": "explanation : Explanation\n    Result of ``explain(X)`` of a fitted estimator.",
    "with_y": "explanation : Explanation\n    Result of ``explain(X, y)``.",
    "query": "query : label\n    Label of a row of ``X``.",
    "column": "column : label\n    Name of a column, one of ``explanation.values``.",
    "clusters": """\
clusters : int or Clusters, default=None
    Number of clusters, or a result of ``explanation.clusters(...)``. None chooses the number.""",
    "output": """\
output : label, default=None
    Class to draw, for multiclass classification; None uses each query's most probable class.""",
    "scale": """\
scale : {"link", "factor"}, default=None
    Labels of the bars: contributions on the scale of the link, or factors. None is "factor" for counts and costs, else
    "link".""",
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
    Axes to draw on; None makes a new figure.
style : keywords
    For matplotlib's {}.

Returns
-------
Axes
    The axes with the plot."""


def fill_docstring(style: str) -> Callable[[Function], Function]:
    """Fill in the shared parts of a docstring; ``style`` says which function of matplotlib takes the keywords."""

    def fill(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        for name, part in {**PARTS, "axes": AXES.format(style)}.items():
            text = text.replace(f"{{{name}}}", part)
        function.__doc__ = text
        return function

    return fill
