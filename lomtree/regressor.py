"""Linear regressors in one hashed table: the losses and the update rules of every learner.

Each regressor has a place. Eight places make a group, and a feature's weights for the places of a
group lie in one cache line (a row holds the weight and, for the adaptive rule, the sum of squared
gradients: 8 bytes). Learners give regressors that are used one after the other, such as a node and
its children, places in one group: the first one used pays for them all. Groups begin at multiples
of SPREAD, added to the feature's hash: no bit of it is lost to the regressor's number.

Both rules move the weights along `direction` (one number a feature) by a step chosen so that no
example moves a score by more than `clip`, and, where the loss is smallest at the target, not beyond
the target. This limit is what makes a single step size good for dense and sparse data: without it
the best step differs a hundredfold between them.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.machine import prefetch

SQUARED, ABSOLUTE, LOGISTIC = 0, 1, 2

GROUP_BITS = 3
GROUP = 1 << GROUP_BITS

# Multiples of this, modulo any power of two from 2^11 to 2^32, keep at least 0.067 of the even
# distance from each other (its continued fractions have small terms): groups of dense features
# lie side by side and share no weights before the table is nearly full.
SPREAD = np.uint32(0xB7728ED1)

# A gradient this small changes nothing: the regressor is sure already. Then one sweep over the
# features is all, and it measured better, too (fewer weights, less wandering).
SURE = 0.1

FIRST_BITS = 18
TAG_BITS = 7
TAKEN = 1 << TAG_BITS  # set in the tag of every line in use
FULL = 0.85  # the part of the lines in use at which the table doubles
TINY = np.float32(1e-30)  # keeps the root of an underflowed square from being 0
LARGEST_SQUARE = 1e20  # of a gradient: sums of them stay in the range of a float32
LARGEST = 1e30  # beyond this a product could leave the range of a float32


class Rule(NamedTuple):
    """How a regressor learns; numbers only, so that kernels take it."""

    loss: int
    adaptive: bool
    rate: float
    power: float  # of the sum of squared gradients (adaptive) or of the examples so far (sgd)
    clip: float  # the most that an example of importance 1 may move a score


class Weights(NamedTuple):
    """The table; what lies beyond the slots in use is reserved but never touched.

    A line is the GROUP slots of one feature in one group.
    """

    table: np.ndarray  # float32[capacity, 2] (weight, squares) or [capacity, 1] (weight)
    tags: np.ndarray  # uint8[capacity / GROUP]: of each line, TAKEN and the next bits of its index
    size: np.ndarray  # int64[2]: slots (a power of two), lines in use


def make_weights(bits: int, adaptive: bool) -> Weights:
    """An empty table that may grow to 2^bits slots; memory that is never touched costs nothing."""
    table = np.zeros((1 << bits, 2 if adaptive else 1), np.float32)
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
    """Ask for the weights that score() will want, so that they are there by then."""
    offset, mask = offset_of(place), mask_of(weights)
    for position in range(begin, end):
        prefetch(weights.table, np.int64(index_of(features[position], offset) & mask))


@kernel
def limited(h):
    """A score as a number: products of huge values may be infinite, or inf - inf."""
    if h != h:
        return np.float32(0.0)
    return min(max(h, np.float32(-LARGEST)), np.float32(LARGEST))


@kernel
def score(weights, place, features, begin, end, x):
    """w.x for the features begin:end with values x[0], x[1], ..."""
    offset, mask, table = offset_of(place), mask_of(weights), weights.table
    h = np.float32(0.0)
    for position in range(begin, end):
        slot = np.int64(index_of(features[position], offset) & mask)
        h += table[slot, 0] * x[position - begin]
    return limited(h)


@kernel
def find_direction(weights, rule, place, features, begin, end, x, direction):
    """Write the direction of the update; returns what a step of size 1 along it adds to w.x.

    The adaptive direction counts the coming gradient as if it were 1, the largest that the
    logistic and the absolute loss have.
    """
    offset, mask, table = offset_of(place), mask_of(weights), weights.table
    gain = np.float32(0.0)
    for position in range(begin, end):
        value = x[position - begin]
        along = value
        if rule.adaptive:
            slot = np.int64(index_of(features[position], offset) & mask)
            squares = max(table[slot, 1] + value * value, TINY)
            if rule.power == 0.5:
                along = value / np.sqrt(squares)
            else:
                along = np.float32(value * squares ** (-rule.power))
        direction[position - begin] = along
        gain += along * value
    return gain


@kernel
def gradient(loss, h, c):
    """The loss's derivative by the score h where the target is c = -1 or 1."""
    if loss == LOGISTIC:
        return -c / (1.0 + exp(h * c))
    if loss == ABSOLUTE:
        return np.sign(h - c)
    return h - c


@kernel
def largest_move(rule, h, c, importance):
    """How far an example may move the score. An importance above 1 stands for that many examples,
    whose steps would become smaller and smaller."""
    move = rule.clip * (importance if importance < 1.0 else 1.0 + log(importance))
    if rule.loss != LOGISTIC:
        move = min(move, abs(c - h))
    return move


@kernel
def step_size(rule, slope, gain, move, examples, mean_square):
    step = rule.rate * abs(slope)
    if rule.adaptive:
        step /= np.sqrt(mean_square)
    else:
        step /= (1.0 + examples) ** rule.power
    return min(step, move / gain)


@kernel
def update(
    weights, rule, place, features, begin, end, x, direction, h, c, importance, examples,
    mean_square,
):  # fmt: skip
    """Train with target c, where the score is h.

    `examples` is the importance this regressor has been trained with so far, `mean_square` the
    mean squared norm of all examples. Returns the score after the update, which follows in closed
    form from the score before it.
    """
    slope = gradient(rule.loss, h, c)
    if abs(slope) <= SURE:
        return h
    gain = find_direction(weights, rule, place, features, begin, end, x, direction)
    if not TINY < gain < LARGEST:
        return h
    slope *= importance
    move = largest_move(rule, h, c, importance)
    step = step_size(rule, slope, gain, move, examples, mean_square)
    signed_step = np.float32(-step if slope > 0.0 else step)
    square = np.float32(min(slope * slope / importance, LARGEST_SQUARE))
    offset, mask, table = offset_of(place), mask_of(weights), weights.table
    for position in range(begin, end):
        index = index_of(features[position], offset)
        slot = np.int64(index & mask)
        value = x[position - begin]
        if table[slot, 0] == 0.0 and weights.tags[slot >> GROUP_BITS] == 0:
            take_line(weights, slot, index)
        table[slot, 0] += signed_step * direction[position - begin]
        if rule.adaptive:
            table[slot, 1] += square * value * value
    return h + signed_step * gain


@kernel
def first_slots(weights):
    """How many slots the table begins with; TAG_BITS doublings lead to its capacity."""
    capacity = len(weights.table)
    return min(capacity, max(1 << FIRST_BITS, capacity >> TAG_BITS))


@kernel
def take_line(weights, slot, index):
    """Note whose the line is, so that its weights can move when the table doubles."""
    above = np.int64(index) // first_slots(weights)
    weights.tags[slot >> GROUP_BITS] = np.uint8(TAKEN | above & (TAKEN - 1))
    weights.size[1] += 1


@kernel
def make_room(weights):
    """Double a table that fills up, as far as its capacity goes.

    Each line moves to where the index that took it first is now looked up; an index that had
    shared the line finds a fresh one.
    """
    slots = weights.size[0]
    lines = slots >> GROUP_BITS
    if weights.size[1] <= FULL * lines or slots == len(weights.table):
        return
    bit = slots // first_slots(weights)
    for line in range(lines):
        if weights.tags[line] & bit:
            for slot in range(line * GROUP, (line + 1) * GROUP):
                for column in range(weights.table.shape[1]):
                    weights.table[slots + slot, column] = weights.table[slot, column]
                    weights.table[slot, column] = 0.0
            weights.tags[lines + line] = weights.tags[line]
            weights.tags[line] = 0
    weights.size[0] = 2 * slots
