"""Many queries: a table in parts, so that the models of one part only are held in memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from heedful._frames import as_table, is_frame, take

BUDGET = 64 * 2**20


def in_parts(X: Any, bytes_per_query: int, verbose: int) -> Iterator[tuple[Any, int]]:
    """Yield a table in parts under a memory budget, and how much each is to show of its progress.

    A table that is small enough comes as it is; several parts share one bar.
    """
    table = as_table(X) if is_frame(X) else X
    size = max(1, BUDGET // bytes_per_query)
    if not isinstance(table, pd.DataFrame | np.ndarray) or table.ndim != 2 or len(table) <= size:
        yield X, verbose
        return
    with tqdm(total=len(table), desc="queries", unit="row", disable=not verbose) as bar:
        for start in range(0, len(table), size):
            part = take(table, slice(start, start + size))
            yield part, 0
            bar.update(len(part))
