"""What each node knows of each label: m, n and l of Algorithm 1, in one open-addressing table.

The key is (generation, label). A node takes a new generation whenever SetNode makes it new, so
forgetting all its labels costs nothing; the forgotten rows are dropped when the table is rebuilt.
"""

import numpy as np

from lomtree.compiled import kernel

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
FULL = 0.7


def make_tallies(rows: int = FIRST_ROWS) -> np.ndarray:
    return np.zeros(rows, TALLY)


def rows_for(count: int) -> int:
    """How many rows a table needs so that `count` of them leave it at most half full."""
    rows = FIRST_ROWS
    while rows < 2 * count:
        rows *= 2
    return rows


@kernel
def home(tallies, generation, label):
    """The row where the search for (generation, label) begins."""
    key = (np.uint64(generation) << np.uint64(32)) | np.uint64(label)
    key *= np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(32)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    mask = len(tallies) - 1
    return np.int64(key >> np.uint64(32)) & mask


@kernel
def find(tallies, generation, label):
    """The row of (generation, label), or the free row where it belongs."""
    mask = len(tallies) - 1
    row = home(tallies, generation, label)
    while tallies[row].generation != 0 and (
        tallies[row].generation != generation or tallies[row].label != label
    ):
        row = (row + 1) & mask
    return row


@kernel
def has_room(tallies, used, more):
    return used + more <= FULL * len(tallies)


@kernel
def move_living(tallies, alive, target):
    """Copy the rows whose generation is alive into an empty table; returns how many."""
    moved = 0
    for row in range(len(tallies)):
        generation = tallies[row].generation
        if generation != 0 and alive[generation]:
            target[find(target, generation, tallies[row].label)] = tallies[row]
            moved += 1
    return moved
