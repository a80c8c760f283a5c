"""What the regressors see of a value: freed of its feature's unit, and of its example's length.

    none  the value as it is
    max   divided by the largest size that the feature's values had so far
    rms   divided by the root of the mean square of the feature's values so far
    l2    as rms, and then all values of an example divided so that their squares sum up to 1

Only values *seen* count, those of the example itself included. Zeros that are not written do not,
so word counts stay nearly as they are. tf-idf multiplies a value by 1 + ln((1 + examples) /
(1 + examples with this feature)): one that every example has keeps its size.
"""

from math import log
from typing import NamedTuple

import numpy as np

from lomtree.batch import Batch
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.options import SCALES, Options
from lomtree.parts import Parts

NONE, MAX, RMS, L2 = range(len(SCALES))
BITS = 20
COUNT_LIMIT = np.float32(1 << 24)  # where a float32 stops counting: old values then fade slowly
LARGEST = np.float32(1e10)  # a value so far beyond those seen counts as this many times their size

INFINITE = np.finfo(np.float32).max  # what products beyond it count as

_COLUMNS = ("count", "size")


class Scales(NamedTuple):
    """Rows are shared by features whose hashes agree in the last BITS bits. Where a value depends
    on itself alone there is one row, which is never used."""

    kind: int
    tf_idf: bool
    table: np.ndarray  # float32[1 << BITS, 2]: values seen, their size (root mean square, or max)
    norms: np.ndarray  # float64[2]: examples, sum of their squared norms after scaling


def make_scales(options: Options) -> Scales:
    kind = SCALES.index(options.scale)
    rows = 1 if kind == NONE and not options.tf_idf else 1 << BITS
    return Scales(kind, options.tf_idf, np.zeros((rows, 2), np.float32), np.zeros(2))


@kernel
def learn_values(scales, features, values, begin, end):
    """Count the values of features begin:end in."""
    mask = np.uint32(len(scales.table) - 1)
    for position in range(begin, end):
        row = np.int64(features[position] & mask)
        count = scales.table[row, 0]
        scales.table[row, 0] = min(count + np.float32(1.0), COUNT_LIMIT)
        if scales.kind == MAX:
            scales.table[row, 1] = max(scales.table[row, 1], abs(values[position]))
        elif scales.kind != NONE:
            value = np.float64(values[position])
            root = np.float64(scales.table[row, 1])
            mean_square = root * root + (value * value - root * root) / (count + 1.0)
            scales.table[row, 1] = np.float32(np.sqrt(mean_square))


@kernel
def rarity(scales, row):
    """The factor of tf-idf."""
    examples = min(scales.norms[0], np.float64(COUNT_LIMIT))
    return np.float32(1.0 + log((1.0 + examples) / (1.0 + scales.table[row, 0])))


@kernel
def scale(scales, features, values, begin, end, x):
    """Write the values of features begin:end, scaled, to the same positions of x; returns their
    squared norm. A feature never seen counts as 0, unless a value depends on itself alone."""
    square = 0.0
    mask = np.uint32(len(scales.table) - 1)
    for position in range(begin, end):
        row = np.int64(features[position] & mask)
        value = values[position]
        if scales.kind != NONE:
            size = scales.table[row, 1]
            value = value / size if size > 0.0 else np.float32(0.0)
            value = min(max(value, -LARGEST), LARGEST)
        if scales.tf_idf:
            value *= rarity(scales, row) if scales.table[row, 0] > 0.0 else np.float32(0.0)
            value = min(max(value, -INFINITE), INFINITE)
        x[position] = value
        square += np.float64(value) * np.float64(value)
    if scales.kind == L2 and square > 0.0:
        length = np.float32(np.sqrt(square))
        for position in range(begin, end):
            x[position] /= length
        square = 1.0
    return square


@kernel
def _enter(scales, batch, count, x, mean_squares):
    for example in range(count):
        begin, end = batch.starts[example], batch.starts[example + 1]
        learned = batch.labels[example] >= 0 and batch.weights[example] != 0.0
        if learned:
            scales.norms[0] += 1.0
            if len(scales.table) > 1:
                learn_values(scales, batch.features, batch.values, begin, end)
        square = scale(scales, batch.features, batch.values, begin, end, x)
        if learned:
            scales.norms[1] += square
        mean_squares[example] = scales.norms[1] / max(scales.norms[0], 1.0)


@kernel
def _apply(scales, batch, first, last, x):
    for example in range(first, last):
        begin, end = batch.starts[example], batch.starts[example + 1]
        scale(scales, batch.features, batch.values, begin, end, x)


class Scaler:
    """Scales batches; what it returns lives until the next one comes."""

    def __init__(self, scales: Scales) -> None:
        self.scales = scales
        self._x = np.empty(0, np.float32)
        self._mean_squares = np.empty(0)

    def enter(self, batch: Batch, count: int) -> tuple[Batch, np.ndarray]:
        """The first `count` examples are learned: count the values of each in before it is scaled.
        Returns them, and for each the mean squared norm so far. Those without a label or weight,
        from which nothing is learned, do not count."""
        if count > len(self._mean_squares):
            self._mean_squares = np.empty(2 * count)
        x = self._room(batch, count)
        _enter(self.scales, batch, count, x, self._mean_squares)
        return batch._replace(values=x), self._mean_squares

    def outline(self, batch: Batch, count: int) -> Batch:
        """The first `count` examples with room for their scaled values; see apply()."""
        return batch._replace(values=self._room(batch, count))

    def apply(self, batch: Batch, first: int, last: int, outline: Batch) -> None:
        """Scale the examples first:last for an answer. May run in several threads at once."""
        _apply(self.scales, batch, first, last, outline.values)

    def _room(self, batch: Batch, count: int) -> np.ndarray:
        wanted = int(batch.starts[count])
        if wanted > len(self._x):
            self._x = np.empty(2 * wanted, np.float32)
        return self._x


def store_scales(scales: Scales, parts: Parts) -> None:
    parts.put_packed("scales", _COLUMNS, _rows_in_use(scales))
    parts.arrays["scales.norms"] = scales.norms


def load_scales(parts: Parts, options: Options) -> Scales:
    scales = make_scales(options)
    parts.fill_packed("scales", _COLUMNS, _rows_in_use(scales))
    if np.any(scales.table[:, 0] > COUNT_LIMIT):
        raise ModelError("its scales count more values than they can")
    norms = parts.column("scales.norms", np.float64, 2)
    if not np.all(np.isfinite(norms)) or norms.min() < 0 or np.any(scales.table < 0):
        raise ModelError("its scales are not positive numbers")
    scales.norms[:] = norms
    return scales


def _rows_in_use(scales: Scales) -> np.ndarray:
    """None where there is one row: it is never used."""
    return scales.table if len(scales.table) > 1 else scales.table[:0]
