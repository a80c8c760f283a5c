"""Arrays of which most rows are zero, as small as they can be: dense, as a bitmap, or as a list."""

from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.errors import ModelError


class PackedRows(NamedTuple):
    """The rows that are not all zero, and which they are."""

    kind: str  # 'dense': all rows; 'bitmap': one bit a row; 'list': their numbers
    where: np.ndarray  # uint8[] (empty, or the bitmap) or uint32[]
    rows: np.ndarray


@kernel
def _mark(array, bitmap):
    """Set the bits of the rows that are not all zero; returns their number."""
    used = 0
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            if array[row, column] != 0:
                bitmap[row >> 3] |= np.uint8(1 << (row & 7))
                used += 1
                break
    return used


@kernel
def _gather(array, bitmap, rows, numbers):
    taken = 0
    for row in range(array.shape[0]):
        if bitmap[row >> 3] >> (row & 7) & 1:
            for column in range(array.shape[1]):
                rows[taken, column] = array[row, column]
            numbers[taken] = row
            taken += 1


@kernel
def _count_bits(bitmap):
    count = 0
    for byte in bitmap:
        while byte:
            count += byte & 1
            byte >>= 1
    return count


@kernel
def _scatter(bitmap, rows, array, columns):
    taken = 0
    for byte in range(len(bitmap)):
        bits = np.int64(bitmap[byte])
        row = 8 * byte
        while bits:
            if bits & 1:
                for column in range(columns):
                    array[row, column] = rows[taken, column]
                taken += 1
            bits >>= 1
            row += 1


def pack(array: np.ndarray) -> PackedRows:
    """Pack a two-dimensional array whose length is a multiple of 8."""
    count, columns = array.shape
    bitmap = np.zeros(count // 8, np.uint8)
    used = _mark(array, bitmap)
    row_bytes = columns * array.itemsize
    sizes = {
        "dense": count * row_bytes,
        "bitmap": count // 8 + used * row_bytes,
        "list": used * (4 + row_bytes),
    }
    kind = min(sizes, key=lambda name: sizes[name])
    if kind == "dense":
        return PackedRows(kind, bitmap[:0], array)
    rows = np.empty((used, columns), array.dtype)
    numbers = np.empty(used, np.uint32)
    _gather(array, bitmap, rows, numbers)
    return PackedRows(kind, bitmap if kind == "bitmap" else numbers, rows)


def take(packed: PackedRows, array: np.ndarray) -> np.ndarray:
    """The rows of another array that lie where the packed ones do."""
    if packed.kind == "dense":
        return array
    if packed.kind == "list":
        return array[packed.where]
    rows = np.empty((len(packed.rows), array.shape[1]), array.dtype)
    _gather(array, packed.where, rows, np.empty(len(rows), np.uint32))
    return rows


def unpack_into(packed: PackedRows, array: np.ndarray, columns: int) -> None:
    """Fill the first columns of an array of zeros; ModelError if the parts do not fit together."""
    kind, where, rows = packed
    if rows.ndim != 2 or rows.shape[1] < columns or rows.dtype != array.dtype:
        raise ModelError("its rows do not have the expected form")
    if kind == "dense" and len(rows) == len(array):
        array[:, :columns] = rows[:, :columns]
    elif kind == "bitmap" and where.dtype == np.uint8 and len(where) * 8 == len(array):
        if _count_bits(where) != len(rows):
            raise ModelError("its bitmap does not fit its rows")
        _scatter(where, rows, array, columns)
    elif kind == "list" and where.dtype == np.uint32 and len(where) == len(rows):
        if len(where) and (np.any(where[1:] <= where[:-1]) or where[-1] >= len(array)):
            raise ModelError("its rows are not in order")
        array[where, :columns] = rows[:, :columns]
    else:
        raise ModelError("its rows do not have the expected form")
