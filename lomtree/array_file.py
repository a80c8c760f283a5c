"""A file of named arrays: a header in JSON, the arrays, and a checksum over everything before it.

    8 bytes   b"LOMTREE" and a newline
    u32 u32   format version, length of the header
    header    {..., "arrays": [[name, dtype, shape], ...]}; see model.to_arrays
    arrays    in this order, little-endian, each at a multiple of 64 bytes from the beginning
    u32       CRC-32 of all bytes before it

Nothing in it is ever executed, and no number in it is used before it was checked.
"""

import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np

from lomtree.ahead import ahead
from lomtree.errors import ModelError
from lomtree.whole_file import open_to_replace

Arrays = dict[str, Any]  # of ndarrays; to be written, also of what has pieces() (rows.Column)

MAGIC = b"LOMTREE\n"
VERSION = 1
_ALIGN = 64
_PIECE = 1 << 20
_DTYPES = {name: np.dtype(name) for name in ("<i1", "<u1", "<i4", "<u4", "<i8", "<f4", "<f8")}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class _Writer:
    """Passes bytes on to a file and keeps the sum."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sum = 0
        self.written = 0

    def write(self, data) -> None:
        self._file.write(data)
        self._sum = zlib.crc32(data, self._sum)
        self.written += len(data)

    def finish(self) -> None:
        self._file.write(_number(self._sum))


def _number(value: int) -> bytes:
    return value.to_bytes(4, "little")


def _aligned(position: int) -> int:
    return -(-position // _ALIGN) * _ALIGN


def _lay_out(header: dict, arrays: Arrays) -> bytes:
    table = [[name, _NAMES[array.dtype], list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": table}, sort_keys=True, separators=(",", ":"))
    return text.encode()


def write_arrays(path: str, header: dict, arrays: Arrays) -> None:
    """Write a file so that `path` holds the old one or the whole new one at any moment."""
    text = _lay_out(header, arrays)
    with open_to_replace(path) as file:
        out = _Writer(file)
        out.write(MAGIC + _number(VERSION) + _number(len(text)) + text)
        for piece in ahead(_pieces(arrays.values(), out.written)):
            out.write(piece)
        out.finish()


def _pieces(arrays: Iterable, position: int) -> Iterator[memoryview]:
    """The bytes of the arrays, in a file that is so long already."""
    for array in arrays:
        yield memoryview(bytes(_aligned(position) - position))
        position = _aligned(position) + array.nbytes
        for piece in array.pieces() if hasattr(array, "pieces") else [array]:
            yield np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data


def read_arrays(path: str, needed: Callable[[str], bool]) -> tuple[dict, Arrays]:
    """The header, and those of the arrays that are needed; ModelError if it is no such file."""
    with open(path, "rb") as opened:
        if opened.seekable():
            return _take_apart(_Reader(opened), needed)
        head = opened.read(len(MAGIC))  # a pipe without end is no model
        rest = opened.read() if head == MAGIC else b""
        return _take_apart(_Reader(io.BytesIO(head + rest)), needed)


class _Reader:
    """Gives out bytes of a file and keeps the sum. The last 4 bytes are not given out."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sum = 0
        self.position = 0
        self.end = file.seek(0, os.SEEK_END) - 4
        file.seek(0)

    def read(self, size: int) -> bytearray:
        if size > self.end - self.position:
            raise ModelError("it ends too early")
        data = bytearray(size)
        self._file.readinto(data)  # type: ignore[attr-defined]
        self._sum = zlib.crc32(data, self._sum)
        self.position += size
        return data

    def skip(self, size: int) -> None:
        for begin in range(0, size, _PIECE):
            self.read(min(_PIECE, size - begin))

    def check_sum(self) -> None:
        if self.position != self.end:
            raise ModelError("it is longer than it says")
        if self._file.read(4) != _number(self._sum):
            raise ModelError("its checksum is wrong, so it is damaged or incomplete")


def _take_apart(file: _Reader, needed: Callable[[str], bool]) -> tuple[dict, Arrays]:
    """The header and the arrays that are needed; nothing in them has been checked but the sum."""
    if file.end < len(MAGIC) + 8 or file.read(len(MAGIC)) != MAGIC:
        raise ModelError("it does not begin like one")
    version = int.from_bytes(file.read(4), "little")
    if version != VERSION:
        raise ModelError(f"its format is version {version}, this program reads {VERSION}")
    header = json.loads(file.read(int.from_bytes(file.read(4), "little")).decode())
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        file.skip(_aligned(file.position) - file.position)
        size = _DTYPES[dtype].itemsize * _length(shape)
        if needed(name):
            arrays[name] = np.frombuffer(file.read(size), _DTYPES[dtype]).reshape(shape)
        else:
            file.skip(size)
    file.check_sum()
    return header, arrays


def _length(shape: list[int]) -> int:
    if len(shape) != 1 or type(shape[0]) is not int or not 0 <= shape[0] < 2**40:
        raise ModelError("one of its arrays is malformed")
    return shape[0]
