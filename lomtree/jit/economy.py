"""What numba does for every function that a kernel calls, and nobody needs.

It optimises each as a whole, makes machine code of it and lets Python call that. But kernels inline
these functions and optimise them there, and only the kernel itself is ever called. To do that alone
takes two thirds of the time.

Most of what is left is Python: passes over functions for what kernels do not have, questions that
have been answered before, and looking for garbage. That goes too, and the code stays the same.
"""

import contextlib
import gc
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from llvmlite import ir as llvm
from numba.core import ir, types
from numba.core.codegen import CPUCodegen, CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock

# Passes for closures, `with`, numba's own inlining, whole arrays as operands, and for reports.
_UNNEEDED = (
    "WithLifting", "InlineClosureLikes", "InlineInlinables", "InlineOverloads", "NopythonRewrites",
    "AnnotateTypes",
)  # fmt: skip

# By default Python looks for garbage every 700 objects, and goes through all that there are again
# and again: a tenth of the time.
_RARELY = (20_000, 20, 1000)

_LEAVES = (str, int, float, bool, type(None))


class KernelCompiler(CompilerBase):
    """numba's compiler with the passes that kernels need."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0].__name__ not in _UNNEEDED]
        return [passes]


def _no_code(library: Any) -> None:
    library._finalized = True


def _no_address(library: Any, _name: str) -> int:
    library._ensure_finalized()
    return 0


def _nothing(*_arguments: Any) -> None:
    pass


def _variables_in(instruction: Any, value: Any) -> list:
    """The variables in a part of an instruction; most parts are a variable, or have none."""
    if isinstance(value, ir.Var):
        return [value]
    if isinstance(value, ir.Inst):
        return value.list_vars()
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    found: list = []
    for part in value:
        if isinstance(part, ir.Var):
            found.append(part)
        elif type(part) not in _LEAVES:
            found += _variables_in(instruction, part)
    return found


def _answered_once(ask: Callable) -> Callable:
    """Which of numba's own functions, such as +, a call with such arguments is."""
    answers: dict[Any, Any] = {}

    def answer(function: Any, context: Any, arguments: tuple, named: Any) -> Any:
        if named:
            return ask(function, context, arguments, named)
        signature = answers.get((function, arguments))
        if signature is None or signature.args not in function._impl_keys:
            signature = answers[function, arguments] = ask(function, context, arguments, named)
        return signature

    return answer


def _measured_once(measure: Callable) -> Callable:
    """What is asked of a type of LLVM's, which llvmlite writes down as a module to find out."""
    answers: dict[str, int] = {}

    def answer(kind: Any, *target: Any) -> int:
        text = str(kind)
        if text not in answers:
            answers[text] = measure(kind, *target)
        return answers[text]

    return answer


@cache
def _replaced() -> tuple[tuple[Any, str, Any], ...]:
    """What is something else while a kernel is compiled."""
    call_type, size, alignment = "get_call_type", "get_abi_size", "get_abi_alignment"
    return (
        (CPUCodeLibrary, "_optimize_final_module", _nothing),
        (CPUCodeLibrary, "_finalize_final_module", _no_code),
        (CPUCodegen, "_check_llvm_bugs", cache(CPUCodegen._check_llvm_bugs)),
        (JITCodeLibrary, "get_pointer_to_function", _no_address),
        (JITCPUCodegen, "set_env", _nothing),
        (ir.Inst, "_rec_list_vars", _variables_in),
        (types.Function, call_type, _answered_once(types.Function.get_call_type)),
        (llvm.Type, size, _measured_once(llvm.Type.get_abi_size)),
        (llvm.Type, alignment, _measured_once(llvm.Type.get_abi_alignment)),
    )


@contextlib.contextmanager
def economy() -> Iterator[None]:
    """What numba compiles meanwhile can be inlined and given to object_file_of(), but not called.
    The lock keeps others who use numba from compiling in the same way."""
    with global_compiler_lock, contextlib.ExitStack() as stack:
        for owner, name, other in _replaced():
            _replace(stack, owner, name, other)
        stack.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(*_RARELY)
        yield


def _replace(stack: contextlib.ExitStack, owner: Any, name: str, other: Any) -> None:
    own = vars(owner).get(name)
    stack.callback(*((delattr, owner, name) if own is None else (setattr, owner, name, own)))
    setattr(owner, name, other)


def object_file_of(library: Any) -> bytes:
    """The machine code of what was compiled economically."""
    library._optimize_final_module()
    return library._codegen._tm.emit_object(library._final_module)
