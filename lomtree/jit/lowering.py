"""What the instructions in intrinsics.py are natively, for the compiler."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from lomtree.system.memory import FLOATS_IN_LINE as LANES


def type_of(name: str) -> Any:
    """How numba knows one of the functions below."""
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context.resolve_value_type(globals()[name])


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
    """Which of text[index : index + 16] are `byte`: bit i of the result stands for byte i."""
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


# Vectors of 16 float32, one cache line: compilers find such loops too short to make vectors of.
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _is_floats(*arrays):
    return all(
        isinstance(array, types.Array) and array.dtype == types.float32 and array.layout == "C"
        for array in arrays
    )


def _vector_at(context, builder, array_type, array_value, index):
    """A pointer to 16 numbers of an array of any shape, from `index` on in memory."""
    array = context.make_array(array_type)(context, builder, array_value)
    return builder.bitcast(builder.gep(array.data, [index]), _VECTOR.as_pointer())


def _in_all_lanes(builder, number):
    first = builder.insert_element(_VECTOR(ir.Undefined), number, ir.IntType(32)(0))
    every = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
    return builder.shuffle_vector(first, first, every)


@intrinsic
def move8(_context, array, to, at):
    """Move the 8 numbers from `at` on in memory to `to`, and leave zeros."""
    if not _is_floats(array):
        return None

    def generate(context, builder, signature, arguments):
        array, to, at = arguments
        lanes = ir.VectorType(ir.FloatType(), 8)
        source, target = (
            builder.bitcast(
                _vector_at(context, builder, signature.args[0], array, index), lanes.as_pointer()
            )
            for index in (at, to)
        )
        builder.store(builder.load(source, align=4), target, align=4)
        builder.store(ir.Constant(lanes, None), source, align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic
def add16(_context, target, at, source, begin, factor, again):
    """target[at + i] += source[begin + i] * factor * again, for i from 0 to 15."""
    if not _is_floats(target, source):
        return None

    def generate(context, builder, signature, arguments):
        target, at, source, begin, factor, again = arguments
        pointer = _vector_at(context, builder, signature.args[0], target, at)
        product = builder.load(
            _vector_at(context, builder, signature.args[2], source, begin), align=4
        )
        for number in (factor, again):
            product = builder.fmul(product, _in_all_lanes(builder, number))
        builder.store(builder.fadd(builder.load(pointer, align=4), product), pointer, align=4)
        return context.get_dummy_value()

    number = types.float32
    return types.void(target, types.int64, source, types.int64, number, number), generate


def _at_most(builder, numbers, most):
    """The smaller ones, lane by lane; what is no number becomes `most`."""
    return builder.select(builder.fcmp_ordered("<", numbers, most), numbers, most)


def _at_least(builder, numbers, least):
    return builder.select(builder.fcmp_ordered(">", numbers, least), numbers, least)


@intrinsic
def add_products16(_context, target, at, factors, others, begin, most):
    """target[at + i] += factors[i] * others[begin + i], for i from 0 to 15; no sum is smaller than
    -most or larger than most."""
    if not _is_floats(target, factors, others):
        return None

    def generate(context, builder, signature, arguments):
        target, at, factors, others, begin, most = arguments
        pointer = _vector_at(context, builder, signature.args[0], target, at)
        first = ir.IntType(64)(0)
        product = builder.fmul(
            builder.load(_vector_at(context, builder, signature.args[2], factors, first), align=4),
            builder.load(_vector_at(context, builder, signature.args[3], others, begin), align=4),
        )
        total = builder.fadd(builder.load(pointer, align=4), product)
        total = _at_most(builder, total, _in_all_lanes(builder, most))
        total = _at_least(builder, total, _in_all_lanes(builder, builder.fneg(most)))
        builder.store(total, pointer, align=4)
        return context.get_dummy_value()

    number = types.float32
    return types.void(target, types.int64, factors, others, types.int64, number), generate


@intrinsic
def add_squares16(_context, target, at, factors, value, most):
    """target[at + i] += factors[i] * value * value, for i from 0 to 15; no sum is larger than
    most."""
    if not _is_floats(target, factors):
        return None

    def generate(context, builder, signature, arguments):
        target, at, factors, value, most = arguments
        pointer = _vector_at(context, builder, signature.args[0], target, at)
        first = ir.IntType(64)(0)
        product = builder.load(
            _vector_at(context, builder, signature.args[2], factors, first), align=4
        )
        for _ in range(2):
            product = builder.fmul(product, _in_all_lanes(builder, value))
        total = builder.fadd(builder.load(pointer, align=4), product)
        builder.store(_at_most(builder, total, _in_all_lanes(builder, most)), pointer, align=4)
        return context.get_dummy_value()

    number = types.float32
    return types.void(target, types.int64, factors, number, number), generate


@intrinsic
def divide_by_root16(_context, target, at, squares, begin, value, smallest):
    """target[at + i] = value / sqrt(max(squares[begin + i] + value^2, smallest)), i = 0 ... 15."""
    if not _is_floats(target, squares):
        return None

    def generate(context, builder, signature, arguments):
        target, at, squares, begin, value, smallest = arguments
        pointer = _vector_at(context, builder, signature.args[0], target, at)
        sums = builder.fadd(
            builder.load(_vector_at(context, builder, signature.args[2], squares, begin), align=4),
            _in_all_lanes(builder, builder.fmul(value, value)),
        )
        smallest = _in_all_lanes(builder, smallest)
        sums = builder.select(builder.fcmp_ordered(">", sums, smallest), sums, smallest)
        root = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), "llvm.sqrt.v16f32"
        )
        quotient = builder.fdiv(_in_all_lanes(builder, value), builder.call(root, [sums]))
        builder.store(quotient, pointer, align=4)
        return context.get_dummy_value()

    number = types.float32
    return types.void(target, types.int64, squares, types.int64, number, number), generate
