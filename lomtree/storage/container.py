"""A file of named arrays: a header in JSON, the arrays, and checksums over everything before them.

    8 bytes   b"LOMTREE" and a newline
    u32 u32   format version, length of the header
    header    {..., "arrays": [[name, dtype, shape], ...]}; see model.to_state_dict; the arrays of
              "coded": {name: [dtype, length, kind], ...} are bytes here, see coding
    arrays    in this order, little-endian, each at a multiple of 64 bytes from the beginning
    u32 ...   CRC-32 of all bytes before the arrays, then of each array and the gap before it
    u32       CRC-32 of these sums

An array that nobody needs is not read, so each has a sum of its own. Nothing in a file is ever
executed, and no number in it is used before it was checked.
"""

import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from math import isfinite
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.storage.coding import Coded, coded, is_believable
from lomtree.system.atomic_file import STANDARD, open_to_replace
from lomtree.system.pipeline import DEPTH, ahead, side_by_side

Buffer = bytes | memoryview
Arrays = dict[str, Any]  # of ndarrays, and of what has pieces(): Stored, Coming and Coded

VALID_PIECES = DEPTH + 2  # pieces
_PIECE = 1 << 20
_AT_ONCE = 2  # arrays that are read, or made smaller
MAGIC = b"LOMTREE\n"
VERSION = 12
_ALIGN = 64
_DTYPES = {
    name: np.dtype(name) for name in ("<i1", "<u1", "<u2", "<i4", "<u4", "<i8", "<f4", "<f8")
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_NO_BYTES = np.empty(0, np.uint8)


def _number(value: int) -> bytes:
    return value.to_bytes(4, "little")


def _aligned(position: int) -> int:
    return -(-position // _ALIGN) * _ALIGN


def sizes_in(header: dict) -> dict[str, int]:
    """How many bytes of a file each array takes."""
    return {
        name: _DTYPES[dtype].itemsize * _length(shape) for name, dtype, shape in header["arrays"]
    }


def _lay_out(header: dict, arrays: Arrays) -> bytes:
    table, entries = [], {}
    for name, array in arrays.items():
        if isinstance(array, Coded):
            entries[name], array = array.entry, array.data
        table.append([name, _NAMES[array.dtype], list(array.shape)])
    whole = {**header, "arrays": table} | ({"coded": entries} if entries else {})
    return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()


def compacted(arrays: Arrays) -> Arrays:
    """The same in few bits, float32 rounded. If that would be fewer than anybody believes when they
    are read, those that become smallest stay as they are."""
    whole = (
        array if isinstance(array, np.ndarray) else at_once(array) for array in arrays.values()
    )
    each = zip(arrays, side_by_side(coded, whole, _AT_ONCE), strict=True)
    found = {name: array or arrays[name] for name, array in each}
    small = {name: array for name, array in found.items() if isinstance(array, Coded)}
    stored = sum(array.nbytes for array in found.values())
    unpacked = sum(array.unpacked for array in small.values())
    for name in sorted(small, key=lambda name: small[name].nbytes / small[name].unpacked):
        if is_believable(unpacked, stored):
            break
        found[name] = arrays[name]
        unpacked -= small[name].unpacked
        stored += arrays[name].nbytes - small[name].nbytes
    return found


class Extent(NamedTuple):
    """Between which numbers those of an array are, and 0; if one of the array is none, so are
    these."""

    least: float
    largest: float

    def with_more(self, numbers: np.ndarray) -> "Extent":
        if numbers.size == 0:
            return self
        # Of a number and none, Python's min and max keep the first.
        least, largest = numbers.min().item(), numbers.max().item()
        return Extent(min(least, self.least), max(largest, self.largest))

    @property
    def is_finite(self) -> bool:
        return isfinite(self.least) and isfinite(self.largest)


NOTHING = Extent(0.0, 0.0)
Check = Callable[[dict, Arrays, dict[str, Extent]], object]


def write_arrays(
    path: str, header: dict, arrays: Arrays, check: Check = lambda _header, _arrays, _extents: None
) -> dict:
    """Write a file so that `path` holds the old one or the whole new one at any moment; returns the
    header as it is there.

    Nothing that cannot be read again takes the place of an older file: no number may be infinite or
    none, every array is as long as the header says, and `check` sees the header as it would be
    read, the arrays, and the extent of what was written of each; it may raise a ModelError."""
    text = _lay_out(header, arrays)
    head = MAGIC + _number(VERSION) + _number(len(text)) + text
    sums, extents = [zlib.crc32(head)], dict.fromkeys(arrays, NOTHING)
    read_again = json.loads(text)
    with open_to_replace(path) as file:
        file.write(head)
        for piece in ahead(_pieces(arrays, len(head), sums, extents)):
            file.write(piece)
        table = b"".join(map(_number, sums))
        file.write(table + _number(zlib.crc32(table)))
        check(read_again, arrays, extents)
    return read_again


def _pieces(
    arrays: Arrays, position: int, sums: list[int], extents: dict[str, Extent]
) -> Iterator[Buffer]:
    """The bytes of the arrays, in a file that is so long already; `sums` gets their sums, and
    `extents` what they are between."""
    for name, array in arrays.items():
        gap = bytes(_aligned(position) - position)
        yield gap
        sums.append(zlib.crc32(gap))
        position = _aligned(position) + array.nbytes
        left = array.nbytes
        for piece in array.pieces() if hasattr(array, "pieces") else [array]:
            extents[name] = extents[name].with_more(piece)
            if not extents[name].is_finite:
                raise ModelError("its numbers are not finite")
            if isinstance(array, Coded):
                continue
            data = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
            sums[-1] = zlib.crc32(data, sums[-1])
            left -= len(data)
            yield data
        if isinstance(array, Coded):
            sums[-1] = zlib.crc32(array.data.data, sums[-1])
            yield array.data.data
        elif left:
            raise ModelError("one of its arrays is not as long as it says")


def is_finite(numbers: np.ndarray) -> bool:
    """Whether all are numbers, and none is infinite. (Asking each takes four times as long.)"""
    return NOTHING.with_more(numbers).is_finite


def read_arrays(
    path: str, needed: Callable[[str], bool], stored: Callable[[str], bool]
) -> tuple[dict, Arrays]:
    """The header, and those of the arrays that are needed; ModelError if it is no such file. Those
    that may stay `stored` are read when they are asked for their pieces."""
    opened = open(os.dup(0) if path == STANDARD else path, "rb")  # noqa: SIM115  # kept by _Reader
    if opened.seekable():
        return _take_apart(_Reader(opened), needed, stored)
    with opened:
        head = opened.read(len(MAGIC))  # a pipe without end is no model
        rest = opened.read() if head == MAGIC else b""
    return _take_apart(_Reader(io.BytesIO(head + rest)), needed, stored)


class _Reader:
    """Gives out bytes of a file, none beyond its end; several threads may ask."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._memory = file.getbuffer() if isinstance(file, io.BytesIO) else None
        self.end = file.seek(0, os.SEEK_END)

    def __del__(self) -> None:
        if self._memory is None:
            self._file.close()

    def read(self, position: int, size: int) -> np.ndarray:
        if size > self.end - position:
            raise ModelError("it ends too early")
        data = np.empty(size, np.uint8)
        self.read_into(data.data, position)
        return data

    def read_into(self, view: memoryview, position: int) -> None:
        if self._memory is not None:
            view[:] = self._memory[position : position + len(view)]
            return
        while view:
            count = os.preadv(self._file.fileno(), [view], position)
            if count == 0:
                raise ModelError("it ends too early")
            view, position = view[count:], position + count


class Coming:
    """An array to be written that need not be there before its turn comes: only its form is known
    now. The last VALID_PIECES of its pieces are valid at any time."""

    def __init__(self, dtype: Any, length: int, pieces: Callable[[], Iterable[np.ndarray]]) -> None:
        self.dtype = np.dtype(dtype)
        self.ndim, self.shape = 1, (length,)
        self.nbytes = length * self.dtype.itemsize
        self.pieces = pieces

    def __len__(self) -> int:
        return self.shape[0]


def at_once(array: Any) -> np.ndarray:
    """An array of its own, also of one that is still coming or in few bits."""
    if isinstance(array, Coded):
        return array.whole()
    if not hasattr(array, "pieces"):
        return np.array(array)
    pieces = [piece.copy() for piece in array.pieces()]
    return np.concatenate(pieces) if pieces else np.empty(0, array.dtype)


class Stored:
    """An array that is still in its file."""

    def __init__(self, file: _Reader, dtype: np.dtype, place: tuple[int, int, int], total: int):
        self._file, self._place, self._total = file, place, total
        self.dtype = dtype
        self.ndim = 1

    def __len__(self) -> int:
        _before, begin, end = self._place
        return (end - begin) // self.dtype.itemsize

    def pieces(self) -> Iterator[np.ndarray]:
        """The last VALID_PIECES of them are valid. ModelError in the end if the sum of all is
        wrong."""
        before, begin, end = self._place
        found = zlib.crc32(self._file.read(before, begin - before).data)
        buffers = cycle([bytearray(_PIECE) for _ in range(VALID_PIECES)])
        for position, buffer in zip(range(begin, end, _PIECE), buffers, strict=False):
            view = memoryview(buffer)[: min(_PIECE, end - position)]
            self._file.read_into(view, position)
            found = zlib.crc32(view, found)
            yield np.frombuffer(view, self.dtype)
        _check(found, self._total)


def _take_apart(
    file: _Reader, needed: Callable[[str], bool], stored: Callable[[str], bool]
) -> tuple[dict, Arrays]:
    """The header and the arrays that are needed; nothing in them has been checked but the sums."""
    head = file.read(0, min(len(MAGIC) + 8, file.end)).tobytes()
    if len(head) < len(MAGIC) + 8 or not head.startswith(MAGIC):
        raise ModelError("it does not begin like one")
    version, length = (int.from_bytes(head[at : at + 4], "little") for at in (8, 12))
    if version != VERSION:
        raise ModelError(f"its format is version {version}, this program reads {VERSION}")
    head += file.read(len(head), length).tobytes()
    header = json.loads(head[16:].decode())
    places, sums = _places_and_sums(header["arrays"], file, len(head))
    _check(zlib.crc32(head), sums[0])
    entries = header.get("coded", {})
    unpacked = sum(Coded.of_entry(entry, _NO_BYTES).unpacked for entry in entries.values())
    if not is_believable(unpacked, sum(sizes_in(header).values())):
        raise ModelError("it would be too large in memory for a file of its size")

    def take(entry: tuple) -> Any:
        (name, dtype, _shape), place, total = entry
        if stored(name) and name not in entries:
            return Stored(file, _DTYPES[dtype], place, total)
        before, begin, end = place
        gap, data = file.read(before, begin - before), file.read(begin, end - begin)
        _check(zlib.crc32(data.data, zlib.crc32(gap.data)), total)
        array = data.view(_DTYPES[dtype])
        if name not in entries:
            return array
        of_few_bits = Coded.of_entry(entries[name], array)
        return of_few_bits if stored(name) else at_once(of_few_bits)

    wanted = [
        entry
        for entry in zip(header["arrays"], places, sums[1:], strict=True)
        if needed(entry[0][0])
    ]
    taken = side_by_side(take, wanted, _AT_ONCE)
    return header, {entry[0][0]: array for entry, array in zip(wanted, taken, strict=True)}


def _places_and_sums(
    table: list, file: _Reader, position: int
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Of each array in the header's table, where the gap before it, it and what follows it begin;
    and the sums."""
    places = []
    for _name, dtype, shape in table:
        begin = _aligned(position)
        end = begin + _DTYPES[dtype].itemsize * _length(shape)
        places.append((position, begin, end))
        position = end
    size = 4 * (len(table) + 1)
    if position + size + 4 < file.end:
        raise ModelError("it is longer than it says")
    sums = file.read(position, size)
    _check(zlib.crc32(sums.data), int.from_bytes(file.read(position + size, 4).tobytes(), "little"))
    return places, sums.view("<u4").tolist()


def _check(found: int, total: int) -> None:
    if found != total:
        raise ModelError("its checksum is wrong, so it is damaged or incomplete")


def _length(shape: list[int]) -> int:
    if len(shape) != 1 or type(shape[0]) is not int or not 0 <= shape[0] < 2**40:
        raise ModelError("one of its arrays is malformed")
    return shape[0]
