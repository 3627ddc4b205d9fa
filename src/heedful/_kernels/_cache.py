"""Compiled kernels on disk: kept as long as no source of any kernel changes, and never a reason to fail.

numba itself keeps a kernel until the file that it stands in changes. A kernel is compiled with all that it calls, from
other files too, so that it would stay as it was when one of these changes.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache

from heedful._kernels._notice import note_compiling, warn_uncached


@cache
def sources_hash(folder: Path) -> str:
    return sha256(b"\0".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()


class AllSources(CompileResultCacheImpl):
    """Where a kernel is kept, and what must be unchanged for it to count."""

    @property
    def locator(self) -> Any:
        """Return numba's own, whose stamp is now that of all files of kernels too, and of checked indices."""
        locator = super().locator
        stamp = type(locator).get_source_stamp(locator)
        checked = bool(vars(config)["BOUNDSCHECK"])
        locator.get_source_stamp = lambda: (stamp, sources_hash(Path(__file__).parent), checked)
        return locator


class KernelCache(FunctionCache):
    """Files of one kernel. What cannot be read is compiled anew, what cannot be written is not kept."""

    _impl_class = AllSources

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for some types; None if it is not there or damaged, and is compiled now."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - damaged files raise all kinds of errors
            self._try(self.flush)
        if found is None:
            note_compiling(self._py_func.__name__)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._try(super().save_overload, sig, data)

    def _try(self, work: Any, *args: Any) -> None:
        try:
            work(*args)
        except OSError:
            warn_uncached()


class NoCache(NullCache):
    """Keeps nothing of one kernel."""

    def __init__(self, function: Any) -> None:
        self.name = function.__name__

    def load_overload(self, sig: Any, target_context: Any) -> None:  # noqa: ARG002 - as numba calls it
        note_compiling(self.name)
