"""Kernels: functions that are compiled by numba on their first use, ever.

Compiled code is kept (cache) and called (calling) without numba, whose import alone takes longer
than many a run. Where that fails, kernels are plain functions of numba's.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

from lomtree.core.errors import LomtreeError
from lomtree.jit import announcement, cache, callee, calling, elf
from lomtree.jit.announcement import announce_compilation, compile_beside
from lomtree.jit.fingerprint import checksum
from lomtree.system.timing import watch

__all__ = ["Kernel", "announce_compilation", "compile_beside", "kernel", "subroutine"]

INTERPRETED = callee.is_on("NUMBA_DISABLE_JIT")

_lock = threading.RLock()


class Kernel(callee.Callee):
    def __init__(self, function: Callable, inlined: bool = True) -> None:
        super().__init__(function)
        self._inlined = inlined
        self._loaded: dict[Any, Callable] = {}
        self._recent = calling.Recent()

    def __call__(self, *arguments):
        if INTERPRETED:
            from lomtree.jit import interpreter  # takes time

            return interpreter.run(self.function, arguments)
        form, words = self._recent.look_at(arguments)
        call = self._loaded.get(form)
        if call is None:
            call = self._find(form, arguments)
        by_words = getattr(call, "by_words", None)
        return by_words(words) if by_words else call(*arguments)

    def address(self, arguments: tuple) -> int | None:
        """Where its machine code for such arguments is; None if it is not called natively."""
        if INTERPRETED:
            return None
        form = tuple(map(calling.form_of, arguments))
        call = self._loaded.get(form) or self._find(form, arguments)
        return getattr(call, "address", None)

    def _find(self, form: Any, arguments: tuple) -> Callable:
        with _lock:
            call = self._loaded[form] = self._load(form, arguments)
        return call

    def _load(self, form: Any, arguments: tuple) -> Callable:
        """Natively, or else plainly. A mistake in the kernel itself makes both fail."""
        if not callee.why_plain():
            try:
                return self._load_native(form, arguments)
            except (MemoryError, LomtreeError):
                raise
            except Exception as error:
                failure = " ".join(f"{type(error).__name__}: {error}".split())[:200]
                with callee.plainly(f"numba cannot be used as usual ({failure})"):
                    call = self._load_plain(arguments)
                announcement.say_plain(callee.why_plain())
                return call
        announcement.say_plain(callee.why_plain())
        return self._load_plain(arguments)

    def _load_plain(self, arguments: tuple) -> Callable:
        import numba

        with watch.stage("compile"):
            self.plain.compile(tuple(numba.typeof(argument) for argument in arguments))
        return self.plain

    def _load_native(self, form: Any, arguments: tuple) -> Callable:
        function = self.function
        key = checksum([calling.describe(form).encode()])
        name = f"{function.__module__}.{function.__qualname__}-{key}.o"
        elf.check_executable_memory()
        code = _find(name) or self._compile(name, arguments)
        return calling.load(code, arguments)

    def _compile(self, name: str, arguments: tuple) -> cache.Code:
        """Compile and keep, unless another process just did."""
        announcement.say_compiling()
        with watch.stage("compile"), cache.locked(name):
            code = _find(name)
            if code is None:
                from lomtree.jit import native, trial  # they take time

                trial.check()
                code = native.compile_for(self._dispatcher, arguments)
                cache.keep(name, code)
            return code

    @cached_property
    def _dispatcher(self) -> Any:
        from lomtree.jit import native

        return native.dispatcher_of(self.function, self._inlined)

    @property
    def native_type(self) -> Any:
        import numba

        return numba.typeof(self._dispatcher)


def _find(name: str) -> cache.Code | None:
    """What was kept, if it can be called."""
    code = cache.find(name)
    if code is None or not (elf.is_whole(code.object_file, code.symbol) and calling.is_known(code)):
        return None
    return code


def kernel(function: Callable) -> Kernel:
    """Compile on first use, without the GIL and without bounds checks."""
    return Kernel(function)


def subroutine(function: Callable) -> Kernel:
    """A kernel that others call: a large one that they need rarely, or only where its own work is
    long, would have to be compiled for each of them."""
    return Kernel(function, inlined=False)
