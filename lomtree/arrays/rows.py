"""Rows of numbers as examples: column j is the feature j, as the index j of libsvm text is.

Nothing is copied as a whole: batches are made as they are wanted, in any order of the rows. Zeros
are left out and the constant is added, as a parser does it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from lomtree.arrays.keys import add_keys, add_sparse_keys
from lomtree.examples.batch import CONSTANT, Batch, part, pick
from lomtree.examples.merging import Merger
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel

MOST_FEATURES = 1 << 18  # of a batch, or those of one row if that has more
MOST_ROWS = 1 << 13
MOST_COLUMNS = 1 << 32
MOST_LOOKED_AT = 1 << 24  # columns, for which rows are looked through at once
LINE = 8  # float64 in a line of the cache
FETCHED = 8  # rows ahead
_NO_COLUMNS = np.empty(0, np.uint32)


@kernel
def _finish(batch, example, to):
    batch.features[to] = CONSTANT
    batch.values[to] = 1.0
    batch.starts[example + 1] = to + 1
    return to + 1


@kernel
def pack_dense(matrix, columns, rows, batch):
    """Make examples of the rows whose numbers are given."""
    to = np.int64(0)
    batch.starts[0] = 0
    for example in range(len(rows)):
        row = rows[example]
        for column in range(matrix.shape[1]):
            value = np.float32(matrix[row, column])
            # Written in any case; if it is 0, the next feature takes its place.
            batch.features[to] = columns[column] if len(columns) else np.uint32(column)
            batch.values[to] = value
            to += np.int64(value != 0)
        to = _finish(batch, example, to)


@kernel
def _fetch(indptr, indices, data, row):
    """Ask for a row, which may lie anywhere, before it is its turn."""
    for position in range(indptr[row], indptr[row + 1], LINE):
        prefetch(indices, position)
        prefetch(data, position)


@kernel
def pack_sparse(indptr, indices, data, columns, rows, batch):
    """The same for the rows of a matrix in CSR form."""
    to = np.int64(0)
    batch.starts[0] = 0
    for example in range(len(rows)):
        _fetch(indptr, indices, data, rows[min(example + FETCHED, len(rows) - 1)])
        row = rows[example]
        for position in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column, value = indices[position], np.float32(data[position])
            batch.features[to] = columns[column] if len(columns) else np.uint32(column)
            batch.values[to] = value
            to += np.int64(value != 0)
        to = _finish(batch, example, to)


@kernel
def names_twice(indptr, indices, last):
    """Whether a row of a matrix in CSR form names a column twice. `last` is -1 for every column."""
    for row in range(len(indptr) - 1):
        for position in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.uint64(indices[position])
            if last[column] == row:
                return True
            last[column] = row
    return False


class Rows(ABC):
    """Examples without labels. Where `may_repeat`, a row may name a feature twice; then the values
    are summed, as those of text are."""

    count: int
    may_repeat = False

    @abstractmethod
    def lengths(self) -> np.ndarray:
        """int64[count]: the most features that each row can have, without the constant."""

    @abstractmethod
    def pack(self, rows: np.ndarray, batch: Batch) -> None:
        """Write the examples of these rows into a batch with room for them."""

    def batches(
        self,
        labels: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        order: np.ndarray | None = None,
    ) -> Iterator[Batch]:
        """The rows in this order (int64[n]; as they are, if it is None), as batches that are the
        caller's own. Labels (int32[n]) and weights (float32[n]) are those of the n examples in
        that order; without them there are no labels, and all weights are 1."""
        order = np.arange(self.count) if order is None else order
        sizes = np.cumsum(self.lengths()[order] + 1)
        merger, begin = Merger(), 0
        while begin < len(order):
            before = sizes[begin - 1] if begin else 0
            end = int(np.searchsorted(sizes, before + MOST_FEATURES, "right"))
            end = min(max(end, begin + 1), begin + MOST_ROWS, len(order))
            batch = self._room(end - begin, int(sizes[end - 1] - before))
            self.pack(order[begin:end], batch)
            if self.may_repeat:
                merger.merge(batch, end - begin, np.ones(end - begin, np.uint8))
            yield _with_targets(batch, begin, end, labels, weights)
            begin = end

    def add_keys(self, begin: int, seed: int, keys: np.ndarray) -> None:
        """Add what the rows from `begin` on say to their keys (uint64[], as many as there are)."""
        for batch in self.batches(order=np.arange(begin, begin + len(keys))):
            bits = batch._replace(values=batch.values[: batch.starts[-1]].view(np.uint32))
            add_keys(bits, seed, keys[: len(batch.labels)])
            keys = keys[len(batch.labels) :]

    @staticmethod
    def _room(count: int, features: int) -> Batch:
        return Batch(
            np.empty(count + 1, np.int64),
            np.empty(features, np.uint32),
            np.empty(features, np.float32),
            np.full(count, -1, np.int32),
            np.ones(count, np.float32),
        )


def _with_targets(
    batch: Batch, begin: int, end: int, labels: np.ndarray | None, weights: np.ndarray | None
) -> Batch:
    if labels is not None:
        batch = batch._replace(labels=labels[begin:end])
    return batch if weights is None else batch._replace(weights=weights[begin:end])


class DenseRows(Rows):
    def __init__(self, matrix: np.ndarray, columns: np.ndarray | None = None) -> None:
        """Any array of two dimensions; ValueError if a number in it is not finite. `columns` are
        the features of its columns, if these are not their own numbers (uint32[])."""
        check_values(matrix)
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        self.matrix = np.ascontiguousarray(matrix)
        self.count, width = matrix.shape
        self.columns = check_columns(columns, width)
        self.may_repeat = names_constant(self.columns, width)

    def lengths(self) -> np.ndarray:
        return np.full(self.count, self.matrix.shape[1], np.int64)

    def pack(self, rows: np.ndarray, batch: Batch) -> None:
        pack_dense(self.matrix, self.columns, rows, batch)


class SparseRows(Rows):
    def __init__(self, matrix: Any, columns: np.ndarray | None = None) -> None:
        """Any matrix or array of scipy.sparse; see DenseRows."""
        matrix = matrix.tocsr()
        self.count, width = matrix.shape
        self.indptr, self.indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
        data = np.asarray(matrix.data)
        check_values(data)
        self.data = data if data.dtype in (np.float32, np.float64) else data.astype(np.float64)
        self.columns = check_columns(columns, width)
        if not self._is_sound(width):
            raise ValueError("Input X is not a valid CSR matrix: its indices are out of bounds.")
        repeats = not matrix.has_canonical_format and self._repeats(width)
        self.may_repeat = repeats or names_constant(self.columns, width)

    def _is_sound(self, width: int) -> bool:
        """Whether compiled code may use its numbers as indices."""
        indptr, indices = self.indptr, self.indices
        if len(indptr) != self.count + 1 or indptr[0] < 0 or np.any(indptr[1:] < indptr[:-1]):
            return False
        if indptr[-1] > min(len(indices), len(self.data)):
            return False
        return len(indices) == 0 or (int(indices.min()) >= 0 and int(indices.max()) < width)

    def _repeats(self, width: int) -> bool:
        """Whether a row names a column twice. Most rows whose columns are not in order do not; to
        know that costs less than to look again at each batch."""
        if width > MOST_LOOKED_AT:
            return True
        return bool(names_twice(self.indptr, self.indices, np.full(width, -1, np.int32)))

    def lengths(self) -> np.ndarray:
        return np.diff(self.indptr).astype(np.int64)

    def pack(self, rows: np.ndarray, batch: Batch) -> None:
        pack_sparse(self.indptr, self.indices, self.data, self.columns, rows, batch)

    def add_keys(self, begin: int, seed: int, keys: np.ndarray) -> None:
        """Without making examples of them first, which would take longer."""
        if self.may_repeat:
            super().add_keys(begin, seed, keys)
            return
        for first in range(0, len(keys), MOST_ROWS):
            of_block = keys[first : first + MOST_ROWS]
            starts = self.indptr[begin + first : begin + first + len(of_block) + 1]
            inner = slice(starts[0], starts[-1])
            bits = self.data[inner].astype(np.float32, copy=False).view(np.uint32)
            add_sparse_keys(starts, self.indices[inner], bits, self.columns, seed, of_block)


class PackedRows(Rows):
    """Examples that are complete: with their constant, and no feature twice."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.count = batch, len(batch.labels)

    def lengths(self) -> np.ndarray:
        return np.diff(self.batch.starts) - 1

    def pack(self, rows: np.ndarray, batch: Batch) -> None:
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and np.all(np.diff(rows) == 1):
            found = part(self.batch, int(rows[0]), int(rows[-1]) + 1)
        else:
            found = pick(self.batch, rows)
        for mine, theirs in zip(batch[:3], found[:3], strict=True):
            mine[: len(theirs)] = theirs


def check_values(values: np.ndarray) -> None:
    """ValueError unless all are numbers that a float32 can hold; in the words of scikit-learn."""
    if values.dtype.kind not in "fiub":
        raise ValueError(f"Input X has values of the type {values.dtype}, which are no numbers.")
    if values.dtype.kind != "f" or values.size == 0:
        return
    largest, least = values.max(), values.min()
    if np.isnan(largest):
        raise ValueError("Input X contains NaN.")
    limit = np.finfo(np.float32).max
    if not -limit <= least <= largest <= limit:
        raise ValueError("Input X contains infinity or a value too large for dtype('float32').")


def check_columns(columns: np.ndarray | None, width: int) -> np.ndarray:
    if width > MOST_COLUMNS:
        raise ValueError(f"Input X has {width:,} columns; 2^32 are the most.")
    if columns is None:
        return _NO_COLUMNS
    if len(columns) != width:
        raise ValueError(f"Input X has {width:,} columns, but {len(columns):,} have names.")
    return columns


def names_constant(columns: np.ndarray, width: int) -> bool:
    """Whether a row may have a feature twice, because columns share one or one is the constant."""
    if len(columns) == 0:
        return width > CONSTANT
    return bool(np.any(columns == CONSTANT)) or len(np.unique(columns)) < len(columns)
