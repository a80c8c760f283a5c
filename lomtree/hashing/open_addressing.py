"""What the open-addressing tables share that may have any length."""

import numpy as np

from lomtree.jit.kernel import kernel

LOAD_LIMIT = 0.75  # the part of its rows that a table may have in use


@kernel
def home_of(bits, rows):
    """Where in a table of so many rows the search for a key begins whose hash is these 32 bits.

    Not the last bits of the hash but its size decides: so tables of any length have their rows in
    nearly the same order, and rows move to a longer one without jumping about in memory.
    """
    return np.int64((np.uint64(bits) * np.uint64(rows)) >> np.uint64(32))
