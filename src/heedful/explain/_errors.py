"""How good some predictions are, in the measures that people know, and whether the model has seen the rows."""

import numpy as np
import pandas as pd

from heedful._responses.survival import concordance
from heedful._show import count
from heedful.explain._explained import Explained


def measure_beside(e: Explained) -> tuple[str, float, float] | None:
    """Return what is told beside the error: its name, with attention and of the model for all rows; None if nothing."""
    if e.y is None or e.task not in ("binary", "multiclass", "survival"):
        return None
    both = (e.prediction, e.baseline_prediction)
    if e.task == "survival":
        event, time = (e.y.iloc[:, j].to_numpy(dtype=np.float64) for j in (0, 1))
        if not ((event > 0) & (time < time.max())).any():
            # no two rows can be compared
            return None
        own, plain = (concordance(event, time, part.to_numpy(), np.ones(time.size)) for part in both)
        return "concordance", own, plain
    if e.task == "binary":
        labels = pd.unique(e.train.iloc[:, 0].dropna())
        if labels.size != 2:
            return None
        classes = np.sort(labels)
        said = [classes[(np.asarray(part).reshape(len(e.index), -1)[:, -1] > 0.5).astype(int)] for part in both]
    else:
        said = [np.asarray(e.outputs, dtype=object)[np.asarray(part).argmax(axis=1)] for part in both]
    own, plain = (float(np.mean(part.astype(str) == e.y.iloc[:, 0].to_numpy().astype(str))) for part in said)
    return "accuracy", own, plain


def say_seen(e: Explained) -> str:
    """Return how many of the queries are training rows, whose errors are in-sample; nothing if none is known to be."""
    if e.seen is None or not e.seen.any():
        return ""
    number, every = int(e.seen.sum()), count(len(e.index), "query", "queries")
    are = "is a training row" if number == 1 else "are training rows"
    return f"{number} of the {every} {are}: {'its error is' if number == 1 else 'their errors are'} in-sample"
