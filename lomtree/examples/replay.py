"""Parsed examples kept for further passes: in memory up to a limit, then in a temporary file.

A batch in a file is a block: u32 examples, u32 features, its five arrays, and a CRC-32 of all that.
"""

import contextlib
import os
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from lomtree.core.errors import DataError, LomtreeError
from lomtree.examples.batch import Batch

IN_MEMORY = 1 << 30  # bytes of examples that are kept without a file
_DTYPES = (np.int64, np.uint32, np.float32, np.int32, np.float32)
_COUNTS = struct.Struct("<II")


def _bytes_of(batch: Batch) -> int:
    return sum(array.nbytes for array in batch)


def write_batch(file: BinaryIO, batch: Batch) -> None:
    """One block: its checksum covers the counts and the arrays."""
    counts = _COUNTS.pack(len(batch.labels), len(batch.features))
    file.write(counts)
    checksum = zlib.crc32(counts)
    for array in batch:
        data = np.ascontiguousarray(array).view(np.uint8).data
        file.write(data)
        checksum = zlib.crc32(data, checksum)
    file.write(checksum.to_bytes(4, "little"))


def read_batch(file: BinaryIO, label_count: int) -> Batch | None:
    """The next block, or None at the end; DataError if it is not what write_batch wrote.

    What compiled code uses as an index is checked, whatever the checksum says.
    """
    counts = file.read(_COUNTS.size)
    if not counts:
        return None
    if len(counts) < _COUNTS.size:
        raise DataError("it ends too early")
    examples, features = _COUNTS.unpack(counts)
    lengths = (examples + 1, features, features, examples, examples)
    size = sum(n * np.dtype(d).itemsize for n, d in zip(lengths, _DTYPES, strict=True))
    position = file.tell()
    if position + size + 4 > os.fstat(file.fileno()).st_size:
        raise DataError("it ends too early")
    data = bytearray(file.read(size))
    checksum = zlib.crc32(data, zlib.crc32(counts))
    if file.read(4) != checksum.to_bytes(4, "little"):
        raise DataError("its checksum is wrong")
    arrays, offset = [], 0
    for length, dtype in zip(lengths, _DTYPES, strict=True):
        array = np.frombuffer(data, dtype, length, offset)
        offset += array.nbytes
        arrays.append(array)
    batch = Batch(*arrays)
    _check_batch(batch, label_count)
    return batch


def _check_batch(batch: Batch, label_count: int) -> None:
    starts, labels = batch.starts, batch.labels
    rising = np.all(starts[1:] >= starts[:-1])  # their differences might overflow
    whole = starts[0] == 0 and starts[-1] == len(batch.features) and rising
    known = len(labels) == 0 or (labels.min() >= 0 and labels.max() < label_count)
    finite = np.all(np.isfinite(batch.values)) and np.all(np.isfinite(batch.weights))
    if not (whole and known and finite and np.all(batch.weights >= 0)):
        raise DataError("its examples are malformed")


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """A full disk is told in a sentence that says which one."""
    try:
        yield
    except OSError as error:
        import tempfile

        raise LomtreeError(
            f"{tempfile.gettempdir()}: the examples for further passes cannot be kept there "
            f"({error.strerror or error}); TMPDIR names another folder"
        ) from None


class ReplayBuffer:
    """Batches to go through again: in memory up to a limit, then all in a temporary file."""

    def __init__(self, limit: int = IN_MEMORY) -> None:
        self._limit = limit
        self._batches: list[Batch] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, batch: Batch) -> None:
        """Keep a batch; the arrays must not be filled anew."""
        if self._file is None:
            self._batches.append(batch)
            self._size += _bytes_of(batch)
            if self._size > self._limit:
                self._move_to_file()
        else:
            with _telling():
                write_batch(self._file, batch)

    def _move_to_file(self) -> None:
        import tempfile  # not for those who need none

        with _telling():
            self._file = tempfile.TemporaryFile(prefix="lomtree-")  # noqa: SIM115
            for batch in self._batches:
                write_batch(self._file, batch)
        self._batches = []

    def __iter__(self) -> Iterator[Batch]:
        if self._file is None:
            yield from self._batches
            return
        with _telling():
            self._file.seek(0)
        while (batch := read_batch(self._file, 2**31)) is not None:
            yield batch
