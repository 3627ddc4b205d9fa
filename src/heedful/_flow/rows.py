"""Rows whose cells are mixed: columns of one row beside columns of another, as codes and as they were given."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._frames import take


class CodedRows(NamedTuple):
    """Rows as codes (n_rows, n_columns), and as they were given where models want some ``columns`` so, else None."""

    codes: np.ndarray
    given: Any
    columns: np.ndarray

    def mix(self, source: np.ndarray) -> "CodedRows":
        """Return rows (n_mixed, n_columns) each of whose cells is that of the row that ``source`` names."""
        codes = np.take_along_axis(self.codes, source, axis=0)
        given = self.given
        if isinstance(given, pd.DataFrame):
            pairs = enumerate(self.columns)
            cells = [given.iloc[:, at].take(source[:, j]).reset_index(drop=True) for at, j in pairs]
            given = pd.concat(cells, axis=1) if cells else given.iloc[source[:, 0], :]
        elif given is not None:
            given = np.take_along_axis(given, source[:, self.columns], axis=0)
        return self._replace(codes=codes, given=given)

    def take(self, rows: np.ndarray | slice) -> "CodedRows":
        given = None if self.given is None else take(self.given, rows)
        return self._replace(codes=self.codes[rows], given=given)

    def beside(self, other: "CodedRows") -> "CodedRows":
        """Return these rows and, after them, other ones; cells become of the types of the first."""
        given = self.given
        if isinstance(given, pd.DataFrame):
            below = other.given.set_axis(given.columns, axis=1).astype(given.dtypes)
            given = pd.concat([given, below], ignore_index=True)
        elif given is not None:
            given = np.vstack([given, other.given])
        return self._replace(codes=np.vstack([self.codes, other.codes]), given=given)
