"""What drove each prediction, and whom it attended to: the few largest of each."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.report._compact import column, counts, numbers, texts

# How many features and rows are shown per query; fewer if there are very many queries and classes.
N_FEATURES, FEWEST_FEATURES, MOST_CELLS, N_ROWS = 12, 3, 240_000, 8


def drivers(explanation: Explanation) -> dict[str, Any]:
    """Return per output and query the features with the largest contributions or importances, flat and by rank."""
    outputs = explanation.outputs or [None]
    room = MOST_CELLS // (len(explanation.index) * len(outputs))
    k = min(N_FEATURES, max(FEWEST_FEATURES, room), len(explanation.features))
    parts = [_of_output(explanation, number, output, k) for number, output in enumerate(outputs)]
    return {"k": k, **{name: [part[name] for part in parts] for name in parts[0]}}


def _of_output(explanation: Explanation, number: int, output: Any, k: int) -> dict[str, list]:
    slope, part, start = _parts(explanation, number, output)
    order = np.argsort(-np.abs(part), axis=1, kind="stable")[:, :k]
    shown = np.take_along_axis(part, order, axis=1)
    curved = _curved(explanation, number)
    return {
        "feature": counts(order),
        "part": numbers(shown, 4),
        "coef": numbers(np.take_along_axis(slope, order, axis=1), 4),
        "value": numbers(np.take_along_axis(explanation.design.to_numpy(), order, axis=1), 5),
        "mean": numbers(np.take_along_axis(explanation.mean.to_numpy(), order, axis=1), 5),
        **({} if curved is None else {"shape": numbers(np.take_along_axis(curved, order, axis=1), 4)}),
        "rest": numbers(part.sum(axis=1) - shown.sum(axis=1), 4),
        "start": numbers(start),
        "link": numbers(start + part.sum(axis=1)),
    }


def _parts(explanation: Explanation, number: int, output: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coefficients, what they add, and from where; importances add up to one."""
    if not explanation.slopes:
        shares = explanation.coef.to_numpy()
        return shares, shares, np.zeros(len(shares))
    width = len(explanation.features)
    slope = explanation.coef.to_numpy()[:, number * width : (number + 1) * width]
    return slope, explanation.contributions(output).to_numpy(), explanation.mean_link(output).to_numpy()


def _curved(explanation: Explanation, number: int) -> np.ndarray | None:
    """Return what curves add less their means over the rows attended to; None without shapes."""
    if explanation.shape is None or explanation.shape_mean is None:
        return None
    width = len(explanation.features)
    added = explanation.shape.to_numpy() - explanation.shape_mean.to_numpy()
    return added[:, number * width : (number + 1) * width]


def attended(explanation: Explanation) -> dict[str, Any]:
    """Return the training rows with the largest weights per query, and the responses of those rows."""
    # positions instead of labels: labels need not be unique
    numbered = replace(explanation, train=explanation.train.reset_index(drop=True))
    k = min(N_ROWS, len(explanation.train))
    top = numbered.top_rows(k)
    kept, row = np.unique(top["row"].to_numpy(dtype=np.int64), return_inverse=True)
    return {
        "k": k,
        "row": counts(row),
        "weight": numbers(top["weight"], 3),
        "train": table(explanation.train.iloc[kept]),
    }


def table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame as labels, names and columns."""
    columns = [column(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return {"labels": texts(frame.index), "names": texts(frame.columns), "columns": columns}
