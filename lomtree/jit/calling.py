"""Machine code as a function of Python: no compiler is needed to call it.

numba's convention: int32 function(result *, error **, argument, ...), where an array is the words
(0, 0, size, itemsize, address, shape ..., strides ...) and a tuple is its fields, one by one.
"""

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from lomtree.jit.cache import Code
from lomtree.jit.elf import Linked, link

_WORD = ctypes.c_int64
_SCALARS: dict[type, Any] = {bool: ctypes.c_int8, int: _WORD, float: ctypes.c_double}
_NUMPY_SCALARS: dict[str, Any] = {
    "?": ctypes.c_int8,
    "b": ctypes.c_int8,
    "B": ctypes.c_uint8,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "l": _WORD,
    "q": _WORD,
    "L": ctypes.c_uint64,
    "Q": ctypes.c_uint64,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}


def form_of(value: Any) -> Any:
    """What code must know of an argument: equal forms take the same code."""
    kind = type(value)
    if kind is np.ndarray:
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return (value.dtype, value.ndim, layout, flags.writeable)
    if isinstance(value, tuple):
        return (kind, *map(form_of, value))
    if isinstance(value, np.generic):
        return value.dtype
    return kind


def describe(form: Any) -> str:
    """A form in words that are the same in every run."""
    if isinstance(form, tuple):
        return "(" + " ".join(map(describe, form)) + ")"
    if isinstance(form, np.dtype):
        return str(form.descr if form.fields else form.str)
    return form.__qualname__ if isinstance(form, type) else str(form)


def add_words(value: Any, words: list) -> None:
    if type(value) is np.ndarray:
        # (__array_interface__ would describe the fields of a record each time, too.)
        address = value.ctypes.data
        words += (0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for field in value:
            add_words(field, words)
    else:
        words.append(value)


def word_types(value: Any) -> list:
    if isinstance(value, np.ndarray):
        return [_WORD] * (5 + 2 * value.ndim)
    if isinstance(value, tuple):
        return [word for field in value for word in word_types(field)]
    if isinstance(value, np.generic):
        return [_NUMPY_SCALARS[value.dtype.char]]
    return [_SCALARS[type(value)]]


class Recent:
    """The tuples of the last call. Those that come again need not be looked through again: what
    they hold stays where it is. (Kernels take dozens of arrays, and some are called often.) Arrays
    that are arguments themselves are not held on to."""

    def __init__(self) -> None:
        self._last: list[tuple | None] = []  # of each tuple: itself, its form, its words

    def look_at(self, arguments: tuple) -> tuple[Any, list]:
        """The form of the arguments, and their words."""
        last, forms, words = self._last, [], []
        looked: list[tuple | None] = []
        for place, value in enumerate(arguments):
            seen = last[place] if place < len(last) else None
            if seen is None or seen[0] is not value:
                own: list = []
                add_words(value, own)
                seen = (value, form_of(value), own)
            looked.append(seen if isinstance(value, tuple) else None)
            forms.append(seen[1])
            words += seen[2]
        self._last = looked  # at once: other threads may be calling
        return tuple(forms), words


def is_known(code: Code) -> bool:
    """Whether what it returns is described in letters that there are."""
    return not code.returns.strip("()").strip("".join(_NUMPY_SCALARS))


def linked(code: Code) -> Linked:
    """The code in memory, ready to be called."""
    return link(code.object_file, code.symbol) or _link_with_llvm(code)


def load(code: Code, arguments: tuple) -> Callable:
    """The function, for arguments of the same form as these; it runs without the GIL. Its by_words
    takes their words."""
    ready = linked(code)
    types = word_types(arguments)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *types)
    function = prototype(ready.address)
    is_tuple, letters = code.returns.startswith("("), code.returns.strip("()")
    size = max(8, struct.calcsize(letters))

    def by_words(words: list) -> Any:
        result, error = ctypes.create_string_buffer(size), ctypes.c_void_p()
        if function(result, ctypes.byref(error), *words) != 0:
            raise RuntimeError(f"{code.symbol} failed")
        values = struct.unpack_from(letters, result)
        return values if is_tuple else values[0] if values else None

    def call(*arguments):
        words: list = []
        add_words(arguments, words)
        return by_words(words)

    call.memory = ready.memory  # type: ignore[attr-defined]
    call.address = ready.address  # type: ignore[attr-defined]
    call.by_words = by_words  # type: ignore[attr-defined]
    return call


def _link_with_llvm(code: Code) -> Linked:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_file))
    engine.finalize_object()
    return Linked(engine.get_function_address(code.symbol), engine)
