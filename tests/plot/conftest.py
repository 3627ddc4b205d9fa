"""Explanations to draw, each made once, and figures closed after each test."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful.similarity import ForestProximity


def explain(n_features, *, classes=False, known=True, n_rows=90):
    """Return an explanation of half of a generated table with a category and labels of text."""
    rng = np.random.default_rng(0)
    names = [f"measure {j}" for j in range(n_features - 1)]
    X = pd.DataFrame(rng.normal(size=(n_rows, n_features - 1)), [f"case {i}" for i in range(n_rows)], names)
    X["kind"] = rng.choice(["red", "blue"], size=n_rows)
    signal = 3 * X["measure 0"] * np.where(X["kind"] == "red", 1.0, -1.0) + X["measure 1"]
    y = signal + X[names].sum(axis=1) + 0.1 * rng.normal(size=n_rows)
    y = pd.cut(y, [-np.inf, -1, 1, np.inf], labels=["low", "mid", "high"]).astype(str) if classes else y
    y = y.rename("outcome")
    model = AttentionLassoClassifier if classes else AttentionLasso
    how = {"similarity": ForestProximity(n_estimators=50)}
    if classes:
        how |= {"temperature": [0.05, 0.1], "local": LocalLasso(alpha_ratio=[1.0, np.inf])}
    half = n_rows // 2
    fitted = model(mixing=0.6, alpha=0.05, random_state=0, **how).fit(X[:half], y[:half])
    # the model for all rows has curves too
    fitted._model.tuned = fitted._model.tuned._replace(additive=0.5)
    return fitted.explain(X[half:], y[half:] if known else None)


@pytest.fixture(scope="session")
def small():
    return explain(4)


@pytest.fixture(scope="session")
def wide():
    return explain(60)


@pytest.fixture(scope="session")
def classes():
    return explain(4, classes=True)


@pytest.fixture(scope="session")
def unknown():
    return explain(4, known=False)


@pytest.fixture(params=["small", "wide", "classes"])
def each(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def no_overlap():
    """Return a function that draws a figure and fails if two of some texts overlap or one is cut off."""

    def check(texts):
        texts = [text for text in texts if text.get_text()]
        figure = texts[0].figure
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in texts if text.get_visible()]
        for i, box in enumerate(boxes):
            assert min(box.x0, box.y0) >= -1, texts[i]
            assert (box.max <= figure.bbox.max + 1).all(), texts[i]
            for other in boxes[:i]:
                # half a pixel of rounding is no overlap
                apart = box.x1 <= other.x0 + 0.5 or other.x1 <= box.x0 + 0.5
                assert apart or box.y1 <= other.y0 + 0.5 or other.y1 <= box.y0 + 0.5, (texts[i], boxes)

    return check


@pytest.fixture
def ticks():
    """Return a function that gives the labels of an axis that are in view, and the power of ten beside it."""

    def find(axis):
        axis.figure.draw_without_rendering()
        low, high = sorted(axis.get_view_interval())
        shown = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        return [*shown, axis.get_offset_text()]

    return find
