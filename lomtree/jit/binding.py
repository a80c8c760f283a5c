"""A kernel bound to its arguments: what they hold may change, but they themselves stay the same.

Each of the hundreds of words that describe the arrays of a kernel takes ctypes a tenth of a
microsecond, in every call. Here they are written into memory once, and a small function of machine
code, one for each list of types, takes them from there. Where that cannot be had, the kernel is
called as ever.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from lomtree.jit import cache, calling
from lomtree.jit.fingerprint import checksum
from lomtree.jit.kernel import Kernel

_SYMBOL = "lomtree_call_with_words"
_FLOATS = {ctypes.c_double: np.float64, ctypes.c_float: np.float32}


def bind(kernel: Kernel, *arguments: Any) -> Callable[[], Any]:
    """The kernel as a function without arguments, which returns nothing."""
    address = kernel.address(arguments)
    if address is None:
        return lambda: kernel(*arguments)
    types = calling.word_types(arguments)
    try:
        caller, memory = _caller(types)
    except (ImportError, OSError, RuntimeError):
        return lambda: kernel(*arguments)
    words: list[Any] = []
    calling.add_words(arguments, words)
    room = np.zeros(3 + len(words) + 2, np.int64)
    room[0] = address
    room[1:3] = room.ctypes.data + 8 * (3 + len(words)), room.ctypes.data + 8 * (4 + len(words))
    for place, (word, kind) in enumerate(zip(words, types, strict=True), 3):
        form = _FLOATS.get(kind, np.int64)
        room[place : place + 1].view(form)[0] = word
    pointer = room.ctypes.data

    def call() -> None:
        if caller(pointer) != 0:
            raise RuntimeError("a bound kernel failed")

    call.held = (arguments, room, memory)  # type: ignore[attr-defined]
    return call


def _caller(types: list[Any]) -> tuple[Callable[[int], int], Any]:
    """Machine code that calls a kernel of such words, whose address comes before them."""
    letters = "".join(kind._type_ for kind in types)
    name = f"caller-{checksum([letters.encode()])}.o"
    code = cache.find(name)
    if code is None:
        with cache.locked(name):
            code = cache.find(name)
            if code is None:
                code = cache.Code(_SYMBOL, "", _compile(types))
                cache.keep(name, code)
    linked = calling.linked(code)
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(linked.address), linked.memory


def _compile(types: list[Any]) -> bytes:
    import llvmlite.binding as llvm
    from llvmlite import ir

    word, none = ir.IntType(64), ir.IntType(8).as_pointer()
    kinds = [_llvm_type(ir, kind) for kind in types]
    module = ir.Module(name=_SYMBOL)
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), _SYMBOL)
    builder = ir.IRBuilder(function.append_basic_block())

    def take(place: int, kind: Any) -> Any:
        at = builder.gep(function.args[0], [ir.IntType(32)(place)])
        return builder.load(builder.bitcast(at, kind.as_pointer()))

    target = ir.FunctionType(ir.IntType(32), [none, none, *kinds]).as_pointer()
    address = builder.inttoptr(take(0, word), target)
    arguments = [take(place, kind) for place, kind in enumerate([none, none, *kinds], 1)]
    builder.ret(builder.call(address, arguments))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    return bytes(machine.emit_object(parsed))


def _llvm_type(ir: Any, kind: Any) -> Any:
    if kind is ctypes.c_double:
        return ir.DoubleType()
    return ir.FloatType() if kind is ctypes.c_float else ir.IntType(8 * ctypes.sizeof(kind))
