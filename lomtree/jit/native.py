"""Object files of kernels, by way of numba's private parts.

Another version of numba may have changed any of them. Then this fails, and kernels are compiled
plainly.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from lomtree.jit import calling
from lomtree.jit.cache import Code
from lomtree.jit.callee import introduce


def dispatcher_of(function: Callable, inlined: bool) -> Any:
    """Kernels allocate nothing, so they do without numba's run time (`_nrt`), whose counting of
    references to the arrays costs more than many a small function does. Mostly they are inlined: a
    call would pass every length and stride of every array in its arguments."""
    import numba

    from lomtree.jit.economy import KernelCompiler  # it imports numba

    introduce()
    return numba.njit(
        function, nogil=True, error_model="numpy", forceinline=inlined, _nrt=False,
        no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=KernelCompiler,
    )  # fmt: skip


def compile_for(dispatcher: Any, arguments: tuple) -> Code:
    import numba

    from lomtree.jit.economy import economy, object_file_of

    types = tuple(numba.typeof(argument) for argument in arguments)
    with economy():
        dispatcher.compile(types)
    compiled = dispatcher.overloads[types]
    _check_convention(compiled.fndesc, arguments)
    object_file = object_file_of(compiled.library)
    if b"\0numba_" in object_file or b"\0NRT_" in object_file:
        # Such a call would go nowhere in a run without numba.
        name = dispatcher.py_func.__qualname__
        raise RuntimeError(f"{name} calls functions of numba's run time")
    returns = _letters(compiled.signature.return_type)
    return Code(compiled.fndesc.llvm_func_name, returns, object_file)


def _check_convention(description: Any, arguments: tuple) -> None:
    """RuntimeError if the function takes other words than calling.py passes: it would crash."""
    from llvmlite import ir
    from numba.core.registry import cpu_target

    def kind_of(argument: Any) -> tuple[bool, int]:
        if isinstance(argument, ir.FloatType | ir.DoubleType):
            return True, 32 if isinstance(argument, ir.FloatType) else 64
        return False, argument.width if isinstance(argument, ir.IntType) else 64

    convention = cpu_target.target_context.call_conv
    taken = convention.get_function_type(description.restype, description.argtypes).args
    passed = [
        (word in (ctypes.c_float, ctypes.c_double), 8 * ctypes.sizeof(word))
        for word in (ctypes.c_void_p, ctypes.c_void_p, *calling.word_types(arguments))
    ]
    if list(map(kind_of, taken)) != passed:
        raise RuntimeError("this version of numba passes arguments in another way")


def _letters(returned: Any) -> str:
    """A type of numba's in the letters of `struct`."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(returned, types.BaseTuple):
        return "(" + "".join(as_dtype(field).char for field in returned) + ")"
    return "" if returned is types.none else as_dtype(returned).char
