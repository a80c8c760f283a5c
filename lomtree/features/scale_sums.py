"""The scales of all examples from those of parts of them: what is counted apart is added up.

So the scales of a stream in pieces are known before anything is learned from it, and all who learn
from a piece see the same values.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.features.auto_size import COUNT, SQUARES, SUM, log_common, rareness
from lomtree.features.scaling import (
    COUNT_LIMIT,
    SCALE_AUTO,
    SCALE_MAX,
    SCALE_NONE,
    Scaler,
    Scales,
    make_scales,
    renew_row,
)
from lomtree.jit.kernel import kernel


class ScaleSums(NamedTuple):
    """What is known of the rows of Scales that were used."""

    rows: np.ndarray  # int64[], rising
    counts: np.ndarray  # float64[]: values seen
    sizes: np.ndarray  # float64[]: the sum of their squares, or the largest of them for `max`
    totals: np.ndarray  # float64[]: for `auto` the sum of the values; otherwise 0
    norms: np.ndarray  # float64[2]: examples, sum of their squared norms after scaling


def sums_of(options: Options, batch: Batch) -> ScaleSums:
    """Of all examples of a batch."""
    scaler = Scaler(make_scales(options))
    scaler.enter(batch, len(batch.labels))
    kind, table, norms, _common = scaler.scales
    rows = np.flatnonzero(table[:, COUNT]) if kind != SCALE_NONE else np.empty(0, np.int64)
    counts, sizes = table[rows, COUNT].astype(np.float64), table[rows, 1].astype(np.float64)
    if kind not in (SCALE_AUTO, SCALE_MAX):  # root mean squares
        sizes = counts * sizes * sizes
    totals = table[rows, SUM] if kind == SCALE_AUTO else np.zeros(len(rows))
    return ScaleSums(rows, counts, sizes, totals, norms)


def add_sums(options: Options, parts: list[ScaleSums]) -> ScaleSums:
    """Of all parts together; their order matters as far as rounding does."""
    largest = make_scales(options).kind == SCALE_MAX
    rows = np.unique(np.concatenate([part.rows for part in parts]))
    counts, sizes, totals, norms = *np.zeros((3, len(rows))), np.zeros(2)
    for part in parts:
        where = np.searchsorted(rows, part.rows)
        counts[where] += part.counts
        totals[where] += part.totals
        sizes[where] = (
            np.maximum(sizes[where], part.sizes) if largest else sizes[where] + part.sizes
        )
        norms += part.norms
    return ScaleSums(rows, counts, sizes, totals, norms)


def scales_from(options: Options, sums: ScaleSums) -> Scales:
    """The scales of a stream with these sums."""
    scales = make_scales(options)
    kind, table, norms, common = scales
    norms[:] = sums.norms
    if kind == SCALE_AUTO:
        table[sums.rows, COUNT], table[sums.rows, SQUARES] = sums.counts, sums.sizes
        table[sums.rows, SUM] = sums.totals
        _fill_auto(table, sums.rows, norms[0], common)
    elif kind != SCALE_NONE:
        table[sums.rows, 0] = np.minimum(sums.counts, COUNT_LIMIT)
        table[sums.rows, 1] = sums.sizes if kind == SCALE_MAX else np.sqrt(sums.sizes / sums.counts)
    return scales


@kernel
def _fill_auto(table, rows, examples, common):
    """The sums over all values, and then the centre and size of each feature."""
    for row in rows:
        rare = rareness(table[row, COUNT], examples)
        common[0] += rare * table[row, COUNT]
        common[1] += rare * table[row, SQUARES]
    log_of_common = log_common(common)
    for row in rows:
        renew_row(table[row], examples, log_of_common)
