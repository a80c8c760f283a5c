"""Exemplars: some examples of each label, kept whole.

A centroid is one point. Where the examples of a label lie in several places, as those of dense
columns do, the one that is nearest tells more. How near it is, its closeness, is the logarithm of
what is left of a right angle, 1 - cosine: from 0 on to log(1 + 1 / SAME). So it counts how many
times as near one is as another; and a label that has nothing near is never hopeless.

Each example draws a lot, and a label keeps those with the smallest lots, as many as it has room
for: a random sample, in whatever order they come. They lie side by side, smallest lot first, each
behind a head with its number of features and its lot.

What all labels may have together is bounded. When that is reached, the room of each label is
halved, and what no longer fits goes: many labels keep a few exemplars each, few labels many.
"""

from math import log
from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.system import memory

ITEM = np.dtype(
    [
        ("feature", np.uint32),  # of a head: how many features follow
        ("value", np.float32),  # in a vector of length 1; of a head: the lot
    ],
    align=True,
)
SHELF = np.dtype(
    [
        ("start", np.int64),  # of the label's items
        ("room", np.int32),  # how many it has, a power of two; 0: none yet
        ("used", np.int32),
    ],
    align=True,
)
MOST = 2048  # items of a label in the beginning; a power of two, as all rooms are
SAME = 0.001  # what is as near as this is the same
LEAST = 16  # below this the room of a label is not halved
FIRST_ITEMS = 1 << 12


class Exemplars(NamedTuple):
    shelves: np.ndarray  # SHELF[labels]
    items: np.ndarray  # ITEM[]
    used: np.ndarray  # int64[3]: items behind which all is free, items in use, most of a label


class Lookup(NamedTuple):
    """The values of one example by feature: an open-addressing table, empty between examples."""

    features: np.ndarray  # uint32[power of two]
    values: np.ndarray  # float32[power of two]; 0: the row is free
    multiplier: np.ndarray  # uint64[1]: see hashing/secrets


def make_exemplars(labels: int = 0, items: int = FIRST_ITEMS, most: int = MOST) -> Exemplars:
    used = np.array([0, 0, most], np.int64)
    return Exemplars(np.zeros(labels, SHELF), memory.zeros(items, ITEM), used)


def most_items(options: Options) -> int:
    """How many items all labels may have: an eighth of the memory of the weights of a tree."""
    return max(FIRST_ITEMS, options.shards << (options.bits - 3))


def make_lookup(features: int) -> Lookup:
    """For examples with so many features."""
    rows = 1 << max(2 * features, 1).bit_length()
    secret = np.full(1, MULTIPLIER, np.uint64)
    return Lookup(np.zeros(rows, np.uint32), np.zeros(rows, np.float32), secret)


@kernel
def room_for(items):
    room = np.int64(LEAST)
    while items > room:
        room *= 2
    return room


@kernel
def is_crowded(exemplars, limit, features):
    """Whether the room of all labels has to be halved before an example with so many features."""
    _free, used, most = exemplars.used
    return features < most and most > LEAST and used + features + 1 > limit


@kernel
def has_room(exemplars, limit, label, features):
    """Whether an example of this label with so many features can be kept as things are, or need
    not be."""
    if label >= len(exemplars.shelves) or is_crowded(exemplars, limit, features):
        return False
    shelf, most = exemplars.shelves[label], exemplars.used[2]
    needed = room_for(min(shelf.used + features + 1, most))
    return needed <= shelf.room or exemplars.used[0] + needed <= len(exemplars.items)


@kernel
def behind(items, place):
    """Where the exemplar ends whose head is here."""
    return place + 1 + np.int64(items[place].feature)


@kernel
def widen(exemplars, shelf, items):
    """Let a label have room for so many items."""
    if items <= shelf.room:
        return
    start = exemplars.used[0]
    for offset in range(shelf.used):
        exemplars.items[start + offset] = exemplars.items[shelf.start + offset]
    shelf.start = start
    shelf.room = room_for(items)
    exemplars.used[0] += shelf.room


@kernel
def write_exemplar(items, place, vector, length, lot):
    items[place].feature = vector.end - vector.begin
    items[place].value = lot
    for position in range(vector.begin, vector.end):
        place += 1
        items[place].feature = vector.features[position]
        items[place].value = np.float64(vector.values[position]) / length


@kernel
def add_exemplar(exemplars, limit, vector, length, label, lot):
    """Keep an example of this length, if its lot is among the smallest of its label's; those whose
    lots no longer are go."""
    shelf, items, most = exemplars.shelves[label], exemplars.items, exemplars.used[2]
    size = np.int64(vector.end - vector.begin + 1)
    if size > most or exemplars.used[1] + size > limit or not length > 0.0:
        return
    place, last = np.int64(shelf.start), np.int64(shelf.start + shelf.used)
    while place < last and items[place].value <= lot:
        place = behind(items, place)
    total, end = place - shelf.start + size, place
    if total > most:  # nor do those fit that come behind it, as if it had been the first to come
        exemplars.used[1] -= last - place
        shelf.used = place - shelf.start
        return
    while end < last and total + behind(items, end) - end <= most:
        total += behind(items, end) - end
        end = behind(items, end)
    before = np.int64(shelf.start)
    widen(exemplars, shelf, total)
    place += shelf.start - before
    end += shelf.start - before
    for item in range(end - 1, place - 1, -1):
        items[item + size] = items[item]
    write_exemplar(items, place, vector, length, lot)
    exemplars.used[1] += total - shelf.used
    shelf.used = total


@kernel
def _thin(exemplars):
    """Let go what labels have no room for any more: exemplars that are too long for it, and from
    the first that does not fit on, all others."""
    items, most = exemplars.items, exemplars.used[2]
    for label in range(len(exemplars.shelves)):
        shelf = exemplars.shelves[label]
        place, to = np.int64(shelf.start), np.int64(shelf.start)
        last = place + shelf.used
        while place < last:
            size = behind(items, place) - place
            if size <= most:
                if to - shelf.start + size > most:
                    break
                for offset in range(size):
                    items[to + offset] = items[place + offset]
                to += size
            place += size
        exemplars.used[1] -= last - to
        shelf.used = to - shelf.start


@kernel
def _move(before, exemplars):
    """Copy all exemplars to an array that has room for them."""
    for label in range(len(before.shelves)):
        old, shelf = before.shelves[label], exemplars.shelves[label]
        if old.used == 0:
            continue
        shelf.start = exemplars.used[0]
        shelf.room = room_for(old.used)
        shelf.used = old.used
        for offset in range(old.used):
            exemplars.items[shelf.start + offset] = before.items[old.start + offset]
        exemplars.used[0] += shelf.room
        exemplars.used[1] += shelf.used


def grown(exemplars: Exemplars, limit: int, label: int, features: int) -> Exemplars:
    """With room for an example of this label with so many features, and more: in a larger array, or
    because every label has less."""
    shelves, items, used = exemplars
    if label >= len(shelves):
        more = np.zeros(2 * label + 2, SHELF)
        more[: len(shelves)] = shelves
        exemplars = Exemplars(more, items, used)
    while is_crowded(exemplars, limit, features):
        used[2] //= 2
        _thin(exemplars)
    if has_room(exemplars, limit, label, features):
        return exemplars
    rooms = int(exemplars.shelves["room"].sum(dtype=np.int64)) + int(used[2])
    return moved(exemplars, 2 * rooms)


def moved(exemplars: Exemplars, items: int) -> Exemplars:
    """The same in an array with room for so many items, and no gaps."""
    rows = FIRST_ITEMS
    while rows < items:
        rows *= 2
    larger = make_exemplars(len(exemplars.shelves), rows, int(exemplars.used[2]))
    _move(exemplars, larger)
    memory.give_back(exemplars.items)
    return larger


def forget(exemplars: Exemplars, labels: np.ndarray) -> None:
    """Let all exemplars of these labels go."""
    labels = labels[labels < len(exemplars.shelves)]
    exemplars.used[1] -= exemplars.shelves["used"][labels].sum(dtype=np.int64)
    exemplars.shelves["used"][labels] = 0


@kernel
def row_of(lookup, rows, feature):
    """The row of a feature among so many, or the free one where it belongs."""
    row = np.int64(keyed(feature, lookup.multiplier[0])) & (rows - 1)
    while lookup.values[row] != 0.0 and lookup.features[row] != feature:
        row = (row + 1) & (rows - 1)
    return row


@kernel
def fill(lookup, vector, length):
    """Look values of an example up from now on, in a vector of length 1; returns how many rows of
    the table are used for that."""
    rows = np.int64(2)
    while rows < 2 * (vector.end - vector.begin):
        rows *= 2
    for position in range(vector.begin, vector.end):
        row = row_of(lookup, rows, vector.features[position])
        lookup.features[row] = vector.features[position]
        lookup.values[row] = np.float64(vector.values[position]) / length
    return rows


@kernel
def clear(lookup, rows):
    for row in range(rows):
        lookup.values[row] = 0.0


@kernel
def fetch(exemplars, label):
    """Ask for the first exemplar of a label; the others lie behind it."""
    if label < len(exemplars.shelves) and exemplars.shelves[label].used > 0:
        prefetch(exemplars.items, exemplars.shelves[label].start)


@kernel
def cosine_with(items, head, lookup, rows):
    """The cosine of an example that can be looked up and the exemplar whose head is here."""
    product = 0.0
    for item in range(head + 1, behind(items, head)):
        value = lookup.values[row_of(lookup, rows, items[item].feature)]
        product += np.float64(items[item].value) * np.float64(value)
    return product


@kernel
def find_nearest(exemplars, label, lookup, rows):
    """The head of the exemplar of a label that is most like an example, the first of equals, and
    their cosine; -1 and 0 where none is like it at all."""
    nearest, largest = np.int64(-1), 0.0
    if label < len(exemplars.shelves):
        shelf = exemplars.shelves[label]
        head = np.int64(shelf.start)
        while head < shelf.start + shelf.used:
            cosine = cosine_with(exemplars.items, head, lookup, rows)
            if cosine > largest:
                nearest, largest = head, cosine
            head = behind(exemplars.items, head)
    return nearest, min(largest, 1.0)


@kernel
def closeness(cosine):
    """Of a cosine from 0 to 1."""
    return log((1.0 + SAME) / (1.0 - cosine + SAME))
