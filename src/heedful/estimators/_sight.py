"""How recent rows and queries are seen: by the leaves of the model, or by similarities fitted to the recent rows."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._frames import Dummies, TableReader
from heedful._models.blocks import Queries
from heedful.estimators._recent import Recent
from heedful.estimators._served import ServedModel
from heedful.estimators._training import unit_response
from heedful.similarity import LeafProximity, prepare

# Forests and folds of similarities are always drawn alike, so that rows give the same however they came in.
SEED = 0


class Sight:
    """Fitted similarities over recent rows, and tables as each of them takes them.

    ``entries`` are similarities to fit to what the model leaves unexplained; None stands for the model's leaves.
    """

    def __init__(self, served: ServedModel, rows: Recent, entries: list[Any] | None, n_jobs: int | None):
        self._served, self._reader = served, TableReader().fit(rows.table)
        self.names, self.n_rows = self._reader.names, rows.y.size
        if entries is None:
            self.similarities: list[Any] = [LeafProximity(rows.leaves, served.trees.n_leaves)]
            return
        codes = self.codes(rows.table)
        self._dummies = Dummies().fit(codes, self.names, self._reader.levels, rows.weight)
        self.similarities = prepare(entries, n_jobs, np.random.RandomState(SEED))
        for entry in self.similarities:
            if hasattr(entry, "bind"):
                entry.bind(self.names if entry.takes == "codes" else self._dummies.names)
            entry.fit(self._seen(entry, codes), unexplained(rows), rows.weight)

    def codes(self, table: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Return a table as numbers: categories by their level, missing as NaN."""
        return self._reader.read(table)

    def look(self, table: pd.DataFrame | np.ndarray) -> tuple[np.ndarray, list[Queries]]:
        """Return what the model says of rows, and the rows as each similarity sees them."""
        if isinstance(self.similarities[0], LeafProximity):
            base, leaves = self._served.values_and_leaves(table)
            return base, [Queries(base, leaves)]
        base, codes = self._served.values(table), self.codes(table)
        return base, [Queries(base, self._seen(entry, codes)) for entry in self.similarities]

    def recent(self, base: np.ndarray) -> list[Queries]:
        """Return the recent rows themselves, each to be left out."""
        return [Queries(base, base, number=np.arange(self.n_rows))] * len(self.similarities)

    def _seen(self, entry: Any, codes: np.ndarray) -> np.ndarray:
        return codes if entry.takes == "codes" else self._dummies.transform(codes)


def unexplained(rows: Recent) -> np.ndarray:
    """Return what similarities are fitted to: residuals of numbers and of two classes, else the classes as text."""
    if rows.base.shape[1] > 2:
        return rows.y.astype(np.int64).astype(str)
    return unit_response(rows.y - rows.base[:, -1], rows.weight)
