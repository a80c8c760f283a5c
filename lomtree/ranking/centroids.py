"""What the examples of a label look like: the sum of their scaled values, feature by feature.

A search weighs the labels that it has found by the cosine of the example and this sum, too: where
labels have few examples each, a tree has little to tell them apart from, and the cosine says more
than in a stream that has taught the tree well. So its weight falls with the number of examples a
label (see cosine_weight; chosen on held-out parts).

All sums are in one open-addressing table, 8 bytes for each pair of label and feature that came. A
pair is known by 32 bits of its hash alone: the few that agree in them share a sum.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, vector_of
from lomtree.hashing.counter_rng import draw
from lomtree.hashing.open_addressing import LOAD_LIMIT, home_of
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.storage.container import Coming
from lomtree.storage.state_dict import StateDict
from lomtree.system import memory

LARGEST_COSINE_WEIGHT = 8.0
ENOUGH = 200.0  # examples a label, at which cosine counts half of that

PAIR = np.dtype([("mark", np.uint32), ("sum", np.float32)], align=True)  # mark 0: the row is free
FIRST_ROWS = 1 << 12
LARGEST_VALUE_SUM = 1e30  # of a sum


class Centroids(NamedTuple):
    table: np.ndarray  # PAIR[]
    squares: np.ndarray  # float64[labels]: the squared lengths of the sums
    used: np.ndarray  # int64[1]: rows that are not free


class WeightedCentroids(NamedTuple):
    """Centroids, and how much cosine to them counts; 0: not at all."""

    centroids: Centroids
    weight: float


def make_centroids(rows: int = FIRST_ROWS, labels: int = 0) -> Centroids:
    return Centroids(memory.zeros(rows, PAIR), np.zeros(labels), np.zeros(1, np.int64))


def no_centroids() -> WeightedCentroids:
    return WeightedCentroids(make_centroids(), 0.0)


def cosine_weight(examples: float, labels: int) -> float:
    return LARGEST_COSINE_WEIGHT / (1.0 + examples / (ENOUGH * max(labels, 1)))


@kernel
def mark_of(label, feature):
    bits = draw(0, (np.int64(label) << 32) | np.int64(feature))
    return max(np.uint32(bits >> np.uint64(32)), np.uint32(1))


@kernel
def home(table, mark):
    """The row where the search for a mark begins."""
    return home_of(mark, len(table))


@kernel
def find(table, mark):
    """The row of a mark, or the free row where it belongs."""
    row = home(table, mark)
    while table[row].mark != mark and table[row].mark != 0:
        row += 1
        if row == len(table):
            row = 0
    return row


@kernel
def fetch(table, vector, label):
    """Ask for the rows of an example's features for a label."""
    for position in range(vector.begin, vector.end):
        prefetch(table, home(table, mark_of(label, vector.features[position])))


@kernel
def add_example(centroids, full, batch, example):
    """Add an example to its label's sums; where the table is `full`, to those that it has."""
    table, label = centroids.table, batch.labels[example]
    for position in range(batch.starts[example], batch.starts[example + 1]):
        mark = mark_of(label, batch.features[position])
        pair = table[find(table, mark)]
        if pair.mark == 0:
            if full:
                continue
            pair.mark = mark
            pair.sum = 0.0
            centroids.used[0] += 1
        before = np.float64(pair.sum)
        after = before + np.float64(batch.weights[example]) * batch.values[position]
        after = min(max(after, -LARGEST_VALUE_SUM), LARGEST_VALUE_SUM)
        pair.sum = after
        centroids.squares[label] += np.float64(pair.sum) ** 2 - before * before


@kernel
def learn(centroids, most, batch, first, last):
    """Add the examples first:last; those without a label or weight count nowhere. Stops before an
    example that may find no room in a table of less than `most` rows; returns its number."""
    table, labels, weights = centroids.table, batch.labels, batch.weights
    for example in range(first, last):
        following = min(example + 1, last - 1)
        fetch(table, vector_of(batch, following), labels[following])
        if labels[example] < 0 or weights[example] == 0.0:
            continue
        length = batch.starts[example + 1] - batch.starts[example]
        full = centroids.used[0] + length > LOAD_LIMIT * len(table)
        if labels[example] >= len(centroids.squares) or (full and len(table) < most):
            return example
        add_example(centroids, full, batch, example)
    return last


@kernel
def cosine(centroids, vector, length, label):
    """The cosine of an example of this length and a label's sums."""
    if label >= len(centroids.squares) or not centroids.squares[label] > 0.0 or not length > 0.0:
        return 0.0
    product = 0.0
    for position in range(vector.begin, vector.end):
        mark = mark_of(label, vector.features[position])
        pair = centroids.table[find(centroids.table, mark)]
        if pair.mark == mark:
            product += np.float64(pair.sum) * np.float64(vector.values[position])
    return min(max(product / (length * np.sqrt(centroids.squares[label])), -1.0), 1.0)


@kernel
def length_of(vector):
    square = 0.0
    for position in range(vector.begin, vector.end):
        square += np.float64(vector.values[position]) * np.float64(vector.values[position])
    return np.sqrt(square)


@kernel
def _in_order(table, marks, sums):
    """List the pairs by their marks; returns how many. The rows are nearly in this order: first
    come those at the beginning that found no room at the end, and those of a cluster are mixed."""
    listed = 0
    for late in (False, True):
        for row in range(len(table)):
            mark = table[row].mark
            if mark == 0 or (home(table, mark) > row) != late:
                continue
            place = listed
            while place > 0 and marks[place - 1] > mark:
                marks[place] = marks[place - 1]
                sums[place] = sums[place - 1]
                place -= 1
            marks[place] = mark
            sums[place] = table[row].sum
            listed += 1
    return listed


@kernel
def _put_all(table, marks, sums):
    for place in range(len(marks)):
        pair = table[find(table, marks[place])]
        pair.mark = marks[place]
        pair.sum = sums[place]


class CentroidLearner:
    """Learns centroids from batches whose values are scaled."""

    def __init__(self, options: Options, centroids: Centroids | None = None) -> None:
        self.centroids = make_centroids() if centroids is None else centroids
        self._most = most_rows(options)

    def learn(self, batch: Batch, count: int) -> None:
        done = 0
        while True:
            done = learn(self.centroids, self._most, batch, done, count)
            if done == count:
                return
            length = int(batch.starts[done + 1] - batch.starts[done])
            self._grow(int(batch.labels[done]), length)

    def _grow(self, label: int, length: int) -> None:
        table, squares, used = self.centroids
        if label >= len(squares):
            more = np.zeros(2 * label + 2)
            more[: len(squares)] = squares
            squares = more
        if used[0] + length > LOAD_LIMIT * len(table) and len(table) < self._most:
            marks, sums = _listed(self.centroids)
            memory.give_back(table)
            rows = min(int(2 * (len(marks) + length) / LOAD_LIMIT) + 1, self._most)
            table = memory.zeros(rows, PAIR)
            _put_all(table, marks, sums)
        self.centroids = Centroids(table, squares, used)


def has_centroids(options: Options) -> bool:
    """One-against-all has regressors of labels, and needs none."""
    return options.centroids and ALGORITHMS[options.algorithm].has_centroids


def most_rows(options: Options) -> int:
    """How long the table may become: a quarter of the weights' memory."""
    return max(FIRST_ROWS, 1 << (options.bits - 2))


def _listed(centroids: Centroids) -> tuple[np.ndarray, np.ndarray]:
    used = centroids.used[0]
    marks, sums = np.empty(used, np.uint32), np.empty(used, np.float32)
    _in_order(centroids.table, marks, sums)
    return marks, sums


def to_arrays(centroids: Centroids) -> dict[str, Any]:
    """The pairs are listed by another thread until they are written."""
    known = np.flatnonzero(centroids.squares)
    labels = int(known[-1]) + 1 if len(known) else 0
    used = int(centroids.used[0])
    listed = ThreadPoolExecutor(1).submit(_listed, centroids)
    return {
        "centroids.mark": Coming(np.uint32, used, lambda: [listed.result()[0]]),
        "centroids.sum": Coming(np.float32, used, lambda: [listed.result()[1]]),
        "centroids.squares": centroids.squares[:labels],
    }


def load_centroids(state_dict: StateDict, options: Options, label_count: int) -> Centroids:
    marks, squares = state_dict.arrays["centroids.mark"], state_dict.arrays["centroids.squares"]
    marks = state_dict.column("centroids.mark", np.uint32, len(marks))
    sums = state_dict.column("centroids.sum", np.float32, len(marks))
    squares = state_dict.column("centroids.squares", np.float64, len(squares))
    if len(marks) and (marks[0] == 0 or np.any(marks[1:] <= marks[:-1])):
        raise ModelError("its centroids are not in order")
    if len(marks) > LOAD_LIMIT * most_rows(options) or len(squares) > label_count:
        raise ModelError("its centroids are too many")
    if not np.all(np.abs(sums) <= LARGEST_VALUE_SUM) or not np.all(np.isfinite(squares)):
        raise ModelError("its centroids are not finite numbers")
    rows = max(FIRST_ROWS, min(int(2 * len(marks) / LOAD_LIMIT) + 1, most_rows(options)))
    centroids = Centroids(memory.zeros(rows, PAIR), squares.copy(), np.array([len(marks)]))
    _put_all(centroids.table, marks, sums)
    return centroids
