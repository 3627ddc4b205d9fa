"""Models in files: zip archives as skops writes them, with one more entry, the header."""

import io
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile, is_zipfile

import numpy as np

from heedful._files import check_folder, write_whole
from heedful.saving._archive import Archive, TooLargeError
from heedful.saving._header import HEADER, check_format, make_header, other_versions
from heedful.saving._objects import check_objects
from heedful.saving._skops import dump, read_nodes
from heedful.saving._trust import foreign_types


def save_model(model: Any, file: str | os.PathLike | BinaryIO, notes: dict[str, Any] | None = None) -> None:
    """Write a fitted model to a file that :func:`heedful.load_model` reads.

    The file is in the format of skops, never a pickle, and records the versions that wrote it. It is read back for a
    check and written in one step.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of heedful.
    file : str, path or binary file
        File to write.
    notes : dict, default=None
        Notes in the types of JSON, stored in the header; :func:`heedful.saving.read_header` returns them.

    Raises
    ------
    ValueError
        If the model contains something that cannot be restored, such as a lambda; nothing is written then.

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
    if isinstance(file, str | os.PathLike):
        check_folder(file)
    header = json.dumps(make_header(notes or {}), indent=1)
    try:
        buffer = dump(model)
        with ZipFile(buffer, "a") as archive:
            archive.writestr(HEADER, header)
        read_nodes(Archive(buffer.getvalue(), np.inf)).construct()
    except Exception as error:
        raise ValueError(
            f"The model cannot be saved, as it could not be read back: {_what(error)}. Replace this part; functions "
            "must be defined in a module."
        ) from error
    if not isinstance(file, str | os.PathLike):
        file.write(buffer.getbuffer())
        return
    write_whole(file, lambda whole: whole.write(buffer.getbuffer()))


def load_model(file: str | os.PathLike | BinaryIO, trusted: Collection[str] = (), max_size: int | None = None) -> Any:
    """Load a model that :func:`heedful.save_model` wrote.

    No code from the file is run.

    Parameters
    ----------
    file : str, path or binary file
        File to read.
    trusted : collection of str, default=()
        Names of types of other packages that the file may contain, such as "lightgbm.basic.Booster". Their packages
        read them unchecked, so name them for trusted files only. Classes of heedful, and those of scikit-learn and
        numpy that skops trusts, need not be named; trees and boosters of any package must be.
    max_size : int, default=None
        Largest unpacked size in bytes. None allows 100 times the size of the file, and at least 256 MB.

    Returns
    -------
    estimator
        The fitted model.

    Raises
    ------
    ValueError
        If the file is not a model or is damaged, is too large unpacked, contains types that are not trusted (the
        message names them), or has a format that this version does not read.

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
    header = _header(name, data, max_size)
    with _reading(name, header):
        nodes = read_nodes(Archive(data, max_size))
        foreign = foreign_types(sorted(nodes.get_unsafe_set()), trusted)
        if not foreign:
            model = nodes.construct()
            check_objects(model)
            return model
    raise ValueError(
        f"{name}: the file holds {', '.join(map(repr, foreign))}, which is no part of heedful: other packages make it, "
        f"and a forged file could do harm.{other_versions(header)} It was not loaded; if you trust its origin: "
        f"heedful.load_model(file, trusted={foreign})"
    )


@contextmanager
def _reading(name: str, header: dict[str, Any] | None = None) -> Iterator[None]:
    """Turn whatever is wrong with a file into one error that names it."""
    try:
        yield
    except TooLargeError as error:
        raise ValueError(f"{name}: {error}") from error
    except Exception as error:
        versions = "" if header is None else other_versions(header)
        raise ValueError(
            f"{name}: not a model of heedful, or a damaged one: {_what(error)}.{versions} Fit it again."
        ) from error


def _what(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200].rstrip('.')}"


def trusted_types(model: Any) -> list[str]:
    """Return the types of a fitted model that skops must be told to trust.

    For programs that write and read models by skops themselves, such as MLflow 3:
    ``mlflow.sklearn.log_model(model, skops_trusted_types=heedful.saving.trusted_types(model))``. Files of
    :func:`heedful.save_model` need no such list.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of heedful, or one that holds some, such as a pipeline.

    Returns
    -------
    list of str
        Names of types, of heedful and of other packages, without those that skops trusts anyway.

    Examples
    --------
    >>> import heedful
    >>> import numpy as np
    >>> from skops.io import dumps, loads
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = heedful.ProtoClust(n_clusters=2).fit(X)
    >>> types = heedful.saving.trusted_types(model)
    >>> types
    ['heedful.cluster._protoclust.ProtoClust']
    >>> loads(dumps(model), trusted=types).n_clusters
    2
    """
    return sorted(read_nodes(Archive(dump(model).getvalue(), np.inf)).get_unsafe_set())


def read_header(file: str | os.PathLike | BinaryIO) -> dict[str, Any]:
    """Return the header of a file without loading the model.

    Parameters
    ----------
    file : str, path or binary file
        A file that :func:`heedful.save_model` wrote.

    Returns
    -------
    dict
        Format, versions and notes.

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


def _read(file: str | os.PathLike | BinaryIO) -> tuple[str, bytes]:
    """Return the name and the content of a file."""
    if isinstance(file, str | os.PathLike):
        return os.fspath(file), Path(file).read_bytes()
    file.seek(0)
    return "the file", file.read()


def _header(name: str, data: bytes, max_size: int | None = None) -> dict[str, Any]:
    if not is_zipfile(io.BytesIO(data)):
        raise ValueError(f"{name}: not a model of heedful, or a damaged one. Pickle files are never opened: fit again.")
    with _reading(name):
        header = json.loads(Archive(data, max_size).read(HEADER))
    check_format(name, header)
    return header
