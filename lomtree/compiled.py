"""Kernels: functions that are compiled by numba on their first use, ever.

Compiled code is kept (kernel_store) and called (native) without numba, whose import alone takes
longer than many a run. numba sees the kernels that a kernel calls by their type.
"""

import contextlib
import sys
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

from lomtree import kernel_store, native
from lomtree.stopwatch import watch

_lock = threading.RLock()
_announced = True
_beside: Callable[[], None] | None = None


class Kernel:
    def __init__(self, function: Callable, inlined: bool = True) -> None:
        self._function = function
        self._inlined = inlined
        self._loaded: dict[Any, Callable] = {}
        self.__doc__ = function.__doc__

    def __call__(self, *arguments):
        form = native.form_of(arguments)
        call = self._loaded.get(form)
        if call is None:
            with _lock:
                call = self._loaded[form] = self._load(form, arguments)
        return call(*arguments)

    def _load(self, form: Any, arguments: tuple) -> Callable:
        function = self._function
        key = kernel_store.checksum([native.describe(form).encode()])
        name = f"{function.__module__}.{function.__qualname__}-{key}.o"
        code = kernel_store.find(name) or self._compile(name, arguments)
        return native.load(code, arguments)

    def _compile(self, name: str, arguments: tuple) -> kernel_store.Code:
        """Compile and keep, unless another process just did."""
        _announce()
        with watch.stage("compile"), kernel_store.locked(name):
            code = kernel_store.find(name)
            if code is None:
                code = self._compiled_for(arguments)
                kernel_store.keep(name, code)
            return code

    def _compiled_for(self, arguments: tuple) -> kernel_store.Code:
        import numba

        types = tuple(numba.typeof(argument) for argument in arguments)
        self._dispatcher.compile(types)
        compiled = self._dispatcher.overloads[types]
        object_file = compiled.library._get_compiled_object()
        if b"\0numba_" in object_file or b"\0NRT_" in object_file:
            # Such a call would go nowhere in a run without numba.
            raise RuntimeError(f"{self._function.__qualname__} calls functions of numba's run time")
        returns = _letters(compiled.signature.return_type)
        return kernel_store.Code(compiled.fndesc.llvm_func_name, returns, object_file)

    @cached_property
    def _dispatcher(self) -> Any:
        """Kernels allocate nothing, so they do without numba's run time (`_nrt`), whose counting of
        references to the arrays costs more than many a small function does. Mostly they are
        inlined: a call would pass every length and stride of every array in its arguments."""
        import numba

        return numba.njit(
            self._function, nogil=True, error_model="numpy", forceinline=self._inlined, _nrt=False,
            no_cpython_wrapper=True, no_cfunc_wrapper=True,
        )  # fmt: skip

    @property
    def _numba_type_(self) -> Any:
        import numba

        return numba.typeof(self._dispatcher)


def _letters(returned: Any) -> str:
    """A type of numba's in the letters of `struct`."""
    from numba import types
    from numba.np.numpy_support import as_dtype

    if isinstance(returned, types.BaseTuple):
        return "(" + "".join(as_dtype(field).char for field in returned) + ")"
    return "" if returned is types.none else as_dtype(returned).char


def kernel(function: Callable) -> Kernel:
    """Compile on first use, without the GIL and without bounds checks."""
    return Kernel(function)


def subroutine(function: Callable) -> Kernel:
    """A kernel that others call: a large one that they need rarely, or only where its own work is
    long, would have to be compiled for each of them."""
    return Kernel(function, inlined=False)


def _announce() -> None:
    global _announced, _beside
    if _beside is not None:
        start, _beside = _beside, None
        start()
    if not _announced:
        _announced = True
        with contextlib.suppress(OSError, AttributeError):  # nobody reads it, or there is none
            sys.stderr.write("compiling (only the first such run does) ...\n")
            sys.stderr.flush()


def announce_compilation() -> None:
    """From now on, say so in one line on stderr if anything has to be compiled."""
    global _announced
    _announced = False


def compile_beside(start: Callable[[], None]) -> None:
    """Call this, which starts another process, if anything has to be compiled."""
    global _beside
    _beside = start
