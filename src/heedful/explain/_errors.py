"""How good some predictions are, in the measures that people know, and whether the model has seen the rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words, concordance, concordance_gain
from heedful._show import count, short
from heedful.explain._explained import Explained
from heedful.explain._unseen import compare, measure


class Predicted(NamedTuple):
    """Rows whose response is known, and what models with attention and for all rows predict of them.

    ``classes`` are the labels, if there are any and they are known. ``groups`` are numbers of groups of rows that are
    not independent of each other. ``alone`` says what the estimate without columns is called, its error and the error's
    name, where people compare with it. ``survival`` gives the curves of both models at some times.
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

    @property
    def times(self) -> tuple[np.ndarray, np.ndarray]:
        """Return events (0 or 1) and times of the rows."""
        event, time = (self.y.iloc[:, j].to_numpy(dtype=np.float64) for j in (0, 1))
        return event, time

    def chances(self, values: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes (n_rows, n_classes)."""
        found = np.asarray(values, dtype=np.float64).reshape(len(self.y), -1)
        return np.column_stack([1 - found[:, -1], found[:, -1]]) if self.words.n_classes == 2 else found

    def places(self) -> np.ndarray:
        """Return the number of each row's class, -1 for labels that are not known."""
        known = pd.Index(np.asarray(self.classes).astype(str))
        return known.get_indexer(self.y.iloc[:, 0].to_numpy().astype(str))


class Measure(NamedTuple):
    """What is told beside the error: its name, with attention and of the model for all rows, and a note."""

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
    return Predicted(words, pd.DataFrame(e.y), own, plain, classes, weight, None, alone, e.tell_survival)


def measures_beside(found: Predicted | None) -> list[Measure]:
    """Return what is told beside the error: accuracy and Brier score of classes, concordance of times."""
    if found is None:
        return []
    if found.words.timed:
        return _of_times(found)
    return _of_classes(found) if found.words.n_classes and found.classes is not None else []


def facts_beside(found: Predicted | None, rival: str = "one model for all rows") -> list[tuple[str, str]]:
    """Return the measures in words, and the estimate without columns where people compare with it."""
    facts = [
        (part.name, f"{short(part.own)}, {rival} {short(part.plain)}{part.note}") for part in measures_beside(found)
    ]
    if found is not None and found.alone is not None:
        name, error, what = found.alone
        facts.append((name, f"{what} {short(error)} without any column"))
    return facts


def _of_times(found: Predicted) -> list[Measure]:
    event, time = found.times
    if not ((event > 0) & (time < time.max())).any():
        # no two rows can be compared
        return []
    risks = np.column_stack([found.own, found.plain])
    own, plain = (concordance(event, time, part, found.weight) for part in risks.T)
    gain, error = concordance_gain(event, time, risks, found.weight, found.groups)
    note = f" (difference {short(gain, 2)}, standard error {short(error, 2)}; 0.5 is chance)"
    return [Measure("concordance", own, plain, note)]


def _of_classes(found: Predicted) -> list[Measure]:
    both, happened = [found.chances(part) for part in (found.own, found.plain)], found.places()
    own, plain = (float(np.average(part.argmax(axis=1) == happened, weights=found.weight)) for part in both)
    measures = [Measure("accuracy", own, plain)]
    if found.words.n_classes == 2:
        own, plain = (float(np.average((part[:, 1] - happened) ** 2, weights=found.weight)) for part in both)
        measures.append(Measure("Brier score", own, plain))
    return measures


def errors_of(e: Explained) -> pd.Series | None:
    """Return the errors on queries with attention and of the model for all rows, and how sure they differ."""
    if e.loss is None or e.baseline_loss is None:
        return None
    doubt = np.inf if e.loss_error is None else e.loss_error
    losses = {"attention": float(e.loss.mean()), "baseline": float(e.baseline_loss.mean()), "standard_error": doubt}
    return measure(e.words or Regression.words, losses)


def say_change(e: Explained) -> str:
    """Return which error is lower and whether that may be chance; nothing without errors, or of training rows."""
    errors = errors_of(e)
    if errors is None:
        return ""
    if e.seen is not None and e.seen.any():
        return "in-sample"
    return compare(errors, "one model for all rows") or "hardly any other"


def say_seen(e: Explained) -> str:
    """Return how many of the queries are training rows, whose errors are in-sample; nothing if none is known to be."""
    if e.seen is None or not e.seen.any():
        return ""
    number, every = int(e.seen.sum()), count(len(e.index), "query", "queries")
    are = "is a training row" if number == 1 else "are training rows"
    return f"{number} of the {every} {are}: {'its error is' if number == 1 else 'their errors are'} in-sample"
