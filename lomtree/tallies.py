"""What each node knows of each label: m, n and l of Algorithm 1, in one open-addressing table.

The key is (generation, label). A node takes a new generation whenever SetNode makes it new, so
forgetting all its labels costs nothing; the forgotten rows are dropped when the table is rebuilt.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import cycle
from typing import NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.array_file import KEPT, Coming
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.machine import prefetch
from lomtree.parts import Parts
from lomtree.structure import LARGEST_SUM

TALLY = np.dtype(
    [
        ("generation", np.int32),  # 0: the row is free
        ("label", np.int32),
        ("m", np.float64),  # sum of the scores
        ("n", np.float64),  # weight of the examples the node's regressor was trained with
        ("l", np.float64),  # weight of the examples that reached the node
    ],
    align=True,
)
FIRST_ROWS = 1 << 12
FULL = 0.75
SLACK = 1.25
FETCHED = 16  # rows asked for in advance

_PIECE = 1 << 16  # rows
_MOVED = 1 << 20  # rows, at a time
_SUMS = ("m", "n", "l")


def make_tallies(rows: int = FIRST_ROWS) -> np.ndarray:
    return aligned.zeros(rows, TALLY)


def rows_for(count: int, most: int) -> int:
    """How many rows a table gets for `count` of them: room for as many more. There will never be
    more than `most`; a quarter more than those are there for the forgotten ones."""
    return max(FIRST_ROWS, int(max(count, min(2 * count, SLACK * most)) / FULL) + 1)


@kernel
def home(tallies, generation, label):
    """The row where the search for (generation, label) begins."""
    key = (np.uint64(generation) << np.uint64(32)) | np.uint64(label)
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(32)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    # Not the last bits of the hash but its size decides: so a table of any length has its rows in
    # nearly the same order, and they move to a longer one without jumping about in memory.
    return np.int64(((key >> np.uint64(32)) * np.uint64(len(tallies))) >> np.uint64(32))


@kernel
def find(tallies, generation, label):
    """The row of (generation, label), or the free row where it belongs."""
    row = home(tallies, generation, label)
    while tallies[row].generation != 0 and (
        tallies[row].generation != generation or tallies[row].label != label
    ):
        row += 1
        if row == len(tallies):
            row = 0
    return row


@kernel
def is_row_of(tallies, row, generation, label):
    """Whether this, which may be any number, is the row of (generation, label)."""
    return (
        0 <= row < len(tallies)
        and tallies[row].generation == generation
        and tallies[row].label == label
    )


@kernel
def has_room(tallies, used, more):
    return used + more <= FULL * len(tallies)


@kernel
def move_living(tallies, number_of, target):
    """Copy the rows of living generations into an empty table, under the generations' new numbers
    (0: it is forgotten); returns how many."""
    moved = 0
    for row in range(len(tallies)):
        generation = number_of[tallies[row].generation]
        if generation != 0:
            there = find(target, generation, tallies[row].label)
            target[there] = tallies[row]
            target[there].generation = generation
            moved += 1
    return moved


def rebuilt(
    table: np.ndarray, number_of: np.ndarray, rows: int, cores: Executor | None
) -> tuple[np.ndarray, int]:
    """A table of so many rows with what move_living() finds, and how many that are. What has moved
    makes room for the rest: the old table is lost. Other cores touch the new one meanwhile."""
    target, moved = make_tallies(rows), 0
    if cores is not None:
        cores.submit(aligned.touch, target)
    for begin in range(0, len(table), _MOVED):
        part = table[begin : begin + _MOVED]
        moved += move_living(part, number_of, target)
        aligned.give_back(part)
    return target, moved


class Listed(NamedTuple):
    """Tallies in some order."""

    node: np.ndarray  # int32[]
    label: np.ndarray  # int32[]
    row: np.ndarray  # uint32[]


@kernel
def list_living(tallies, node_of, listed):
    """List the rows of living generations; node_of[generation] is the node, or -1."""
    count = 0
    for row in range(len(tallies)):
        tally = tallies[row]
        if tally.generation != 0 and node_of[tally.generation] >= 0:
            listed.node[count] = node_of[tally.generation]
            listed.label[count] = tally.label
            listed.row[count] = row
            count += 1


@kernel
def sort_by(numbers, starts, listed, target):
    """Sort what is listed by these numbers, one for each, by counting; equals stay in their order.
    `starts` are zeros, one more than the largest number."""
    for place in range(len(numbers)):
        starts[numbers[place] + 1] += 1
    for number in range(1, len(starts)):
        starts[number] += starts[number - 1]
    for place in range(len(numbers)):
        there = starts[numbers[place]]
        starts[numbers[place]] += 1
        target.node[there] = listed.node[place]
        target.label[there] = listed.label[place]
        target.row[there] = listed.row[place]


@kernel
def take_column(numbers, rows, column, values):
    """Collect one column of these rows."""
    for place in range(len(rows)):
        prefetch(numbers, rows[min(place + FETCHED, len(rows) - 1)])
        values[place] = numbers[rows[place], column]


def in_order(table: np.ndarray, generations: np.ndarray, living: int, labels: int) -> Listed:
    """The living tallies by node and label. generations[v] is that of node v."""
    node_of = np.full(generations.max() + 1, -1, np.int32)
    node_of[generations] = np.arange(len(generations))
    listed, by_label = _room_for(living), _room_for(living)
    list_living(table, node_of, listed)
    sort_by(listed.label, np.zeros(labels + 1, np.int64), listed, by_label)
    sort_by(by_label.node, np.zeros(len(generations) + 1, np.int64), by_label, listed)
    return listed


def to_arrays(table: np.ndarray, living: int, ordered: Callable[[], Listed]) -> dict[str, Coming]:
    """The living tallies, which will have been `ordered` when they are written. Generations are no
    part of what was learned."""
    return {
        "tallies.node": Coming(np.int32, living, lambda: [ordered().node]),
        "tallies.label": Coming(np.int32, living, lambda: [ordered().label]),
        **{
            f"tallies.{name}": Coming(np.float64, living, partial(_sums, table, name, ordered))
            for name in _SUMS
        },
    }


def _sums(table: np.ndarray, name: str, ordered: Callable[[], Listed]) -> Iterator[np.ndarray]:
    numbers = table.view(np.float64).reshape(len(table), -1)
    column = 1 + _SUMS.index(name)  # generation and label are in the first 8 bytes
    rows = ordered().row
    buffers = cycle(np.empty((KEPT, _PIECE)))
    for begin in range(0, len(rows), _PIECE):
        part = rows[begin : begin + _PIECE]
        values = next(buffers)[: len(part)]
        take_column(numbers, part, column, values)
        yield values


def _room_for(count: int) -> Listed:
    return Listed(np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint32))


def load(parts: Parts, generations: np.ndarray, label_count: int, most: int) -> np.ndarray:
    """The table of a file, with room for more, up to `most`."""
    length = len(parts.arrays["tallies.node"])
    node = parts.column("tallies.node", np.int32, length)
    columns = {
        name: parts.column(f"tallies.{name}", TALLY[name], length) for name in ("label", *_SUMS)
    }
    label = columns["label"]
    key = (node.astype(np.int64) << 32) | label
    if length and (
        node.min() < 0
        or node.max() >= len(generations)
        or label.min() < 0
        or label.max() >= label_count
        or np.any(key[1:] <= key[:-1])
    ):
        raise ModelError("its tallies do not fit its nodes and labels")
    if not all(np.all(np.abs(columns[name]) < LARGEST_SUM) for name in _SUMS):
        raise ModelError("its tallies are not finite numbers")
    if length and (columns["n"].min() < 0 or columns["l"].min() < 0):
        raise ModelError("its tallies are negative")
    rows = np.zeros(length, TALLY)
    rows["generation"] = generations[node]
    for name, column in columns.items():
        rows[name] = column
    table = make_tallies(rows_for(length, most))
    move_living(rows, np.arange(generations.max() + 1, dtype=np.int32), table)
    return table
