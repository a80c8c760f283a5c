"""Exemplars: some examples of each label, kept whole.

A centroid is one point. Where the examples of a label lie in several places, as those of dense
columns do, the one that is nearest tells more. How near it is, its closeness, is the logarithm of
what is left of a right angle, 1 - cosine: from 0 on to log(1 + 1 / SAME). So it counts how many
times as near one is as another; and a label that has nothing near is never hopeless.

Each example draws a lot, and a label keeps those with the smallest lots, as many as it has room
for: a random sample, in whatever order they come. An exemplar is a head with its number of features
and its lot, a link to the one that its label kept before it, and its features. All lie in one
array, in the order in which they came: to keep one more touches nothing else. What is let go stays
there until the array is full; then it is left out, and those of a label come side by side.

What all labels may have together is bounded. When that is reached, the room of each label is
halved, and what no longer fits goes: many labels keep a few exemplars each, few labels many.
"""

from math import log
from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.jit.intrinsics import FOUR, ONE, THREE, TWO, prefetch
from lomtree.jit.kernel import kernel
from lomtree.ranking.lookup import value_in_order, value_of
from lomtree.system import memory

ITEM = np.dtype(
    [
        ("feature", np.uint32),  # of a head: how many features follow; of a link: the next head
        ("value", np.float32),  # in a vector of length 1; of a head: the lot
    ],
    align=True,
)
SHELF = np.dtype(
    [
        ("head", np.uint32),  # of the label's newest exemplar, or NO_HEAD
        ("used", np.int32),  # items of the label, links not counted
        ("largest", np.float32),  # of its lots
    ],
    align=True,
)
NO_HEAD = np.uint32(2**32 - 1)
MOST = 2048  # items of a label in the beginning; a power of two, as it is halved
SAME = 0.001  # what is as near as this is the same
LEAST = 16  # below this the room of a label is not halved
FIRST_ITEMS = 1 << 12
RESERVED = 1 << 24  # items: memory that is never touched costs nothing
MOST_ITEMS = 1 << 30  # of all labels: heads are numbers of 32 bits


class Exemplars(NamedTuple):
    shelves: np.ndarray  # SHELF[labels]
    items: np.ndarray  # ITEM[]
    used: np.ndarray  # int64[3]: items behind which all is free, items in use, most of a label


def make_shelves(labels: int) -> np.ndarray:
    shelves = np.zeros(labels, SHELF)
    shelves["head"] = NO_HEAD
    return shelves


def make_exemplars(labels: int = 0, items: int = FIRST_ITEMS, most: int = MOST) -> Exemplars:
    used = np.array([0, 0, most], np.int64)
    return Exemplars(make_shelves(labels), memory.zeros(items, ITEM), used)


def most_items(options: Options) -> int:
    """How many items all labels may have: an eighth of the memory of the weights of a tree, or of
    each shard."""
    return min(options.shards * max(FIRST_ITEMS, 1 << (options.bits - 3)), MOST_ITEMS)


def room_for(limit: int) -> int:
    """The length of an array for up to so many items in use: as many again may be links and what
    was let go."""
    return min(max(2 * limit, FIRST_ITEMS), RESERVED)


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
    return features >= exemplars.used[2] or exemplars.used[0] + features + 2 <= len(exemplars.items)


@kernel
def size_of(items, head):
    """How many items the exemplar with this head has, its link not counted."""
    return 1 + np.int64(items[head].feature)


@kernel
def next_of(items, head):
    """The head of the exemplar that the same label kept before this one, or NO_HEAD."""
    return items[np.int64(head) + 1].feature


@kernel
def first_of(items, head):
    """Where the features of the exemplar with this head begin."""
    return np.int64(head) + 2


@kernel
def let_go(exemplars, shelf, before, head):
    """Take an exemplar from its label; `before` is the one whose link leads to it, or NO_HEAD."""
    items = exemplars.items
    if before == NO_HEAD:
        shelf.head = next_of(items, head)
    else:
        items[np.int64(before) + 1].feature = next_of(items, head)
    shelf.used -= size_of(items, head)
    exemplars.used[1] -= size_of(items, head)


@kernel
def let_largest_go(exemplars, shelf):
    """Take the exemplar with the largest lot from a label that has some, the newest of equals."""
    items, head, last = exemplars.items, shelf.head, NO_HEAD
    before, largest, second = NO_HEAD, shelf.head, np.float32(-1.0)
    while head != NO_HEAD:
        if head != largest and items[head].value > items[largest].value:
            before, second, largest = last, items[largest].value, head
        elif head != largest:
            second = max(second, items[head].value)
        last, head = head, next_of(items, head)
    let_go(exemplars, shelf, before, largest)
    shelf.largest = second


@kernel
def write_exemplar(exemplars, shelf, vector, length, lot):
    items, head = exemplars.items, exemplars.used[0]
    items[head].feature = vector.end - vector.begin
    items[head].value = lot
    items[head + 1].feature = shelf.head
    place = first_of(items, head)
    for position in range(vector.begin, vector.end):
        items[place].feature = vector.features[position]
        items[place].value = np.float64(vector.values[position]) / length
        place += 1
    shelf.head = head
    exemplars.used[0] = place


@kernel
def add_exemplar(exemplars, limit, vector, length, label, lot):
    """Keep an example of this length, if its lot is among the smallest of its label's; those whose
    lots no longer are go."""
    shelf, most = exemplars.shelves[label], exemplars.used[2]
    size = np.int64(vector.end - vector.begin + 1)
    if size > most or exemplars.used[1] + size > limit or not length > 0.0:
        return
    while shelf.used + size > most:
        if shelf.largest <= lot:
            return
        let_largest_go(exemplars, shelf)
    shelf.largest = lot if shelf.head == NO_HEAD else max(shelf.largest, lot)
    write_exemplar(exemplars, shelf, vector, length, lot)
    shelf.used += size
    exemplars.used[1] += size


@kernel
def _thin(exemplars):
    """Let go what labels have no room for any more: exemplars that are too long for it, then those
    with the largest lots."""
    items, most = exemplars.items, exemplars.used[2]
    for label in range(len(exemplars.shelves)):
        shelf = exemplars.shelves[label]
        if shelf.used <= most:
            continue
        before, head, largest = NO_HEAD, shelf.head, np.float32(0.0)
        while head != NO_HEAD:
            if size_of(items, head) > most:
                let_go(exemplars, shelf, before, head)
            else:
                before, largest = head, max(largest, items[head].value)
            head = next_of(items, head)
        shelf.largest = largest
        while shelf.used > most:
            let_largest_go(exemplars, shelf)


@kernel
def _move(before, exemplars):
    """Copy all exemplars to an array that has room for them, label by label."""
    items = exemplars.items
    for label in range(len(before.shelves)):
        old, shelf = before.shelves[label], exemplars.shelves[label]
        shelf.used = old.used
        shelf.largest = old.largest
        head, link = old.head, np.int64(-1)
        while head != NO_HEAD:
            start = exemplars.used[0]
            if link < 0:
                shelf.head = start
            else:
                items[link].feature = start
            link = start + 1
            length = size_of(before.items, head) + 1
            for offset in range(length):
                items[start + offset] = before.items[np.int64(head) + offset]
            exemplars.used[0] += length
            head = next_of(before.items, head)
        exemplars.used[1] += shelf.used


def grown(exemplars: Exemplars, limit: int, label: int, features: int) -> Exemplars:
    """With room for an example of this label with so many features, and more: in another array, or
    because every label has less."""
    shelves, items, used = exemplars
    if label >= len(shelves):
        more = make_shelves(2 * label + 2)
        more[: len(shelves)] = shelves
        exemplars = Exemplars(more, items, used)
    while is_crowded(exemplars, limit, features):
        used[2] //= 2
        _thin(exemplars)
    if has_room(exemplars, limit, label, features):
        return exemplars
    # Links are half as much as what is in use at the most.
    return moved(exemplars, 2 * int(used[1]) + features + 2)


def moved(exemplars: Exemplars, items: int) -> Exemplars:
    """The same in an array with room for so many items or more, without what was let go. An
    exemplar has two items or more beside its link, so of room for twice what is in use a quarter is
    free at least, and copying takes a time that does not count."""
    length = len(exemplars.items)
    while length < items:
        length *= 2
    larger = make_exemplars(len(exemplars.shelves), length, int(exemplars.used[2]))
    _move(exemplars, larger)
    memory.give_back(exemplars.items)
    return larger


def forget(exemplars: Exemplars, labels: np.ndarray) -> None:
    """Let all exemplars of these labels go."""
    labels = labels[labels < len(exemplars.shelves)]
    exemplars.used[1] -= exemplars.shelves["used"][labels].sum(dtype=np.int64)
    exemplars.shelves[labels] = make_shelves(1)


@kernel
def fetch(exemplars, label):
    """Ask for the newest exemplar of a label."""
    if label < len(exemplars.shelves) and exemplars.shelves[label].head != NO_HEAD:
        prefetch(exemplars.items, exemplars.shelves[label].head)


@kernel
def product_in_order(items, item, lookup):
    return np.float64(items[item].value) * np.float64(value_in_order(lookup, items[item].feature))


@kernel
def cosine_in_order(items, begin, end, lookup):
    """cosine_with() where values lie in order. Four sums grow side by side, as in dot()."""
    begin, end = np.uint64(begin), np.uint64(end)
    fours = end - (end - begin) % FOUR
    a = b = c = d = 0.0
    for item in range(begin, fours, FOUR):
        a += product_in_order(items, item, lookup)
        b += product_in_order(items, item + ONE, lookup)
        c += product_in_order(items, item + TWO, lookup)
        d += product_in_order(items, item + THREE, lookup)
    for item in range(fours, end):
        a += product_in_order(items, item, lookup)
    return (a + b) + (c + d)


@kernel
def cosine_with(items, head, lookup):
    """The cosine of an example that can be looked up and the exemplar whose head is here."""
    begin = first_of(items, head)
    end = begin + np.int64(items[head].feature)
    if lookup.frame.is_dense[0]:
        return cosine_in_order(items, begin, end, lookup)
    product = 0.0
    for item in range(begin, end):
        value = value_of(lookup, items[item].feature)
        product += np.float64(items[item].value) * np.float64(value)
    return product


@kernel
def find_nearest(exemplars, label, lookup):
    """The head of the exemplar of a label that is most like an example, the newest of equals, and
    their cosine; NO_HEAD and 0 where none is like it at all."""
    nearest, largest, items = NO_HEAD, 0.0, exemplars.items
    if label < len(exemplars.shelves):
        head = exemplars.shelves[label].head
        while head != NO_HEAD:
            if next_of(items, head) != NO_HEAD:
                prefetch(items, next_of(items, head))
            cosine = cosine_with(items, head, lookup)
            if cosine > largest:
                nearest, largest = head, cosine
            head = next_of(items, head)
    return nearest, min(largest, 1.0)


@kernel
def closeness(cosine):
    """Of a cosine from 0 to 1."""
    return log((1.0 + SAME) / (1.0 - cosine + SAME))
