import operator
import signal
import sys

import numba
import numpy as np
import pytest
from llvmlite.binding import ModuleRef
from numba.core.compiler import Flags
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.types import Function
from numba.core.typing.templates import _OverloadFunctionTemplate

from heedful._kernels._arguments import one_kind
from heedful._kernels._jit import OPTIONS, Kernel, as_kernel, making_row, many_rows, one_row, sum_row, writing_rows
from heedful._kernels._parts import LEFT_OUT, QuickCompiler, QuickFlags, WholeLibrary
from heedful._kernels.arrays import vector
from heedful._kernels.shapes import Rule

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


@one_row
def halve(value):
    return 0.5 * value


@one_row
def quarter(value):
    return halve(halve(value))


@sum_row
def add(values):
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


def both(values):
    return quarter(add(values))


def test_options_that_are_equal_to_numba_are_equal_to_us():
    plain = Flags()
    plain.nrt = True
    same, other = QuickFlags(plain), QuickFlags(plain)
    assert same == other
    assert hash(same) == hash(other)
    assert same == plain
    # set to what it is anyway
    other.enable_pyobject = False
    assert same == other
    other.nrt = False
    assert same != other


def uncached(function):
    """Return a function compiled as kernels are, and not kept."""
    return numba.njit(**OPTIONS, pipeline_class=QuickCompiler)(function)


@compiled
def test_a_kernel_is_linked_and_optimised_once_with_all_of_its_parts(monkeypatch):
    optimised, linked, optimise, link = [], [], WholeLibrary._optimize_final_module, ModuleRef.link_in
    monkeypatch.setattr(
        WholeLibrary, "_optimize_final_module", lambda self: (optimised.append(self.name), optimise(self))
    )
    monkeypatch.setattr(
        ModuleRef,
        "link_in",
        lambda self, other, preserve=False: (linked.append(other.name), link(self, other, preserve)),
    )
    assert uncached(both)(np.arange(5.0)) == 2.5
    assert [name.split(".")[-1] for name in optimised] == ["both"]
    assert [sum(name.split("$")[0] == part for name in linked) for part in ("halve", "quarter", "add")] == [2, 2, 2]


@one_row
def weighted_sum(rule, values):
    return rule.scale[0] * values[0] + rule.start[1]


@compiled
def test_what_numba_makes_of_functions_and_operands_is_known_to_all_kernels(monkeypatch):
    typed, built = [], []
    call_type, build = Function.get_call_type, _OverloadFunctionTemplate._build_impl
    monkeypatch.setattr(Function, "get_call_type", lambda one, *a: typed.append(one.key[0]) or call_type(one, *a))
    monkeypatch.setattr(
        _OverloadFunctionTemplate, "_build_impl", lambda one, *a: built.append(one.key) or build(one, *a)
    )
    seen = []
    for change in (1.0, 2.0):
        assert uncached(lambda value, change=change: max(value * value, change))(3.0) == 9.0
        seen.append((typed.count(operator.mul), built.count(max)))
    assert seen[0] == seen[1]
    assert uncached(lambda value: value * value)(3) == 9


@compiled
def test_a_record_is_one_argument_of_a_part_however_many_arrays_it_holds():
    rule, values = Rule(np.ones(2), True, np.arange(2.0), 1e-7, 5), np.full(3, 4.0)
    assert uncached(lambda rule, values: 2.0 * weighted_sum(rule, values))(rule, values) == 10.0
    (compiled_part,) = weighted_sum.overloads.values()
    (function,) = compiled_part.library.get_defined_functions()
    # after the room for the result and for errors; an array of one axis is seven numbers
    assert len(list(function.arguments)) == 2 + 1 + 7


@making_row
def first_array(rule):
    return rule.scale


def references(array):
    return sys.getrefcount(array)


@compiled
def test_references_to_arrays_in_records_are_counted():
    scale = np.ones(2)
    rule, kernel = Rule(scale, True, np.ones(2), 1e-7, 5), uncached(lambda rule: first_array(rule)[:1])
    before = references(scale)
    views = [kernel(rule) for _ in range(4)]
    during = references(scale)
    assert all(np.shares_memory(view, scale) for view in views)
    del views
    assert (during, references(scale)) == (before + 4, before)


@compiled
def test_all_passes_of_numba_run_but_those_that_kernels_do_not_need(monkeypatch):
    ran, plain = set(), PassManager._runPass
    monkeypatch.setattr(
        PassManager, "_runPass", lambda self, index, one, state: (ran.add(one.name()), plain(self, index, one, state))
    )
    assert uncached(lambda value: value + 1)(2) == 3
    ours, ran = ran.copy(), set()
    assert numba.njit(lambda value: value + 1)(2) == 3
    assert ran - ours == LEFT_OUT


@one_row
def power(value, exponent):
    return value**exponent


@compiled
def test_a_part_is_compiled_once_whatever_constants_it_is_called_with():
    kernel = uncached(lambda value: power(value, 2) + power(value, 3) + power(value, np.int64(value)))
    assert kernel(2.0) == 16.0
    assert len(power.signatures) == 1


@pytest.mark.parametrize("part", [halve, quarter])
def test_a_part_can_be_called_from_python(part):
    assert part(8.0) == (4.0 if part is halve else 2.0)


def test_a_part_is_called_from_python_after_a_kernel_has_called_it_too():
    assert many_rows(both)(np.arange(5.0)) == 2.5
    assert quarter(4.0) == 1.0


@compiled
@pytest.mark.parametrize(
    "change",
    [np.asfortranarray, lambda a: a[:, ::-1][:, ::-1], lambda a: np.repeat(a, 2, axis=1)[:, ::2], "read-only"],
)
def test_arrays_of_every_kind_share_one_compiled_kernel(rng, change):
    values = rng.normal(size=(4, 3))
    kernel = as_kernel(numba.njit(**OPTIONS)(lambda pair, extra: pair.scale[0] + extra[1, 2]))
    rule = Rule(values[0].copy(), True, values[1].copy(), 1e-7, 5)
    expected = kernel(rule, values)
    other = values.copy() if change == "read-only" else change(values)
    other.flags.writeable = change != "read-only"
    scale = rule.scale.copy()
    scale.flags.writeable = False
    assert kernel(rule._replace(scale=scale), other) == expected
    assert len(kernel.signatures) == 1
    assert isinstance(kernel, Kernel)


def test_arguments_of_the_right_kind_stay_as_they_are(rng):
    given = (rng.normal(size=3), 1, Rule(np.ones(2), False, np.ones(2), 1e-7, 5))
    assert one_kind(given) is given


def test_a_read_only_array_is_not_copied_and_stays_read_only(rng):
    values = rng.normal(size=5)
    values.flags.writeable = False
    (same,) = one_kind((values,))
    assert np.shares_memory(same, values)
    assert same.flags.writeable
    assert not values.flags.writeable


def makes(size):
    return vector(size).size


def returns(values):
    return values


def returns_in_a_tuple(values):
    return values[:1], 1.0


def kernel_of(part):
    """Return a kernel that calls a part."""

    def call(given):
        return part(given)

    return many_rows(call)


@compiled
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPendingDeprecationWarning")
@pytest.mark.parametrize("kind", [one_row, writing_rows])
@pytest.mark.parametrize("function", [makes, returns, returns_in_a_tuple])
def test_what_counts_no_references_may_not_get_or_return_arrays(kind, function):
    argument = 3 if function is makes else np.ones(3)
    kernel = kernel_of(kind(function)) if kind is one_row else kind(function)
    # the oldest numba wraps what is raised in a callee
    with pytest.raises((TypeError, numba.TypingError), match=f"{function.__name__} returns arrays or calls what does"):
        kernel(argument)
    assert kernel_of(making_row(function))(argument) is not None


def roots(times):
    found = np.zeros(1)
    for _ in range(times):
        found[0] = np.sqrt(found[0] + 2.0)
    return found, times


@pytest.fixture
def interrupted():
    """Return a function that calls another and has it interrupted after some seconds, as by Ctrl-C."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no alarms")

    def call(seconds, function, *args):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return function(*args)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield call
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@compiled
def test_an_interrupted_kernel_raises_keyboard_interrupt(interrupted):
    kernel = many_rows(roots)
    assert kernel(30)[0] == pytest.approx(2.0)
    # numba makes a tuple of arrays by way of Python, where the signal raises: without the kernel's care a SystemError
    with pytest.raises(KeyboardInterrupt):
        interrupted(0.02, kernel, 40_000_000)


@compiled
def test_an_error_of_the_system_that_no_signal_has_caused_stays_what_it_is(monkeypatch):
    def fail(self, *args):
        raise SystemError("broken")

    kernel = many_rows(roots)
    monkeypatch.setattr(CPUDispatcher, "__call__", fail)
    with pytest.raises(SystemError, match="broken"):
        kernel(1)
