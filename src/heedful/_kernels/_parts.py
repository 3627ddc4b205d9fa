"""Functions that only kernels call: compiled as parts of their callers.

By itself numba optimises such a function and writes machine code for it as if it were called from Python, and does so
again with all that it calls for each of its callers: of a chain of six calls the last one six times. Here its
intermediate code is kept, and the kernel that it ends up in is optimised once, with all of its parts. Results
are the same, bit for bit. This takes six methods of numba's libraries of code; a numba without them compiles in its own
way, which takes about twice as long.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

USED = (
    *("_optimize_functions", "_optimize_final_module", "_finalize_final_module", "_ensure_finalized"),
    *("get_pointer_to_function", "codegen"),
)
KNOWN = all(hasattr(JITCodeLibrary, name) for name in USED) and hasattr(Compiler, "compile_extra")


class NoEnvironment:
    """Takes the environment of a function that has no machine code of its own; one from the disk cache has none too."""

    def set_env(self, name: str, env: Any) -> None:
        """Forget it."""


class PartLibrary(JITCodeLibrary):
    """Code that waits for the kernel that it is linked into."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave it to the kernel."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel."""

    def _finalize_final_module(self) -> None:
        """Write no machine code."""
        self._finalized = True

    @property
    def codegen(self) -> NoEnvironment:
        """Return what the environment is given to."""
        return NoEnvironment()

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 - as numba calls it
        """Return that there is no machine code."""
        self._ensure_finalized()
        return 0


class PartCompiler(Compiler):
    """Compiles a part of a kernel."""

    def compile_extra(self, func: Any) -> Any:
        """Compile into a library that waits."""
        self.state.library = PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def part_options() -> dict[str, Any]:
    """Return numba's options for a function that only kernels call."""
    wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return wrappers | {"pipeline_class": PartCompiler} if KNOWN else wrappers
