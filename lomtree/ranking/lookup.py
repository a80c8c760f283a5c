"""The values of one example, to be looked up by feature.

They lie in an open-addressing table; or, where the example's features are close to each other, in
their order (order.py).
"""

from typing import NamedTuple

import numpy as np

from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.kernel import kernel
from lomtree.ranking.order import NO_SPAN, distance, has_place, order_of, widen

SPARSE = 8  # rows for each feature: hardly any feature meets another one there


class Frame(NamedTuple):
    """How the values of the example at hand lie."""

    rows: np.ndarray  # int64[1]: so many are used, a power of two
    base: np.ndarray  # uint32[1]: where values are in order: see order
    is_dense: np.ndarray  # bool[1]


class Lookup(NamedTuple):
    """Empty between examples."""

    features: np.ndarray  # uint32[power of two]; not used where values are in order
    values: np.ndarray  # float32[power of two + 1]; 0: the row is free, as the last one always is
    frame: Frame
    multiplier: np.ndarray  # uint64[1]: see hashing/secrets


def make_lookup(features: int) -> Lookup:
    """For examples with so many features."""
    rows = SPARSE << features.bit_length()
    empty = Frame(np.zeros(1, np.int64), np.zeros(1, np.uint32), np.zeros(1, np.bool_))
    secret = np.full(1, MULTIPLIER, np.uint64)
    return Lookup(np.zeros(rows, np.uint32), np.zeros(rows + 1, np.float32), empty, secret)


@kernel
def find(lookup, feature):
    """The row of a feature, or the free one where it belongs."""
    last = lookup.frame.rows[0] - 1
    row = np.int64(keyed(feature, lookup.multiplier[0])) & last
    while (lookup.values[row] != 0.0) & (lookup.features[row] != feature):
        row = (row + 1) & last
    return row


@kernel
def place_of(lookup, feature):
    """The row of a feature where values are in order, or one beyond those in use."""
    base, rows = lookup.frame.base[0], np.uint32(lookup.frame.rows[0])
    return distance(base, feature) if has_place(base, rows, feature) else rows


@kernel
def lay_out(lookup, vector):
    """Decide how the values of an example will lie."""
    rows, span = np.int64(SPARSE), NO_SPAN
    while rows < SPARSE * (vector.end - vector.begin):
        rows *= 2
    for position in range(vector.begin, vector.end):
        span = widen(span, vector.features[position])
    lookup.frame.rows[0] = rows
    lookup.frame.is_dense[0], lookup.frame.base[0] = order_of(span, rows)


@kernel
def fill(lookup, vector, length):
    """Look values of an example up from now on, in a vector of length 1."""
    lay_out(lookup, vector)
    for position in range(vector.begin, vector.end):
        feature, value = vector.features[position], np.float64(vector.values[position]) / length
        if lookup.frame.is_dense[0]:
            lookup.values[place_of(lookup, feature)] = value
        else:
            row = find(lookup, feature)
            lookup.features[row] = feature
            lookup.values[row] = value


@kernel
def clear(lookup):
    for row in range(lookup.frame.rows[0]):
        lookup.values[row] = 0.0


@kernel
def value_in_order(lookup, feature):
    return lookup.values[place_of(lookup, feature)]


@kernel
def value_of(lookup, feature):
    """Where values are not in order."""
    return lookup.values[find(lookup, feature)]
