"""For each feature, the labels whose centroids weigh it most: the finder that is no tree.

A list begins with room for 4 labels and doubles, up to MOST_LABELS; then a label that weighs more
takes the place of the one that weighs least. All lists lie in one array, found by an
open-addressing table. What may be taken altogether is bounded; lists that want more then stay as
long as they are, unless labels that no longer come give way (eviction.py).

The lists of an example's features vote: what a label gets is a part of its cosine. The features
with the largest values come first, and when a budget of votes is used up the others are left out.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.hashing.open_addressing import LOAD_LIMIT, home_of
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.intrinsics import FOUR, ONE, THREE, TWO
from lomtree.jit.kernel import kernel
from lomtree.ranking.bag import add
from lomtree.storage.state_dict import StateDict, all_differ
from lomtree.system import memory

SHORTEST = 4  # labels that a list has room for in the beginning
MOST_LABELS = 256
FIRST_POSTINGS = 1 << 12
FIRST_LISTS = 1 << 10

POSTING = np.dtype([("label", np.int32), ("weight", np.float32)], align=True)
LIST = np.dtype(
    [
        ("start", np.int64),  # of its postings
        ("feature", np.uint32),
        ("length", np.int32),  # 0: the row is free
        ("least", np.float32),  # weight, when a label was last replaced in a list of full length
        ("multiplier", np.uint32),  # of the first row: see hashing/secrets
    ],
    align=True,
)


class LabelLists(NamedTuple):
    heads: np.ndarray  # LIST[]: an open-addressing table by feature
    postings: np.ndarray  # POSTING[]
    used: np.ndarray  # int64[3]: lists, postings behind which all is free, room of all lists


def make_label_lists(lists: int = FIRST_LISTS, postings: int = FIRST_POSTINGS) -> LabelLists:
    heads = memory.zeros(lists, LIST)
    heads["multiplier"][0] = MULTIPLIER & np.uint64(0xFFFFFFFF)
    return LabelLists(heads, memory.zeros(postings, POSTING), np.zeros(3, np.int64))


def most_postings(options: Options) -> int:
    """How much room all lists may have: a quarter of the memory of the weights of a tree; those of
    shards twice as much, see label_features.most_rows."""
    one = max(FIRST_POSTINGS, 1 << (options.bits - 2))
    return one if options.shards == 1 else 2 * options.shards * one


@kernel
def home(heads, feature):
    """The row where the search for a feature begins."""
    return home_of(keyed(feature, np.uint64(heads[0].multiplier)), len(heads))


@kernel
def find(heads, feature):
    """The row of a feature, or the free row where it belongs."""
    row = home(heads, feature)
    while heads[row].length != 0 and heads[row].feature != feature:
        row += 1
        if row == len(heads):
            row = 0
    return row


@kernel
def room_of(length):
    """How many labels a list of this length has room for."""
    room = SHORTEST
    while room < length:
        room *= 2
    return room


@kernel
def most_taken(lists, most, features):
    """How many postings an example with so many features may take, whatever happens."""
    return min(features * MOST_LABELS, 2 * (most - lists.used[2]) + features * SHORTEST)


@kernel
def has_room(lists, most, features):
    """Whether the arrays have room for an example with so many features."""
    return lists.used[0] + features <= LOAD_LIMIT * len(lists.heads) and lists.used[1] + most_taken(
        lists, most, features
    ) <= len(lists.postings)


@kernel
def place_of(lists, entry, label):
    """Where a label is in a list, or -1. (Without a way out it is a loop over vectors.)"""
    place = np.int64(-1)
    for offset in range(entry.length):
        if lists.postings[entry.start + offset].label == label:
            place = np.int64(offset)
    return place


@kernel
def with_more(least, second, weight):
    """The two smallest of three numbers, of which these two are in order."""
    return min(least, weight), min(second, max(least, weight))


@kernel
def two_least(postings, begin, end):
    """The smallest weight of a list that is full, and the one that would be if it was not there.
    Four of each grow side by side: no comparison has to wait for the one before it."""
    a = b = c = d = aa = bb = cc = dd = np.float32(np.inf)
    for place in range(np.uint64(begin), np.uint64(end), FOUR):
        a, aa = with_more(a, aa, postings[place].weight)
        b, bb = with_more(b, bb, postings[place + ONE].weight)
        c, cc = with_more(c, cc, postings[place + TWO].weight)
        d, dd = with_more(d, dd, postings[place + THREE].weight)
    for least, second in ((b, bb), (c, cc), (d, dd)):
        a, aa = with_more(a, aa, least)
        aa = min(aa, second)
    return a, aa


@kernel
def replace_least(lists, entry, label, weight):
    """Let a label take the place of the one that weighs least, the first of equals, if it weighs
    more; note what weighs least then. The list is full, so its length is a multiple of 4."""
    postings, place = lists.postings, np.int64(entry.start)
    least, second = two_least(postings, place, place + entry.length)
    if not least < weight:
        entry.least = least
        return
    while postings[place].weight != least:
        place += 1
    postings[place].label = label
    postings[place].weight = weight
    entry.least = min(second, weight)


@kernel
def lengthen(lists, entry, most):
    """Double the room of a list that is full, if all lists may have so much; tells whether it has
    room for one more label then."""
    room = room_of(entry.length)
    if entry.length < room:
        return True
    if room == MOST_LABELS or lists.used[2] + room > most:
        return False
    for offset in range(entry.length):
        lists.postings[lists.used[1] + offset] = lists.postings[entry.start + offset]
    entry.start = lists.used[1]
    lists.used[1] += 2 * room
    lists.used[2] += room
    return True


@kernel
def note_label(lists, most, feature, label, weight, is_new):
    """A label weighs a feature so much now. One that did not have the feature before is in no list
    of it."""
    entry = lists.heads[find(lists.heads, feature)]
    if entry.length == 0:
        if lists.used[2] + SHORTEST > most:
            return
        entry.feature = feature
        entry.start = lists.used[1]
        entry.least = 0.0
        lists.used[0] += 1
        lists.used[1] += SHORTEST
        lists.used[2] += SHORTEST
    elif entry.length == MOST_LABELS and weight <= entry.least:
        return
    place = np.int64(-1) if is_new else place_of(lists, entry, label)
    if place >= 0:
        lists.postings[entry.start + place].weight = weight
    elif entry.length == 0 or lengthen(lists, entry, most):
        lists.postings[entry.start + entry.length].label = label
        lists.postings[entry.start + entry.length].weight = weight
        entry.length += 1
    else:
        replace_least(lists, entry, label, weight)


@kernel
def vote(lists, budget, vector, sizes, bag):
    """Collect the labels that an example's lists vote for with so many votes; returns their number.
    `sizes` is room for a number a feature."""
    length = vector.end - vector.begin
    for offset in range(length):
        row = find(lists.heads, vector.features[vector.begin + offset])
        known = lists.heads[row].length != 0  # each that is looked at takes a vote from the budget
        sizes[offset] = abs(vector.values[vector.begin + offset]) if known else 0.0
    held, votes = 0, 0
    for _ in range(length):
        largest = np.int64(0)
        for offset in range(1, length):
            if sizes[offset] > sizes[largest]:
                largest = np.int64(offset)
        if not sizes[largest] > 0.0:
            break
        sizes[largest] = 0.0
        position = vector.begin + largest
        entry = lists.heads[find(lists.heads, vector.features[position])]
        if votes + entry.length > budget:
            break
        votes += entry.length
        for offset in range(entry.length):
            posting = lists.postings[entry.start + offset]
            part = np.float64(posting.weight) * np.float64(vector.values[position])
            held = add(bag, held, posting.label, part)
    return held


@kernel
def _move(before, lists):
    """Copy lists to empty arrays that have room for them."""
    for row in range(len(before.heads)):
        old = before.heads[row]
        if old.length == 0:
            continue
        entry = lists.heads[find(lists.heads, old.feature)]
        entry.feature = old.feature
        entry.length = old.length
        entry.least = old.least
        entry.start = lists.used[1]
        for offset in range(old.length):
            lists.postings[entry.start + offset] = before.postings[old.start + offset]
        room = room_of(old.length)
        lists.used[0] += 1
        lists.used[1] += room
        lists.used[2] += room


def grown(lists: LabelLists, most: int, features: int) -> LabelLists:
    """The same lists with room for an example with so many features, and for others like it."""
    rows, postings = len(lists.heads), len(lists.postings)
    while int(lists.used[0]) + features > LOAD_LIMIT * rows:
        rows *= 2
    while 2 * int(lists.used[2]) + most_taken(lists, most, features) > postings:
        postings *= 2
    larger = make_label_lists(rows, postings)
    _move(lists, larger)
    return larger


def of_labels(lists: LabelLists, stays: np.ndarray) -> LabelLists:
    """The same lists without the labels that do not stay."""
    heads = lists.heads[lists.heads["length"] > 0]
    rows = _rows_of(heads)
    staying = stays[lists.postings["label"][rows]]
    before = heads["length"].copy()
    owner = np.repeat(np.arange(len(heads)), before)
    heads["length"] = np.bincount(owner[staying], minlength=len(heads))
    heads["least"][heads["length"] < before] = 0.0
    heads["start"] = np.cumsum(heads["length"]) - heads["length"]
    fewer = make_label_lists(len(lists.heads), len(lists.postings))
    _move(LabelLists(heads, lists.postings[rows[staying]], lists.used), fewer)
    return fewer


def _rows_of(heads: np.ndarray) -> np.ndarray:
    """Where the postings of these lists are, one list's after the other's."""
    lengths = heads["length"].astype(np.int64)
    shift = np.repeat(heads["start"] - (np.cumsum(lengths) - lengths), lengths)
    return np.arange(len(shift)) + shift


_COLUMNS = ("feature", "length", "least")


def store_label_lists(lists: LabelLists, state_dict: StateDict, predict_only: bool) -> None:
    """By feature, so that the bytes do not depend on where the lists lie."""
    heads = lists.heads[lists.heads["length"] > 0]
    heads = heads[np.argsort(heads["feature"])]
    postings = lists.postings[_rows_of(heads)]
    for name in _COLUMNS[:2] if predict_only else _COLUMNS:
        state_dict.arrays[f"lists.{name}"] = np.ascontiguousarray(heads[name])
    for name in ("label", "weight"):
        state_dict.arrays[f"lists.{name}"] = np.ascontiguousarray(postings[name])


def check_label_lists(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> tuple[np.ndarray, int]:
    """The heads of a file's lists, and the room that they need; ModelError if they are none."""
    count = len(state_dict.arrays["lists.feature"])
    heads = np.zeros(count, LIST)
    for name in _COLUMNS if learning else _COLUMNS[:2]:
        heads[name] = state_dict.column(f"lists.{name}", LIST[name], count)
    lengths = heads["length"].astype(np.int64)
    if count and (lengths.min() < 1 or lengths.max() > MOST_LABELS):
        raise ModelError("its lists of labels have impossible lengths")
    total = int(lengths.sum())
    for name in ("label", "weight"):
        state_dict.column(f"lists.{name}", POSTING[name], total)
    if not all_differ(heads["feature"]):
        raise ModelError("two of its lists of labels are the same feature's")
    labels = state_dict.extent("lists.label")
    if total and (labels.least < 0 or labels.largest >= label_count):
        raise ModelError("its lists have labels that do not exist")
    if not state_dict.extent("lists.weight").is_finite or not np.all(np.isfinite(heads["least"])):
        raise ModelError("its lists of labels are not finite numbers")
    heads["start"] = np.cumsum(lengths) - lengths
    rooms = SHORTEST << np.maximum(0, np.ceil(np.log2(lengths / SHORTEST))).astype(np.int64)
    if int(rooms.sum()) > most_postings(options):
        raise ModelError("its lists of labels are too long")
    return heads, int(rooms.sum())


def load_label_lists(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> LabelLists:
    heads, room = check_label_lists(state_dict, options, label_count, learning)
    postings = np.zeros(len(state_dict.arrays["lists.label"]), POSTING)
    for name in ("label", "weight"):
        postings[name] = state_dict.arrays[f"lists.{name}"]
    rows, length = FIRST_LISTS, FIRST_POSTINGS
    while len(heads) > LOAD_LIMIT * rows:
        rows *= 2
    while room > length:
        length *= 2
    lists = make_label_lists(rows, length)
    _move(LabelLists(heads, postings, np.zeros(3, np.int64)), lists)
    return lists
