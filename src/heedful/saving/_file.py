"""Models in files: zip archives as skops writes them, with one more entry, the header."""

import importlib
import io
import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, is_zipfile

from heedful._files import write_whole
from heedful.saving._header import HEADER, check_format, make_header, tell_versions
from heedful.saving._trust import foreign_types


def save_model(model: Any, file: str | os.PathLike | BinaryIO, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file that :func:`load_model` reads.

    The file is one of skops, never a pickle, and says which versions wrote it. It appears whole or not at all.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of heedful.
    file : str, path or binary file
        Where to write it.
    notes : dict, default=None
        What else is to be known of the model, as JSON has it; :func:`heedful.saving.read_header` returns it.

    Examples
    --------
    >>> import io
    >>> import heedful
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> file = io.BytesIO()
    >>> heedful.save_model(heedful.ProtoClust(n_clusters=2).fit(X), file)
    >>> heedful.load_model(file).n_clusters
    2
    """
    buffer = io.BytesIO()
    _skops().dump(model, buffer, compression=ZIP_DEFLATED, compresslevel=1)
    with ZipFile(buffer, "a") as archive:
        archive.writestr(HEADER, json.dumps(make_header(notes or {}), indent=1))
    if not isinstance(file, str | os.PathLike):
        file.write(buffer.getbuffer())
        return
    write_whole(file, lambda whole: whole.write(buffer.getbuffer()))


def load_model(file: str | os.PathLike | BinaryIO, trusted: Collection[str] = ()) -> Any:
    """Return the model that :func:`save_model` wrote.

    No code that came with the file is run.

    Parameters
    ----------
    file : str, path or binary file
        The file.
    trusted : collection of str, default=()
        Types of other packages that the file may hold, by name: "lightgbm.basic.Booster". Classes of heedful and what
        skops trusts (scikit-learn, numpy) need not be named.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ValueError
        If the file is no model or a damaged one, holds types that are not trusted (all are named), or was written in a
        format that this version does not read (it says which does).

    Examples
    --------
    >>> import io
    >>> import heedful
    >>> heedful.load_model(io.BytesIO(b"no model"))
    Traceback (most recent call last):
    ...
    ValueError: the file: not a model of heedful, or a damaged one. Pickle files are never opened: fit again.
    """
    name, data = _read(file)
    header = _header(name, data)
    try:
        types = _skops().get_untrusted_types(data=data)
        foreign = foreign_types(types, trusted)
        if not foreign:
            return _skops().loads(data, trusted=types)
    except Exception as error:
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise ValueError(
            f"{name}: not a model of heedful, or a damaged one: {what}.{tell_versions(header)} Fit it again."
        ) from error
    raise ValueError(
        f"{name}: the file holds {', '.join(map(repr, foreign))}, which is no part of heedful.{tell_versions(header)} "
        "It was not loaded; if you trust where it came from, name them in Python: "
        "heedful.load_model(file, trusted=[...])"
    )


def read_header(file: str | os.PathLike | BinaryIO) -> dict[str, Any]:
    """Return what a file says of itself; the model is not loaded.

    Parameters
    ----------
    file : str, path or binary file
        A file that :func:`save_model` wrote.

    Returns
    -------
    dict
        Format, versions, and the notes it was saved with.

    Examples
    --------
    >>> import io
    >>> import heedful
    >>> import numpy as np
    >>> file = io.BytesIO()
    >>> heedful.save_model(heedful.ProtoClust().fit(np.eye(3)), file, notes={"of": "three rows"})
    >>> heedful.saving.read_header(file)["of"]
    'three rows'
    """
    return _header(*_read(file))


def _skops() -> Any:
    """Return skops.io, which takes longer to import than all of heedful."""
    return importlib.import_module("skops.io")


def _read(file: str | os.PathLike | BinaryIO) -> tuple[str, bytes]:
    """Return the name and the content of a file."""
    if isinstance(file, str | os.PathLike):
        return os.fspath(file), Path(file).read_bytes()
    file.seek(0)
    return "the file", file.read()


def _header(name: str, data: bytes) -> dict[str, Any]:
    if not is_zipfile(io.BytesIO(data)):
        raise ValueError(f"{name}: not a model of heedful, or a damaged one. Pickle files are never opened: fit again.")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            header = json.loads(archive.read(HEADER))
    except (BadZipFile, KeyError, ValueError, RuntimeError, OSError, EOFError) as error:
        what = " ".join(str(error).split())[:200]
        raise ValueError(f"{name}: not a model of heedful, or a damaged one: {what}. Fit it again.") from error
    check_format(name, header)
    return header
