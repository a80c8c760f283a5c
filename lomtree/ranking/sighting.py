"""Which features of an example a label may have, and the memory where what it knows of them lies.

A label is first sighted, by its marks: that lists the features that it may have, and asks for their
rows. It is compared when these have come.
"""

import numpy as np

from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.ranking.label_features import home, mix

MOST_SIGHTED = 200  # features: longer examples are mostly dense, and labels have all of them
IN_LINE = 64  # marks in a cache line
MOST_FETCHED = 4 * IN_LINE  # marks of a label


@kernel
def fetch(known, vector, label):
    """Ask for the rows of an example's features for a label that has most of them. Those of a long
    example lie side by side mostly; the machine sees them coming by itself."""
    table = known.tables[label]
    if table.room > 0 and vector.end - vector.begin <= MOST_SIGHTED:
        for position in range(vector.begin, vector.end):
            prefetch(known.pairs, home(known, table, vector.features[position]))


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
    table, marks = known.tables[label], known.marks
    start, last = np.int64(table.start), np.int64(table.room) - 1
    sighted, all_count = 0, vector.end - vector.begin > MOST_SIGHTED
    for position in range(vector.begin, vector.end):
        mixed = mix(known, table, vector.features[position])
        row = start + (mixed & last)
        counts = all_count or (np.int64(marks[row]) >> (mixed >> 29)) & 1 != 0
        positions[sighted] = position
        sighted += counts
        prefetch(known.pairs, row if counts else start)
    return sighted
