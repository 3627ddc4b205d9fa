"""The interval or survival curve of each query."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.report._compact import evenly, numbers

# Times of a survival curve that are shown, and cells of all of them.
MOST_TIMES, FEWEST_TIMES, MOST_CELLS = 60, 12, 100_000


def collect_interval(explanation: Explanation, interval: Any) -> list[list] | None:
    """Return the lower and the upper end for each query."""
    if interval is None:
        return None
    ends, n_query = np.asarray(interval, dtype=np.float64), len(explanation.index)
    if ends.shape != (n_query, 2):
        raise ValueError(
            f"`interval` must have two ends for each of {n_query} queries, got an array of shape {ends.shape}. "
            "Pass `model.predict_interval(X)`, or `effect_interval(X)` for effects, of the explained rows."
        )
    return [numbers(ends[:, end]) for end in (0, 1)]


def collect_survival(explanation: Explanation, survival: Any) -> dict[str, Any] | None:
    """Return the survival probabilities of each query, row by row."""
    if survival is None:
        return None
    n_query = len(explanation.index)
    if not isinstance(survival, pd.DataFrame) or len(survival) != n_query or survival.shape[1] == 0:
        raise ValueError(
            f"`survival` must be a DataFrame with a row for each of {n_query} queries and a column for each time, got "
            f"{type(survival).__name__} of shape {np.shape(survival)}. Pass `model.predict_survival_function(X)`."
        )
    most = int(np.clip(MOST_CELLS // n_query, FEWEST_TIMES, MOST_TIMES))
    kept = evenly(survival.shape[1], most)
    return {"times": numbers(survival.columns[kept], 4), "value": numbers(survival.iloc[:, kept].to_numpy(), 3)}
