"""Dot products in double precision."""

import numpy as np

from lomtree.jit.intrinsics import FOUR, ONE, THREE, TWO
from lomtree.jit.kernel import kernel


@kernel
def product(a, b, place):
    return np.float64(a[place]) * np.float64(b[place])


@kernel
def dot(a, b, count):
    """The sum of a[i] b[i] over the first `count` numbers. Four sums grow side by side: no addition
    has to wait for the one before it."""
    end = np.uint64(count)
    fours = end - end % FOUR
    first = second = third = fourth = 0.0
    for place in range(np.uint64(0), fours, FOUR):
        first += product(a, b, place)
        second += product(a, b, place + ONE)
        third += product(a, b, place + TWO)
        fourth += product(a, b, place + THREE)
    for place in range(fours, end):
        first += product(a, b, place)
    return (first + second) + (third + fourth)
