"""Tables of which many rows are zero, as small as they can be: dense, by a bitmap, or by a list.

They are the largest part of a model, so they go to a file and come back column by column and piece
by piece, without a second copy in memory.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.jit.intrinsics import ONE, trailing_zeros
from lomtree.jit.kernel import kernel
from lomtree.storage.container import VALID_PIECES, Coming, is_finite
from lomtree.system.memory import touch
from lomtree.system.pipeline import ahead
from lomtree.system.threads import leave_signals

_PIECE = 1 << 18
_LARGE = 1 << 20  # rows
_DENSE = 64  # rows for each that is filled: then next to no page of memory stays empty
_ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


@kernel
def _mark(table, bitmap):
    """Set the bits of the rows that are not all zero; returns their number."""
    used = 0
    for byte in range(len(bitmap)):
        bits = 0
        for row in range(8 * byte, 8 * byte + 8):
            some = False
            for column in range(table.shape[1]):
                some |= table[row, column] != 0
            bits |= int(some) << (row & 7)
            used += int(some)
        bitmap[byte] = bits
    return used


@kernel
def _list_marked(bitmap, numbers):
    taken = 0
    for row in range(len(bitmap) * 8):
        if bitmap[row >> 3] >> (row & 7) & 1:
            numbers[taken] = row
            taken += 1


@kernel
def _gather(table, column, bitmap, byte, values):
    """Collect one column of the marked rows from bitmap[byte] on, while there is room in `values`;
    returns the next byte and the number of values."""
    taken = 0
    while byte < len(bitmap) and taken + 8 <= len(values):
        bits = np.uint64(bitmap[byte])
        while bits:
            values[taken] = table[8 * byte + trailing_zeros(bits), column]
            taken += 1
            bits &= bits - ONE
        byte += 1
    return byte, taken


@kernel
def _scatter(bitmap, row, values, table, column):
    """The reverse, from this row on: fill a column of the marked rows. Returns the row behind the
    last one, or -1 where there are more values than marked rows."""
    byte = row >> 3
    if byte == len(bitmap):
        return -1 if len(values) else row
    bits = np.uint64(bitmap[byte]) >> np.uint64(row & 7) << np.uint64(row & 7)
    for place in range(len(values)):
        while not bits:
            byte += 1
            if byte == len(bitmap):
                return -1
            bits = np.uint64(bitmap[byte])
        row = 8 * byte + trailing_zeros(bits) + 1
        table[row - 1, column] = values[place]
        bits &= bits - ONE
    return row


def _column(table: np.ndarray, column: int, bitmap: np.ndarray, count: int) -> Coming:
    """One column of the rows of a table that are not zero."""

    def pieces() -> Iterator[np.ndarray]:
        byte = 0
        for values in cycle(np.empty((VALID_PIECES, _PIECE), table.dtype)):
            if byte == len(bitmap):
                return
            byte, taken = _gather(table, column, bitmap, byte, values)
            yield values[:taken]

    return Coming(table.dtype, count, pieces)


class Packed(NamedTuple):
    """Which rows are not zero, and their columns."""

    kind: str  # 'dense': all rows; 'bitmap': one bit a row; 'list': their numbers
    where: np.ndarray  # uint8[] (empty, or the bitmap) or uint32[]
    columns: list[Coming]


def pack(table: np.ndarray) -> Packed:
    """Pack a two-dimensional array whose length is a multiple of 8."""
    count, width = table.shape
    bitmap = np.zeros(count // 8, np.uint8)
    used = _mark(table, bitmap)
    row_bytes = width * table.itemsize
    sizes = {
        "dense": count * row_bytes,
        "bitmap": count // 8 + used * row_bytes,
        "list": used * (4 + row_bytes),
    }
    kind = min(sizes, key=lambda name: sizes[name])
    where = bitmap
    if kind == "dense":
        where, bitmap, used = bitmap[:0], np.full(count // 8, 0xFF, np.uint8), count
    elif kind == "list":
        where = np.empty(used, np.uint32)
        _list_marked(bitmap, where)
    return Packed(kind, where, [_column(table, column, bitmap, used) for column in range(width)])


Values = Any  # an array, or what has pieces() of one, as container.Stored


def unpack_into(
    kind: str, where: np.ndarray, values: Values, table: np.ndarray, column: int
) -> None:
    """Fill a column of a table of zeros; ModelError if the parts do not fit together, or are not
    finite numbers."""
    if values.ndim != 1 or values.dtype != table.dtype or where.ndim != 1:
        raise ModelError("its rows do not have the expected form")
    check_packed(kind, where, len(values), len(table))
    if kind == "dense":
        table[:, column] = _whole(values)
    elif kind == "bitmap":
        _scatter_all(where, values, table, column)
    else:
        table[where, column] = _whole(values)


def check_packed(kind: str, where: np.ndarray, values: int, rows: int) -> None:
    """ModelError if so many values do not fill the rows that are named, of so many in all."""
    if kind == "bitmap" and where.dtype == np.uint8 and len(where) * 8 == rows:
        if int(_ONES[where].sum(dtype=np.int64)) != values:
            raise ModelError("its bitmap does not fit its rows")
    elif kind == "list" and where.dtype == np.uint32 and len(where) == values:
        if len(where) and (np.any(where[1:] <= where[:-1]) or where[-1] >= rows):
            raise ModelError("its rows are not in order")
    elif kind != "dense" or values != rows or len(where) != 0:
        raise ModelError("its rows do not have the expected form")


def _whole(values: Values) -> np.ndarray:
    pieces = [piece.copy() for piece in _finite_pieces(values)]
    return np.concatenate([np.empty(0, values.dtype), *pieces])


def _finite_pieces(values: Values) -> Iterator[np.ndarray]:
    for piece in values.pieces() if hasattr(values, "pieces") else [values]:
        if not is_finite(piece):
            raise ModelError("its numbers are not finite")
        yield piece


def _scatter_all(bitmap: np.ndarray, values: Values, table: np.ndarray, column: int) -> None:
    """While other threads read, and touch the memory of the table."""
    with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
        if len(table) >= _LARGE and len(values) >= len(table) // _DENSE:
            beside.submit(touch, table)
        row = 0
        for piece in ahead(_finite_pieces(values)):
            row = _scatter(bitmap, row, piece, table, column)
            if row < 0:
                raise ModelError("its bitmap does not fit its rows")
