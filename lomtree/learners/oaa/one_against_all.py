"""One-against-all: a regressor for each label, the largest score is the prediction; all is O(k).

An example is a sweep over the rows of its features. Its training goes by tiles of LANES labels, one
cache line of a row: most gradients are below the threshold, and a tile where all are is left alone.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.jit.intrinsics import (
    LANES,
    add16,
    add_products16,
    add_squares16,
    divide_by_root16,
)
from lomtree.jit.kernel import kernel
from lomtree.linear.dense_weights import (
    NO_ROW,
    ClassWeights,
    add_labels,
    has_room,
    row_of,
    take_row,
)
from lomtree.linear.update import (
    LARGEST_CELL,
    LARGEST_SCORE,
    TINY,
    Target,
    along,
    below_threshold,
    limited,
    move_by,
)
from lomtree.ranking.ranking import put_best
from lomtree.system import memory

SCORES_AT_ONCE = 1024  # scores
SMALLEST = 1e-300  # of a probability, beside the largest
IMPOSSIBLE = -1e30  # the logit of other labels: there are none
ZERO, UNCHANGED = np.float32(0.0), np.float32(1.0)  # the second as a factor


class OaaState(NamedTuple):
    """All that training changes."""

    table: ClassWeights
    seen: np.ndarray  # uint8[width]: 1 for each label that was learned
    totals: np.ndarray  # float64[2]: examples learned, their importance


class OaaScratch(NamedTuple):
    """Room for one example."""

    x: np.ndarray  # float32[]: its values
    rows: np.ndarray  # int64[]: of its features
    scores: np.ndarray  # float32[width]: of the labels, and of those not seen yet
    direction: np.ndarray  # float32[:, LANES]: of the update of one tile, by feature
    gains: np.ndarray  # float32[LANES]: what a step of size 1 adds to the scores
    steps: np.ndarray  # float32[LANES]
    added: np.ndarray  # float32[LANES]: to the squares


class Ranked(NamedTuple):
    """Room for all labels of one example, to be ranked."""

    labels: np.ndarray  # int32[]
    logits: np.ndarray  # float64[]


def make_scratch(length: int, width: int) -> OaaScratch:
    return OaaScratch(
        np.empty(length, np.float32),
        np.empty(length, np.int64),
        memory.zeros(width, np.float32),
        memory.zeros((length, LANES), np.float32),
        np.empty(LANES, np.float32),
        np.empty(LANES, np.float32),
        np.empty(LANES, np.float32),
    )


@kernel
def sweep(weights, scratch, length, columns):
    """The scores of the first `columns`, in whole tiles. A block of them stays in the cache while
    its part of all rows goes by."""
    scores, width = scratch.scores, weights.shape[1]
    columns = (columns + LANES - 1) // LANES * LANES
    for column in range(columns):
        scores[column] = 0.0
    for block in range(0, columns, SCORES_AT_ONCE):
        for position in range(length):
            at = scratch.rows[position] * width
            for first in range(block, min(block + SCORES_AT_ONCE, columns), LANES):
                add16(scores, first, weights, at + first, scratch.x[position], UNCHANGED)


@kernel
def best(scores, seen, labels):
    """The seen label with the largest score; the first of equal ones."""
    prediction, largest = NO_LABEL, np.float32(0.0)
    for label in range(labels):
        if seen[label] and (prediction == NO_LABEL or limited(scores[label]) > largest):
            prediction, largest = label, limited(scores[label])
    return prediction


@kernel
def side_of(label, y):
    """What the regressor of a label should say of an example of y."""
    return 1.0 if label == y else -1.0


@kernel
def all_below_threshold(rule, scores, first, last, y):
    for label in range(first, last):
        if not below_threshold(rule, limited(scores[label]), side_of(label, y)):
            return False
    return True


@kernel
def find_directions(table, rule, scratch, length, first):
    """The directions of the updates of a tile, and their gains; see find_direction."""
    direction, gains, width = scratch.direction, scratch.gains, table.weights.shape[1]
    for lane in range(LANES):
        gains[lane] = 0.0
    for position in range(length):
        at, value = scratch.rows[position] * width + first, scratch.x[position]
        if rule.adaptive and rule.power == 0.5:
            divide_by_root16(direction, position * LANES, table.squares, at, value, TINY)
        else:
            for lane in range(LANES):
                squares = (
                    table.squares[scratch.rows[position], first + lane] if rule.adaptive else ZERO
                )
                direction[position, lane] = along(rule, value, squares)
        add16(gains, 0, direction, position * LANES, value, UNCHANGED)


@kernel
def find_steps(rule, scratch, first, last, y, common):
    """The steps of the labels first:last of a tile; 0 for those whose gradients are below the
    threshold. Of the target, only the side differs from label to label."""
    gains, steps, added = scratch.gains, scratch.steps, scratch.added
    for lane in range(LANES):
        steps[lane] = 0.0
        added[lane] = 0.0
    for label in range(first, last):
        h, c, gain = limited(scratch.scores[label]), side_of(label, y), gains[label - first]
        if TINY < gain < LARGEST_SCORE and not below_threshold(rule, h, c):
            importance, trained = common.importance, common.trained
            target = Target(c, importance, trained, common.mean_square)
            steps[label - first], added[label - first] = move_by(rule, h, gain, target)


@kernel
def move(table, rule, scratch, length, first):
    """Take the steps of a tile."""
    width = table.weights.shape[1]
    for position in range(length):
        at, value = scratch.rows[position] * width + first, scratch.x[position]
        direction, steps, begin = scratch.direction, scratch.steps, position * LANES
        add_products16(table.weights, at, steps, direction, begin, LARGEST_CELL)
        if rule.adaptive:
            add_squares16(table.squares, at, scratch.added, value, LARGEST_CELL)


@kernel
def learn_example(state, rule, scratch, lesson, example):
    """Train all regressors; returns what they would have predicted before."""
    batch, table, totals = lesson.batch, state.table, state.totals
    begin, end = batch.starts[example], batch.starts[example + 1]
    y, importance, length = batch.labels[example], np.float64(batch.weights[example]), end - begin
    for position in range(length):
        scratch.rows[position] = take_row(table, batch.features[begin + position])
        scratch.x[position] = batch.values[begin + position]
    known = table.size[2]
    add_labels(table, y)
    columns = table.size[2] + 1
    sweep(table.weights, scratch, length, columns)
    prediction = best(scratch.scores, state.seen, known)
    state.seen[y] = 1
    target = Target(1.0, importance, totals[1], lesson.mean_squares[example])
    for first in range(0, columns, LANES):
        last = min(first + LANES, columns)
        if not all_below_threshold(rule, scratch.scores, first, last, y):
            find_directions(table, rule, scratch, length, first)
            find_steps(rule, scratch, first, last, y, target)
            move(table, rule, scratch, length, first)
    totals[0] += 1.0
    totals[1] += importance
    return prediction


@kernel
def score_example(table, scratch, batch, example):
    """Write the scores of all labels, and return their number. A feature without a row has no
    weights; nothing is changed."""
    begin, end = batch.starts[example], batch.starts[example + 1]
    length = 0
    for position in range(begin, end):
        row = row_of(table, batch.features[position])
        if row != NO_ROW:
            scratch.rows[length] = row
            scratch.x[length] = batch.values[position]
            length += 1
    labels = table.size[2]
    sweep(table.weights, scratch, length, labels)
    return labels


@kernel
def predict_example(state, scratch, batch, example):
    labels = score_example(state.table, scratch, batch, example)
    return best(scratch.scores, state.seen, labels)


@kernel
def learn(state, rule, scratch, lesson, first, last):
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example for which there is no room in the table; returns its number.
    """
    batch = lesson.batch
    for example in range(first, last):
        y = batch.labels[example]
        if y < 0 or batch.weights[example] == 0.0:
            prediction = predict_example(state, scratch, batch, example)
        else:
            if not has_room(state.table, batch.starts[example + 1] - batch.starts[example], y):
                return example
            prediction = learn_example(state, rule, scratch, lesson, example)
        lesson.predictions[example] = prediction
        lesson.depths[example] = 0
    return last


@kernel
def predict(state, scratch, batch, first, last, predictions, depths):
    for example in range(first, last):
        depths[example] = 0
        predictions[example] = predict_example(state, scratch, batch, example)


@kernel
def probability_beside(h, largest):
    """sigma(h) / sigma(largest), of scores for which both may round to 0."""
    beside = exp(min(h, 0.0) - min(largest, 0.0))
    return beside * (1.0 + exp(-abs(largest))) / (1.0 + exp(-abs(h)))


@kernel
def rank(state, scratch, batch, first, last, ranked, power, ranking):
    """Rank the labels of the examples first:last; a score is read as a probability, as in a tree,
    and raised to a power.

    The label that predict() gives goes first, as others may have the same probability: sigma of
    large scores rounds to 1.
    """
    labels, logits, scores, seen = ranked.labels, ranked.logits, scratch.scores, state.seen
    for example in range(first, last):
        count = score_example(state.table, scratch, batch, example)
        prediction = best(scores, seen, count)
        held = 0
        if prediction != NO_LABEL:
            labels[0], logits[0] = prediction, 0.0
            held = 1
        for label in range(count):
            if seen[label] and label != prediction:
                largest = np.float64(limited(scores[prediction]))
                beside = probability_beside(np.float64(limited(scores[label])), largest)
                labels[held] = label
                logits[held] = power * log(max(beside, SMALLEST))
                held += 1
        ranking.asked[example] = held
        put_best(labels, logits, held, IMPOSSIBLE, ranking, example)
