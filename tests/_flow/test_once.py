"""Each query is read once and scored once by each similarity in use, whatever is asked of it."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, AttentionRegressor, DriftCorrector, _blocks
from heedful._explaining.moves import N_JOINT
from heedful._frames import TableReader
from heedful._trees import Bins
from heedful.similarity import ForestProximity, GaussianSimilarity

SEEN = Counter()


class CountedForest(ForestProximity):
    """A forest that counts the rows it scores."""

    def score_rows(self, X):
        SEEN[self.random_state] += len(X)
        return super().score_rows(X)


FORESTS = [CountedForest(10, random_state=1), CountedForest(10, max_features=1.0, random_state=2)]
HOW = {"similarity": FORESTS, "random_state": 0}
ASKED = {
    "predict": lambda model, X, y: model.predict(X),
    "predict_interval": lambda model, X, y: model.predict_interval(X),
    "attention": lambda model, X, y: model.attention(X),
    "local_models": lambda model, X, y: model.local_models(X),
    "explain": lambda model, X, y: model.explain(X, y),
}


@pytest.fixture(scope="module")
def rows():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(90, 3)), columns=list("abc"))
    return X[:60], X[60:], (X["a"] * np.where(X["b"] > 0, 2.0, -2.0)).to_numpy()


@pytest.fixture(scope="module")
def models(rows):
    X, _, y = rows
    return {mixing: AttentionLasso(mixing=mixing, **HOW).fit(X, y[:60]) for mixing in (0.8, "auto", "adaptive")}


@pytest.fixture
def read(monkeypatch):
    """Count rows that are read from tables."""
    real, found = TableReader.read, []
    monkeypatch.setattr(TableReader, "read", lambda self, X: found.append(len(X)) or real(self, X))
    return found


@pytest.mark.one_value
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("mixing", [0.8, "auto", "adaptive"])
@pytest.mark.parametrize("budget", [1, 2**26], ids=["many blocks", "one block"])
def test_every_query_is_read_and_scored_once(rows, models, read, monkeypatch, asked, mixing, budget):
    (_, X_new, y), model = rows, models[mixing]
    used = set(model.heads_.query("share > 0")["similarity"])
    monkeypatch.setattr(_blocks, "BUDGET", budget)
    n_rows = len(X_new) + (count_around(model, X_new) if asked in ("local_models", "explain") else 0)
    read.clear()
    SEEN.clear()
    ASKED[asked](model, X_new, y[60:])
    assert sum(read) == len(X_new)
    assert len(used) == len(SEEN) > 0
    assert set(SEEN.values()) == {n_rows}


def count_around(model, X):
    """Return how many rows small models ask about: a column at both ends of its effect, and several moved at once."""
    effects, own = model.local_effects(X), X.to_numpy().ravel()
    return int(sum((effects[end] != own).sum() for end in ("from", "to"))) + N_JOINT * len(X)


@pytest.mark.one_value
@pytest.mark.one_value
@pytest.mark.parametrize(
    "model",
    [
        AttentionLassoClassifier(mixing="adaptive", **HOW),
        AttentionCox(mixing=0.5, **HOW),
        AttentionRegressor(mixing=0.5, temperature=0.1, similarity=FORESTS[:1], random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_responses_and_models_are_read_and_scored_once_too(rows, read, model):
    X, X_new, y = rows
    if isinstance(model, AttentionCox):
        y = pd.DataFrame({"event": np.arange(90) % 3 > 0, "time": np.exp(-y)})
    elif isinstance(model, AttentionLassoClassifier):
        y = np.where(y > 0, "high", "low")
    model.fit(X, y[:60])
    asked = [
        model.predict,
        model.explain,
        *([model.predict_survival_function] if isinstance(model, AttentionCox) else []),
    ]
    small = not isinstance(model, AttentionRegressor)
    for ask in asked:
        n_rows = len(X_new) + (count_around(model, X_new) if small and ask == model.explain else 0)
        read.clear()
        SEEN.clear()
        ask(X_new)
        assert sum(read) == len(X_new)
        assert set(SEEN.values()) == {n_rows}


def test_a_corrected_model_is_asked_once_about_each_query(rows):
    X, X_new, y = rows
    asked = []

    class Model:
        def predict(self, X):
            asked.append(len(X))
            return np.zeros(len(X))

    corrector = DriftCorrector(Model(), similarity=GaussianSimilarity(), random_state=0).fit(X, y[:60] + 3.0)
    for ask in (corrector.predict, corrector.explain, corrector.attention):
        asked.clear()
        ask(X_new)
        assert sum(asked) == len(X_new)


def test_bins_are_made_as_often_of_many_columns_as_of_few(monkeypatch):
    made, real, times = Counter(), Bins.transform, []
    monkeypatch.setattr(Bins, "transform", lambda self, X: made.update([X.shape[1]]) or real(self, X))
    for n_columns in (3, 30):
        X = np.random.default_rng(0).normal(size=(60, n_columns))
        model = AttentionLasso(similarity=ForestProximity(10), random_state=0).fit(X, X[:, 0])
        made.clear()
        model.explain(X[:3], max_terms=2).contributions()
        assert len(model.local_models(X[:3]).to_dict()["columns"]) == n_columns
        times.append(made.total())
    assert times[0] == times[1]
