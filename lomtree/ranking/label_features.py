"""What each label knows of each feature that came with it: its centroid's sum and its regressor's
weight.

Each label has an open-addressing table of its own, whose room doubles as it fills; all lie in one
array. So what is known of a label lies side by side, and to compare an example with it costs one
walk to far memory, not one a feature. Neighbouring features share a cache line there.

Where the features of a label are numbers so close to each other that their last bits tell them
apart, as those of dense data are, its table is dense: they lie in their order (order.py), and
nothing has to be searched for.

Most features of an example are none of a label's. So each row has eight marks beside it, and a
feature sets one of those where the search for it begins: where that is not set, nothing has to be
looked up (sighting).
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.intrinsics import ONE
from lomtree.jit.kernel import kernel
from lomtree.ranking.order import NO_SPAN, distance, has_place, order_of, widen
from lomtree.system import memory

PAIR = np.dtype(
    [
        ("feature", np.uint32),
        ("sum", np.float32),  # of its values in the label's examples; NaN: the row is free
        ("weight", np.float32),  # in the label's regressor
        ("squares", np.float32),  # sum of squared gradients
    ],
    align=True,
)
TABLE = np.dtype(
    [
        ("start", np.int64),  # of the label's rows
        ("room", np.int32),  # how many it has, a power of two; 0: none yet
        ("used", np.int32),
        ("examples", np.int64),
        ("first", np.int64),  # how many examples of all labels came before its first one
        ("last", np.int64),  # and before its last one
        ("length", np.float64),  # the squared length of the centroid
        ("total", np.float64),  # of the sizes of its sums
        ("base", np.uint32),  # of a dense table: see order
        ("dense", np.bool_),
    ],
    align=True,
)
IN_LINE = np.uint32(2)  # bits of a feature: pairs that share a cache line
MARK_BITS = np.uint64(29)  # the bits above them tell the mark
SHORTEST = 8  # rows that a label begins with
FULL = 0.75  # the part of its rows that a label may have in use
MOST_ROOM = 1 << 30
FIRST_ROWS = 1 << 12
LARGEST = 1e30  # of a sum, a weight or a score
TINY = np.float32(1e-30)  # keeps the root of an underflowed square from being 0
NO_ROW = -1


class LabelFeatures(NamedTuple):
    tables: np.ndarray  # TABLE[labels]
    pairs: np.ndarray  # PAIR[]
    marks: np.ndarray  # uint8[]: those of each row
    used: np.ndarray  # int64[2]: rows behind which all is free, room of all labels
    multiplier: np.ndarray  # uint64[1]: see hashing/secrets


def make_label_features(labels: int = 0, rows: int = FIRST_ROWS) -> LabelFeatures:
    return LabelFeatures(
        memory.zeros(labels, TABLE),  # each in a cache line
        memory.zeros(rows, PAIR),
        memory.zeros(rows, np.uint8),
        np.zeros(2, np.int64),
        np.full(1, MULTIPLIER),
    )


def most_rows(options: Options) -> int:
    """How much room all labels may have: as much memory as the weights of a tree, or of each
    shard. Labels of several shards have their features together, and room is a power of two: that
    may be twice as much."""
    one = max(FIRST_ROWS, 1 << (options.bits - 1))
    return one if options.shards == 1 else 2 * options.shards * one


class View(NamedTuple):
    """What a search in the table of a label needs, as numbers: loops have them at hand. (Those
    that tell a row have no sign: see jit/intrinsics.)"""

    start: np.uint64
    last: np.uint64  # the room of the table - 1
    dense: bool
    base: np.uint32
    multiplier: np.uint64


@kernel
def view_of(known, table):
    start, last = np.uint64(table.start), np.uint64(table.room - 1)
    return View(start, last, bool(table.dense), np.uint32(table.base), known.multiplier[0])


@kernel
def mix(view, feature):
    """32 bits: the lowest tell where the search for a feature begins, the highest its mark."""
    if view.dense:
        return np.uint64(distance(view.base, feature))
    return np.uint64(feature ^ keyed(feature >> IN_LINE, view.multiplier))


@kernel
def home(view, feature):
    """The row where the search for a feature begins."""
    return view.start + (mix(view, feature) & view.last)


@kernel
def mark(known, view, feature):
    """Note that a label has a feature."""
    mixed = mix(view, feature)
    known.marks[view.start + (mixed & view.last)] |= np.uint8(1) << np.uint8(mixed >> MARK_BITS)


@kernel
def is_free(pair):
    return pair.sum != pair.sum


@kernel
def find(pairs, view, feature):
    """The row of a feature in the table of a label that has one, or the free row where it belongs:
    there is one, unless the table is dense and has no row for it."""
    row = home(view, feature)
    if view.dense:
        return row, pairs[row].feature == feature and not is_free(pairs[row])
    while pairs[row].feature != feature and not is_free(pairs[row]):
        row += ONE
        if row > view.start + view.last:
            row = view.start
    return row, not is_free(pairs[row])


@kernel
def room_for(features):
    """How many rows a label with so many features has."""
    room = np.int64(SHORTEST)
    while features > FULL * room:
        room *= 2
    return room


@kernel
def has_room(known, label, features):
    """Whether the arrays have room for an example of this label with so many features."""
    if label >= len(known.tables):
        return False
    table = known.tables[label]
    needed = max(room_for(table.used + features), np.int64(table.room))
    if needed == table.room and not table.dense:
        return True
    return known.used[0] + needed <= len(known.pairs)


@kernel
def begin_rows(known, table, room):
    """Give a label this many free rows."""
    table.start = known.used[0]
    table.room = room
    known.used[0] += room
    for row in range(table.start, table.start + room):
        known.pairs[row].sum = np.float32(np.nan)
        known.marks[row] = 0


@kernel
def count_new(known, table, vector):
    """How many features of an example a label does not have."""
    if table.room == 0:
        return vector.end - vector.begin
    new, view = 0, view_of(known, table)
    for position in range(vector.begin, vector.end):
        _row, found = find(known.pairs, view, vector.features[position])
        if not found:
            new += 1
    return new


@kernel
def fits(table, vector):
    """Whether a dense table has rows for all features of an example."""
    for position in range(vector.begin, vector.end):
        if not has_place(table.base, table.room, vector.features[position]):
            return False
    return True


@kernel
def make_rows(known, most, label, vector):
    """Let a label have rows for the features of an example, if all labels may have so many; tells
    whether it may take new ones. How many rows it has follows from how many are used, as in a
    model that was loaded."""
    table, pairs = known.tables[label], known.pairs
    start, before = np.int64(table.start), np.int64(table.room)
    needed = before
    if room_for(table.used + vector.end - vector.begin) > before:
        new = count_new(known, table, vector)
        if new == 0:
            return True
        needed = max(before, room_for(table.used + new))
    if needed == before and not (table.dense and not fits(table, vector)):
        return True
    if known.used[1] + needed - before > most or needed > MOST_ROOM:
        return False
    span = NO_SPAN
    for position in range(vector.begin, vector.end):
        span = widen(span, vector.features[position])
    for row in range(start, start + before):
        if not is_free(pairs[row]):
            span = widen(span, pairs[row].feature)
    known.used[1] += needed - before
    begin_rows(known, table, needed)
    table.dense, table.base = order_of(span, needed)
    view = view_of(known, table)
    for row in range(start, start + before):
        if not is_free(pairs[row]):
            there, _found = find(pairs, view, pairs[row].feature)
            pairs[there] = pairs[row]
            mark(known, view, pairs[row].feature)
    return True


@kernel
def _move(before, known):
    """Copy all tables to an array that has room for them."""
    for label in range(len(before.tables)):
        old, table = before.tables[label], known.tables[label]
        table.room = old.room
        table.used = old.used
        table.examples = old.examples
        table.first = old.first
        table.last = old.last
        table.length = old.length
        table.total = old.total
        table.base = old.base
        table.dense = old.dense
        table.start = known.used[0]
        for offset in range(old.room):
            known.pairs[table.start + offset] = before.pairs[old.start + offset]
            known.marks[table.start + offset] = before.marks[old.start + offset]
        known.used[0] += old.room
        known.used[1] += old.room


def grown(known: LabelFeatures, label: int, features: int) -> LabelFeatures:
    """The same with room for an example of this label with so many features, and more."""
    tables, pairs, marks, used, _multiplier = known
    if label >= len(tables):
        more = memory.zeros(2 * label + 2, TABLE)
        more[: len(tables)] = tables
        tables, known = more, known._replace(tables=more)
    if has_room(known, label, features):
        return known
    rows, needed = len(pairs), int(room_for(tables[label]["used"] + features))
    while 2 * int(used[1]) + needed > rows:
        rows *= 2
    larger = make_label_features(len(tables), rows)
    _move(known, larger)
    memory.give_back(pairs)
    memory.give_back(marks)
    return larger
