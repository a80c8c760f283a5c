"""Interactions: for each choice of one feature from each of several groups, a feature whose value
is their product and whose hash is made of theirs, as VW makes it.

Where a group is taken twice, its features are taken in their order: no pair comes twice.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.derivations import MOST_TERMS
from lomtree.derived.groups import FULL
from lomtree.jit.kernel import kernel

_FNV_PRIME = np.uint32(16777619)
_LARGEST = np.finfo(np.float32).max


class Levels(NamedTuple):
    """How far the choice has come at each term of an interaction."""

    at: np.ndarray  # int64[MOST_TERMS]; the feature chosen there
    hashes: np.ndarray  # uint32[MOST_TERMS]; made of those before it
    products: np.ndarray  # float32[MOST_TERMS]


def make_levels() -> Levels:
    return Levels(
        np.empty(MOST_TERMS, np.int64),
        np.empty(MOST_TERMS, np.uint32),
        np.empty(MOST_TERMS, np.float32),
    )


@kernel
def _add_row(groups, begin, end, half, product, out, position):
    """One feature for each of the features begin:end; returns (whether a product is 0, whether one
    is infinite)."""
    features, values = out.features, out.values
    none, large = np.uint32(0), np.uint32(0)
    first, to = np.uint64(begin), np.uint64(position)
    for place in range(np.uint64(end - begin)):
        value = np.float32(product * groups.values[first + place])
        features[to + place] = half ^ groups.features[first + place]
        values[to + place] = value
        none |= np.uint32(value == 0)
        large |= np.uint32(abs(value) > _LARGEST)
    return none, large


@kernel
def _has_all(groups, terms, order):
    there = True
    for level in range(order):
        there &= groups.begins[terms[level]] < groups.ends[terms[level]]
    return there


@kernel
def interact(groups, terms, order, levels, out, position, limit):
    """Write all features of one interaction to `out`; returns (where they end, or FULL if that is
    beyond the limit; whether a product is 0; whether one is infinite)."""
    none, large = np.uint32(0), np.uint32(0)
    if not _has_all(groups, terms, order):
        return position, none, large
    at, last, level = levels.at, order - 1, 0
    at[0] = groups.begins[terms[0]]
    levels.hashes[0], levels.products[0] = 0, 1.0
    while True:
        end = groups.ends[terms[level]]
        if level == last:
            if position + end - at[last] > limit:
                return FULL, none, large
            row = _add_row(
                groups, at[last], end, levels.hashes[last], levels.products[last], out, position
            )
            none, large = none | row[0], large | row[1]
            position += end - at[last]
        elif at[level] < end:
            chosen = at[level]
            hashed = levels.hashes[level] ^ groups.features[chosen]
            levels.hashes[level + 1] = np.uint32(_FNV_PRIME * hashed)
            levels.products[level + 1] = groups.values[chosen] * levels.products[level]
            level += 1
            same = terms[level] == terms[level - 1]
            at[level] = chosen if same else groups.begins[terms[level]]
            continue
        elif level == 0:
            return position, none, large
        level -= 1
        at[level] += 1
