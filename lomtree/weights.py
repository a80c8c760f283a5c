"""The hashed table that holds the weights of all regressors of a tree.

Each regressor has a place. Eight places make a group, and a feature's weights for the places of a
group lie in one cache line (a row holds the weight and, for the adaptive rule, the sum of squared
gradients: 8 bytes). Trees give regressors that are used one after the other, such as a node and
its children, places in one group: the first one used pays for them all. Groups begin at multiples
of SPREAD, added to the feature's hash: no bit of it is lost to the regressor's number.
"""

from typing import NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.compiled import kernel, subroutine
from lomtree.errors import ModelError
from lomtree.machine import move8, prefetch
from lomtree.options import Options
from lomtree.parts import Parts, whole_number

GROUP_BITS = 3
GROUP = 1 << GROUP_BITS

# Multiples of this, modulo any power of two from 2^11 to 2^32, keep at least 0.067 of the even
# distance from each other (its continued fractions have small terms): groups of dense features
# lie side by side and share no weights before the table is nearly full.
SPREAD = np.uint32(0xB7728ED1)

FIRST_BITS = 18
TAG_BITS = 6
TAKEN = 1 << TAG_BITS  # set in the tag of every line in use
MOST_FETCHED = 200  # features
FULL = 0.9  # the part of the lines in use at which the table doubles

_COLUMNS = ("w", "squares")
_TAG_COLUMNS = ("tag",)


class Weights(NamedTuple):
    """The table; what lies beyond the slots in use is reserved but never touched.

    A line is the GROUP slots of one feature in one group.
    """

    table: np.ndarray  # float32[capacity, 2] (weight, squares) or [capacity, 1] (weight)
    tags: np.ndarray  # uint8[capacity / GROUP]: of each line, TAKEN and the next bits of its index
    size: np.ndarray  # int64[2]: slots (a power of two), lines in use


def make_weights(bits: int, adaptive: bool) -> Weights:
    """An empty table that may grow to 2^bits slots; memory that is never touched costs nothing."""
    table = aligned.zeros((1 << bits, 2 if adaptive else 1), np.float32)
    weights = Weights(table, np.zeros((1 << bits) // GROUP, np.uint8), np.zeros(2, np.int64))
    weights.size[0] = first_slots(weights)
    return weights


@kernel
def offset_of(place):
    """What is added to a feature's index (times GROUP) for the regressor at this place."""
    group, member = place >> GROUP_BITS, place & (GROUP - 1)
    return ((np.uint32(group) * SPREAD) << np.uint32(GROUP_BITS)) + np.uint32(member)


@kernel
def index_of(feature, offset):
    return (feature << np.uint32(GROUP_BITS)) + offset


@kernel
def mask_of(weights):
    return np.uint32(weights.size[0] - 1)


@kernel
def fetch(weights, place, features, begin, end):
    """Ask for the weights that score() will want, so that they are there by then. Those of a long
    example would push each other out of the cache; the machine sees them coming by itself."""
    if end - begin > MOST_FETCHED:
        return
    offset, mask = offset_of(place), mask_of(weights)
    for position in range(np.uint64(begin), np.uint64(end)):
        prefetch(weights.table, np.int64(index_of(features[position], offset) & mask))


@kernel
def first_slots(weights):
    """How many slots the table begins with; at most TAG_BITS doublings lead to its capacity."""
    capacity = len(weights.table)
    return min(capacity, max(1 << FIRST_BITS, capacity >> TAG_BITS))


@kernel
def is_free(weights, slot):
    """Whether nobody has taken the slot's line. The tags are far away from the line: mostly the
    slot's own weight, or that of the group's first place, is proof enough that it is taken."""
    table = weights.table
    return (
        table[slot, 0] == 0.0
        and table[slot & -GROUP, 0] == 0.0
        and weights.tags[slot >> GROUP_BITS] == 0
    )


@kernel
def take_line(weights, slot, index):
    """Note whose the line is, so that its weights can move when the table doubles."""
    above = np.int64(index) // first_slots(weights)
    weights.tags[slot >> GROUP_BITS] = np.uint8(TAKEN | above & (TAKEN - 1))
    weights.size[1] += 1


@kernel
def make_room(weights):
    """Double a table that fills up, as far as its capacity goes."""
    slots = weights.size[0]
    if weights.size[1] > FULL * (slots >> GROUP_BITS) and slots < len(weights.table):
        double(weights)


@subroutine
def double(weights):
    """Each line moves to where the index that took it first is now looked up; an index that had
    shared the line finds a fresh one."""
    slots, columns = weights.size[0], weights.table.shape[1]
    lines = slots >> GROUP_BITS
    bit = slots // first_slots(weights)
    for line in range(lines):
        if weights.tags[line] & bit:
            for part in range(columns):
                at = GROUP * (line * columns + part)
                move8(weights.table, slots * columns + at, at)
            weights.tags[lines + line] = weights.tags[line]
            weights.tags[line] = 0
    weights.size[0] = 2 * slots


def store_weights(weights: Weights, parts: Parts, predict_only: bool) -> None:
    slots = weights.size[0]
    parts.header["slots"] = weights.size.tolist()
    names = _COLUMNS[:1] if predict_only else _COLUMNS
    parts.put_packed("weights", names, weights.table[:slots])
    if not predict_only:
        parts.put_packed("tags", _TAG_COLUMNS, weights.tags[: slots // GROUP, None])


def load_weights(parts: Parts, options: Options, learning: bool) -> Weights:
    """The table of a file; without `learning`, only as large as it is and without the squares."""
    slots = whole_number(parts.header["slots"][0], 1 << 10, 1 << options.bits)
    used = whole_number(parts.header["slots"][1], 0, slots // GROUP)
    if slots & (slots - 1):
        raise ModelError("its table's size is not a power of two")
    capacity = 1 << options.bits if learning else slots
    columns = 2 if learning and options.update == "adaptive" else 1
    zeros = aligned.zeros if learning else aligned.zeros_in_small_pages
    weights = Weights(
        zeros((capacity, columns), np.float32),
        np.zeros(capacity // GROUP if learning else 0, np.uint8),
        np.array([slots, used], np.int64),
    )
    parts.fill_packed("weights", _COLUMNS, weights.table[:slots])
    if columns == 2 and parts.arrays["weights.squares"].min(initial=0) < 0:
        raise ModelError("its sums of squares are negative")
    if learning:
        first = first_slots(weights)
        if slots < first or (slots > first and used <= FULL * (slots // 2 // GROUP)):
            raise ModelError("its table is smaller or larger than it can be")
        tags = weights.tags[: slots // GROUP, None]
        parts.fill_packed("tags", _TAG_COLUMNS, tags)
        if np.count_nonzero(tags) != used:
            raise ModelError("its table is not as full as it says")
    return weights
