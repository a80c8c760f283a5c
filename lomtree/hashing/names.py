"""What VW makes of a name: a number counts on from its namespace's hash, a word is hashed."""

import numpy as np

from lomtree.hashing.murmur3 import murmur3
from lomtree.jit.kernel import kernel

_ZERO, _NINE = 48, 57


@kernel
def hash_name(text, begin, end, seed):
    """The hash of the name text[begin:end] in a namespace whose hash is the seed."""
    number = np.uint32(0)
    for position in range(begin, end):
        if not _ZERO <= text[position] <= _NINE:
            return murmur3(text, begin, end, seed)
        digit = np.uint32(text[position] - np.uint8(_ZERO))
        number = np.uint32(number * np.uint32(10) + digit)
    return np.uint32(number + np.uint32(seed))
