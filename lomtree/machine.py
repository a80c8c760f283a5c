"""Machine instructions that numba has no word for."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _address(context, builder, array_type, array_value, index):
    """A byte pointer to array[index], counted along the first axis."""
    array = context.make_array(array_type)(context, builder, array_value)
    stride = builder.extract_value(array.strides, 0)
    first = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    return builder.gep(first, [builder.mul(index, stride)])


@intrinsic
def prefetch(_context, array, index):
    """Ask for the cache line of array[index] without waiting for it; harmless at any index."""

    def generate(context, builder, signature, arguments):
        pointer = _address(context, builder, signature.args[0], *arguments)
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number]),
            "llvm.prefetch.p0i8",
        )
        read, keep, data = number(0), number(3), number(1)
        builder.call(function, [pointer, read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _is_text(array):
    return isinstance(array, types.Array) and array.dtype == types.uint8 and array.layout == "C"


def _load_bytes(context, builder, array_type, array_value, index, wanted):
    """text[index:] as one value of another type, wherever it begins."""
    array = context.make_array(array_type)(context, builder, array_value)
    pointer = builder.gep(array.data, [index])
    return builder.load(builder.bitcast(pointer, wanted.as_pointer()), align=1)


@intrinsic
def load32(_context, text, index):
    """The bytes text[index : index + 4] as one number, the first byte lowest."""
    if not _is_text(text):
        return None

    def generate(context, builder, signature, arguments):
        array, place = arguments
        return _load_bytes(context, builder, signature.args[0], array, place, ir.IntType(32))

    return types.uint32(text, types.int64), generate


@intrinsic
def load64(_context, text, index):
    """The bytes text[index : index + 8] as one number, the first byte lowest."""
    if not _is_text(text):
        return None

    def generate(context, builder, signature, arguments):
        array, place = arguments
        return _load_bytes(context, builder, signature.args[0], array, place, ir.IntType(64))

    return types.uint64(text, types.int64), generate


@intrinsic
def find16(_context, text, index, byte):
    """Which of text[index : index + 16] are `byte`: bit i of the answer stands for byte i."""
    if not _is_text(text):
        return None

    def generate(context, builder, signature, arguments):
        array, place, byte = arguments
        lanes = ir.VectorType(ir.IntType(8), 16)
        found = _load_bytes(context, builder, signature.args[0], array, place, lanes)
        wanted = ir.Constant(lanes, ir.Undefined)
        for lane in range(16):
            wanted = builder.insert_element(wanted, byte, ir.IntType(32)(lane))
        same = builder.icmp_unsigned("==", found, wanted)
        return builder.zext(builder.bitcast(same, ir.IntType(16)), ir.IntType(64))

    return types.uint64(text, types.int64, types.uint8), generate


@intrinsic
def trailing_zeros(_context, word):
    """How many bits below the lowest 1 are 0; all 64 if there is no 1."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.uint64), generate
