"""Many queries: a table in parts, so that what one part takes is all that is held in memory."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from heedful._frames import take

BUDGET = 64 * 2**20


def in_parts(
    table: pd.DataFrame | np.ndarray, bytes_per_query: int, verbose: int
) -> Iterator[tuple[pd.DataFrame | np.ndarray, int]]:
    """Yield a table in parts under a memory budget, and how much each is to show of its progress.

    A table that is small enough comes as it is; several parts share one bar.
    """
    size = max(1, BUDGET // bytes_per_query)
    if len(table) <= size:
        yield table, verbose
        return
    with tqdm(total=len(table), desc="queries", unit="row", disable=not verbose) as bar:
        for start in range(0, len(table), size):
            part = take(table, slice(start, start + size))
            yield part, 0
            bar.update(len(part))
