"""What the regressors see of a value: freed of its feature's unit, and of its example's length.

    none  the value as it is
    max   divided by the largest size that the feature's values had so far
    rms   divided by the root of the mean square of the feature's values so far
    l2    as rms, and then all values of an example divided so that their squares sum up to 1
    auto  as l2, and centred, for features of every example, as tf-idf for words: see auto_size.py

Only values *seen* count, those of the example itself included; zeros that are not written do not.
A feature that a prediction meets for the first time counts as 0; for auto it is scaled as one that
learning meets for the first time, so that an example of unknown words is like nothing.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import SCALES, Options
from lomtree.examples.batch import Batch, longest, vector_of
from lomtree.features.auto_size import (
    CENTRE,
    COUNT,
    SIZE,
    SQUARES,
    SUM,
    auto_centre,
    auto_size,
    is_due,
    log_common,
    rareness,
    squares_around,
)
from lomtree.jit.intrinsics import FOUR, ONE, THREE, TWO
from lomtree.jit.kernel import kernel
from lomtree.storage.state_dict import MOST_COUNTED, StateDict
from lomtree.system import memory

SCALE_NONE, SCALE_MAX, SCALE_RMS, SCALE_L2, SCALE_AUTO = range(len(SCALES))
BITS = 20
COUNT_LIMIT = np.float32(1 << 24)  # where a float32 stops counting: old values then fade slowly
LARGEST = float(np.finfo(np.float32).max)
LARGEST_RATIO = np.float32(1e10)  # of a value to its feature's size

LAST, LAST_BUT_ONE = -1, -2  # size and, for auto, centre: predictions need no more
_COLUMNS = ("count", "size")
_AUTO_COLUMNS = ("count", "squares", "sum", "centre", "size")
_OF_ANY_SIGN = ("sum", "centre")


class Scales(NamedTuple):
    """Rows are shared by features whose hashes agree in the last BITS bits. Where a value depends
    on itself alone there is one row, which is never used."""

    kind: int
    table: np.ndarray  # float32[1 << BITS, 2]: values seen, their size (root mean square, or max)
    # or for auto float64[1 << BITS, 5]: see auto_size.py; to predict, the last columns alone
    norms: np.ndarray  # float64[2]: examples, sum of their squared norms after scaling
    common: np.ndarray  # float64[2]: for auto, sums over all values; see auto_size.py


def make_scales(options: Options) -> Scales:
    kind = SCALES.index(options.scale)
    rows = 1 if kind == SCALE_NONE else 1 << BITS
    columns, dtype = len(_columns(kind)), np.float64 if kind == SCALE_AUTO else np.float32
    return Scales(kind, np.zeros((rows, columns), dtype), np.zeros(2), np.zeros(2))


def _columns(kind: int) -> tuple[str, ...]:
    return _AUTO_COLUMNS if kind == SCALE_AUTO else _COLUMNS


@kernel
def row_of(scales, feature):
    return np.int64(feature & np.uint32(len(scales.table) - 1))


@kernel
def fetch_sizes(scales, vector, x):
    """Write the sizes of the features to their positions in x."""
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        x[position] = scales.table[row_of(scales, vector.features[position]), LAST]


@kernel
def learn_values(scales, vector, counts, x):
    """Count the values of an example in, and leave the new sizes of their features in x.

    All are counted with what was known before the example: where two of its features share a row,
    the last one's count and size stay. So the loops are those of a vector machine: rows are fetched
    first, then all sizes are computed, then they are stored.
    """
    table, features, values = scales.table, vector.features, vector.values
    first, last = np.uint64(vector.begin), np.uint64(vector.end)
    for position in range(first, last):
        counts[position - first] = table[row_of(scales, features[position]), 0]
    fetch_sizes(scales, vector, x)
    if scales.kind == SCALE_MAX:
        for position in range(first, last):
            x[position] = max(x[position], abs(values[position]))
    elif scales.kind != SCALE_NONE:
        for position in range(first, last):
            value, root = np.float64(values[position]), np.float64(x[position])
            count = np.float64(counts[position - first]) + 1.0
            mean_square = root * root + (value * value - root * root) / count
            x[position] = np.sqrt(mean_square)
    for position in range(first, last):
        row = row_of(scales, features[position])
        table[row, 0] = min(counts[position - first] + np.float32(1.0), COUNT_LIMIT)
        table[row, 1] = x[position]


@kernel
def count_in(scales, vector):
    """Add the values of an example to the sums of auto. Features that share a row are counted as
    one that comes twice."""
    table, examples = scales.table, scales.norms[0]
    sum_rare = sum_squares = 0.0
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        row = row_of(scales, vector.features[position])
        value = np.float64(vector.values[position])
        square = value**2
        count = table[row, COUNT] + 1.0
        table[row, COUNT] = count
        table[row, SQUARES] += square
        table[row, SUM] += value
        if count < examples:
            rare = rareness(count, examples)
            sum_rare += rare
            sum_squares += rare * square
    scales.common[0] += sum_rare
    scales.common[1] += sum_squares


@kernel
def renew_row(entry, examples, log_of_common):
    """A new centre and size from what a row has counted."""
    count, squares, total = entry[COUNT], entry[SQUARES], entry[SUM]
    centre = auto_centre(count, squares, total, examples)
    around = squares_around(centre, count, squares, total)
    entry[CENTRE] = centre
    entry[SIZE] = auto_size(count, around, examples, log_of_common)


@kernel
def renew_sizes(scales, vector, x):
    """Leave the sizes of auto in x; those that are due are new."""
    table, examples = scales.table, scales.norms[0]
    log_of_common = log_common(scales.common)
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        row = row_of(scales, vector.features[position])
        count, squares = table[row, COUNT], table[row, SQUARES]
        if is_due(count, squares, np.float64(vector.values[position]) ** 2):
            renew_row(table[row], examples, log_of_common)
        x[position] = table[row, SIZE]


@kernel
def square_of(x, begin, end):
    """The squared norm of x[begin:end]; four sums, as in linear.update.dot()."""
    begin, end = np.uint64(begin), np.uint64(end)
    fours = end - (end - begin) % FOUR
    a = b = c = d = 0.0
    for position in range(begin, fours, FOUR):
        a += np.float64(x[position]) ** 2
        b += np.float64(x[position + ONE]) ** 2
        c += np.float64(x[position + TWO]) ** 2
        d += np.float64(x[position + THREE]) ** 2
    for position in range(fours, end):
        a += np.float64(x[position]) ** 2
    return (a + b) + (c + d)


@kernel
def centred(scales, feature, value):
    """The value beside the centre of its feature."""
    if scales.kind != SCALE_AUTO:
        return value
    own = np.float64(value) - scales.table[row_of(scales, feature), LAST_BUT_ONE]
    return np.float32(min(max(own, -LARGEST), LARGEST))


@kernel
def scale(scales, vector, x):
    """Where x has the sizes of an example's features, write their values, scaled; returns the
    squared norm. A feature of no size counts as 0, unless a value depends on itself alone."""
    values, first, last = vector.values, np.uint64(vector.begin), np.uint64(vector.end)
    if scales.kind == SCALE_NONE:
        for position in range(first, last):
            x[position] = values[position]
    else:
        for position in range(first, last):
            size = x[position]
            value = np.float32(0.0)
            if size > 0.0:
                value = centred(scales, vector.features[position], values[position]) / size
            x[position] = min(max(value, -LARGEST_RATIO), LARGEST_RATIO)
    square = square_of(x, vector.begin, vector.end)
    if scales.kind >= SCALE_L2 and square > 0.0:
        length = np.float32(np.sqrt(square))
        for position in range(first, last):
            x[position] /= length
        square = 1.0
    return square


@kernel
def _enter(scales, batch, first, last, counts, x, mean_squares):
    for example in range(first, last):
        vector = vector_of(batch, example)
        learned = batch.labels[example] >= 0 and batch.weights[example] != 0.0
        if learned:
            scales.norms[0] += 1.0
        if learned and scales.kind == SCALE_AUTO:
            count_in(scales, vector)
            renew_sizes(scales, vector, x)
        elif learned and scales.kind != SCALE_NONE:
            learn_values(scales, vector, counts, x)
        else:
            fetch_sizes(scales, vector, x)
        square = scale(scales, vector, x)
        if learned:
            scales.norms[1] += square
        mean_squares[example] = scales.norms[1] / max(scales.norms[0], 1.0)


@kernel
def guess_sizes(scales, vector, x):
    """Where x has the sizes of auto, give features never seen the size that they would have if the
    example was learned now."""
    examples, log_of_common = scales.norms[0] + 1.0, log_common(scales.common)
    for position in range(np.uint64(vector.begin), np.uint64(vector.end)):
        if x[position] == 0.0:
            square = np.float64(vector.values[position]) ** 2
            x[position] = auto_size(1.0, square, examples, log_of_common)


@kernel
def apply_scales(scales, batch, first, last, x):
    for example in range(first, last):
        vector = vector_of(batch, example)
        fetch_sizes(scales, vector, x)
        if scales.kind == SCALE_AUTO:
            guess_sizes(scales, vector, x)
        scale(scales, vector, x)


class Scaler:
    """Scales batches; what it returns lives until the next one comes. Those that are `frozen` are
    known from elsewhere: nothing more is counted."""

    def __init__(self, scales: Scales, frozen: bool = False) -> None:
        self.scales = scales
        self._frozen = frozen
        self._x = np.empty(0, np.float32)
        self._counts = np.empty(0, np.float32)  # of the features of one example
        self._mean_squares = np.empty(0)

    def enter(self, batch: Batch, count: int) -> tuple[Batch, np.ndarray]:
        """The first `count` examples are learned: count the values of each in before it is scaled.
        Returns them, and for each the mean squared norm so far. Those without a label or weight,
        from which nothing is learned, do not count."""
        scaled, mean_squares = self.outline_to_enter(batch, count)
        self.enter_part(batch, 0, count, scaled, mean_squares)
        return scaled, mean_squares

    def outline_to_enter(self, batch: Batch, count: int) -> tuple[Batch, np.ndarray]:
        """Room for what enter() returns, which enter_part() fills from the first example on."""
        if count > len(self._mean_squares):
            self._mean_squares = np.empty(2 * count)
        wanted = longest(batch, 0, count)
        if wanted > len(self._counts):
            self._counts = np.empty(2 * wanted, np.float32)
        return self.outline(batch, count), self._mean_squares

    def enter_part(
        self, batch: Batch, first: int, last: int, scaled: Batch, mean_squares: np.ndarray
    ) -> None:
        if self._frozen:
            apply_scales(self.scales, batch, first, last, scaled.values)
            mean_squares[first:last] = self.scales.norms[1] / max(self.scales.norms[0], 1.0)
        else:
            _enter(self.scales, batch, first, last, self._counts, scaled.values, mean_squares)

    def outline(self, batch: Batch, count: int) -> Batch:
        """The first `count` examples with room for their scaled values; see apply()."""
        return batch._replace(values=self._room(batch, count))

    def apply(self, batch: Batch, first: int, last: int, outline: Batch) -> None:
        """Scale the examples first:last for a prediction. May run in several threads at once."""
        apply_scales(self.scales, batch, first, last, outline.values)

    def _room(self, batch: Batch, count: int) -> np.ndarray:
        wanted = int(batch.starts[count])
        if wanted > len(self._x):
            self._x = np.empty(2 * wanted, np.float32)
        return self._x


def _stored_columns(kind: int, learning: bool) -> tuple[str, ...]:
    """Predictions need the last ones alone."""
    needed = 2 if kind == SCALE_AUTO else 1
    return _columns(kind) if learning else _columns(kind)[-needed:]


def store_scales(scales: Scales, state_dict: StateDict, predict_only: bool) -> None:
    columns, rows = _stored_columns(scales.kind, not predict_only), _rows_in_use(scales)
    state_dict.put_packed("scales", columns, np.ascontiguousarray(rows[:, -len(columns) :]))
    state_dict.arrays["scales.norms"] = scales.norms
    state_dict.arrays["scales.common"] = scales.common


def check_scales(state_dict: StateDict, options: Options, learning: bool) -> Scales:
    """Empty ones like those of a file; ModelError if those are none."""
    scales = make_scales(options)
    columns = _stored_columns(scales.kind, learning)
    if not learning:
        shape, dtype = (len(scales.table), len(columns)), scales.table.dtype.type
        scales = scales._replace(table=memory.zeros_in_small_pages(shape, dtype))
    rows = _rows_in_use(scales)
    state_dict.check_packed("scales", columns, len(rows), rows.dtype.type)
    most = MOST_COUNTED if scales.kind == SCALE_AUTO else COUNT_LIMIT
    extents = {name: state_dict.extent(f"scales.{name}") for name in columns}
    if learning and extents["count"].largest > most:
        raise ModelError("its scales count more values than they can")
    if any(one.least < 0 for name, one in extents.items() if name not in _OF_ANY_SIGN):
        raise ModelError("its scales are not positive numbers")
    if not all(extent.is_finite for extent in extents.values()):
        raise ModelError("its scales are not finite numbers")
    for name in ("norms", "common"):
        sums = state_dict.column(f"scales.{name}", np.float64, 2)
        if not np.all(np.isfinite(sums)) or sums.min() < 0:
            raise ModelError("its scales are not positive numbers")
    return scales


def load_scales(state_dict: StateDict, options: Options, learning: bool) -> Scales:
    scales = check_scales(state_dict, options, learning)
    columns, rows = _stored_columns(scales.kind, learning), _rows_in_use(scales)
    state_dict.fill_packed("scales", columns, rows)
    for name, sums in (("norms", scales.norms), ("common", scales.common)):
        sums[:] = state_dict.column(f"scales.{name}", np.float64, 2)
    return scales


def _rows_in_use(scales: Scales) -> np.ndarray:
    """None where there is one row: it is never used."""
    return scales.table if len(scales.table) > 1 else scales.table[:0]
