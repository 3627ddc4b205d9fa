"""Fetching the paper's tables, for people with a network."""

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heedful._checks import check_choice
from heedful._files import write_whole
from heedful._optional import import_optional
from heedful.datasets._catalogue import CATALOGUE, US_CHANGE_URL
from heedful.datasets._folder import MANIFEST

LOG = logging.getLogger("heedful")


def download_tables(
    folder: Any, names: Sequence[str] | None = None, *, fetch: Callable[[str], pd.DataFrame] | None = None
) -> None:
    """Fetch tables of the paper into a folder, and write their manifest.

    UCI tables are fetched by the package ucimlrepo (``pip install 'heedful[data]'``), us_change from Rdatasets. A table
    is stored if it has the expected rows and columns. This function was tested without a network only: if a source has
    changed, the table is refused.

    Parameters
    ----------
    folder : path
        Folder in which ``uci/`` with the tables and ``manifest.json`` is created or extended: the argument ``data`` of
        :func:`load_table`.
    names : list of str or None, default=None
        Tables to fetch, by their names in :func:`load_table`, or "us_change"; None fetches all thirteen.
    fetch : callable or None, default=None
        Function from a name to a frame with all columns of that table, in place of the network.

    Raises
    ------
    ValueError
        If tables were not as expected; the others are stored.

    Notes
    -----
    The checksums are those of the fetched files: they show whether a file changes later, not whether it is original.

    Examples
    --------
    Here with made-up data in the form of Servo:

    >>> import tempfile
    >>> made_up = pd.DataFrame({"motor": "A", "screw": "D", "pgain": 3, "vgain": 2, "class": 0.5}, index=range(167))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     download_tables(folder, ["servo"], fetch=lambda name: made_up)
    ...     sorted(path.name for path in (Path(folder) / "uci").iterdir())
    ['manifest.json', 'servo.csv']
    """
    wanted = [check_choice("names", name, CATALOGUE) for name in (CATALOGUE if names is None else names)]
    if fetch is None:
        import_optional("ucimlrepo", "data", "download_tables")
    place = Path(folder) / "uci"
    place.mkdir(parents=True, exist_ok=True)
    refused = []
    for name in wanted:
        try:
            _store(place, name, _check_table(name, (fetch or _fetch)(name)))
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise ValueError(f"{' '.join(refused)} {len(wanted) - len(refused)} of {len(wanted)} tables were stored.")


def _fetch(name: str) -> pd.DataFrame:
    """Return a table from where it is published."""
    LOG.info("fetching %s: %s", name, CATALOGUE[name].page)
    if CATALOGUE[name].uci is None:
        return pd.read_csv(US_CHANGE_URL)
    return import_optional("ucimlrepo", "data", "download_tables").fetch_ucirepo(id=CATALOGUE[name].uci).data.original


def _check_table(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return features, other columns and responses in this order; refuse what is not the table of this name."""
    listed = CATALOGUE[name]
    frame = (
        frame.set_axis([str(column).strip() for column in frame], axis=1).replace("?", np.nan).reset_index(drop=True)
    )
    needed = [*listed.features, *listed.targets]
    absent = [column for column in needed if column not in frame]
    if absent or len(frame) != listed.n:
        lacks = f" without {', '.join(map(repr, absent[:5]))}" if absent else ""
        raise ValueError(
            f"{name} must have {listed.n} rows and {len(needed)} columns that are known by name, got {len(frame)} "
            f"rows{lacks}. Look at {listed.page}, and pass the right table by `fetch`."
        )
    frame = frame.assign(**{column: _numbers(frame[column]) for column in needed})
    other = [column for column in frame if column not in needed]
    if any(not pd.api.types.is_numeric_dtype(frame[column]) or frame[column].isna().any() for column in listed.targets):
        raise ValueError(f"{name} must have numbers as responses in {listed.targets}, got text or missing cells.")
    return frame[[*listed.features, *other, *listed.targets]]


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column of numbers or of percentages as numbers, any other column as it is."""
    known = column.dropna().astype(str)
    percent = len(known) > 0 and bool(known.str.endswith("%").all())
    numbers = pd.to_numeric(known.str.removesuffix("%"), errors="coerce")
    if numbers.isna().any():
        return column
    return (numbers / 100 if percent else numbers).reindex(column.index)


def _store(place: Path, name: str, frame: pd.DataFrame) -> None:
    """Write a table and its entry of the manifest."""
    listed, path = CATALOGUE[name], place / MANIFEST
    content = frame.to_csv(index=False).encode()
    write_whole(place / f"{name}.csv", lambda file: file.write(content))
    missing = frame.isna().sum()
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known[name] = {
        "file": f"{name}.csv",
        "n": len(frame),
        "columns": frame.shape[1],
        "p": len(listed.features),
        "features": listed.features,
        "categorical": list(frame[listed.features].select_dtypes(exclude="number")),
        "target": listed.targets[-1],
        "all_targets": listed.targets,
        "other": [column for column in frame if column not in (*listed.features, *listed.targets)],
        "missing": int(missing.sum()),
        "missing_by_column": {str(column): int(count) for column, count in missing.items() if count},
        "page": listed.page,
        "license": listed.license,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
    }
    manifest = json.dumps(known, indent=1).encode()
    write_whole(path, lambda file: file.write(manifest))
