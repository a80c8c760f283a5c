"""Linear regressors: the losses and the update rules of every learner.

Both rules move the weights along `direction` (one number a feature) by a step chosen so that no
example moves a score by more than `clip`, and, where the loss is smallest at the target, not beyond
the target. This limit is what makes a single step size good for dense and sparse data: without it
the best step differs a hundredfold between them.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.machine import FOUR, ONE, THREE, TWO, prefetch
from lomtree.options import LOSSES, Options
from lomtree.weights import GROUP_BITS, index_of, is_free, mask_of, offset_of, take_line

SQUARED, ABSOLUTE, LOGISTIC = range(3)

# A gradient this small changes nothing: the regressor is sure already. Then one sweep over the
# features is all. For a tree it measured better, too (fewer weights, less wandering); scores that
# are compared with each other, as those of one-against-all, must be surer.
SURE = 0.05
SURE_AMONG_MANY = 0.001
SURE_SCORE = log(1.0 / SURE - 1.0)  # with the logistic loss

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
    sure: float  # gradients up to this change nothing
    sure_score: float  # and so do scores from this on, with the logistic loss


def rule_of(options: Options) -> Rule:
    sure = SURE_AMONG_MANY if options.algorithm == "oaa" else SURE
    return Rule(
        LOSSES.index(options.loss),
        options.update == "adaptive",
        float(options.learning_rate),
        float(options.power_t),
        float(options.clip),
        sure,
        log(1.0 / sure - 1.0),
    )


@kernel
def limited(h):
    """A score as a number: products of huge values may be infinite, or inf - inf."""
    if h != h:
        return np.float32(0.0)
    return min(max(h, np.float32(-LARGEST)), np.float32(LARGEST))


@kernel
def term(view, position):
    """What the feature at this position adds to a score; for `view` see score()."""
    table, features, x, offset, mask = view
    return table[np.int64(index_of(features[position], offset) & mask), 0] * x[position]


@kernel
def score(weights, place, features, begin, end, x):
    """w.x for the features begin:end, whose values are at the same positions of x.

    Four sums grow side by side, as in dot(): no addition has to wait for the one before it.
    (Positions without a sign: those with one might count from an array's end, which takes time.)
    """
    view = (weights.table, features, x, offset_of(place), mask_of(weights))
    begin, end = np.uint64(begin), np.uint64(end)
    fours = end - (end - begin) % FOUR
    a = b = c = d = np.float32(0.0)
    for position in range(begin, fours, FOUR):
        a += term(view, position)
        b += term(view, position + ONE)
        c += term(view, position + TWO)
        d += term(view, position + THREE)
    for position in range(fours, end):
        a += term(view, position)
    return limited((a + b) + (c + d))


@kernel
def dot(direction, x, begin, end):
    """direction.x, where the values of x are those at begin:end."""
    begin, end = np.uint64(begin), np.uint64(end)
    fours = end - (end - begin) % FOUR
    a = b = c = d = np.float32(0.0)
    for position in range(begin, fours, FOUR):
        place = position - begin
        a += direction[place] * x[position]
        b += direction[place + ONE] * x[position + ONE]
        c += direction[place + TWO] * x[position + TWO]
        d += direction[place + THREE] * x[position + THREE]
    for position in range(fours, end):
        a += direction[position - begin] * x[position]
    return (a + b) + (c + d)


@kernel
def along(rule, value, squares):
    """How far the update of a weight goes, where its feature has this value and its gradients sum
    up to `squares`. The coming one counts as 1, the largest that the logistic and the absolute loss
    have."""
    if not rule.adaptive:
        return value
    squares = max(squares + value * value, TINY)
    if rule.power == 0.5:
        return value / np.sqrt(squares)
    return np.float32(value * squares ** (-rule.power))


@kernel
def find_direction(weights, rule, place, features, begin, end, x, direction):
    """Write the direction of the update; returns what a step of size 1 along it adds to w.x.

    The squares are collected first: a loop over neighbours, without a choice in it, becomes one
    over vectors. Where there are none yet, the tag of the line will be wanted.
    """
    offset, mask, table = offset_of(place), mask_of(weights), weights.table
    first, last = np.uint64(begin), np.uint64(end)
    for position in range(first, last):
        squares = np.float32(0.0)
        if rule.adaptive:
            slot = np.int64(index_of(features[position], offset) & mask)
            squares = table[slot, 1]
            if squares == 0.0:
                prefetch(weights.tags, slot >> GROUP_BITS)
        direction[position - first] = squares
    if rule.adaptive and rule.power == 0.5:
        for position in range(first, last):
            squares = max(direction[position - first] + x[position] * x[position], TINY)
            direction[position - first] = x[position] / np.sqrt(squares)
    else:
        for position in range(first, last):
            direction[position - first] = along(rule, x[position], direction[position - first])
    return dot(direction, x, begin, end)


@kernel
def gradient(loss, h, c):
    """The loss's derivative by the score h where the target is c = -1 or 1."""
    if loss == LOGISTIC:
        return -c / (1.0 + exp(h * c))
    if loss == ABSOLUTE:
        return np.sign(h - c)
    return h - c


@kernel
def is_sure(rule, h, c):
    """Whether the gradient is so small that nothing changes."""
    if rule.loss == LOGISTIC:
        return h * c >= rule.sure_score
    return abs(gradient(rule.loss, h, c)) <= rule.sure


@kernel
def largest_move(rule, h, c, importance):
    """How far an example may move the score. An importance above 1 stands for that many examples,
    whose steps would become smaller and smaller."""
    move = rule.clip * (importance if importance <= 1.0 else 1.0 + log(importance))
    if rule.loss != LOGISTIC:
        move = min(move, abs(c - h))
    return move


@kernel
def move_by(rule, h, c, gain, importance, examples, mean_square):
    """The step along the direction, and the squared gradient; see update() for the arguments."""
    slope = gradient(rule.loss, h, c) * importance
    step = rule.rate * abs(slope)
    if rule.adaptive:
        step /= np.sqrt(mean_square)
    else:
        step /= (1.0 + examples) ** rule.power
    step = min(step, largest_move(rule, h, c, importance) / gain)
    square = min(slope * slope / importance, LARGEST_SQUARE)
    return np.float32(-step if slope > 0.0 else step), np.float32(square)


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
    if is_sure(rule, h, c):
        return h
    gain = find_direction(weights, rule, place, features, begin, end, x, direction)
    if not TINY < gain < LARGEST:
        return h
    step, square = move_by(rule, h, c, gain, importance, examples, mean_square)
    offset, mask, table = offset_of(place), mask_of(weights), weights.table
    first, last = np.uint64(begin), np.uint64(end)
    for position in range(first, last):
        index = index_of(features[position], offset)
        slot = np.int64(index & mask)
        if is_free(weights, slot):
            take_line(weights, slot, index)
        table[slot, 0] += step * direction[position - first]
        if rule.adaptive:
            table[slot, 1] += square * x[position] * x[position]
    return h + step * gain
