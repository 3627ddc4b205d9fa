"""Functions that only kernels call: compiled as parts of their callers.

By itself numba optimises such a function and writes machine code for it as if it were called from Python, and does so
again with all that it calls for each of its callers: of a chain of six calls the last one six times. Here its
intermediate code is kept, and the kernel that it ends up in is optimised once, with all of its parts. Results
are the same, bit for bit. This takes some methods of numba's libraries of code; a numba without them compiles in its
own way, which takes about twice as long.
"""

from collections.abc import Iterator
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler, Flags

USED = (
    *("_optimize_functions", "_optimize_final_module", "_finalize_final_module", "_ensure_finalized"),
    *("get_pointer_to_function", "codegen", "enable_object_caching"),
)
KNOWN = all(hasattr(JITCodeLibrary, name) for name in USED) and hasattr(Compiler, "compile_extra")
# Newer ones give passes together with what they are run with.
KNOWN_PASSES = (
    KNOWN and hasattr(JITCPUCodegen, "_module_pass_manager") and not hasattr(JITCPUCodegen, "_pass_manager_builder")
)
# Passes of numba's that find nothing to do in kernels, which are loops over numbers.
LEFT_OUT = {"inline_closure_likes", "generic_rewrites", "inline_overloads", "nopython_rewrites"}


class NoEnvironment:
    """Takes the environment of a function that has no machine code of its own; one from the disk cache has none too."""

    def set_env(self, name: str, env: Any) -> None:
        pass


class PartLibrary(JITCodeLibrary):
    """Code that is neither optimised nor made machine code of: it waits for the kernel that it is linked into."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    @property
    def codegen(self) -> NoEnvironment:
        return NoEnvironment()

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 - as numba calls it
        self._ensure_finalized()
        return 0


class WholeLibrary(JITCodeLibrary):
    """Code of a kernel with all of its parts, optimised once: numba does so twice, and each function before."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class QuickFlags(Flags):
    """Options of a compilation, compared by those that are set: numba compares all, tens of thousands of times."""

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> Any:
        return self is other or (isinstance(other, Flags) and self._values == other._values) or super().__eq__(other)


class QuickCompiler(Compiler):
    """Compiles as numba does, a little faster."""

    def compile_extra(self, func: Any) -> Any:
        self.state.flags = QuickFlags(self.state.flags)
        if self.state.library is None and KNOWN_PASSES:
            self.state.library = WholeLibrary(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Return numba's passes but those that rewrite what kernels do not hold, such as expressions of arrays."""
        pipelines = super().define_pipelines()
        for one in pipelines:
            one.passes = [each for each in one.passes if each[0].name() not in LEFT_OUT]
        return pipelines


class CheckedCompiler(QuickCompiler):
    """Compiles, and refuses functions that count no references to arrays but get hold of new ones."""

    def compile_extra(self, func: Any) -> Any:
        """Compile and check; nobody would give back the memory of an array that a call returned."""
        compiled = super().compile_extra(func)
        if not self.state.flags.nrt and (holds_arrays(compiled.signature.return_type) or any(self._arrays_got())):
            msg = f"{func.__qualname__} returns arrays or calls what does: it must be a `making_row`"
            raise TypeError(msg)
        return compiled

    def _arrays_got(self) -> Iterator[bool]:
        """Yield for each call of a function of ours, or of numba's that returns an array, whether arrays come back."""
        for expr, signature in self.state.calltypes.items():
            if getattr(expr, "op", "") == "call":
                ours = isinstance(self.state.typemap[expr.func.name], types.Dispatcher)
                kind = signature.return_type
                yield holds_arrays(kind) if ours else isinstance(kind, types.Buffer)


class PartCompiler(CheckedCompiler):
    def compile_extra(self, func: Any) -> Any:
        self.state.library = PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def holds_arrays(kind: Any) -> bool:
    return isinstance(kind, types.Buffer) or any(holds_arrays(part) for part in getattr(kind, "types", ()))


def part_options() -> dict[str, Any]:
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return wrappers | {"pipeline_class": PartCompiler} if KNOWN else wrappers
