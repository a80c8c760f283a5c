"""One row at a time, where the call itself must cost next to nothing: checked and made an example
by compiled code that is bound to its room."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lomtree.arrays.dicts import chosen
from lomtree.arrays.names import FeatureNames
from lomtree.examples.batch import CONSTANT, make_batch
from lomtree.examples.merging import LARGEST_VALUE
from lomtree.jit.binding import bind
from lomtree.jit.kernel import kernel

MOST_FEATURES = 1 << 32
MOST_COMPARED = 2048  # features in no order: each is compared with all others
_LARGEST = float(LARGEST_VALUE)


class RawRow(NamedTuple):
    """A row as it came."""

    columns: np.ndarray  # int64[room]
    values: np.ndarray  # float64[room]
    said: np.ndarray  # int64[3]: how many there are, the width, whether it is plain


@kernel
def _has_repeats(features, count):
    repeats = False
    for one in range(np.uint64(1), np.uint64(count)):
        for other in range(one):  # without a way out: a loop over vectors
            repeats |= features[one] == features[other]
    return repeats


@kernel
def _read_plain(raw, batch):
    """Write the features of a row; returns how many there are, or -1 where it is not plain."""
    count, width, to, last = raw.said[0], raw.said[1], np.int64(0), np.int64(-1)
    in_order = True
    for position in range(count):
        column, value = raw.columns[position], raw.values[position]
        if not 0 <= column < width or column == CONSTANT or not abs(value) <= _LARGEST:
            return np.int64(-1)
        # Written in any case; if it is 0, the next feature takes its place.
        batch.features[to] = np.uint32(column)
        batch.values[to] = np.float32(value)
        to += np.int64(batch.values[to] != 0)
        in_order &= column > last
        last = column
    if not in_order and (to > MOST_COMPARED or _has_repeats(batch.features, to)):
        return np.int64(-1)
    return to


@kernel
def read_row(raw, batch):
    """Make an example of a row that is plain: finite values, columns that there are, and none of
    them twice. Of another one it is an example without features, which harms nobody."""
    to = _read_plain(raw, batch)
    raw.said[2] = np.int64(to >= 0)
    to = max(to, np.int64(0))
    batch.features[to] = CONSTANT
    batch.values[to] = 1.0
    batch.starts[1] = to + 1


class RowReader:
    """Has room for one row. What is put there read() makes the example in `batch`, in compiled
    code; then is_plain tells whether the row was plain. What is wrong with others, also with those
    that cannot be put there, somebody else must say."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.batch = make_batch(1, room + 1)
        self.batch.starts[0] = 0
        self._raw = RawRow(np.empty(room, np.int64), np.empty(room), np.zeros(3, np.int64))
        self._said = self._raw.said
        self._all = np.arange(room)
        self.read = bind(read_row, self._raw, self.batch)

    @property
    def is_plain(self) -> bool:
        return self._said.item(2) == 1

    def put_dense(self, values: np.ndarray) -> bool:
        return self._put(self._all[: len(values)], values, len(values), len(values))

    def put_sparse(self, columns: np.ndarray, values: np.ndarray, width: int) -> bool:
        count = len(values)
        return len(columns) == count and self._put(columns, values, count, width)

    def put_dict(self, row: Mapping[Any, Any], names: FeatureNames) -> bool:
        """Names that were never asked for, and values of other types, take the usual way."""
        number_of, features, values = names.numbers.get, [], []
        for name, value in row.items():
            kind = type(value)
            if kind is str:
                name, value = chosen(name, value), 1.0
            elif kind is not float and kind is not int:
                return False
            number = number_of(name)
            if number is None:
                return False
            features.append(number)
            values.append(value)
        return self._put(features, values, len(values), MOST_FEATURES)

    def _put(self, columns: Any, values: Any, count: int, width: int) -> bool:
        numbers, cells, said = self._raw
        numbers[:count] = columns
        try:
            cells[:count] = values
        except OverflowError:  # a whole number that is too large for any float
            return False
        said[0], said[1] = count, width
        return True
