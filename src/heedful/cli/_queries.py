"""The rows to predict or to explain: a table whose columns are those that a model was fitted to."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from heedful.cli._columns import check_names, conform, require_columns
from heedful.cli._model import Saved
from heedful.cli._read import open_table
from heedful.cli._tasks import read_exposure


class Block(NamedTuple):
    """Some rows as the model needs them, the columns to keep as they are, and exposures if they are known."""

    X: pd.DataFrame
    kept: pd.DataFrame
    exposure: pd.Series | None


class Queries:
    """A table to predict, open and with its columns checked.

    A model knows the kind of each column. Cells of CSV files are read as text and turned into that kind one by one, so
    that what a cell is does not depend on the rows that are read with it.
    """

    def __init__(self, arguments: Namespace, saved: Saved):
        self._path, self._header, self._model = arguments.table, saved.header, saved.model
        self._names = [entry["name"] for entry in saved.header["columns"]]
        self._file = open_table(self._path, arguments.sep)
        self.n_rows = self._file.n_rows
        keep = getattr(arguments, "keep", [])
        require_columns(self._path, self._file.names, arguments.drop, "--drop")
        require_columns(self._path, self._file.names, keep, "--keep")
        known = {*saved.header["response"].values(), *saved.header["dropped"], *arguments.drop, *keep}
        check_names(self._path, self._file.names, saved.header["columns"], known)

    def blocks(self, size: int, keep: Sequence[str] = ()) -> Iterator[Block]:
        """Yield the rows as the model needs them and the columns to ``keep`` as they are, ``size`` at a time."""
        exposure = self._header["response"].get("exposure")
        wanted = list(dict.fromkeys([*self._names, *keep]))
        more = [exposure] if exposure in self._file.names and exposure not in wanted else []
        for table in self._file.blocks(size, wanted, [*wanted, *more]):
            yield self._block(table, keep)

    def whole(self) -> tuple[pd.DataFrame, Block]:
        """Return the table as it is, and its rows as the model needs them."""
        text, classes = list(self._names), getattr(self._model, "classes_", None)
        if classes is not None and classes.dtype == object:
            text.append(self._header["response"]["target"])
        (table,) = self._file.blocks(text=text)
        return table, self._block(table, [])

    def _block(self, table: pd.DataFrame, keep: Sequence[str]) -> Block:
        exposure = read_exposure(self._path, table, self._header["response"])
        return Block(conform(self._path, table, self._header["columns"]), table[list(keep)], exposure)
