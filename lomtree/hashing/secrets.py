"""Secret numbers of this process, for hashes that nobody can foresee.

Whoever knows how a table hashes can choose words that all meet in one place, so that looking them
up takes quadratic time. Here each process hashes in its own way. It decides where in memory things
lie and nothing else: what is learned, written and printed does not depend on it.
"""

import os

import numpy as np

from lomtree.hashing.murmur3 import last_block
from lomtree.jit.intrinsics import load32
from lomtree.jit.kernel import kernel

_PRIME = np.uint64(2**61 - 1)
_LOW = np.uint64(2**32 - 1)
_SPREAD = np.uint64(0xBF58476D1CE4E5B9)
_HALF, _TOP, _UP = np.uint64(32), np.uint64(61), np.uint64(3)
_OWN = np.frombuffer(os.urandom(24), np.uint64)

MULTIPLIER = np.uint64(_OWN[0] | np.uint64(1))
POINT = np.uint64(_OWN[1] % _PRIME)
OFFSET = int(_OWN[2] % np.uint64(1 << 20))


@kernel
def keyed(number, multiplier):
    """32 bits for a number of 32 bits, by a random odd multiplier. Neighbours are spread as well as
    any numbers: the multiplier alone would put them at even distances, and where it is close to a
    simple fraction of the table, one on top of the other."""
    mixed = np.uint64(number) * multiplier
    return np.uint32(((mixed ^ (mixed >> _HALF)) * _SPREAD) >> _HALF)


@kernel
def _times(a, b):
    """a b mod 2^61 - 1, of numbers below 2^62; it may be a little larger than the smallest such."""
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    low, one, other = a_low * b_low, a_low * b_high, a_high * b_low
    carry = ((low >> _HALF) + (one & _LOW) + (other & _LOW)) >> _HALF
    high = a_high * b_high + (one >> _HALF) + (other >> _HALF) + carry
    product = a * b
    total = (product & _PRIME) + ((product >> _TOP) | (high << _UP))
    return (total & _PRIME) + (total >> _TOP)


@kernel
def polynomial(text, begin, end, point):
    """text[begin:end] and its length as a polynomial over the integers mod 2^61 - 1, at a random
    point: two texts of n bytes agree with a probability of at most (n / 4 + 3) / 2^61, whoever
    chose them. (Of murmur's, texts are known that agree for every seed.)"""
    total = np.uint64(1)
    for position in range(begin, end - 3, 4):
        total = _times(total, point) + np.uint64(load32(text, position))
    total = _times(total, point) + np.uint64(last_block(text, begin, end))
    total = _times(total, point) + np.uint64(end - begin)
    return _times(total, point)
