"""A kernel bound to its arguments: what they hold may change, but they themselves stay the same.

Each of the hundreds of words that describe the arrays of a kernel takes ctypes a tenth of a
microsecond, in every call. Here they are written into memory once, and a small function of machine
code, one for each list of types, takes them from there. Another one calls several bound kernels one
after the other, so that Python calls once. Where that cannot be had, kernels are called as ever.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from lomtree.jit import cache, calling
from lomtree.jit.elf import Linked
from lomtree.jit.fingerprint import checksum
from lomtree.jit.kernel import Kernel

_ONE, _EACH = "lomtree_call_with_words", "lomtree_call_each"
_FLOATS = {ctypes.c_double: np.float64, ctypes.c_float: np.float32}
_MISSING = (ImportError, OSError, RuntimeError)  # what says that machine code cannot be had


def bind(kernel: Kernel, *arguments: Any) -> Callable[[], Any]:
    """The kernel as a function without arguments, which returns nothing."""
    address = kernel.address(arguments)
    if address is None:
        return lambda: kernel(*arguments)
    types = calling.word_types(arguments)
    try:
        linked = _caller(types)
    except _MISSING:
        return lambda: kernel(*arguments)
    words: list[Any] = []
    calling.add_words(arguments, words)
    room = np.zeros(3 + len(words) + 2, np.int64)
    room[0] = address
    room[1:3] = room.ctypes.data + 8 * (3 + len(words)), room.ctypes.data + 8 * (4 + len(words))
    for place, (word, kind) in enumerate(zip(words, types, strict=True), 3):
        form = _FLOATS.get(kind, np.int64)
        room[place : place + 1].view(form)[0] = word
    return _function(linked, room, arguments)


def chain(*calls: Callable[[], Any]) -> Callable[[], Any]:
    """Bound kernels as one function, which calls them in this order."""
    places = [getattr(call, "place", None) for call in calls]
    try:
        if None not in places:
            room = np.array([len(calls), *(word for place in places for word in place or ())])
            return _function(_linked("callers.o", _EACH, _compile_each), room, calls)
    except _MISSING:
        pass

    def call_each() -> None:
        for call in calls:
            call()

    return call_each


def _function(linked: Linked, room: np.ndarray, held: Any) -> Callable[[], Any]:
    """Machine code with the words that it takes, as a function of Python."""
    caller = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(linked.address)
    pointer = room.ctypes.data

    def call() -> None:
        if caller(pointer) != 0:
            raise RuntimeError("a bound kernel failed")

    call.place = (linked.address, pointer)  # type: ignore[attr-defined]
    call.held = (held, room, linked.memory)  # type: ignore[attr-defined]
    return call


def _caller(types: list[Any]) -> Linked:
    """Machine code that calls a kernel of such words, whose address comes before them."""
    letters = "".join(kind._type_ for kind in types)
    name = f"caller-{checksum([letters.encode()])}.o"
    return _linked(name, _ONE, lambda: _compile(types))


def _linked(name: str, symbol: str, compile: Callable[[], bytes]) -> Linked:
    """The code of this name, compiled if it was never wanted before."""
    code = cache.find(name)
    if code is None:
        with cache.locked(name):
            code = cache.find(name)
            if code is None:
                code = cache.Code(symbol, "", compile())
                cache.keep(name, code)
    return calling.linked(code)


def _compile(types: list[Any]) -> bytes:
    from llvmlite import ir

    word, none = ir.IntType(64), ir.IntType(8).as_pointer()
    kinds = [_llvm_type(ir, kind) for kind in types]
    module = ir.Module(name=_ONE)
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), _ONE)
    builder = ir.IRBuilder(function.append_basic_block())

    def take(place: int, kind: Any) -> Any:
        at = builder.gep(function.args[0], [ir.IntType(32)(place)])
        return builder.load(builder.bitcast(at, kind.as_pointer()))

    target = ir.FunctionType(ir.IntType(32), [none, none, *kinds]).as_pointer()
    address = builder.inttoptr(take(0, word), target)
    arguments = [take(place, kind) for place, kind in enumerate([none, none, *kinds], 1)]
    builder.ret(builder.call(address, arguments))
    return _object_code(module)


def _compile_each() -> bytes:
    """Of the words (count, caller, its words, caller, its words, ...): call each caller until one
    returns something else than 0."""
    from llvmlite import ir

    word, status = ir.IntType(64), ir.IntType(32)
    of_words = ir.FunctionType(status, [word.as_pointer()])
    module = ir.Module(name=_EACH)
    function = ir.Function(module, of_words, _EACH)
    words = function.args[0]
    first, again, onward, end = (function.append_basic_block() for _ in range(4))
    builder = ir.IRBuilder(first)
    last = builder.mul(builder.load(words), word(2))
    builder.branch(again)
    builder.position_at_end(again)
    place = builder.phi(word)
    following = builder.add(place, word(1))
    caller = builder.inttoptr(builder.load(builder.gep(words, [place])), of_words.as_pointer())
    own = builder.load(builder.gep(words, [following]))
    found = builder.call(caller, [builder.inttoptr(own, word.as_pointer())])
    builder.cbranch(builder.icmp_signed("==", found, status(0)), onward, end)
    builder.position_at_end(onward)
    then = builder.add(place, word(2))
    builder.cbranch(builder.icmp_signed("<", then, last), again, end)
    builder.position_at_end(end)
    builder.ret(found)
    place.add_incoming(word(1), first)
    place.add_incoming(then, onward)
    return _object_code(module)


def _object_code(module: Any) -> bytes:
    import llvmlite.binding as llvm

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
