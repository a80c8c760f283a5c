"""What an example says, as one number: the same however its features lie."""

import numpy as np

from lomtree.examples.batch import CONSTANT
from lomtree.hashing.counter_rng import draw
from lomtree.jit.kernel import kernel

_CONSTANT = np.uint64(int(CONSTANT) << 32 | int(np.float32(1).view(np.uint32)))  # with its value
_NO_SIGN = np.uint64((1 << 31) - 1)
_NOTHING = np.uint64(0)


@kernel
def add_keys(batch, seed, keys):
    """Add what each example's features say to its key. The values are float32, read as the whole
    numbers of their bits."""
    for example in range(len(keys)):
        total = np.uint64(0)
        for position in range(batch.starts[example], batch.starts[example + 1]):
            value = np.uint64(batch.values[position])
            said = (np.uint64(batch.features[position]) << np.uint64(32)) | value
            total += draw(seed, said)
        keys[example] = draw(seed, keys[example] ^ total)


@kernel
def add_sparse_keys(indptr, indices, bits, columns, seed, keys):
    """The same for rows of a matrix in CSR form, the first of which begins where the arrays do.
    `bits` are its values, read so; zeros are left out, and the constant is added."""
    begin = indptr[0]
    for row in range(len(keys)):
        total = draw(seed, _CONSTANT)
        for position in range(np.uint64(indptr[row] - begin), np.uint64(indptr[row + 1] - begin)):
            column, value = indices[position], np.uint64(bits[position])
            feature = columns[column] if len(columns) else np.uint32(column)
            said = draw(seed, (np.uint64(feature) << np.uint64(32)) | value)
            total += said if value & _NO_SIGN != _NOTHING else _NOTHING
        keys[row] = draw(seed, keys[row] ^ total)
