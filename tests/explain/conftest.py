"""Explanations of every kind of response, fitted once."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._flow.kinds import Run
from heedful._flow.predict import Wanted
from heedful.datasets import make_survival
from heedful.similarity import ForestProximity

FOREST = ForestProximity(30)


def table(n=90):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"), index=[f"r{i}" for i in range(n)])
    frame["kind"] = rng.choice(["u", "v"], n)
    y = np.where(frame["kind"] == "u", 2.0, -2.0) * frame["a"] + frame["b"] + 0.2 * rng.normal(size=n)
    return frame, y.rename("yield")


def over_distinct_rows(model, X):
    """Return the dense attention of queries over the distinct training rows."""
    fitted = model._model
    return fitted.predict(fitted.read(X), Wanted(models=False, attention=True), Run()).attention.toarray()


@pytest.fixture(scope="session")
def regression():
    X, y = table()
    model = AttentionLasso(similarity=FOREST, local=LocalLasso(smooth=False), random_state=0).fit(X[:60], y[:60])
    return model, X[60:], model.explain(X[60:], y[60:])


@pytest.fixture(scope="session")
def binary():
    X, y = table()
    label = pd.Series(np.where(y > 0, "yes", "no"), X.index)
    model = AttentionLassoClassifier(similarity=FOREST, mixing=0.6, random_state=0).fit(X[:60], label[:60])
    return model, X[60:], model.explain(X[60:], label[60:])


@pytest.fixture(scope="session")
def classes():
    X, y = table()
    label = pd.Series(pd.qcut(y, 3, labels=["low", "mid", "top"]).astype(str), X.index)
    model = AttentionLassoClassifier(similarity=FOREST, mixing=0.6, random_state=0).fit(X[:60], label[:60])
    return model, X[60:], model.explain(X[60:], label[60:])


@pytest.fixture(scope="session")
def survival():
    train, test = make_survival(120, 6, random_state=0).split(90)
    model = AttentionCox(similarity=FOREST, mixing=0.6, random_state=0).fit(train.X, train.y)
    return model, test.X, model.explain(test.X, test.y)


@pytest.fixture(params=["regression", "binary", "classes", "survival"])
def every(request):
    return request.getfixturevalue(request.param)
