"""The rows to predict or to explain: a table whose columns are those that a model was fitted to."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from heedful.cli._columns import check_names, conform, require_columns
from heedful.cli._read import open_table
from heedful.cli._tasks import read_exposure


class Block(NamedTuple):
    """Some rows as the model needs them, the same rows as they were read, and exposures as the model's methods do."""

    X: pd.DataFrame
    table: pd.DataFrame
    known: dict[str, Any]


class Queries:
    """A table to predict, open and with its columns checked against the header of a model.

    A model knows the kind of each column. Cells of CSV files are read as text and turned into that kind one by one, so
    that what a cell is does not depend on the rows that are read with it.
    """

    def __init__(
        self, path: Path, sep: str | None, header: dict[str, Any], drop: Sequence[str] = (), keep: Sequence[str] = ()
    ):
        self._path, self._header, self._keep = path, header, keep
        self._file = open_table(path, sep)
        self.n_rows = self._file.n_rows
        require_columns(path, self._file.names, drop, "--drop")
        require_columns(path, self._file.names, keep, "--keep")
        known = {*header["response"].values(), *header["dropped"], *drop, *keep}
        check_names(path, self._file.names, header["columns"], known)

    def blocks(self, size: int | None = None, text: Sequence[str] = ()) -> Iterator[Block]:
        """Yield ``size`` rows at a time, or all of them; columns to keep, and those in ``text``, are read as text.

        The table has these columns, those of the model, and those of its response that are there.
        """
        response = self._header["response"]
        names = [*(entry["name"] for entry in self._header["columns"]), *self._keep]
        columns = dict.fromkeys([*names, *(name for name in response.values() if name in self._file.names)])
        for table in self._file.blocks(size, [*names, *text], list(columns)):
            exposure = read_exposure(self._path, table, response)
            X = conform(self._path, table, self._header["columns"])
            yield Block(X, table, {} if exposure is None else {"exposure": exposure})
