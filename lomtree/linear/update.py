"""Linear regressors: the losses and the update rules of every learner.

Both rules move the weights along `direction` (one number a feature) by a step chosen so that no
example moves a score by more than `clip`, and, where the loss is smallest at the target, not beyond
the target. This limit is what makes a single step size good for dense and sparse data: without it
the best step differs a hundredfold between them.

The score after an update follows in closed form from the score before it, as long as no two
features of an example share a cell of the weight table. Repeated features are merged before they
come here (examples/merging.py). Different features that collide are rare (docs/theory.md has the
measured share): each of them then moves the common weight, so that the score moves further than
the closed form and `clip` say, by at most the factor of features in that cell.
"""

from math import exp, inf, log
from typing import NamedTuple

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.options import LOSSES, Options
from lomtree.jit.intrinsics import FOUR, ONE, THREE, TWO, prefetch
from lomtree.jit.kernel import kernel
from lomtree.linear.hashed_weights import (
    BLOCK_BITS,
    cell_of,
    index_of,
    is_free,
    mask_of,
    offset_of,
    take_line,
)

SQUARED, ABSOLUTE, LOGISTIC = range(3)

TINY = np.float32(1e-30)  # keeps the root of an underflowed square from being 0
LARGEST_SQUARE = 1e20  # of a gradient: sums of them stay in the range of a float32
LARGEST_SCORE = 1e30  # beyond this a product could leave the range of a float32
LARGEST_CELL = np.float32(1e30)  # a weight, and a sum of squared gradients: larger ones stay there


class Rule(NamedTuple):
    """How a regressor learns; numbers only, so that kernels take it."""

    loss: int
    adaptive: bool
    rate: float
    power: float  # of the sum of squared gradients (adaptive) or of the examples so far (sgd)
    clip: float  # the most that an example of importance 1 may move a score
    gradient_threshold: float  # gradients up to this change nothing
    threshold_score: float  # and so do scores from this on, with the logistic loss


class Target(NamedTuple):
    """What a regressor is to learn from an example."""

    c: float  # -1 or 1
    importance: float
    trained: float  # the importance this regressor has been trained with so far
    mean_square: float  # the mean squared norm of all examples


def rule_of(options: Options) -> Rule:
    threshold = 0.0 if options.paper else ALGORITHMS[options.algorithm].gradient_threshold
    return Rule(
        LOSSES.index(options.loss),
        options.update == "adaptive",
        float(options.learning_rate),
        float(options.power_t),
        float(options.clip),
        threshold,
        threshold_score(threshold),
    )


def threshold_score(threshold: float) -> float:
    """The score at which the gradient of the logistic loss is as small as this."""
    return log(1.0 / threshold - 1.0) if threshold > 0.0 else inf


@kernel
def limited(h):
    """A score as a number: products of huge values may be infinite, or inf - inf."""
    if h != h:
        return np.float32(0.0)
    return min(max(h, np.float32(-LARGEST_SCORE)), np.float32(LARGEST_SCORE))


@kernel
def term(view, position):
    """What the feature at this position adds to a score; for `view` see score()."""
    table, features, x, offset, mask = view
    return table[cell_of(features[position], offset, mask), 0] * x[position]


@kernel
def score(weights, slot, vector):
    """w.x, where w are the weights of the regressor in this slot.

    Four sums grow side by side, as in dot(): no addition has to wait for the one before it.
    (Positions without a sign: those with one might count from an array's end, which takes time.)
    """
    view = (weights.table, vector.features, vector.values, offset_of(slot), mask_of(weights))
    begin, end = np.uint64(vector.begin), np.uint64(vector.end)
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
def dot(direction, vector):
    """direction.x; place 0 of the direction is the vector's first."""
    x, begin, end = vector.values, np.uint64(vector.begin), np.uint64(vector.end)
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
    return np.float32(np.float64(value) * np.float64(squares) ** (-rule.power))


@kernel
def find_direction(weights, rule, slot, vector, direction):
    """Write the direction of the update; returns what a step of size 1 along it adds to w.x.

    The squares are collected first: a loop over neighbours, without a choice in it, becomes one
    over vectors. Where there are none yet, the tag of the line will be wanted.
    """
    offset, mask, table, x = offset_of(slot), mask_of(weights), weights.table, vector.values
    first, last = np.uint64(vector.begin), np.uint64(vector.end)
    for position in range(first, last):
        squares = np.float32(0.0)
        if rule.adaptive:
            cell = cell_of(vector.features[position], offset, mask)
            squares = table[cell, 1]
            if squares == 0.0:
                prefetch(weights.tags, cell >> BLOCK_BITS)
        direction[position - first] = squares
    if rule.adaptive and rule.power == 0.5:
        for position in range(first, last):
            squares = max(direction[position - first] + x[position] * x[position], TINY)
            direction[position - first] = x[position] / np.sqrt(squares)
    else:
        for position in range(first, last):
            direction[position - first] = along(rule, x[position], direction[position - first])
    return dot(direction, vector)


@kernel
def gradient(loss, h, c):
    """The loss's derivative by the score h where the target is c = -1 or 1. (Written out in double
    precision: the interpreter would compute in that of h.)"""
    h = np.float64(h)
    if loss == LOGISTIC:
        return -c / (1.0 + exp(h * c))
    if loss == ABSOLUTE:
        return np.sign(h - c)
    return h - c


@kernel
def below_threshold(rule, h, c):
    """Whether the gradient is so small that nothing changes."""
    if rule.loss == LOGISTIC:
        return np.float64(h) * c >= rule.threshold_score
    return abs(gradient(rule.loss, h, c)) <= rule.gradient_threshold


@kernel
def largest_move(rule, h, target):
    """How far an example may move the score. An importance above 1 stands for that many examples,
    whose steps would become smaller and smaller."""
    importance = target.importance
    move = rule.clip * (importance if importance <= 1.0 else 1.0 + log(importance))
    if rule.loss != LOGISTIC:
        move = min(move, abs(target.c - np.float64(h)))
    return move


@kernel
def move_by(rule, h, gain, target):
    """The step along a direction of this gain, and the squared gradient."""
    slope = gradient(rule.loss, h, target.c) * target.importance
    step = rule.rate * abs(slope)
    if rule.adaptive:
        step /= np.sqrt(target.mean_square)
    else:
        step /= (1.0 + target.trained) ** rule.power
    step = min(step, largest_move(rule, h, target) / np.float64(gain))
    square = min(slope * slope / target.importance, LARGEST_SQUARE)
    return np.float32(-step if slope > 0.0 else step), np.float32(square)


@kernel
def update(weights, rule, slot, vector, direction, h, target):
    """Train the regressor in this slot, whose score is h; `direction` is room for the update's.
    Returns the score after the update."""
    if below_threshold(rule, h, target.c):
        return h
    gain = find_direction(weights, rule, slot, vector, direction)
    if not TINY < gain < LARGEST_SCORE:
        return h
    step, square = move_by(rule, h, gain, target)
    offset, mask, table, x = offset_of(slot), mask_of(weights), weights.table, vector.values
    first, last = np.uint64(vector.begin), np.uint64(vector.end)
    for position in range(first, last):
        index = index_of(vector.features[position], offset)
        cell = np.int64(index & mask)
        if is_free(weights, cell):
            take_line(weights, cell, index)
        weight = table[cell, 0] + step * direction[position - first]
        table[cell, 0] = min(max(weight, -LARGEST_CELL), LARGEST_CELL)
        if rule.adaptive:
            table[cell, 1] = min(table[cell, 1] + square * x[position] * x[position], LARGEST_CELL)
    return h + step * gain
