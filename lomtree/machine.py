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
