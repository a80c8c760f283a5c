"""Decimal numbers out of bytes, as fast as the digits can be read.

Numbers as people write them (up to 15 digits, small exponents) take one exact division or
multiplication, so they are correctly rounded. The rest is computed with about 100 bits and rounded
once; no string, no allocation, no C library (whose prediction depends on the locale).
"""

import math

import numpy as np

from lomtree.jit.intrinsics import load64
from lomtree.jit.kernel import kernel

# (See text_line for why loops over bytes look the way they do.)
_ZERO, _NINE, _POINT, _PLUS, _MINUS = 48, 57, 46, 43, 45
_LOWER_E, _UPPER_E = 101, 69
_SAFE_DIGITS = 18  # any number of so many digits fits an int64
_EXACT_MANTISSA = 2**53
_EXACT_POWER = 22  # 10^22 is the last power of ten that a double holds exactly
_EXPONENT_LIMIT = 10**15  # more than any number of digits in memory can make up for

# Smaller or larger powers of ten make 0 or infinity of every mantissa below 10^18.
_LOWEST_POWER, _HIGHEST_POWER = -343, 309
_BITS = 160  # of a power of ten before it is rounded


def _powers_of_ten() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each power as (high + low) * 2^binary with 1/2 < high + low < 2, good to 106 bits."""
    high, low, binary = [], [], []
    for power in range(_LOWEST_POWER, _HIGHEST_POWER + 1):
        numerator, denominator = 10 ** max(power, 0), 10 ** max(-power, 0)
        exponent = numerator.bit_length() - denominator.bit_length()
        scaled = (numerator << _BITS + max(-exponent, 0)) // (denominator << max(exponent, 0))
        high.append(math.ldexp(scaled, -_BITS))
        low.append(math.ldexp(scaled - int(math.ldexp(high[-1], _BITS)), -_BITS))
        binary.append(exponent)
    return np.array(high), np.array(low), np.array(binary)


_HIGH, _LOW, _BINARY = _powers_of_ten()
# 2^binary in two factors: only the second product can leave the range of normal doubles, so that
# there is one rounding. (math.ldexp would be a call into numba, which is not there in most runs.)
_HALF = 2.0 ** (_BINARY // 2)
_OTHER_HALF = 2.0 ** (_BINARY - _BINARY // 2)
_EXACT = np.array([float(10**power) for power in range(_EXACT_POWER + 1)])

# Words of 8 digits, the first one in the lowest byte.
WORD = 8
_BYTES = 0x0101010101010101
_CHARACTERS, _HIGH_BITS = np.uint64(_ZERO * _BYTES), np.uint64(0x80 * _BYTES)
_BEYOND_NINE = np.uint64((0x80 - 10) * _BYTES)  # added to a digit above 9 it gives a high bit
_ALL, _NO_BITS = np.uint64(2**64 - 1), np.uint64(0)
_ONE_BYTE, _TWO_BYTES, _FOUR_BYTES = np.uint64(8), np.uint64(16), np.uint64(32)
_TEN, _PAIRS = np.uint64(10), np.uint64(0x000000FF000000FF)
_FIRST_PAIRS, _OTHER_PAIRS = np.uint64(100 + (10**6 << 32)), np.uint64(1 + (10**4 << 32))


@kernel
def _number_of(word):
    """The number of 8 digits: two, four and eight of them become one, side by side."""
    word = word * _TEN + (word >> _ONE_BYTE)
    first, others = word & _PAIRS, (word >> _TWO_BYTES) & _PAIRS
    return (first * _FIRST_PAIRS + others * _OTHER_PAIRS) >> _FOUR_BYTES


@kernel
def read_fraction(text, begin, stop):
    """What parse_number() reads in text[begin:stop], which has at least a byte, if that is a 0, a
    point and 1 to 8 digits, with or without a minus; and whether it is. There are at least 8 bytes
    before and behind `begin`."""
    negative = text[np.uint64(begin)] == _MINUS
    first = begin + np.int64(negative)
    digits = stop - first - 2
    is_short = (text[np.uint64(first)] == _ZERO) & (text[np.uint64(first + 1)] == _POINT)
    if not (is_short & (digits >= 1) & (digits <= WORD)):
        return 0.0, False
    word = load64(text, stop - WORD) ^ _CHARACTERS
    word &= _ALL << np.uint64(8 * (WORD - digits))
    value = np.float64(np.int64(_number_of(word))) / _EXACT[np.uint64(digits)]
    are_digits = ((word + _BEYOND_NINE) | word) & _HIGH_BITS == _NO_BITS
    return (-value if negative else value), are_digits


@kernel
def _is_digit(byte):
    return _ZERO <= byte <= _NINE


@kernel
def _product_error(left, right, product):
    """What the rounding of left * right = product lost (Dekker); neither factor is huge."""
    left_high = left * 134217729.0
    left_high = left_high - (left_high - left)
    left_low = left - left_high
    right_high = right * 134217729.0
    right_high = right_high - (right_high - right)
    right_low = right - right_high
    return (
        (left_high * right_high - product) + left_high * right_low + left_low * right_high
    ) + left_low * right_low


@kernel
def _scale_slowly(mantissa, power):
    """mantissa * 10^power for every mantissa below 10^18 and every power."""
    if mantissa == 0 or power < _LOWEST_POWER:
        return 0.0
    if power > _HIGHEST_POWER:
        return np.inf
    entry = power - _LOWEST_POWER
    rounded = np.float64(mantissa)
    rest = np.float64(mantissa - np.int64(rounded))
    product = rounded * _HIGH[entry]
    error = _product_error(rounded, _HIGH[entry], product)
    error += rounded * _LOW[entry] + rest * _HIGH[entry]
    return (product + error) * _HALF[entry] * _OTHER_HALF[entry]


@kernel
def _scale(mantissa, power):
    if mantissa < _EXACT_MANTISSA and -_EXACT_POWER <= power <= _EXACT_POWER:
        if power < 0:
            return np.float64(mantissa) / _EXACT[-power]
        return np.float64(mantissa) * _EXACT[power]
    return _scale_slowly(mantissa, power)


@kernel
def _read_long_digits(text, begin, stop):
    """The first 18 digits that count and the power of ten that the others amount to."""
    mantissa = np.int64(0)
    power = 0
    behind_point = False
    for position in range(begin, stop):
        if text[position] == _POINT:
            behind_point = True
            continue
        if mantissa < 10 ** (_SAFE_DIGITS - 1):
            mantissa = mantissa * 10 + (np.int64(text[position]) - _ZERO)
            power -= behind_point
        else:
            power += not behind_point
    return mantissa, power


@kernel
def _read_exponent(text, position, end):
    """The exponent whose 'e' stands at `position`, and where it stops (== position: none)."""
    stop = position + 1
    negative = False
    if stop < end and (text[stop] == _PLUS or text[stop] == _MINUS):
        negative = text[stop] == _MINUS
        stop += 1
    if stop >= end or not _is_digit(text[stop]):
        return 0, position
    exponent = np.int64(0)
    while stop < end and _is_digit(text[stop]):
        if exponent < _EXPONENT_LIMIT:
            exponent = exponent * 10 + (np.int64(text[stop]) - _ZERO)
        stop += 1
    return (-exponent if negative else exponent), stop


@kernel
def parse_number(text, begin, end):
    """The decimal number at text[begin:end] and the first byte after it (== begin: none).

    Too large gives infinity and too small gives zero, with the sign.
    """
    position = begin
    negative = False
    if position < end and (
        text[np.uint64(position)] == _MINUS or text[np.uint64(position)] == _PLUS
    ):
        negative = text[np.uint64(position)] == _MINUS
        position += 1
    first = position
    mantissa = np.int64(0)
    while position < end and _is_digit(text[np.uint64(position)]):
        mantissa = mantissa * 10 + (np.int64(text[np.uint64(position)]) - _ZERO)
        position += 1
    digits = position - first
    power = 0
    if position < end and text[np.uint64(position)] == _POINT:
        position += 1
        fraction = position
        while position < end and _is_digit(text[np.uint64(position)]):
            mantissa = mantissa * 10 + (np.int64(text[np.uint64(position)]) - _ZERO)
            position += 1
        power = fraction - position
        digits -= power
    if digits == 0:
        return 0.0, begin
    if digits > _SAFE_DIGITS:
        mantissa, power = _read_long_digits(text, first, position)
    if position < end and (
        text[np.uint64(position)] == _LOWER_E or text[np.uint64(position)] == _UPPER_E
    ):
        exponent, position = _read_exponent(text, position, end)
        power += exponent
    value = _scale(mantissa, power)
    return (-value if negative else value), position
