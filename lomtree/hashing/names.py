"""What VW makes of a name: a number counts on from its namespace's hash, a word is hashed. Control
bytes and spaces at both ends do not count."""

import numpy as np

from lomtree.hashing.murmur3 import murmur3
from lomtree.jit.kernel import kernel

_SPACE, _ZERO, _NINE = 32, 48, 57


@kernel
def hash_name(text, begin, end, seed):
    """The hash of the name text[begin:end] in a namespace whose hash is the seed; if no other bytes
    are left, it is the number 0."""
    while begin < end and text[np.uint64(begin)] <= _SPACE:
        begin += 1
    while begin < end and text[np.uint64(end - 1)] <= _SPACE:
        end -= 1
    number = np.uint32(0)
    for position in range(begin, end):
        byte = text[np.uint64(position)]
        if not _ZERO <= byte <= _NINE:
            return murmur3(text, begin, end, seed)
        number = np.uint32(number * np.uint32(10) + np.uint32(byte - np.uint8(_ZERO)))
    return np.uint32(number + np.uint32(seed))
