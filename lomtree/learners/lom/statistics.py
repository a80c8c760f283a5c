"""What each node knows of each label: m, n and l of Algorithm 1, in one open-addressing table.

The key is (generation, label). A node takes a new generation whenever SetNode makes it new, so
dropping all its labels costs nothing; the dead rows go when the table is rebuilt.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.constants import NO_NODE
from lomtree.core.errors import ModelError
from lomtree.hashing.open_addressing import LOAD_LIMIT, home_of
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.learners.tree.structure import LARGEST_IMPORTANCE_SUM
from lomtree.storage.container import VALID_PIECES, Coming
from lomtree.storage.state_dict import StateDict
from lomtree.system import memory

STATISTIC = np.dtype(
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
ROOM = 1.5  # as many rows as there are
SLACK = 1.25
FETCHED = 16  # rows asked for in advance

_PIECE = 1 << 16  # rows
_MOVED = 1 << 20  # rows, at a time
_SUMS = ("m", "n", "l")
# In a file: counts of examples of importance 1 are small whole numbers.
_SUM_TYPES = tuple(np.dtype(name) for name in ("u1", "u2", "i4", "f8"))


def make_statistics(rows: int = FIRST_ROWS) -> np.ndarray:
    return memory.zeros(rows, STATISTIC)


def rows_for(count: int, most: int) -> int:
    """How many rows a table gets for `count` of them: room for half as many more. There will never
    be more than `most`; a quarter more than those are there for the dead ones."""
    return max(FIRST_ROWS, int(max(count, min(ROOM * count, SLACK * most)) / LOAD_LIMIT) + 1)


@kernel
def home(statistics, generation, label):
    """The row where the search for (generation, label) begins."""
    key = (np.uint64(generation) << np.uint64(32)) | np.uint64(label)
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(32)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    return home_of(key >> np.uint64(32), len(statistics))


@kernel
def find(statistics, generation, label):
    """The row of (generation, label), or the free row where it belongs."""
    row = home(statistics, generation, label)
    while statistics[row].generation != 0 and (
        statistics[row].generation != generation or statistics[row].label != label
    ):
        row += 1
        if row == len(statistics):
            row = 0
    return row


@kernel
def is_row_of(statistics, row, generation, label):
    """Whether this, which may be any number, is the row of (generation, label)."""
    return (
        0 <= row < len(statistics)
        and statistics[row].generation == generation
        and statistics[row].label == label
    )


@kernel
def has_room(statistics, used, more):
    return used + more <= LOAD_LIMIT * len(statistics)


@kernel
def move_living(statistics, number_of, target):
    """Copy the rows of living generations into an empty table, under the generations' new numbers
    (0: it is dead); returns how many."""
    moved = 0
    for row in range(len(statistics)):
        generation = number_of[statistics[row].generation]
        if generation != 0:
            there = find(target, generation, statistics[row].label)
            target[there] = statistics[row]
            target[there].generation = generation
            moved += 1
    return moved


def rebuilt(
    table: np.ndarray, number_of: np.ndarray, rows: int, cores: Executor | None
) -> tuple[np.ndarray, int]:
    """A table of so many rows with what move_living() finds, and how many that are. What has moved
    makes room for the rest: the old table is lost. Other cores touch the new one meanwhile."""
    target, moved = make_statistics(rows), 0
    if cores is not None:
        cores.submit(memory.touch, target)
    for begin in range(0, len(table), _MOVED):
        part = table[begin : begin + _MOVED]
        moved += move_living(part, number_of, target)
        memory.give_back(part)
    return target, moved


@kernel
def largest_count(statistics, is_living):
    """Of n and l of living generations; infinite if one of them is no whole number."""
    most, whole = 0.0, True
    for row in range(len(statistics)):
        entry = statistics[row]
        if is_living[entry.generation]:
            most = max(most, entry.n, entry.l)
            whole &= entry.n == np.floor(entry.n) and entry.l == np.floor(entry.l)
    return most if whole else np.inf


class Listed(NamedTuple):
    """Statistics in some order."""

    node: np.ndarray  # int32[]
    label: np.ndarray  # int32[]
    row: np.ndarray  # uint32[]


@kernel
def list_living(statistics, node_of, listed):
    """List the rows of living generations; node_of[generation] is the node, or -1."""
    count = 0
    for row in range(len(statistics)):
        entry = statistics[row]
        if entry.generation != 0 and node_of[entry.generation] >= 0:
            listed.node[count] = node_of[entry.generation]
            listed.label[count] = entry.label
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
    """The living statistics by node and label. generations[v] is that of node v."""
    node_of = np.full(generations.max() + 1, -1, np.int32)
    node_of[generations] = np.arange(len(generations))
    listed, by_label = _room_for(living), _room_for(living)
    list_living(table, node_of, listed)
    sort_by(listed.label, np.zeros(labels + 1, np.int64), listed, by_label)
    sort_by(by_label.node, np.zeros(len(generations) + 1, np.int64), by_label, listed)
    return listed


def of_leaves(table: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(leaf, label, l) of all living rows of leaves, in no order."""
    leaf_of = np.full(int(nodes["generation"].max()) + 1, NO_NODE, np.int64)
    leaves = np.flatnonzero(nodes["left"] == NO_NODE)
    leaf_of[nodes["generation"][leaves]] = leaves
    leaf_of[0] = NO_NODE
    living = table[leaf_of[np.minimum(table["generation"], len(leaf_of) - 1)] != NO_NODE]
    return leaf_of[living["generation"]], living["label"], living["l"]


def to_arrays(
    table: np.ndarray, generations: np.ndarray, living: int, ordered: Callable[[], Listed]
) -> dict[str, Coming]:
    """The living rows, which will have been `ordered` when they are written. Nodes are known by how
    many labels they have. Generations, and dead rows, are no part of what was learned."""
    is_living = np.zeros(generations.max() + 1, np.bool_)
    is_living[generations] = True
    counts = _type_for(largest_count(table, is_living))
    types = {"m": np.dtype(np.float64), "n": counts, "l": counts}
    return {
        "statistics.label": Coming(np.int32, living, lambda: [ordered().label]),
        **{
            f"statistics.{name}": Coming(dtype, living, partial(_sums, table, name, dtype, ordered))
            for name, dtype in types.items()
        },
    }


def _type_for(most: float) -> np.dtype:
    """The smallest that holds whole numbers up to this, if it is one."""
    return next(dtype for dtype in _SUM_TYPES if dtype.kind == "f" or most <= np.iinfo(dtype).max)


def _sums(
    table: np.ndarray, name: str, dtype: np.dtype, ordered: Callable[[], Listed]
) -> Iterator[np.ndarray]:
    numbers = table.view(np.float64).reshape(len(table), -1)
    column = 1 + _SUMS.index(name)  # generation and label are in the first 8 bytes
    rows = ordered().row
    values, buffers = np.empty(_PIECE), cycle(np.empty((VALID_PIECES, _PIECE), dtype))
    for begin in range(0, len(rows), _PIECE):
        part = rows[begin : begin + _PIECE]
        take_column(numbers, part, column, values)
        piece = next(buffers)[: len(part)]
        piece[:] = values[: len(part)]
        yield piece


def _room_for(count: int) -> Listed:
    return Listed(np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint32))


Columns = dict[str, Any]


@kernel
def are_in_order(label, ends):
    """Whether the labels of each node rise; `ends` tells where those of each end."""
    begin = 0
    for node in range(len(ends)):
        for place in range(begin + 1, ends[node]):
            if label[place] <= label[place - 1]:
                return False
        begin = ends[node]
    return True


def check(state_dict: StateDict, labels: np.ndarray, label_count: int) -> Columns:
    """The columns of a file by their names; ModelError if they are no statistics of nodes that have
    so many labels each."""
    ends = np.cumsum(labels, dtype=np.int64)
    length = int(ends[-1])
    columns: Columns = {"label": state_dict.column("statistics.label", np.int32, length)}
    least, largest = state_dict.extent("statistics.label")
    if least < 0 or (length and largest >= label_count):
        raise ModelError("its statistics do not fit its labels")
    if not are_in_order(columns["label"], ends):
        raise ModelError("its statistics do not fit its nodes and labels")
    for name in _SUMS:
        columns[name] = state_dict.arrays[f"statistics.{name}"]
        if columns[name].dtype not in _SUM_TYPES or len(columns[name]) != length:
            raise ModelError("its statistics do not have the expected form")
        least, largest = state_dict.extent(f"statistics.{name}")
        if not (-LARGEST_IMPORTANCE_SUM < least and largest < LARGEST_IMPORTANCE_SUM):
            raise ModelError("its statistics are not finite numbers")
        if least < 0 and name != "m":
            raise ModelError("its statistics are negative")
    columns["node"] = np.repeat(np.arange(len(labels), dtype=np.int32), labels)
    return columns


def table_of(columns: Columns, generations: np.ndarray, most: int) -> np.ndarray:
    """What check() let in, in a table with room for more, up to `most`."""
    length = len(columns["node"])
    rows = np.zeros(length, STATISTIC)
    rows["generation"] = generations[columns["node"]]
    for name in ("label", *_SUMS):
        rows[name] = columns[name]
    table = make_statistics(rows_for(length, most))
    move_living(rows, np.arange(generations.max() + 1, dtype=np.int32), table)
    return table
