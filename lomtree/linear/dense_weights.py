"""The weights of one-against-all: a row for each feature, in it one weight for each label.

So the weights that a feature has for all labels lie side by side. Features take rows as they come
and are found again by their hash; no two of them share a row before there are 2^bits weights. From
then on a new feature shares the row that its hash points to.

The column behind the last label is a regressor, too: that of all labels not seen yet, trained to
say no. A new label begins with it, as if it had been there from the first example on.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.intrinsics import LANES
from lomtree.jit.kernel import kernel
from lomtree.storage.state_dict import StateDict, all_differ, whole_number
from lomtree.system import memory

NO_ROW = -1
_FIRST_BUCKETS = 1 << 12


class ClassWeights(NamedTuple):
    weights: np.ndarray  # float32[limit, width]
    squares: np.ndarray  # float32[limit, width]; without the adaptive rule [0, width]
    features: np.ndarray  # uint32[limit]: whose row it is
    buckets: np.ndarray  # int32[]: 1 + row, by the feature's hash; 0 where free
    size: np.ndarray  # int64[3]: rows in use, rows at most, labels
    multiplier: np.ndarray  # uint64[1]: see hashing/secrets


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
        memory.zeros((limit, width), np.float32),
        memory.zeros((limit if squares else 0, width), np.float32),
        np.zeros(limit, np.uint32),
        np.zeros(_FIRST_BUCKETS, np.int32),
        np.array([0, limit, 0], np.int64),
        np.full(1, MULTIPLIER),
    )


@kernel
def _find(table, feature):
    """The bucket of a feature, or the free bucket where it belongs."""
    mask = len(table.buckets) - 1
    bucket = np.int64(keyed(feature, table.multiplier[0])) & mask
    while table.buckets[bucket] != 0 and table.features[table.buckets[bucket] - 1] != feature:
        bucket = (bucket + 1) & mask
    return bucket


@kernel
def row_of(table, feature):
    """The row of a feature, or NO_ROW."""
    row = table.buckets[_find(table, feature)] - 1
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
        table.buckets[_find(table, feature)] = row + 1
        table.size[0] += 1
    return row


@kernel
def has_room(table, features, label):
    """Whether an example with so many features and this label may come."""
    rows = min(table.size[0] + features, table.size[1])
    return 2 * rows <= len(table.buckets) and label + 2 <= table.weights.shape[1]


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
def _fill_buckets(table):
    for row in range(table.size[0]):
        table.buckets[_find(table, table.features[row])] = row + 1


def grown(table: ClassWeights, options: Options, label: int) -> ClassWeights:
    """The same weights with longer rows if the label needs them, else with room for more rows.

    Where the longer rows are too many, the features that came last lose theirs.
    """
    rows, buckets = int(table.size[0]), len(table.buckets)
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
        buckets *= 2
    table = table._replace(buckets=np.zeros(buckets, np.int32))
    _fill_buckets(table)
    return table


def store_class_weights(table: ClassWeights, state_dict: StateDict, predict_only: bool) -> None:
    rows, _limit, labels = table.size.tolist()
    state_dict.header["rows"] = [rows, table.weights.shape[1], labels]
    state_dict.arrays["rows.features"] = table.features[:rows]
    state_dict.put_packed("weights", ("w",), table.weights[:rows].reshape(-1, 1))
    if not predict_only:
        squares = table.squares[:rows].reshape(-1, 1)
        state_dict.put_packed("squares", ("squares",), squares)


class Form(NamedTuple):
    """Of the weights of a file."""

    rows: int
    limit: int  # of the rows
    width: int
    labels: int


def check_class_weights(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> Form:
    """ModelError if they are none."""
    width = whole_number(state_dict.header["rows"][1], LANES, 2**31)
    if width > width_for(max(label_count, options.classes)) or width != width_for(width - 1):
        raise ModelError("its rows have an impossible length")
    limit = max(1, (1 << options.bits) // width)
    rows = whole_number(state_dict.header["rows"][0], 0, limit)
    labels = whole_number(state_dict.header["rows"][2], 0, min(label_count, width - 1))
    if not all_differ(state_dict.column("rows.features", np.uint32, rows)):
        raise ModelError("two of its rows are the same feature's")
    state_dict.check_packed("weights", ("w",), rows * width, np.float32)
    if _has_squares(options, learning):
        if state_dict.extent("squares.squares").least < 0:
            raise ModelError("its sums of squares are negative")
        state_dict.check_packed("squares", ("squares",), rows * width, np.float32)
    return Form(rows, limit, width, labels)


def _has_squares(options: Options, learning: bool) -> bool:
    return learning and options.update == "adaptive"


def load_class_weights(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> ClassWeights:
    """The weights of a file; without `learning`, no more rows than there are, and no squares."""
    rows, limit, width, labels = check_class_weights(state_dict, options, label_count, learning)
    squares = _has_squares(options, learning)
    table = _make(limit if learning else rows, width, squares)
    table.size[:] = rows, limit, labels
    table.features[:rows] = state_dict.column("rows.features", np.uint32, rows)
    state_dict.fill_packed("weights", ("w",), table.weights[:rows].reshape(-1, 1))
    if squares:
        state_dict.fill_packed("squares", ("squares",), table.squares[:rows].reshape(-1, 1))
    buckets = _FIRST_BUCKETS
    while buckets < 2 * rows:
        buckets *= 2
    table = table._replace(buckets=np.zeros(buckets, np.int32))
    _fill_buckets(table)
    return table
