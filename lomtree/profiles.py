"""What the examples of a label look like: the sum of their scaled values, feature by feature.

The likeness of an example to a label is the cosine of the two. A search weighs the labels that it
has found by it, too: where labels have few examples each, a tree has little to tell them apart
from, and likeness says more than in a stream that has taught the tree well. So its weight falls
with the number of examples a label (see weight_of_likeness; chosen on held-out parts).

All sums are in one open-addressing table, 8 bytes for each pair of label and feature that came. A
pair is known by 32 bits of its hash alone: the few that agree in them share a sum.
"""

from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.array_file import Coming
from lomtree.batch import Batch
from lomtree.chance import draw
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.machine import prefetch
from lomtree.options import Options
from lomtree.parts import Parts

LIKENESS = 8.0
ENOUGH = 200.0  # examples a label, at which likeness counts half of that

PAIR = np.dtype([("mark", np.uint32), ("sum", np.float32)], align=True)  # mark 0: the row is free
FIRST_ROWS = 1 << 12
FULL = 0.75
LARGEST = 1e30  # of a sum


class Profiles(NamedTuple):
    table: np.ndarray  # PAIR[]
    squares: np.ndarray  # float64[labels]: the squared lengths of the sums
    used: np.ndarray  # int64[1]: rows that are not free


class Likenesses(NamedTuple):
    """Profiles, and how much likeness to them counts; 0: not at all."""

    profiles: Profiles
    weight: float


def make_profiles(rows: int = FIRST_ROWS, labels: int = 0) -> Profiles:
    return Profiles(aligned.zeros(rows, PAIR), np.zeros(labels), np.zeros(1, np.int64))


def no_likenesses() -> Likenesses:
    return Likenesses(make_profiles(), 0.0)


def weight_of_likeness(examples: float, labels: int) -> float:
    return LIKENESS / (1.0 + examples / (ENOUGH * max(labels, 1)))


@kernel
def mark_of(label, feature):
    bits = draw(0, (np.int64(label) << 32) | np.int64(feature))
    return max(np.uint32(bits >> np.uint64(32)), np.uint32(1))


@kernel
def home(table, mark):
    """The row where the search for a mark begins. The larger the mark, the larger the row: so the
    rows of tables of any length are in nearly the same order."""
    return np.int64((np.uint64(mark) * np.uint64(len(table))) >> np.uint64(32))


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
def fetch(table, features, begin, end, label):
    """Ask for the rows of these features for a label."""
    for position in range(begin, end):
        prefetch(table, home(table, mark_of(label, features[position])))


@kernel
def add_example(profiles, full, batch, example):
    """Add an example to its label's sums; where the table is `full`, to those that it has."""
    table, label = profiles.table, batch.labels[example]
    for position in range(batch.starts[example], batch.starts[example + 1]):
        mark = mark_of(label, batch.features[position])
        pair = table[find(table, mark)]
        if pair.mark == 0:
            if full:
                continue
            pair.mark = mark
            pair.sum = 0.0
            profiles.used[0] += 1
        before = np.float64(pair.sum)
        after = before + np.float64(batch.weights[example]) * batch.values[position]
        after = min(max(after, -LARGEST), LARGEST)
        pair.sum = after
        profiles.squares[label] += np.float64(pair.sum) ** 2 - before * before


@kernel
def learn(profiles, most, batch, first, last):
    """Add the examples first:last; those without a label or weight count nowhere. Stops before an
    example that may find no room in a table of less than `most` rows; returns its number."""
    table, labels, weights = profiles.table, batch.labels, batch.weights
    for example in range(first, last):
        following = min(example + 1, last - 1)
        fetch(
            table, batch.features, batch.starts[following], batch.starts[following + 1],
            labels[following],
        )  # fmt: skip
        if labels[example] < 0 or weights[example] == 0.0:
            continue
        length = batch.starts[example + 1] - batch.starts[example]
        full = profiles.used[0] + length > FULL * len(table)
        if labels[example] >= len(profiles.squares) or (full and len(table) < most):
            return example
        add_example(profiles, full, batch, example)
    return last


@kernel
def likeness(profiles, batch, begin, end, length, label):
    """The cosine of an example of this length and a label's sums."""
    if label >= len(profiles.squares) or not profiles.squares[label] > 0.0 or not length > 0.0:
        return 0.0
    product = 0.0
    for position in range(begin, end):
        mark = mark_of(label, batch.features[position])
        pair = profiles.table[find(profiles.table, mark)]
        if pair.mark == mark:
            product += np.float64(pair.sum) * np.float64(batch.values[position])
    return min(max(product / (length * sqrt(profiles.squares[label])), -1.0), 1.0)


@kernel
def length_of(batch, begin, end):
    square = 0.0
    for position in range(begin, end):
        square += np.float64(batch.values[position]) * np.float64(batch.values[position])
    return sqrt(square)


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


class Profiler:
    """Learns profiles from batches whose values are scaled."""

    def __init__(self, options: Options, profiles: Profiles | None = None) -> None:
        self.profiles = make_profiles() if profiles is None else profiles
        self._most = most_rows(options)

    def learn(self, batch: Batch, count: int) -> None:
        done = 0
        while True:
            done = learn(self.profiles, self._most, batch, done, count)
            if done == count:
                return
            length = int(batch.starts[done + 1] - batch.starts[done])
            self._grow(int(batch.labels[done]), length)

    def _grow(self, label: int, length: int) -> None:
        table, squares, used = self.profiles
        if label >= len(squares):
            more = np.zeros(2 * label + 2)
            more[: len(squares)] = squares
            squares = more
        if used[0] + length > FULL * len(table) and len(table) < self._most:
            marks, sums = _listed(self.profiles)
            aligned.give_back(table)
            rows = min(int(2 * (len(marks) + length) / FULL) + 1, self._most)
            table = aligned.zeros(rows, PAIR)
            _put_all(table, marks, sums)
        self.profiles = Profiles(table, squares, used)


def has_profiles(options: Options) -> bool:
    """One-against-all has regressors of labels, and needs none."""
    return options.profiles and options.algorithm != "oaa"


def most_rows(options: Options) -> int:
    """How long the table may become: a quarter of the weights' memory."""
    return max(FIRST_ROWS, 1 << (options.bits - 2))


def _listed(profiles: Profiles) -> tuple[np.ndarray, np.ndarray]:
    used = profiles.used[0]
    marks, sums = np.empty(used, np.uint32), np.empty(used, np.float32)
    _in_order(profiles.table, marks, sums)
    return marks, sums


def to_arrays(profiles: Profiles) -> dict[str, Any]:
    """The pairs are listed by another thread until they are written."""
    known = np.flatnonzero(profiles.squares)
    labels = int(known[-1]) + 1 if len(known) else 0
    used = int(profiles.used[0])
    listed = ThreadPoolExecutor(1).submit(_listed, profiles)
    return {
        "profiles.mark": Coming(np.uint32, used, lambda: [listed.result()[0]]),
        "profiles.sum": Coming(np.float32, used, lambda: [listed.result()[1]]),
        "profiles.squares": profiles.squares[:labels],
    }


def load_profiles(parts: Parts, options: Options, label_count: int) -> Profiles:
    marks, squares = parts.arrays["profiles.mark"], parts.arrays["profiles.squares"]
    marks = parts.column("profiles.mark", np.uint32, len(marks))
    sums = parts.column("profiles.sum", np.float32, len(marks))
    squares = parts.column("profiles.squares", np.float64, len(squares))
    if len(marks) and (marks[0] == 0 or np.any(marks[1:] <= marks[:-1])):
        raise ModelError("its profiles are not in order")
    if len(marks) > FULL * most_rows(options) or len(squares) > label_count:
        raise ModelError("its profiles are too many")
    if not np.all(np.abs(sums) <= LARGEST) or not np.all(np.isfinite(squares)):
        raise ModelError("its profiles are not finite numbers")
    rows = max(FIRST_ROWS, min(int(2 * len(marks) / FULL) + 1, most_rows(options)))
    profiles = Profiles(aligned.zeros(rows, PAIR), squares.copy(), np.array([len(marks)]))
    _put_all(profiles.table, marks, sums)
    return profiles
