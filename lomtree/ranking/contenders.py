"""Regressors of labels learn from an example for which they contend.

They are trained against each other: a softmax over the example's label and its rivals, which are
  - the labels that ranked highest among the rivals of the label's last example (RIVALS of them),
  - the label that each tree would have predicted if the example had gone the other way at the node
    that was least sure,
  - and for a share of the examples the labels that the lists vote for.
So a label has few rivals and they are hard ones; nothing is asked for all labels.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.linear.dot import dot
from lomtree.ranking.bag import Bag, make_bag
from lomtree.ranking.label_features import LARGEST, NO_ROW, TINY
from lomtree.ranking.rivals import BUDGET, RIVALS, VOTED
from lomtree.ranking.sighting import locate, sight

RATE = 1.0
CLIP = 1.0  # the most that an example of importance 1 moves a score by
THRESHOLD = 0.01  # gradients up to this change nothing
# Added to a feature's squares, as a part of an example's mean squared length: without it a feature
# far smaller than the others moves by as much as they, and what it adds is mostly noise.
SMOOTHING = 0.03


class Contenders(NamedTuple):
    """Room for the labels that contend for one example, its own first."""

    labels: np.ndarray  # int32[contenders]
    scores: np.ndarray  # float64[contenders]
    rows: np.ndarray  # int64[contenders, features]: of their pairs
    positions: np.ndarray  # int64[contenders, features]: see sighting
    found: np.ndarray  # int64[contenders]: how many of them; before, how many are sighted
    is_new: np.ndarray  # bool[features]: to the example's label
    values: np.ndarray  # float32[features]: those that a contender has
    weights: np.ndarray  # float32[features]
    direction: np.ndarray  # float32[features]
    sizes: np.ndarray  # float32[features]
    places: np.ndarray  # int64[VOTED]
    bag: Bag


def make_contenders(trees: int, length: int) -> Contenders:
    contenders = 1 + RIVALS + trees + VOTED
    return Contenders(
        np.empty(contenders, np.int32),
        np.empty(contenders),
        np.empty((contenders, length), np.int64),
        np.empty((contenders, length), np.int64),
        np.zeros(contenders, np.int64),
        np.empty(length, np.bool_),
        np.empty(length, np.float32),
        np.empty(length, np.float32),
        np.empty(length, np.float32),
        np.empty(length, np.float32),
        np.empty(VOTED, np.int64),
        make_bag(BUDGET),
    )


@kernel
def sight_contenders(known, scratch, vector, first, last):
    for contender in range(first, last):
        label = scratch.labels[contender]
        scratch.found[contender] = sight(known, vector, label, scratch.positions[contender])


@kernel
def locate_contender(known, scratch, vector, contender):
    """Note where the pairs of a contender are that has been sighted."""
    positions, rows = scratch.positions[contender], scratch.rows[contender]
    label, sighted = scratch.labels[contender], scratch.found[contender]
    scratch.found[contender] = locate(known, vector, label, positions, sighted, rows)


@kernel
def keep_own_rows(scratch, vector):
    """Of the example's label, keep the rows that there are, as locate() does of other labels'."""
    positions, rows, found = scratch.positions[0], scratch.rows[0], 0
    for offset in range(vector.end - vector.begin):
        positions[found], rows[found] = vector.begin + offset, rows[offset]
        found += rows[offset] != NO_ROW
    scratch.found[0] = found


@kernel
def score_contender(known, scratch, vector, contender):
    """The score of a contender's regressor."""
    values, weights, found = scratch.values, scratch.weights, scratch.found[contender]
    for place in range(found):
        values[place] = vector.values[scratch.positions[contender, place]]
        weights[place] = known.pairs[scratch.rows[contender, place]].weight
    score = dot(weights, values, found)
    scratch.scores[contender] = min(max(score, -LARGEST), LARGEST)


@kernel
def train_contender(known, scratch, vector, contender, slope, importance, mean_square):
    """Move the regressor of a contender against the slope of the loss, by the adaptive rule of
    linear/update."""
    table, found, rows = known.pairs, scratch.found[contender], scratch.rows[contender]
    values, direction = scratch.values, scratch.direction
    smoothing = np.float32(min(SMOOTHING * mean_square, LARGEST))
    for place in range(found):
        values[place] = vector.values[scratch.positions[contender, place]]
        direction[place] = table[rows[place]].squares
    for place in range(found):
        value = values[place]
        squares = direction[place] + value * value + smoothing
        direction[place] = value / np.sqrt(max(squares, TINY))
    gain = dot(direction, values, found)
    if not TINY < gain < LARGEST:
        return
    step = min(RATE * importance * abs(slope) / np.sqrt(mean_square), CLIP * importance / gain)
    step = min(step, LARGEST)  # infinity times a direction of 0 is no number
    step = np.float32(-step if slope > 0.0 else step)
    for place in range(found):
        row, value = rows[place], values[place]
        weight = np.float64(table[row].weight) + np.float64(step * direction[place])
        table[row].weight = min(max(weight, -LARGEST), LARGEST)
        square = np.float64(table[row].squares) + importance * slope * slope * value * value
        table[row].squares = min(square, LARGEST)


@kernel
def train_contenders(known, scratch, vector, count, importance, mean_square):
    """A step of the softmax over the contenders, of which the first is right; where its pairs are
    is known."""
    scores, largest, total = scratch.scores, -np.inf, 0.0
    for place in range(count):
        if place > 0:
            locate_contender(known, scratch, vector, place)
        score_contender(known, scratch, vector, place)
        largest = max(largest, scores[place])
    for place in range(count):
        total += exp(scores[place] - largest)
    for place in range(count):
        slope = exp(scores[place] - largest) / total - (1.0 if place == 0 else 0.0)
        if abs(slope) > THRESHOLD:
            train_contender(known, scratch, vector, place, slope, importance, mean_square)
