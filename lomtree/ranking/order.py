"""Features that are numbers close to each other, as those of dense data are, lie in their order.

The place of a feature is its distance from a base; the constant, which is near no other, has 0.
"""

import numpy as np

from lomtree.examples.batch import CONSTANT
from lomtree.jit.kernel import kernel

NO_SPAN = (np.uint32(2**32 - 1), np.uint32(0))  # of no features: see widen()


@kernel
def widen(span, feature):
    """The lowest and the highest of several features, and of this one if it is not the constant."""
    lowest, highest = span
    if feature == CONSTANT:
        return lowest, highest
    return min(lowest, feature), max(highest, feature)


@kernel
def order_of(span, rows):
    """Whether all features of a span have places among so many rows, and the base then: what is
    left of the rows is shared out to both sides."""
    lowest, highest = np.int64(span[0]), np.int64(span[1])
    spare = np.int64(rows) - 2
    if highest > lowest:
        spare -= highest - lowest
    return spare >= 0, np.uint32((lowest - 1 - spare // 2) & 0xFFFFFFFF)


@kernel
def distance(base, feature):
    """The place of a feature, if it is less than the rows, and 0 for none but the constant."""
    if feature == CONSTANT:
        return np.uint32(0)
    return np.uint32(feature - base)


@kernel
def has_place(base, rows, feature):
    return feature == CONSTANT or np.uint32(0) < np.uint32(feature - base) < np.uint32(rows)
