"""The scale of each feature: what makes the adaptive rule blind to units.

A value is divided by the root of the mean square of the feature's values *seen* so far, itself
included. Zeros that are not written do not count, so word counts stay nearly as they are.
"""

from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.parts import Parts

BITS = 20
COUNT_LIMIT = np.float32(1 << 24)  # where a float32 stops counting: old values then fade slowly
LARGEST = np.float32(1e10)  # a value so far beyond those seen counts as this many times their size

_COLUMNS = ("count", "root")


class Scales(NamedTuple):
    """Without scaling the table has one row, which is never used.

    Rows are shared by features whose hashes agree in the last BITS bits."""

    table: np.ndarray  # float32[1 << BITS, 2]: values seen, the root of their mean square
    norms: np.ndarray  # float64[2]: examples, sum of their squared norms after scaling


def make_scales(scaled: bool) -> Scales:
    rows = 1 << BITS if scaled else 1
    return Scales(np.zeros((rows, 2), np.float32), np.zeros(2))


@kernel
def scale(scales, features, values, begin, end, x):
    """Write the values of features begin:end into x, scaled; a feature never seen counts as 0."""
    rows = len(scales.table)
    if rows == 1:
        for position in range(begin, end):
            x[position - begin] = values[position]
        return
    mask = np.uint32(rows - 1)
    for position in range(begin, end):
        root = scales.table[np.int64(features[position] & mask), 1]
        value = values[position] / root if root > 0.0 else np.float32(0.0)
        x[position - begin] = min(max(value, -LARGEST), LARGEST)


@kernel
def learn_scale(scales, features, values, begin, end):
    """Count the values of features begin:end in."""
    mask = np.uint32(len(scales.table) - 1)
    for position in range(begin, end):
        row = np.int64(features[position] & mask)
        count = scales.table[row, 0]
        value = np.float64(values[position])
        root = np.float64(scales.table[row, 1])
        mean_square = root * root + (value * value - root * root) / (count + 1.0)
        scales.table[row, 0] = min(count + np.float32(1.0), COUNT_LIMIT)
        scales.table[row, 1] = np.float32(np.sqrt(mean_square))


@kernel
def learn_norm(scales, x, length):
    """Count an example's squared norm in; returns the mean so far."""
    square = 0.0
    for position in range(length):
        square += x[position] * x[position]
    scales.norms[0] += 1.0
    scales.norms[1] += square
    return scales.norms[1] / scales.norms[0]


@kernel
def enter(scales, batch, begin, end, x):
    """An example is learned: count its values in, write them into x, scaled; returns the mean
    squared norm of all examples (1 without scaling)."""
    if len(scales.table) == 1:
        scale(scales, batch.features, batch.values, begin, end, x)
        return 1.0
    learn_scale(scales, batch.features, batch.values, begin, end)
    scale(scales, batch.features, batch.values, begin, end, x)
    return learn_norm(scales, x, end - begin)


def store_scales(scales: Scales, parts: Parts) -> None:
    parts.put_packed("scales", _COLUMNS, _rows_in_use(scales))
    parts.arrays["scales.norms"] = scales.norms


def load_scales(parts: Parts, scaled: bool) -> Scales:
    scales = make_scales(scaled)
    parts.fill_packed("scales", _COLUMNS, _rows_in_use(scales))
    if np.any(scales.table[:, 0] > COUNT_LIMIT):
        raise ModelError("its scales count more values than they can")
    norms = parts.column("scales.norms", np.float64, 2)
    if not np.all(np.isfinite(norms)) or norms.min() < 0 or np.any(scales.table < 0):
        raise ModelError("its scales are not positive numbers")
    scales.norms[:] = norms
    return scales


def _rows_in_use(scales: Scales) -> np.ndarray:
    """None without scaling: its one row is never used."""
    return scales.table if len(scales.table) > 1 else scales.table[:0]
