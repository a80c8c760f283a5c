"""The cache file: parsed examples on disk, used again only for the very text they came from.

8 bytes   b"LOMCACHE"
u32 u32   format version, length of the header
header    JSON: what was parsed, and how (see `describe`)
blocks    see replay.py; the last one has no examples
labels    u32 labels, u32 bytes, u64 skipped lines, u32 length of JSON, ends, text, JSON with the
          format that was found and how it was read, CRC-32
u64       where `labels` begins
"""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.reading import PLAIN, Reading
from lomtree.examples.batch import Batch, make_batch
from lomtree.examples.label_index import LabelIndex
from lomtree.examples.replay import read_batch, write_batch

MAGIC = b"LOMCACHE"
VERSION = 3
_HEAD = struct.Struct("<8sII")
_LABELS = struct.Struct("<IIQI")
_SAMPLE = 1 << 16
_MALFORMED = (
    struct.error,
    ValueError,
    OverflowError,
    OSError,
    KeyError,
    TypeError,
    RecursionError,
)


def describe(
    sources: list[str],
    format: str,
    on_error: str,
    program: str,
    reading: Reading = PLAIN,
    derived: dict | None = None,
) -> dict:
    """What decides how text becomes examples, `derived` being the options that name the features
    derived from others. A source is known by its path, by what the file system tells of it (which
    file it is, size, times) and by the bytes at both its ends; standard input has none of these, so
    it never matches."""
    return {
        "program": program,
        "format": format,
        "on_error": on_error,
        "reading": json.loads(json.dumps(reading.to_json())),
        "derived": json.loads(json.dumps(derived or {})),  # tuples become lists, as in a file
        "sources": [_fingerprint(path) for path in sources],
    }


def _fingerprint(path: str) -> list | None:
    if path == "-" or not os.path.isfile(path):
        return None
    status = os.stat(path)
    digest = hashlib.blake2b(digest_size=16)
    try:
        with open(path, "rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(0, status.st_size - _SAMPLE))
            digest.update(file.read(_SAMPLE))
    except OSError:
        return None
    times = [status.st_mtime_ns, status.st_ctime_ns]
    identity = [status.st_dev, status.st_ino, status.st_size]
    return [os.path.abspath(path), *identity, *times, digest.hexdigest()]


class CacheWriter:
    """Writes a cache to an open file, block by block."""

    def __init__(self, file: BinaryIO, description: dict) -> None:
        header = json.dumps(description, sort_keys=True).encode()
        self._file = file
        file.write(_HEAD.pack(MAGIC, VERSION, len(header)) + header)

    def add(self, batch: Batch) -> None:
        write_batch(self._file, batch)

    def finish(
        self,
        labels: LabelIndex,
        skipped: int,
        format: str,
        reading: Reading = PLAIN,
    ) -> None:
        """`format` is what the text was found to be, `reading` how it was read."""
        none = make_batch(0, 0)
        write_batch(self._file, Batch(np.zeros(1, np.int64), *(array[:0] for array in none[1:])))
        begin = self._file.tell()
        found = json.dumps({"format": format, "reading": reading.to_json()}).encode()
        head = _LABELS.pack(len(labels), len(labels.text), skipped, len(found))
        data = head + labels.ends.tobytes() + labels.text.tobytes() + found
        self._file.write(data + zlib.crc32(data).to_bytes(4, "little"))
        self._file.write(begin.to_bytes(8, "little"))


class Cache:
    """A cache file that matches; iterating gives its batches, with its own label numbers."""

    def __init__(self, path: str, description: dict) -> None:
        """DataError says why the file cannot be used: damaged, or made from something else."""
        self.path = path
        with open(path, "rb") as file:
            self._begin = _check_header(file, description)
            try:
                self.labels, self.skipped, found = _read_labels(file)
                self.format = str(found["format"])
                self.reading = Reading.from_json(found["reading"])
            except _MALFORMED:
                raise DataError("it is damaged") from None

    def __iter__(self) -> Iterator[Batch]:
        with open(self.path, "rb") as file:
            file.seek(self._begin)
            try:
                while batch := read_batch(file, len(self.labels)):
                    if len(batch.labels) == 0:
                        return
                    yield batch
            except DataError as error:
                raise DataError(f"{self.path}: a damaged cache: {error}") from None
        raise DataError(f"{self.path}: a damaged cache: it ends too early")


def is_cache(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _check_header(file: BinaryIO, description: dict) -> int:
    """The position of the first block, if the file was made from what `description` says."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise DataError("it is damaged")
    _magic, version, length = _HEAD.unpack(head)
    if version != VERSION:
        raise DataError("another version of the program made it")
    try:
        found = json.loads(file.read(length).decode())
        made_by, sources = found["program"], found["sources"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError("it is damaged") from None
    if None in description["sources"]:
        raise DataError("what it was made from cannot be compared with this input")
    if made_by != description["program"]:
        raise DataError("another version of the program made it")
    if sources != description["sources"]:
        raise DataError("its source has changed or is another one")
    if found != description:
        raise DataError("it was made with other options")
    return file.tell()


def _read_labels(file: BinaryIO) -> tuple[LabelIndex, int, dict]:
    size = file.seek(0, os.SEEK_END)
    file.seek(size - 8)
    begin = int.from_bytes(file.read(8), "little")
    file.seek(begin)
    data = file.read(size - 8 - begin)
    count, text_bytes, skipped, found_bytes = _LABELS.unpack(data[: _LABELS.size])
    middle = _LABELS.size + 8 * (count + 1)
    behind = middle + text_bytes
    if zlib.crc32(data[:-4]).to_bytes(4, "little") != data[-4:]:
        raise DataError("it is damaged")
    ends = np.frombuffer(data[_LABELS.size : middle], np.int64)
    text = np.frombuffer(data[middle:behind], np.uint8)
    if len(data) != behind + found_bytes + 4 or len(ends) != count + 1:
        raise DataError("it is damaged")
    return LabelIndex.from_arrays(text, ends), skipped, json.loads(data[behind:-4])
