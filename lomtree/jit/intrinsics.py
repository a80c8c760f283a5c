"""Machine instructions that numba has no word for, as kernels name them.

Natively they are single instructions (lowering). Plainly, and where Python itself runs kernels,
they are the functions below, which compute the same bits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lomtree.jit.callee import Callee
from lomtree.system.memory import FLOATS_IN_LINE

LANES = FLOATS_IN_LINE  # float32 in a vector: one cache line

# An index with a sign might count from the end of an array, and asking for that takes time in every
# turn of a loop. Those without may only meet their like: with others they become floats.
ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(1, 5))
_NOTHING = np.uint64(0)


class Instruction(Callee):
    @property
    def native_type(self) -> Any:
        from lomtree.jit import lowering  # with numba

        return lowering.type_of(self.function.__name__)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def instruction(function: Callable) -> Instruction:
    return Instruction(function)


@instruction
def prefetch(array, index):
    """Ask for the cache line of array[index] without waiting for it; harmless at any index."""


@instruction
def load32(text, index):
    """The bytes text[index : index + 4] as one number, the first byte lowest."""
    number = np.uint32(0)
    for place in range(4):
        byte = np.uint32(text[np.int64(index) + place])
        number = np.uint32(number | np.uint32(byte << np.uint32(8 * place)))
    return number


@instruction
def load64(text, index):
    """The bytes text[index : index + 8] as one number, the first byte lowest."""
    number = np.uint64(0)
    for place in range(8):
        number |= np.uint64(text[np.int64(index) + place]) << np.uint64(8 * place)
    return number


@instruction
def find16(text, index, byte):
    """Which of text[index : index + 16] are `byte`: bit i of the answer stands for byte i."""
    found = np.uint64(0)
    for place in range(16):
        if text[np.int64(index) + place] == byte:
            found |= ONE << np.uint64(place)
    return found


@instruction
def trailing_zeros(word):
    """How many bits below the lowest 1 are 0; all 64 if there is no 1."""
    word, zeros = np.uint64(word), 0
    while zeros < 64 and word & ONE == _NOTHING:
        word >>= ONE
        zeros += 1
    return np.int64(zeros)


# What follows counts from the first number of an array on, of whatever shape it is.


@instruction
def move8(array, to, at):
    """Move the 8 numbers from `at` on in memory to `to`, and leave zeros."""
    numbers = array.reshape(array.size)
    for lane in range(8):
        numbers[to + lane] = numbers[at + lane]
        numbers[at + lane] = 0.0


@instruction
def add16(target, at, source, begin, factor, again):
    """target[at + i] += source[begin + i] * factor * again, for i from 0 to 15."""
    sums, numbers = target.reshape(target.size), source.reshape(source.size)
    factor, again = np.float32(factor), np.float32(again)
    for lane in range(LANES):
        sums[at + lane] += numbers[begin + lane] * factor * again


@instruction
def add_products16(target, at, factors, others, begin, most):
    """target[at + i] += factors[i] * others[begin + i], for i from 0 to 15; no sum is smaller than
    -most or larger than most."""
    sums, numbers = target.reshape(target.size), others.reshape(others.size)
    most = np.float32(most)
    for lane in range(LANES):
        total = sums[at + lane] + factors[lane] * numbers[begin + lane]
        total = total if total < most else most
        sums[at + lane] = total if total > -most else -most


@instruction
def add_squares16(target, at, factors, value, most):
    """target[at + i] += factors[i] * value * value, for i from 0 to 15; no sum is larger than
    most."""
    sums, value, most = target.reshape(target.size), np.float32(value), np.float32(most)
    for lane in range(LANES):
        total = sums[at + lane] + factors[lane] * value * value
        sums[at + lane] = total if total < most else most


@instruction
def divide_by_root16(target, at, squares, begin, value, smallest):
    """target[at + i] = value / sqrt(max(squares[begin + i] + value^2, smallest)), i = 0 ... 15."""
    quotients, numbers = target.reshape(target.size), squares.reshape(squares.size)
    value, smallest = np.float32(value), np.float32(smallest)
    for lane in range(LANES):
        total = numbers[begin + lane] + value * value
        quotients[at + lane] = value / np.sqrt(total if total > smallest else smallest)
