"""The weights of one-against-all: a row for each feature, in it one weight for each label.

So the weights that a feature has for all labels lie side by side. Features take rows as they come
and are found again by their hash; no two of them share a row before there are 2^bits weights. From
then on a new feature shares the row that its hash points to.

The column behind the last label is a regressor, too: that of all labels not seen yet, trained to
say no. A new label begins with it, as if it had been there from the first example on.
"""

from typing import NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.machine import LANES
from lomtree.options import Options
from lomtree.parts import Parts, all_differ, whole_number

NO_ROW = -1
_FIRST_SLOTS = 1 << 12


class ClassWeights(NamedTuple):
    weights: np.ndarray  # float32[limit, width]
    squares: np.ndarray  # float32[limit, width]; without the adaptive rule [0, width]
    features: np.ndarray  # uint32[limit]: whose row it is
    slots: np.ndarray  # int32[]: 1 + row, by the feature's hash; 0 where free
    size: np.ndarray  # int64[3]: rows in use, rows at most, labels


def width_for(labels: int) -> int:
    """How long rows are for so many labels and the one behind them. Only every so often a length,
    at most a quarter longer than the one before: growing is rare, and little is wasted."""
    tiles = -(-(labels + 1) // LANES)  # cache lines
    step = 1 << max(0, tiles.bit_length() - 3)
    return LANES * step * -(-tiles // step)


def make_class_weights(options: Options, labels: int) -> ClassWeights:
    """Empty, for so many labels; memory that is never touched costs nothing."""
    width = width_for(labels)
    return _make(max(1, (1 << options.bits) // width), width, options.update == "adaptive")


def _make(limit: int, width: int, squares: bool) -> ClassWeights:
    return ClassWeights(
        aligned.zeros((limit, width), np.float32),
        aligned.zeros((limit if squares else 0, width), np.float32),
        np.zeros(limit, np.uint32),
        np.zeros(_FIRST_SLOTS, np.int32),
        np.array([0, limit, 0], np.int64),
    )


@kernel
def _find(table, feature):
    """The slot of a feature, or the free slot where it belongs."""
    mask = len(table.slots) - 1
    key = np.uint32(feature * np.uint32(0x9E3779B1))
    slot = np.int64(key ^ (key >> np.uint32(16))) & mask  # or multiples of 2^n would meet
    while table.slots[slot] != 0 and table.features[table.slots[slot] - 1] != feature:
        slot = (slot + 1) & mask
    return slot


@kernel
def row_of(table, feature):
    """The row of a feature, or NO_ROW."""
    row = table.slots[_find(table, feature)] - 1
    if row < 0 and table.size[0] == table.size[1]:
        return np.int64(feature) % table.size[1]
    return np.int64(row)


@kernel
def take_row(table, feature):
    """The row of a feature, which is a new one if need be."""
    row = row_of(table, feature)
    if row == NO_ROW:
        row = table.size[0]
        table.features[row] = feature
        table.slots[_find(table, feature)] = row + 1
        table.size[0] += 1
    return row


@kernel
def has_room(table, features, label):
    """Whether an example with so many features and this label may come."""
    rows = min(table.size[0] + features, table.size[1])
    return 2 * rows <= len(table.slots) and label + 2 <= table.weights.shape[1]


@kernel
def add_labels(table, label):
    """Let all labels up to this one begin as those do that were not seen yet."""
    before = table.size[2]
    if label < before:
        return
    for row in range(table.size[0]):
        for column in range(before + 1, label + 2):
            table.weights[row, column] = table.weights[row, before]
            if len(table.squares) > 0:
                table.squares[row, column] = table.squares[row, before]
    table.size[2] = label + 1


@kernel
def _fill_slots(table):
    for row in range(table.size[0]):
        table.slots[_find(table, table.features[row])] = row + 1


def grown(table: ClassWeights, options: Options, label: int) -> ClassWeights:
    """The same weights with longer rows if the label needs them, else with room for more rows.

    Where the longer rows are too many, the features that came last lose theirs.
    """
    rows, slots = int(table.size[0]), len(table.slots)
    if label + 2 > table.weights.shape[1]:
        new = make_class_weights(options, label + 1)
        new.size[0] = rows = min(rows, int(new.size[1]))
        new.size[2] = table.size[2]
        width = table.weights.shape[1]
        new.weights[:rows, :width] = table.weights[:rows]
        new.squares[:rows, :width] = table.squares[:rows]
        new.features[:rows] = table.features[:rows]
        table = new
    else:
        slots *= 2
    table = table._replace(slots=np.zeros(slots, np.int32))
    _fill_slots(table)
    return table


def store_class_weights(table: ClassWeights, parts: Parts, predict_only: bool) -> None:
    rows, _limit, labels = table.size.tolist()
    parts.header["rows"] = [rows, table.weights.shape[1], labels]
    parts.arrays["rows.features"] = table.features[:rows]
    parts.put_packed("weights", ("w",), table.weights[:rows].reshape(-1, 1))
    if not predict_only:
        squares = table.squares[:rows].reshape(-1, 1)
        parts.put_packed("squares", ("squares",), squares)


def load_class_weights(
    parts: Parts, options: Options, label_count: int, learning: bool
) -> ClassWeights:
    """The weights of a file; without `learning`, no more rows than there are, and no squares."""
    width = whole_number(parts.header["rows"][1], LANES, 2**31)
    if width > width_for(max(label_count, options.classes)) or width != width_for(width - 1):
        raise ModelError("its rows have an impossible length")
    limit = max(1, (1 << options.bits) // width)
    rows = whole_number(parts.header["rows"][0], 0, limit)
    labels = whole_number(parts.header["rows"][2], 0, min(label_count, width - 1))
    squares = learning and options.update == "adaptive"
    table = _make(limit if learning else rows, width, squares)
    table.size[:] = rows, limit, labels
    table.features[:rows] = parts.column("rows.features", np.uint32, rows)
    if not all_differ(table.features[:rows]):
        raise ModelError("two of its rows are the same feature's")
    parts.fill_packed("weights", ("w",), table.weights[:rows].reshape(-1, 1))
    if squares:
        if parts.arrays["squares.squares"].min(initial=0) < 0:
            raise ModelError("its sums of squares are negative")
        parts.fill_packed("squares", ("squares",), table.squares[:rows].reshape(-1, 1))
    slots = _FIRST_SLOTS
    while slots < 2 * rows:
        slots *= 2
    table = table._replace(slots=np.zeros(slots, np.int32))
    _fill_slots(table)
    return table
