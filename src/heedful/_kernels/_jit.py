"""The one place for numba's options.

Every kernel is compiled on first use, kept on disk and run without the GIL: threads work on blocks of queries. There is
no ``parallel=True``, so results cannot depend on the number of threads. ``contract`` (fused multiply-add) is the only
relaxed rule; NaN and infinity keep their meaning. ``sum_row`` may also add in another order (``reassoc``), the same at
every call: sums of weights that are looked up are twice as fast.

``many_rows`` and ``writing_rows`` are for what Python calls; ``one_row``, ``making_row``, ``inlined_row`` and
``sum_row`` for what only kernels call, of which nothing is kept on disk. Kernels are written in plain loops: slice
assignment, fancy indexing and array expressions would take most of the time to compile, for nothing in speed.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numba
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher

from heedful._kernels._arguments import one_kind
from heedful._kernels._cache import KernelCache, NoCache
from heedful._kernels._notice import warn_uncached
from heedful._kernels._parts import CheckedCompiler, QuickCompiler, part_options

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}
# Whether references to arrays are counted: each count is an atomic operation, at each call, for each array. What is not
# said is taken over from the caller.
COUNTS: dict[str, Any] = {"_nrt": True}
NO_COUNTS: dict[str, Any] = {"_nrt": False}


class Kernel(CPUDispatcher):
    """A compiled function that Python calls."""

    def __call__(self, *args: Any) -> Any:
        try:
            return super().__call__(*args)
        except SystemError as error:
            # numba returns a result although a signal, such as Ctrl-C, has raised meanwhile, which is its cause
            cause: BaseException = error
            while isinstance(cause, SystemError) and cause.__cause__ is not None:
                cause = cause.__cause__
            raise cause from None

    def _compile_for_args(self, *args: Any, **known: Any) -> Any:
        """Return what numba is to call for arguments of types that it has not met: itself on arrays of one kind."""
        same = one_kind(args)
        if same is not args:
            return lambda *_: self(*same)
        return super()._compile_for_args(*args, **known)  # type: ignore[misc]  # not in the stubs

    def compile(self, sig: Any) -> Any:
        """Load from the disk cache or compile."""
        with without_collecting():
            return super().compile(sig)

    def keep(self) -> "Kernel":
        """Use the disk cache, if there is a folder for it."""
        try:
            self._cache: KernelCache | NoCache = KernelCache(self.py_func)
        except RuntimeError:
            warn_uncached()
            self._cache = NoCache(self.py_func)
        return self


@contextmanager
def without_collecting() -> Iterator[None]:
    """Let no garbage be collected for a while: compiling makes objects by the million, and takes an eighth longer."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class Part(CPUDispatcher):
    """A compiled function that only kernels call; called from Python, as tests do, it is compiled as a kernel too."""

    def __call__(self, *args: Any) -> Any:
        return self.whole(*args)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how a call is typed: by the kinds of its arguments, not by constants, each compiled by itself."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)

    @cached_property
    def whole(self) -> Kernel:
        return many_rows(self.py_func)


def many_rows(function: Callable, **options: Any) -> Any:
    plain = {"no_cfunc_wrapper": True, "pipeline_class": QuickCompiler}
    return as_kernel(numba.njit(**(OPTIONS | plain | options))(function))


def writing_rows(function: Callable) -> Any:
    """Compile a kernel that Python calls and that makes no arrays: it writes into those that it gets."""
    return many_rows(function, pipeline_class=CheckedCompiler, **NO_COUNTS)


def as_kernel(compiled: Any) -> Any:
    """Return a function of numba as a kernel; without compiling it stays as it is."""
    if not isinstance(compiled, Dispatcher):
        return compiled
    kernel: Any = compiled
    kernel.__class__ = Kernel
    return kernel.keep()


def one_row(function: Callable, **options: Any) -> Any:
    """Compile a function that only kernels call, and that neither makes nor returns arrays."""
    return making_row(function, **(NO_COUNTS | options))


def making_row(function: Callable, **options: Any) -> Any:
    """Compile a function that only kernels call, and that makes arrays or returns some."""
    compiled = numba.njit(**(OPTIONS | COUNTS | part_options() | options))(function)
    if isinstance(compiled, Dispatcher):
        compiled.__class__ = Part
    return compiled


def inlined_row(function: Callable) -> Any:
    """Compile a function as ``one_row`` does that is called so often that the call takes time: it is put in place."""
    return one_row(function, forceinline=True)


def sum_row(function: Callable) -> Any:
    """Compile a function as ``one_row`` does whose sums may be added in another order."""
    return one_row(function, fastmath={"contract", "reassoc"})
