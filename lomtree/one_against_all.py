"""One-against-all: a regressor for each label, the largest score answers; O(k) for everything.

An example is a sweep over the rows of its features. Its training goes by tiles of LANES labels, one
cache line of a row: most regressors are sure of their no, and a tile where all are is left alone.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.class_weights import NO_ROW, add_labels, has_room, row_of, take_row
from lomtree.compiled import kernel
from lomtree.machine import LANES, add16, add_products16, divide_by_root16
from lomtree.ranking import put_best
from lomtree.regressor import LARGEST, TINY, along, is_sure, limited, move_by
from lomtree.structure import NO_LABEL

BLOCK = 1024  # scores
ZERO, ONE = np.float32(0.0), np.float32(1.0)


class Scratch(NamedTuple):
    """Room for one example."""

    x: np.ndarray  # float32[]: its values
    rows: np.ndarray  # int64[]: of its features
    scores: np.ndarray  # float32[width]: of the labels, and of those not seen yet
    direction: np.ndarray  # float32[:, LANES]: of the update of one tile, by feature
    gains: np.ndarray  # float32[LANES]: what a step of size 1 adds to the scores
    steps: np.ndarray  # float32[LANES]
    added: np.ndarray  # float32[LANES]: to the squares


def make_scratch(length: int, width: int) -> Scratch:
    return Scratch(
        np.empty(length, np.float32),
        np.empty(length, np.int64),
        aligned.zeros(width, np.float32),
        aligned.zeros((length, LANES), np.float32),
        np.empty(LANES, np.float32),
        np.empty(LANES, np.float32),
        np.empty(LANES, np.float32),
    )


@kernel
def sweep(weights, rows, x, length, scores, columns):
    """The scores of the first `columns`, in whole tiles. A block of them stays in the cache while
    its part of all rows goes by."""
    width, columns = weights.shape[1], (columns + LANES - 1) // LANES * LANES
    for column in range(columns):
        scores[column] = 0.0
    for block in range(0, columns, BLOCK):
        for position in range(length):
            at = rows[position] * width
            for first in range(block, min(block + BLOCK, columns), LANES):
                add16(scores, first, weights, at + first, x[position], ONE)


@kernel
def best(scores, seen, labels):
    """The seen label with the largest score; the first of equal ones."""
    answer, largest = NO_LABEL, np.float32(0.0)
    for label in range(labels):
        if seen[label] and (answer == NO_LABEL or limited(scores[label]) > largest):
            answer, largest = label, limited(scores[label])
    return answer


@kernel
def target(label, y):
    return 1.0 if label == y else -1.0


@kernel
def all_sure(rule, scores, first, last, y):
    for label in range(first, last):
        if not is_sure(rule, limited(scores[label]), target(label, y)):
            return False
    return True


@kernel
def find_directions(table, rule, scratch, length, first):
    """The directions of the updates of a tile, and their gains; see regressor.find_direction."""
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
        add16(gains, 0, direction, position * LANES, value, ONE)


@kernel
def find_steps(rule, scratch, first, last, y, importance, examples, mean_square):
    """The steps of the labels first:last of a tile; 0 for those that are sure."""
    gains, steps, added = scratch.gains, scratch.steps, scratch.added
    for lane in range(LANES):
        steps[lane] = 0.0
        added[lane] = 0.0
    for label in range(first, last):
        h, c, gain = limited(scratch.scores[label]), target(label, y), gains[label - first]
        if TINY < gain < LARGEST and not is_sure(rule, h, c):
            steps[label - first], added[label - first] = move_by(
                rule, h, c, gain, importance, examples, mean_square
            )


@kernel
def move(table, rule, scratch, length, first):
    """Take the steps of a tile."""
    width = table.weights.shape[1]
    for position in range(length):
        at, value = scratch.rows[position] * width + first, scratch.x[position]
        add_products16(table.weights, at, scratch.steps, scratch.direction, position * LANES)
        if rule.adaptive:
            add16(table.squares, at, scratch.added, 0, value, value)


@kernel
def learn_example(table, seen, totals, rule, scratch, batch, example, mean_square):
    """Train all regressors; returns what they would have answered before."""
    begin, end = batch.starts[example], batch.starts[example + 1]
    y, importance, length = batch.labels[example], np.float64(batch.weights[example]), end - begin
    for position in range(length):
        scratch.rows[position] = take_row(table, batch.features[begin + position])
        scratch.x[position] = batch.values[begin + position]
    known = table.size[2]
    add_labels(table, y)
    columns = table.size[2] + 1
    sweep(table.weights, scratch.rows, scratch.x, length, scratch.scores, columns)
    answer = best(scratch.scores, seen, known)
    seen[y] = 1
    for first in range(0, columns, LANES):
        last = min(first + LANES, columns)
        if not all_sure(rule, scratch.scores, first, last, y):
            find_directions(table, rule, scratch, length, first)
            find_steps(rule, scratch, first, last, y, importance, totals[1], mean_square)
            move(table, rule, scratch, length, first)
    totals[0] += 1.0
    totals[1] += importance
    return answer


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
    sweep(table.weights, scratch.rows, scratch.x, length, scratch.scores, labels)
    return labels


@kernel
def answer_example(table, seen, scratch, batch, example):
    labels = score_example(table, scratch, batch, example)
    return best(scratch.scores, seen, labels)


@kernel
def learn(
    table, seen, totals, rule, scratch, batch, mean_squares, first, last, answers, depths
):  # fmt: skip
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example for which there is no room in the table; returns its number.
    """
    for example in range(first, last):
        depths[example] = 0
        y = batch.labels[example]
        if y < 0 or batch.weights[example] == 0.0:
            answers[example] = answer_example(table, seen, scratch, batch, example)
            continue
        if not has_room(table, batch.starts[example + 1] - batch.starts[example], y):
            return example
        answers[example] = learn_example(
            table, seen, totals, rule, scratch, batch, example, mean_squares[example]
        )
    return last


@kernel
def predict(table, seen, scratch, batch, first, last, answers, depths):
    for example in range(first, last):
        depths[example] = 0
        answers[example] = answer_example(table, seen, scratch, batch, example)


@kernel
def chance_beside(h, largest):
    """sigma(h) / sigma(largest), of scores for which both may round to 0."""
    beside = exp(min(h, 0.0) - min(largest, 0.0))
    return beside * (1.0 + exp(-abs(largest))) / (1.0 + exp(-abs(h)))


@kernel
def rank(table, seen, scratch, batch, first, last, labels, masses, ranking):
    """Rank the labels of the examples first:last; a score is read as a probability, as in a tree.

    `labels` and `masses` are room for all of them. The answer of predict() goes first, as others
    may have the same probability: sigma of large scores rounds to 1.
    """
    for example in range(first, last):
        count, scores = score_example(table, scratch, batch, example), scratch.scores
        answer = best(scores, seen, count)
        held = 0
        if answer != NO_LABEL:
            labels[0], masses[0] = answer, 1.0
            held = 1
        for label in range(count):
            if seen[label] and label != answer:
                largest = np.float64(limited(scores[answer]))
                labels[held] = label
                masses[held] = chance_beside(np.float64(limited(scores[label])), largest)
                held += 1
        ranking.asked[example] = held
        put_best(labels, masses, held, ranking, example)
