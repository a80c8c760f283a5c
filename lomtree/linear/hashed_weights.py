"""The hashed table that holds the weights of all regressors of a tree.

Each regressor has a slot. Eight slots make a block, and a feature's weights for the slots of a
block lie in one cache line (a row holds the weight and, for the adaptive rule, the sum of squared
gradients: 8 bytes). Trees give regressors that are used one after the other, such as a node and
its children, slots in one block: the first one used pays for them all. Blocks begin at multiples
of SPREAD, added to the feature's hash: no bit of it is lost to the regressor's number.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.jit.intrinsics import move8, prefetch
from lomtree.jit.kernel import kernel, subroutine
from lomtree.storage.state_dict import StateDict, whole_number
from lomtree.system import memory

BLOCK_BITS = 3
BLOCK = 1 << BLOCK_BITS

# Multiples of this, modulo any power of two from 2^11 to 2^32, keep at least 0.067 of the even
# distance from each other (its continued fractions have small terms): blocks of dense features
# lie side by side and share no weights before the table is nearly full.
SPREAD = np.uint32(0xB7728ED1)

FIRST_BITS = 18
TAG_BITS = 6
TAKEN = 1 << TAG_BITS  # set in the tag of every line in use
MOST_FETCHED = 200  # features
GROW_AT = 0.9  # the part of the lines in use at which the table doubles
NEXT_TO_NOTHING = np.float32(1e-20)  # of a weight that decays

_COLUMNS = ("w", "squares")
_TAG_COLUMNS = ("tag",)


class Weights(NamedTuple):
    """The table; what lies beyond the cells in use is reserved but never touched.

    A line is the BLOCK cells of one feature in one block.
    """

    table: np.ndarray  # float32[capacity, 2] (weight, squares) or [capacity, 1] (weight)
    tags: np.ndarray  # uint8[capacity / BLOCK]: of each line, TAKEN and the next bits of its index
    size: np.ndarray  # int64[2]: cells (a power of two), lines in use


def make_weights(bits: int, adaptive: bool) -> Weights:
    """An empty table that may grow to 2^bits cells; memory that is never touched costs nothing."""
    table = memory.zeros((1 << bits, 2 if adaptive else 1), np.float32)
    weights = Weights(table, np.zeros((1 << bits) // BLOCK, np.uint8), np.zeros(2, np.int64))
    weights.size[0] = first_cells(1 << bits)
    return weights


@kernel
def offset_of(slot):
    """What is added to a feature's index (times BLOCK) for the regressor at this slot."""
    block, member = slot >> BLOCK_BITS, slot & (BLOCK - 1)
    return ((np.uint32(block) * SPREAD) << np.uint32(BLOCK_BITS)) + np.uint32(member)


@kernel
def index_of(feature, offset):
    return (feature << np.uint32(BLOCK_BITS)) + offset


@kernel
def cell_of(feature, offset, mask):
    """The row of the table that holds a feature's weight."""
    return np.int64(index_of(feature, offset) & mask)


@kernel
def mask_of(weights):
    return np.uint32(weights.size[0] - 1)


@kernel
def fetch(weights, slot, vector):
    """Ask for the weights that score() will want, so that they are there by then. Those of a long
    example would push each other out of the cache; the machine sees them coming by itself."""
    if vector.end - vector.begin > MOST_FETCHED:
        return
    offset, mask = offset_of(slot), mask_of(weights)
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        prefetch(weights.table, cell_of(vector.features[position], offset, mask))


@kernel
def first_cells(capacity):
    """How many cells a table begins with; at most TAG_BITS doublings lead to its capacity."""
    return min(capacity, max(1 << FIRST_BITS, capacity >> TAG_BITS))


@kernel
def is_free(weights, cell):
    """Whether nobody has taken the cell's line. The tags are far away from the line: mostly the
    cell's own weight, or that of the block's first slot, is proof enough that it is taken."""
    table = weights.table
    return (
        table[cell, 0] == 0.0
        and table[cell & -BLOCK, 0] == 0.0
        and weights.tags[cell >> BLOCK_BITS] == 0
    )


@kernel
def take_line(weights, cell, index):
    """Note whose the line is, so that its weights can move when the table doubles."""
    above = np.int64(index) // first_cells(len(weights.table))
    weights.tags[cell >> BLOCK_BITS] = np.uint8(TAKEN | above & (TAKEN - 1))
    weights.size[1] += 1


@kernel
def make_room(weights):
    """Double a table that fills up, as far as its capacity goes."""
    cells = weights.size[0]
    if weights.size[1] > GROW_AT * (cells >> BLOCK_BITS) and cells < len(weights.table):
        double(weights)


@subroutine
def double(weights):
    """Each line moves to where the index that took it first is now looked up; an index that had
    shared the line finds a fresh one."""
    cells, columns = weights.size[0], weights.table.shape[1]
    lines = cells >> BLOCK_BITS
    bit = cells // first_cells(len(weights.table))
    for line in range(lines):
        if weights.tags[line] & bit:
            for part in range(columns):
                at = BLOCK * (line * columns + part)
                move8(weights.table, cells * columns + at, at)
            weights.tags[lines + line] = weights.tags[line]
            weights.tags[line] = 0
    weights.size[0] = 2 * cells


@kernel
def decay(weights, factor):
    """Let all weights and sums of squares be smaller by a factor; what is next to nothing is 0."""
    table = weights.table
    for cell in range(weights.size[0]):
        for column in range(table.shape[1]):
            number = np.float32(table[cell, column] * factor)
            table[cell, column] = number if abs(number) > NEXT_TO_NOTHING else np.float32(0.0)


def sharing(load: float) -> float:
    """The share of the lines in use that belong to more than one feature, if hits are random.

    A share `load` of the lines in use means x = -ln(1 - load) hits a line on average, and of the
    lines that were hit x e^-x / (1 - e^-x) were hit once.
    """
    if not 0 < load < 1:
        return float(load >= 1)
    hits = -log(1 - load)
    return 1 - hits * exp(-hits) / load


def store_weights(weights: Weights, state_dict: StateDict, predict_only: bool) -> None:
    cells = weights.size[0]
    state_dict.header["cells"] = weights.size.tolist()
    names = _COLUMNS[:1] if predict_only else _COLUMNS
    state_dict.put_packed("weights", names, weights.table[:cells])
    if not predict_only:
        state_dict.put_packed("tags", _TAG_COLUMNS, weights.tags[: cells // BLOCK, None])


def _columns(options: Options, learning: bool) -> tuple[str, ...]:
    return _COLUMNS if learning and options.update == "adaptive" else _COLUMNS[:1]


def check_weights(state_dict: StateDict, options: Options, learning: bool) -> tuple[int, int]:
    """How many cells the table of a file has, and how many lines in use; ModelError if it is
    none."""
    cells = whole_number(state_dict.header["cells"][0], 1 << 10, 1 << options.bits)
    used = whole_number(state_dict.header["cells"][1], 0, cells // BLOCK)
    if cells & (cells - 1):
        raise ModelError("its table's size is not a power of two")
    columns = _columns(options, learning)
    state_dict.check_packed("weights", columns, cells, np.float32)
    if len(columns) == 2 and state_dict.extent("weights.squares").least < 0:
        raise ModelError("its sums of squares are negative")
    if learning:
        first = first_cells(1 << options.bits)
        if cells < first or (cells > first and used <= GROW_AT * (cells // 2 // BLOCK)):
            raise ModelError("its table is smaller or larger than it can be")
        state_dict.check_packed("tags", _TAG_COLUMNS, cells // BLOCK, np.uint8)
        if np.count_nonzero(state_dict.whole("tags.tag")) != used:
            raise ModelError("its table is not as full as it says")
    return cells, used


def load_weights(state_dict: StateDict, options: Options, learning: bool) -> Weights:
    """The table of a file; without `learning`, only as large as it is and without the squares."""
    cells, used = check_weights(state_dict, options, learning)
    capacity = 1 << options.bits if learning else cells
    columns = len(_columns(options, learning))
    zeros = memory.zeros if learning else memory.zeros_in_small_pages
    weights = Weights(
        zeros((capacity, columns), np.float32),
        np.zeros(capacity // BLOCK if learning else 0, np.uint8),
        np.array([cells, used], np.int64),
    )
    state_dict.fill_packed("weights", _COLUMNS, weights.table[:cells])
    if learning:
        state_dict.fill_packed("tags", _TAG_COLUMNS, weights.tags[: cells // BLOCK, None])
    return weights
