"""Measures of predictions other than the error."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words, concordance, concordance_gain
from heedful._show import short
from heedful.explain._explained import Explained


class Predicted(NamedTuple):
    """Rows whose response is known, and what models with attention and for all rows predict of them.

    ``classes`` are the labels, if there are any and they are known. ``groups`` are numbers of groups of rows that are
    not independent of each other. ``alone`` says what the estimate without columns is called, its error and the error's
    name, where people compare with it. ``survival`` gives the curves of both models at some times. ``exposure`` is of
    counts and costs; None is one for each row.
    """

    words: Words
    y: pd.DataFrame
    own: np.ndarray
    plain: np.ndarray
    classes: np.ndarray | None
    weight: np.ndarray
    groups: np.ndarray | None = None
    alone: tuple[str, float, str] | None = None
    survival: Callable[[np.ndarray], Any] | None = None
    exposure: np.ndarray | None = None

    @property
    def times(self) -> tuple[np.ndarray, np.ndarray]:
        event, time = (self.y.iloc[:, j].to_numpy(dtype=np.float64) for j in (0, 1))
        return event, time

    def chances(self, values: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes (n_rows, n_classes)."""
        values = np.asarray(values, dtype=np.float64).reshape(len(self.y), -1)
        return np.column_stack([1 - values[:, -1], values[:, -1]]) if self.words.n_classes == 2 else values

    def places(self) -> np.ndarray:
        """Return the number of each row's class, -1 for labels that are not known."""
        known = pd.Index(np.asarray(self.classes).astype(str))
        return known.get_indexer(self.y.iloc[:, 0].to_numpy().astype(str))


class Measure(NamedTuple):
    """A measure other than the error: its name, with attention and of the model for all rows, and a note."""

    name: str
    own: float
    plain: float
    note: str = ""


def read_predicted(e: Explained) -> Predicted | None:
    """Return what is known of explained queries; None without their response."""
    if e.y is None:
        return None
    alone, words = None, e.words or Regression.words
    if e.null_loss is not None and words.alone:
        alone = (words.alone, words.measured(float(e.null_loss.mean())), words.error)
    labels = pd.unique(e.train.iloc[:, 0].dropna()) if words.n_classes == 2 else np.empty(0)
    classes = np.sort(labels) if len(labels) == 2 else None if e.outputs is None else np.asarray(e.outputs, object)
    own, plain = (np.asarray(part) for part in (e.prediction, e.baseline_prediction))
    weight = np.ones(len(e.index))
    exposure = None if e.offset is None else np.exp(e.offset.to_numpy())
    return Predicted(words, pd.DataFrame(e.y), own, plain, classes, weight, None, alone, e.predict_survival, exposure)


def other_measures(predicted: Predicted | None) -> list[Measure]:
    """Return accuracy and Brier score of classes, concordance of times."""
    if predicted is None:
        return []
    if predicted.words.timed:
        return _of_times(predicted)
    return _of_classes(predicted) if predicted.words.n_classes and predicted.classes is not None else []


def describe_measures(predicted: Predicted | None, rival: str = "one model for all rows") -> list[tuple[str, str]]:
    """Return the measures in words, and the estimate without columns where people compare with it."""
    facts = [
        (part.name, f"{short(part.own)}, {rival} {short(part.plain)}{part.note}") for part in other_measures(predicted)
    ]
    if predicted is not None and predicted.alone is not None:
        name, error, what = predicted.alone
        facts.append((name, f"{what} {short(error)} without any column"))
    return facts


def _of_times(predicted: Predicted) -> list[Measure]:
    event, time = predicted.times
    if not ((event > 0) & (time < time.max())).any():
        # no two rows can be compared
        return []
    risks = np.column_stack([predicted.own, predicted.plain])
    own, plain = (concordance(event, time, part, predicted.weight) for part in risks.T)
    gain, error = concordance_gain(event, time, risks, predicted.weight, predicted.groups)
    note = f" (difference {short(gain, 2)}, standard error {short(error, 2)}; 0.5 is chance)"
    return [Measure("concordance", own, plain, note)]


def _of_classes(predicted: Predicted) -> list[Measure]:
    both, happened = [predicted.chances(part) for part in (predicted.own, predicted.plain)], predicted.places()
    own, plain = (float(np.average(part.argmax(axis=1) == happened, weights=predicted.weight)) for part in both)
    measures = [Measure("accuracy", own, plain)]
    if predicted.words.n_classes == 2:
        own, plain = (float(np.average((part[:, 1] - happened) ** 2, weights=predicted.weight)) for part in both)
        measures.append(Measure("Brier score", own, plain))
    return measures
