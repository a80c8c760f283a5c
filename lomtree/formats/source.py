"""Bytes from a file or from standard input, unpacked if they are compressed."""

import bz2
import lzma
import os
import re
import select
import stat
import zlib
from collections.abc import Iterator
from typing import Protocol

from lomtree.core.errors import DataError

BLOCK_BYTES = 1 << 20
_FIRST_BYTES = 512  # of a stream of its own: what it does not need is copied

_GZIP = [b"\x1f\x8b\x08"]
_XZ = [b"\xfd7zXZ\x00"]
# 'BZh' and a digit could begin a text; with the magic of the first block (or of an empty
# stream's end) behind them they cannot.
_BZIP2 = [
    b"BZh%d" % level + block for level in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")
]
_MAGICS = _GZIP + _XZ + _BZIP2
_LONGEST_MAGIC = max(map(len, _MAGICS))
_PADDING = re.compile(rb"\0*")  # between streams

# What people have that Python cannot unpack in a stream, and the command that can.
_FOREIGN = {
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -dc"),
    b"7z\xbc\xaf\x27\x1c": ("7z", "7z x -so"),
    b"\x1f\x9d": ("compress", "uncompress -c"),
}


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gunzip:
    """zlib with the manners of the bz2 and lzma modules: it keeps what it has not used yet."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._stream.eof and not self._stream.unconsumed_tail

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


def _unpacker_for(head: bytes) -> _Unpacker | None:
    """What unpacks data that begins like this; None for plain bytes."""
    if head.startswith(tuple(_GZIP)):
        return _Gunzip()
    if head.startswith(tuple(_XZ)):
        return lzma.LZMADecompressor()
    if head.startswith(tuple(_BZIP2)):
        return bz2.BZ2Decompressor()
    return None


def is_packed(head: bytes) -> bool:
    """Whether data that begins like this is compressed."""
    return head.startswith(tuple(_MAGICS))


def _may_become_magic(head: bytes) -> bool:
    return any(magic.startswith(head) and magic != head for magic in (*_MAGICS, *_FOREIGN))


def _sentence(name: str, error: OSError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{name}: no such file")
    if isinstance(error, PermissionError):
        return DataError(f"{name}: no permission to read it")
    if isinstance(error, IsADirectoryError):
        return DataError(f"{name}: is a directory, not a file")
    return DataError(f"{name}: cannot be read ({(error.strerror or str(error)).lower()})")


def name_of(path: str) -> str:
    return "standard input" if path == "-" else path


def size_on_disk(path: str) -> int | None:
    """Bytes of a regular file, None where that cannot be known; a missing file is a DataError."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError):
            raise DataError(f"{name_of(path)!a}: not a file name") from None
        raise _sentence(name_of(path), error) from None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


class Source:
    """The bytes of one path ('-' is standard input), in blocks of up to BLOCK_BYTES bytes.

    A pipe's bytes are handed on as soon as the other side pauses. `bytes_read` counts what was
    read from the disk or the pipe, before unpacking, as `size` does.
    """

    def __init__(self, path: str) -> None:
        self.name = name_of(path)
        self.size = size_on_disk(path)
        self.bytes_read = 0
        self._owned = path != "-"
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC) if self._owned else 0
        except OSError as error:
            raise _sentence(self.name, error) from None

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def close(self) -> None:
        if self._owned and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __iter__(self) -> Iterator[bytes]:
        head = self._read_block()
        while head and _may_become_magic(head):
            more = self._read_block()
            if not more:
                break
            head += more
        self._refuse_foreign(head)
        unpacker = _unpacker_for(head)
        if unpacker is not None:
            yield from self._unpack(head, unpacker)
            return
        while head:
            yield head
            head = self._read_block()

    def _refuse_foreign(self, head: bytes) -> None:
        for magic, (title, command) in _FOREIGN.items():
            if head.startswith(magic):
                file = "" if self.name == name_of("-") else f" {self.name}"
                raise DataError(
                    f"{self.name}: is compressed with {title}; gzip, bzip2, xz or plain text is "
                    f"expected, so unpack it on the way: {command}{file} | lomtree ..."
                )

    def _read_some(self, limit: int) -> bytes:
        """Wait for bytes; empty only at the end. (Python itself repeats interrupted calls.)"""
        while True:
            try:
                data = os.read(self._descriptor, limit)
                break
            except BlockingIOError:  # someone made our standard input non-blocking
                select.select([self._descriptor], [], [])
            except OSError as error:
                raise _sentence(self.name, error) from None
        self.bytes_read += len(data)
        return data

    def _more_is_waiting(self) -> bool:
        if self.size is not None:
            return True
        return bool(select.select([self._descriptor], [], [], 0)[0])

    def _read_block(self) -> bytes:
        pieces = [self._read_some(BLOCK_BYTES)]
        length = len(pieces[0])
        while pieces[-1] and length < BLOCK_BYTES and self._more_is_waiting():
            pieces.append(self._read_some(BLOCK_BYTES - length))
            length += len(pieces[-1])
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _unpack(self, data: bytes, unpacker: _Unpacker) -> Iterator[bytes]:
        """All streams of a compressed file, one after the other, in blocks of bounded size.

        A stream gets little at first, and then twice as much at a time: a file may be nothing but
        tiny streams, and each hands back what it does not need."""
        position, size = 0, _FIRST_BYTES
        while True:
            given = data[position : position + size] if unpacker.needs_input else b""
            position += len(given)
            try:
                unpacked = unpacker.decompress(given, BLOCK_BYTES)
            except (zlib.error, lzma.LZMAError, OSError, EOFError):
                raise DataError(f"{self.name}: the compressed data is corrupt") from None
            if unpacked:
                yield unpacked
            if unpacker.eof:
                position -= len(unpacker.unused_data)
                data, position, following = self._next_stream(data, position)
                if following is None:
                    return
                unpacker, size = following, _FIRST_BYTES
            elif unpacker.needs_input:
                size *= 2
                if position == len(data):
                    data, position = self._read_block(), 0
                    if not data:
                        raise DataError(f"{self.name}: the compressed data ends too early")

    def _next_stream(self, data: bytes, position: int) -> tuple[bytes, int, _Unpacker | None]:
        """The stream that follows a finished one, if any, and where it begins; zeros between them
        are padding."""
        while True:
            position = _PADDING.match(data, position).end()  # type: ignore[union-attr]
            head = data[position : position + _LONGEST_MAGIC]
            if head and not _may_become_magic(head):
                break
            more = self._read_block()
            if not more:
                break
            data, position = head + more, 0
        unpacker = _unpacker_for(head)
        if head and unpacker is None:
            raise DataError(f"{self.name}: something else follows the compressed data")
        return data, position, unpacker
