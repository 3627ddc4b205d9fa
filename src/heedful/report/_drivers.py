"""What drove each prediction, and whom it attended to: the few largest of each."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation, say_cell
from heedful.explain._columns import has_two_parts
from heedful.explain._rows import are_equal
from heedful.report._compact import column, counts, numbers, text, texts

# How many features and rows are shown per query; fewer if there are very many queries and classes.
N_FEATURES, FEWEST_FEATURES, MOST_CELLS, N_ROWS = 12, 3, 24_000, 8


def drivers(explanation: Explanation) -> dict[str, Any]:
    """Return per output and query the columns with the largest contributions, flat and by rank."""
    outputs = explanation.outputs or [None]
    room = MOST_CELLS // (len(explanation.index) * len(outputs))
    k = min(N_FEATURES, max(FEWEST_FEATURES, room), explanation.values.shape[1])
    parts = [_of_output(explanation, number, output, k) for number, output in enumerate(outputs)]
    found = {name: [part[name] for part in parts] for name in parts[0]}
    rough = counts(np.flatnonzero(~explanation.contributions_checked))
    return {"k": k, "names": texts(explanation.values.columns), "rough": rough, **found}


def _of_output(explanation: Explanation, number: int, output: Any, k: int) -> dict[str, list]:
    top, columns = explanation.top_features(k, output), explanation.values.columns
    total = explanation.contributions(output).to_numpy().sum(axis=1)
    base = float(np.atleast_1d(explanation.base_value)[number])
    shown = top["contribution"].to_numpy().reshape(len(explanation.index), k).sum(axis=1)
    known = (*(("attention", "model") if has_two_parts(explanation) else ()), "effect", "importance")
    parts = {name: numbers(top[name], 4) for name in known if name in top}
    return {
        "feature": counts(columns.get_indexer(top["feature"])),
        "value": [text(say_cell(value)) for value in top["value"]],
        "part": numbers(top["contribution"], 4),
        **parts,
        "rest": numbers(total - shown, 4),
        "start": numbers(np.full(len(total), base)),
        "link": numbers(base + total),
    }


def attended(explanation: Explanation) -> dict[str, Any]:
    """Return the training rows with the largest weights per query, and the responses of those rows."""
    # positions instead of labels: labels need not be unique
    numbered = replace(explanation, train=explanation.train.reset_index(drop=True))
    k = 0 if explanation.alone else min(N_ROWS, len(explanation.train))
    top = numbered.top_rows(max(k, 1))
    kept, row = np.unique(top["row"].to_numpy(dtype=np.int64), return_inverse=True)
    return {
        "k": k,
        "row": counts(row),
        "weight": numbers(top["weight"], 3),
        "equal": [bool(same) for same in are_equal(explanation.attention)],
        "train": table(explanation.train.iloc[kept]),
    }


def table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a frame as labels, names and columns."""
    columns = [column(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return {"labels": texts(frame.index), "names": texts(frame.columns), "columns": columns}
