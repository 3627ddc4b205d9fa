"""The rows to predict or to explain: a table whose columns are those that a model was fitted to."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from heedful.cli._columns import check_names, conform, need_name
from heedful.cli._model import Saved
from heedful.cli._read import TableFile, open_table
from heedful.cli._target import exposure_if_known


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
        self._path, self._saved = arguments.table, saved
        self._names = [entry["name"] for entry in saved.header["columns"]]
        self._file: TableFile = open_table(self._path, arguments.sep)
        self.n_rows = self._file.n_rows
        for name in arguments.drop:
            need_name(self._path, self._file.names, name, "--drop")
        keep = getattr(arguments, "keep", [])
        for name in keep:
            need_name(self._path, self._file.names, name, "--keep")
        known = {*saved.header["response"].values(), *saved.header["dropped"], *arguments.drop, *keep}
        check_names(self._path, self._file.names, saved.header["columns"], known)

    def blocks(self, size: int, keep: Sequence[str] = ()) -> Iterator[Block]:
        """Yield the rows as the model needs them and the columns to ``keep`` as they are, ``size`` at a time."""
        wanted = list(dict.fromkeys([*self._names, *keep]))
        exposure = [name for name in self._exposure if name not in wanted]
        for table in self._file.blocks(size, wanted, [*wanted, *exposure]):
            yield Block(self._conform(table), table[list(keep)], self._read_exposure(table))

    def whole(self) -> tuple[pd.DataFrame, Block]:
        """Return the table as it is, and its rows as the model needs them."""
        header, text = self._saved.header, list(self._names)
        if header["task"] == "classification" and self._saved.model.classes_.dtype == object:
            text.append(header["response"]["target"])
        (table,) = self._file.blocks(text=text)
        return table, Block(self._conform(table), table[[]], self._read_exposure(table))

    @property
    def _exposure(self) -> list[str]:
        """The column with exposures, if the model and the table have one."""
        name = self._saved.header["response"].get("exposure")
        return [name] if name in self._file.names else []

    def _read_exposure(self, table: pd.DataFrame) -> pd.Series | None:
        return exposure_if_known(self._path, table, self._saved.header["response"])

    def _conform(self, table: pd.DataFrame) -> pd.DataFrame:
        return conform(self._path, table, self._saved.header["columns"])
