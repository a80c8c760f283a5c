"""What each label knows of each feature that came with it: its centroid's sum and its regressor's
weight.

The centroid of a label is the sum of its examples. How much an example is like it is told by
  - their cosine,
  - the cosine with the roots of its sums, which counts features that came seldom for more,
  - and the coverage: the share of the example's squared length in features that the label has.
The regressor of a label is trained against other labels (see ranker). It has weights for the
features of the label's own examples alone: the others say nothing for it, and are counted for the
labels that have them.

Each label has an open-addressing table of its own, whose room doubles as it fills; all lie in one
array. So what is known of a label lies side by side, and to compare an example with it costs one
walk to far memory, not one a feature. Neighbouring features are neighbours there, too: those of
dense data come one after the other.

Most features of an example are none of a label's. So each row has eight marks beside it, and a
feature sets one of those where the search for it begins: where that is not set, nothing has to be
looked up (sighting).
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.kernel import kernel
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
        ("multiplier", np.uint64),  # see hashing/secrets
    ],
    align=True,
)
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


def make_label_features(labels: int = 0, rows: int = FIRST_ROWS) -> LabelFeatures:
    pairs, marks = memory.zeros(rows, PAIR), memory.zeros(rows, np.uint8)
    return LabelFeatures(_make_tables(labels), pairs, marks, np.zeros(2, np.int64))


def _make_tables(labels: int) -> np.ndarray:
    tables = memory.zeros(labels, TABLE)  # each in a cache line
    tables["multiplier"] = MULTIPLIER
    return tables


def most_rows(options: Options) -> int:
    """How much room all labels may have: as much memory as the weights of a tree, or of each
    shard. Labels of several shards have their features together, and room is a power of two: that
    may be twice as much."""
    one = max(FIRST_ROWS, 1 << (options.bits - 1))
    return one if options.shards == 1 else 2 * options.shards * one


@kernel
def mix(feature, multiplier):
    """32 bits: the lowest tell where the search for a feature begins, the highest its mark."""
    return np.int64(feature ^ keyed(feature >> np.uint32(3), multiplier))


@kernel
def home(table, feature):
    """The row where the search for a feature begins."""
    mixed = mix(feature, table.multiplier)
    return table.start + (mixed & (np.int64(table.room) - 1))


@kernel
def mark(known, table, feature):
    """Note that a label has a feature."""
    bit = np.uint8(1) << np.uint8(mix(feature, table.multiplier) >> 29)
    known.marks[home(table, feature)] |= bit


@kernel
def is_free(pair):
    return pair.sum != pair.sum


@kernel
def find(pairs, table, feature):
    """The row of a feature in the table of a label that has one, or the free row where it belongs.
    There always is one."""
    row = home(table, feature)
    while pairs[row].feature != feature and not is_free(pairs[row]):
        row += 1
        if row == table.start + table.room:
            row = table.start
    if is_free(pairs[row]):
        return row, False
    return row, True


@kernel
def length_of(vector):
    square = 0.0
    for position in range(vector.begin, vector.end):
        square += np.float64(vector.values[position]) * np.float64(vector.values[position])
    return np.sqrt(square)


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
    needed = room_for(known.tables[label].used + features)
    if needed <= known.tables[label].room:
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
def count_new(pairs, table, vector):
    """How many features of an example a label does not have."""
    if table.room == 0:
        return vector.end - vector.begin
    new = 0
    for position in range(vector.begin, vector.end):
        _row, found = find(pairs, table, vector.features[position])
        if not found:
            new += 1
    return new


@kernel
def make_rows(known, most, label, vector):
    """Let a label have rows for the features of an example, if all labels may have so many; tells
    whether it may take new ones. How many rows it has follows from how many are used, as in a
    model that was loaded."""
    table, pairs = known.tables[label], known.pairs
    before, start = np.int64(table.room), np.int64(table.start)
    if room_for(table.used + vector.end - vector.begin) <= before:
        return True
    new = count_new(pairs, table, vector)
    needed = room_for(table.used + new)
    if new == 0 or needed <= before:
        return True
    if known.used[1] + needed - before > most or needed > MOST_ROOM:
        return False
    known.used[1] += needed - before
    begin_rows(known, table, needed)
    for row in range(start, start + before):
        if not is_free(pairs[row]):
            there, _found = find(pairs, table, pairs[row].feature)
            pairs[there] = pairs[row]
            mark(known, table, pairs[row].feature)
    return True


@kernel
def add_example(known, most, vector, label, importance, rows, is_new):
    """Add an example to the centroid of its label; where there may be no more rows, to those that
    are there. Notes the row of each of its features, and which of them are new to the label."""
    table, pairs = known.tables[label], known.pairs
    table.examples += 1
    may_take = make_rows(known, most, label, vector)
    for position in range(vector.begin, vector.end):
        row, found, offset = np.int64(NO_ROW), False, position - vector.begin
        if table.room > 0:
            row, found = find(pairs, table, vector.features[position])
        is_new[offset] = not found and may_take
        if not found and not may_take:
            rows[offset] = NO_ROW
            continue
        rows[offset] = row
        pair = pairs[row]
        if not found:
            pair.feature = vector.features[position]
            pair.sum = 0.0
            pair.weight = 0.0
            pair.squares = 0.0
            table.used += 1
            mark(known, table, vector.features[position])
        before = np.float64(pair.sum)
        after = before + importance * np.float64(vector.values[position])
        pair.sum = min(max(after, -LARGEST), LARGEST)
        table.length += np.float64(pair.sum) ** 2 - before * before
        table.total += abs(np.float64(pair.sum)) - abs(before)


@kernel
def root_of(number):
    """With the number's sign."""
    return np.sqrt(number) if number > 0.0 else -np.sqrt(-number)


@kernel
def is_comparable(known, length, label):
    """Whether anything is known of a label that an example of this length can be compared with."""
    if label >= len(known.tables) or not length > 0.0:
        return False
    table = known.tables[label]
    return table.room > 0 and table.length > 0.0 and table.total > 0.0


@kernel
def compare(known, vector, length, label, positions, sighted):
    """How an example of this length is like a label's centroid (cosine, cosine with its roots,
    coverage), and the score of the example by the label's regressor; see sighting."""
    if not is_comparable(known, length, label):
        return 0.0, 0.0, 0.0, 0.0
    table, product, roots, covered, score = known.tables[label], 0.0, 0.0, 0.0, 0.0
    for place in range(sighted):
        position = positions[place]
        row, found = find(known.pairs, table, vector.features[position])
        if found:
            value, pair = np.float64(vector.values[position]), known.pairs[row]
            product += np.float64(pair.sum) * value
            roots += root_of(np.float64(pair.sum)) * value
            covered += value * value
            score += np.float64(pair.weight) * value
    cosine = product / (length * np.sqrt(table.length))
    of_roots = roots / (length * np.sqrt(table.total))
    return (
        min(max(cosine, -1.0), 1.0),
        min(max(of_roots, -1.0), 1.0),
        min(covered / (length * length), 1.0),
        min(max(score, -LARGEST), LARGEST),
    )


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
        table.start = known.used[0]
        for offset in range(old.room):
            known.pairs[table.start + offset] = before.pairs[old.start + offset]
            known.marks[table.start + offset] = before.marks[old.start + offset]
        known.used[0] += old.room
        known.used[1] += old.room


def grown(known: LabelFeatures, label: int, features: int) -> LabelFeatures:
    """The same with room for an example of this label with so many features, and more."""
    tables, pairs, marks, used = known
    if label >= len(tables):
        more = _make_tables(2 * label + 2)
        more[: len(tables)] = tables
        tables = more
    known = LabelFeatures(tables, pairs, marks, used)
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
