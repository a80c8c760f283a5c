"""The model file: a header in JSON, arrays, and a checksum over everything before it.

    8 bytes   b"LOMTREE" and a newline
    u32 u32   format version, length of the header
    header    {..., "arrays": [[name, dtype, shape, offset], ...]}; see model.to_arrays
    arrays    little-endian, each at a multiple of 64 bytes from the beginning
    u32       CRC-32 of all bytes before it

Nothing in it is ever executed, and no number in it is used before it was checked.
"""

import json
import zlib
from typing import BinaryIO

import numpy as np

from lomtree.errors import ModelError
from lomtree.model import Arrays, Model, from_arrays, to_arrays
from lomtree.whole_file import open_to_replace

MAGIC = b"LOMTREE\n"
VERSION = 1
_ALIGN = 64
_DTYPES = {name: np.dtype(name) for name in ("<i1", "<u1", "<i4", "<u4", "<i8", "<f4", "<f8")}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class _Checksum:
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
    """The header's bytes; the arrays' offsets are counted from the end of the header, aligned."""
    table, offset = [], 0
    for name, array in arrays.items():
        table.append([name, _NAMES[array.dtype], list(array.shape), offset])
        offset = _aligned(offset + array.nbytes)
    text = json.dumps({**header, "arrays": table}, sort_keys=True, separators=(",", ":"))
    return text.encode()


def write_model(model: Model, path: str, predict_only: bool = False) -> None:
    """Write a model so that `path` holds the old file or the whole new one at any moment."""
    header, arrays = to_arrays(model, predict_only)
    text = _lay_out(header, arrays)
    with open_to_replace(path) as file:
        out = _Checksum(file)
        out.write(MAGIC + _number(VERSION) + _number(len(text)) + text)
        for array in arrays.values():
            out.write(bytes(_aligned(out.written) - out.written))
            out.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        out.finish()


def read_model(path: str, learning: bool) -> Model:
    """The model in a file; ModelError, beginning with the path, for anything else.

    With `learning` its training can go on; without, it loads faster and needs less memory.
    """
    try:
        with open(path, "rb") as file:
            data = bytearray(file.read())
    except FileNotFoundError:
        raise ModelError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise ModelError(f"{path}: is a directory, not a model") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from None
    try:
        return from_arrays(*_take_apart(data), learning)
    except ModelError as error:
        raise ModelError(f"{path}: not a usable model: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        raise ModelError(f"{path}: not a usable model: its header is malformed") from None


def _take_apart(data: bytearray) -> tuple[dict, Arrays]:
    begin = len(MAGIC) + 8
    if not data.startswith(MAGIC):
        raise ModelError("it does not begin like one")
    if len(data) < begin + 4:
        raise ModelError("it ends too early")
    version = int.from_bytes(data[8:12], "little")
    if version != VERSION:
        raise ModelError(f"its format is version {version}, this program reads {VERSION}")
    view = memoryview(data)
    if _number(zlib.crc32(view[:-4])) != data[-4:]:
        raise ModelError("its checksum is wrong, so it is damaged or incomplete")
    end = begin + int.from_bytes(data[12:16], "little")
    if end > len(data) - 4:
        raise ModelError("its header is longer than the file")
    header = json.loads(data[begin:end].decode())
    first = _aligned(end)
    arrays = {
        name: _array(view[:-4], dtype, shape, first + offset)
        for name, dtype, shape, offset in header["arrays"]
    }
    return header, arrays


def _array(data: memoryview, dtype: str, shape: list[int], offset: int) -> np.ndarray:
    """A view of one array; its numbers are whatever a stranger wrote."""
    if dtype not in _DTYPES or not 1 <= len(shape) <= 2 or offset < 0:
        raise ModelError("one of its arrays is malformed")
    if any(type(length) is not int or length < 0 for length in [*shape, offset]):
        raise ModelError("one of its arrays is malformed")
    count = 1
    for length in shape:
        count *= length
    if offset + count * _DTYPES[dtype].itemsize > len(data):
        raise ModelError("one of its arrays is longer than the file")
    return np.frombuffer(data, _DTYPES[dtype], count, offset if count else 0).reshape(shape)
