"""Repeated features of an example become one, with the sum of their values.

A linear regressor cannot tell "x x x" from "x:3". But the update of one weight for each of three
equal features would move the score three times as far as it says (see linear/update.py).

Nearly all examples have no repeated feature. A source that knows on its way that an example has
none, says so (libsvm's indices mostly rise). In the others every feature leaves the example's stamp
in a small table: only where two of them meet, the features themselves are compared.
"""

import numpy as np

from lomtree.examples.batch import Batch, longest
from lomtree.hashing.secrets import MULTIPLIER, keyed
from lomtree.jit.kernel import kernel

LARGEST_VALUE = np.finfo(np.float32).max  # what sums beyond it count as
_STAMP_BITS = 13
_STAMPS = 1 << 16
_FIRST_BUCKETS = 1 << 12
_FREE = np.int32(-1)


@kernel
def _may_repeat(features, begin, end, stamps, stamp):
    """Whether two features leave their stamp in one place. No turn waits for the one before it."""
    mask, met = np.uint32(len(stamps) - 1), np.uint32(0)
    for position in range(np.uint64(begin), np.uint64(end)):
        place = np.uint64(features[position] & mask)
        met |= np.uint32(stamps[place] == stamp)
        stamps[place] = stamp
    return met != 0


@kernel
def _move(batch, begin, end, to):
    """Move the features begin:end to where there is room before them; returns their new end."""
    for position in range(begin, end):
        batch.features[to + position - begin] = batch.features[position]
        batch.values[to + position - begin] = batch.values[position]
    return to + end - begin


@kernel
def _drop_zeros(batch, begin, end):
    """Leave out the features begin:end whose values have cancelled; returns the new end."""
    to = begin
    for position in range(begin, end):
        if batch.values[position] != 0.0:
            batch.features[to] = batch.features[position]
            batch.values[to] = batch.values[position]
            to += 1
    return to


@kernel
def _clear(buckets):
    for bucket in range(len(buckets)):
        buckets[bucket] = _FREE


@kernel
def _merge_example(batch, begin, end, to, buckets, multiplier):
    """Write the features begin:end, each once, from `to` on; returns their new end.

    Positions only grow, so what earlier examples left in a bucket is smaller than the first
    position of this one, and counts as free.
    """
    features, values, mask = batch.features, batch.values, len(buckets) - 1
    first, cancelled = to, False
    for position in range(begin, end):
        feature, value = features[position], values[position]
        bucket = np.int64(keyed(feature, multiplier)) & mask
        while buckets[bucket] >= first and features[buckets[bucket]] != feature:
            bucket = (bucket + 1) & mask
        known = np.int64(buckets[bucket])
        if known >= first:
            total = np.float64(values[known]) + np.float64(value)
            values[known] = min(max(total, -LARGEST_VALUE), LARGEST_VALUE)
            cancelled |= values[known] == 0.0
        else:
            buckets[bucket] = to
            features[to] = feature
            values[to] = value
            to += 1
    if cancelled:
        to = _drop_zeros(batch, first, to)
        _clear(buckets)
    return to


@kernel
def _merge(batch, count, may_repeat, stamps, first_stamp, buckets, multiplier):
    """Stamps from first_stamp on have not been left anywhere yet; if there are more examples than
    stamps, some are left twice, and a few examples suspected for nothing."""
    features, starts = batch.features, batch.starts
    _clear(buckets)
    to, begin = np.int64(0), np.int64(0)
    for example in range(count):
        end, stamp = starts[example + 1], np.uint16(first_stamp + example)
        if may_repeat[example] and _may_repeat(features, begin, end, stamps, stamp):
            to = _merge_example(batch, begin, end, to, buckets, multiplier)
        elif to < begin:
            to = _move(batch, begin, end, to)
        else:
            to = end
        begin = end
        starts[example + 1] = to


class Merger:
    """Merges the repeated features of batches in place; one for each thread."""

    def __init__(self) -> None:
        self._buckets = np.empty(_FIRST_BUCKETS, np.int32)
        self._stamps = np.zeros(1 << _STAMP_BITS, np.uint16)
        self._next_stamp = 1

    def merge(self, batch: Batch, count: int, may_repeat: np.ndarray) -> None:
        """The first `count` examples, which begin at the batch's first feature. Those that
        certainly have no feature twice need not be marked in may_repeat (uint8[count])."""
        if not may_repeat[:count].any():
            return
        wanted = 2 * longest(batch, 0, count)
        if wanted > len(self._buckets):
            self._buckets = np.empty(1 << wanted.bit_length(), np.int32)
        if self._next_stamp + count >= _STAMPS:
            self._stamps[:], self._next_stamp = 0, 1
        stamps, first = self._stamps, self._next_stamp
        _merge(batch, count, may_repeat, stamps, first, self._buckets, MULTIPLIER)
        self._next_stamp += count
