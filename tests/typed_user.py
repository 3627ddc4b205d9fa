"""A user's program with types: mypy reads those of heedful, and sees what is wrong. Read by mypy, never run."""

import numpy as np

import heedful
from heedful import AttentionLasso, LocalLasso
from heedful.explain import Explanation


def explain_best(X: np.ndarray, y: np.ndarray) -> Explanation:
    """Return the explanation of the row with the largest prediction."""
    model: AttentionLasso = AttentionLasso(local=LocalLasso(exact=False), random_state=0).fit(X, y)
    best = int(np.argmax(model.predict(X)))
    score: float = model.score(X, y)
    print(f"{score:.2f}")  # noqa: T201 - what a user's program does
    return model.explain(X[[best]], max_terms=5)


def count_features(explanation: Explanation) -> int:
    """Return how many columns the models of the queries use at most."""
    names: list[str] = explanation.features
    return min(len(names), int(explanation.n_nonzero.max()))


def save_models(X: np.ndarray, y: np.ndarray, path: str) -> None:
    """Fit and save, with what a type checker must refuse marked as such: a mark too many is an error too."""
    heedful.save_model(AttentionLasso().fit(X, y), path)
    heedful.save_model(AttentionLasso().fit(X, y), 3)  # type: ignore[arg-type]
    explain_best(X, y).no_such_method()  # type: ignore[attr-defined]
    explain_best(X, "no array")  # type: ignore[arg-type]
