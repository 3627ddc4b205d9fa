"""Functions that only kernels call: compiled as parts of their callers.

By itself numba optimises such a function and writes machine code for it as if it were called from Python, and does so
again with all that it calls for each of its callers: of a chain of six calls the last one six times. Here its
intermediate code is kept, and the kernel that it ends up in is linked and optimised once, with all of its parts. A
record is passed on as one argument. This takes some methods of numba's libraries of code; a numba without them compiles
in its own way, which takes about twice as long.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from numba import types
from numba.core import config
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen, ll as binding
from numba.core.compiler import Compiler, Flags
from numba.core.datamodel.manager import DataModelManager
from numba.core.datamodel.models import ArrayModel, OpaqueModel, StructModel, TupleModel
from numba.core.typing import Context

USED = (
    *("_optimize_functions", "_optimize_final_module", "_finalize_final_module", "_ensure_finalized"),
    *("get_pointer_to_function", "codegen", "enable_object_caching"),
)
KNOWN = all(hasattr(JITCodeLibrary, name) for name in USED) and hasattr(Compiler, "compile_extra")
# Newer ones give passes together with what they are run with.
KNOWN_PASSES = hasattr(binding, "create_pipeline_tuning_options") and not hasattr(
    JITCPUCodegen, "_pass_manager_builder"
)
# Passes of numba's that find nothing to do in kernels, which are loops over numbers.
LEFT_OUT = {"inline_closure_likes", "inline_overloads", "nopython_rewrites"}


class NoEnvironment:
    """Takes the environment of a function that has no machine code of its own; one from the disk cache has none too."""

    def set_env(self, name: str, env: Any) -> None:
        pass


class PartLibrary(JITCodeLibrary):
    """Code that is neither optimised nor made machine code of: it waits for the kernel that it is linked into."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Let every kernel have the functions, as its own; what they call is linked into the kernel too."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = binding.Linkage.linkonce_odr
        self._shared_module = self._final_module
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

    def finalize(self) -> None:
        """Link each part once, those that only parts call too."""
        known = self._linking_libraries
        # the list grows while it is gone through
        for library in known:
            if isinstance(library, PartLibrary):
                known += [one for one in library._linking_libraries if one not in known]
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise without unrolling loops, which takes a quarter of the time and gains no speed."""
        if not KNOWN_PASSES:
            return super()._optimize_final_module()
        settings = vars(config)
        options = binding.create_pipeline_tuning_options(int(settings["OPT"]))
        options.loop_vectorization = bool(settings["LOOP_VECTORIZE"])
        options.slp_vectorization = bool(settings["SLP_VECTORIZE"])
        options.loop_unrolling = False
        builder = binding.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        return passes.run(self._final_module, builder)


class CountedModel(StructModel):
    """Finds arrays whose references are counted, and takes out nothing else: numba writes code for each number."""

    def traverse(self, builder: Any) -> list[Any]:
        return [found for found in super().traverse(builder) if self._dmm[found[0]].contains_nrt_meminfo()]


class CountedArrayModel(CountedModel, ArrayModel):
    """An array, as numba knows it."""


class RecordModel(CountedModel, TupleModel):
    """A record as one argument, not one for each number of each of its arrays."""

    def get_argument_type(self) -> Any:
        return self.get_value_type()

    def as_argument(self, builder: Any, value: Any) -> Any:  # noqa: ARG002 - as numba calls it
        return value

    def from_argument(self, builder: Any, value: Any) -> Any:  # noqa: ARG002 - as numba calls it
        return value


class QuickOperator(types.Function):
    """An operator that knows what it makes of operands it has met: numba tries all of its kinds, each time anew."""

    def __init__(self, plain: Any) -> None:
        super().__init__(plain.templates)
        self._known: dict[tuple[Any, ...], Any] = {}

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        args = tuple(args)
        if args not in self._known:
            self._known[args] = super().get_call_type(context, args, kws)
        return self._known[args]


class QuickContext(Context):
    """Types operators as numba does, once."""

    def __init__(self, plain: Any) -> None:
        vars(self).update(vars(plain))
        self._operators = cache(QuickOperator)

    def _lookup_global(self, gv: Any) -> Any:
        known = super()._lookup_global(gv)
        return self._operators(known) if known and getattr(gv, "__module__", "") == "_operator" else known


quick_typing = cache(QuickContext)


@cache
def with_records(plain: Any) -> Any:
    """Return how numba passes values on, with records as one argument."""
    records = dict.fromkeys((types.NamedTuple, types.NamedUniTuple), RecordModel)
    models = DataModelManager(records | {types.Array: CountedArrayModel, QuickOperator: OpaqueModel})
    return models.chain(plain)


def quick_target(plain: Any) -> Any:
    """Return what numba compiles for, which is another one for each function, with what all of them share."""
    context = plain.subtarget(
        data_model_manager=with_records(plain.data_model_manager), typing_context=quick_typing(plain.typing_context)
    )
    # an older numba keeps it, with the models that it had
    vars(context).pop("call_conv", None)
    return context


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
        if KNOWN:
            self.state.targetctx = quick_target(self.state.targetctx)
            self.state.typingctx = self.state.targetctx.typing_context
        if KNOWN and self.state.library is None:
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
