"""Which features of an example a label may have, and the memory where what it knows of them lies.

A label is first sighted, by its marks: that lists the features that it may have, and asks for their
rows. When these have come, those that it has are located, and it is compared.
"""

import numpy as np

from lomtree.jit.intrinsics import ONE, prefetch
from lomtree.jit.kernel import kernel
from lomtree.ranking.label_features import MARK_BITS, find, home, mix, view_of
from lomtree.ranking.order import distance

MOST_SIGHTED = 200  # features: longer examples are mostly dense, and labels have all of them
IN_LINE = 64  # marks in a cache line
MOST_FETCHED = 4 * IN_LINE  # marks of a label


@kernel
def fetch(known, vector, label):
    """Ask for the rows of an example's features for a label that has most of them. Those of a long
    example lie side by side mostly; the machine sees them coming by itself."""
    table = known.tables[label]
    view = view_of(known, table)
    if table.room > 0 and vector.end - vector.begin <= MOST_SIGHTED:
        for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
            prefetch(known.pairs, home(view, vector.features[position]))


@kernel
def fetch_marks(known, label):
    """Ask for what sight() will look at first."""
    if label < len(known.tables) and known.tables[label].room > 0:
        start = np.int64(known.tables[label].start)
        last = start + np.int64(min(known.tables[label].room, MOST_FETCHED))
        for row in range(start, last, IN_LINE):
            prefetch(known.marks, row)


@kernel
def sight(known, vector, label, positions):
    """List the positions of the features that a label may have: of all that it has, and of few
    others. Asks for their rows; returns how many they are."""
    if label >= len(known.tables) or known.tables[label].room == 0:
        return 0
    view, marks, sighted = view_of(known, known.tables[label]), known.marks, np.uint64(0)
    if vector.end - vector.begin > MOST_SIGHTED:
        for position in range(vector.begin, vector.end):
            positions[position - vector.begin] = position
        return vector.end - vector.begin
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        mixed = mix(view, vector.features[position])
        row = view.start + (mixed & view.last)
        counts = (np.uint64(marks[row]) >> (mixed >> MARK_BITS)) & ONE
        positions[sighted] = position
        sighted += counts
        prefetch(known.pairs, row if counts != 0 else view.start)
    return np.int64(sighted)


@kernel
def locate_in_order(pairs, view, vector, positions, sighted, rows):
    """locate() in a dense table. (Numbers without a sign: see jit/intrinsics.)"""
    last, found = np.uint32(view.last), np.uint64(0)
    for place in range(np.uint64(sighted)):
        position = np.uint64(positions[place])
        feature = vector.features[position]
        row = view.start + np.uint64(distance(view.base, feature) & last)
        pair = pairs[row]
        positions[found], rows[found] = position, row
        found += np.uint64((pair.feature == feature) & (pair.sum == pair.sum))
    return np.int64(found)


@kernel
def locate(known, vector, label, positions, sighted, rows):
    """Of the features that a label was sighted with, keep the positions of those that it has, and
    note their rows; returns how many."""
    if sighted == 0:
        return 0
    view, found = view_of(known, known.tables[label]), np.uint64(0)
    if view.dense:
        return locate_in_order(known.pairs, view, vector, positions, sighted, rows)
    for place in range(np.uint64(sighted)):
        position = np.uint64(positions[place])
        row, is_there = find(known.pairs, view, vector.features[position])
        positions[found], rows[found] = position, row
        found += np.uint64(is_there)
    return np.int64(found)
