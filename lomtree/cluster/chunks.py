"""The data of a run in chunks: files and globs, local or through fsspec; large plain text is cut at
line ends, so that many workers can read one file."""

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from lomtree.core.errors import DataError, LomtreeError, OptionError
from lomtree.core.reading import Reading
from lomtree.formats.reader import Reader
from lomtree.formats.registry import AUTO, FORMATS
from lomtree.formats.source import Source, is_packed, size_on_disk

CHUNK_BYTES, LARGEST_CHUNK = 8 << 20, 128 << 20
MOST_CHUNKS = 512  # of plain text, unless they would be too large
_BLOCK = 1 << 20
_MAGIC = "*?["  # what a name with a pattern has


class Chunk(NamedTuple):
    """The lines of a file that begin in begin:end; all of them without an end."""

    path: str
    begin: int = 0
    end: int | None = None


def is_remote(path: str) -> bool:
    return "://" in path


def expand(sources: list[str]) -> list[str]:
    """The files that names and patterns mean, those of a pattern in order."""
    found = []
    for path in sources:
        if path == "-":
            raise OptionError("workers cannot read standard input: give them files")
        if is_remote(path):
            found += _expand_remote(path)
        elif any(sign in path for sign in _MAGIC) and not os.path.exists(path):
            found += _some(path, sorted(glob.glob(path, recursive=True)))
        else:
            found.append(path)
    return found


def _some(pattern: str, found: list[str]) -> list[str]:
    if not found:
        raise DataError(f"{pattern}: there are no such files")
    return found


def _expand_remote(path: str) -> list[str]:
    if not any(sign in path for sign in _MAGIC):
        return [path]
    with blaming(path):
        system, own = filesystem_of(path)
        return _some(path, [system.unstrip_protocol(one) for one in sorted(system.glob(own))])


def filesystem_of(path: str) -> tuple[Any, str]:
    """fsspec's file system for a path, and the path within it."""
    try:
        import fsspec
    except ImportError:
        raise LomtreeError(f"{path}: needs fsspec: pip install 'lomtree[dask]'") from None
    return fsspec.core.url_to_fs(path)


@contextlib.contextmanager
def blaming(path: str) -> Iterator[None]:
    """What goes wrong with a remote file, as a sentence about it."""
    try:
        yield
    except LomtreeError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{path}: cannot be read ({reason})") from None


@contextlib.contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    if not is_remote(path):
        with open(path, "rb") as file:
            yield file
        return
    with blaming(path):
        system, own = filesystem_of(path)
        with system.open(own, "rb") as file:
            yield file


def size_of(path: str) -> int:
    """A DataError if it is no file; pipes have no size, and so no chunks."""
    if is_remote(path):
        with blaming(path):
            system, own = filesystem_of(path)
            return int(system.size(own) or 0)
    size = size_on_disk(path)
    if size is None:
        raise OptionError(f"{path}: is a pipe or a device, which workers cannot share")
    return size


def chunk_bytes_for(total: int) -> int:
    """The larger the data, the larger its chunks: fewer tasks."""
    size = CHUNK_BYTES
    while size < LARGEST_CHUNK and total > MOST_CHUNKS * size:
        size *= 2
    return size


def chunks_of(path: str, format: str, chunk_bytes: int) -> list[Chunk]:
    """A file as it is, or cut, if it is long and each of its lines speaks for itself."""
    size = size_of(path)
    if size <= chunk_bytes or FORMATS[format].is_table:
        return [Chunk(path)]
    with opened(path) as file:
        if is_packed(file.read(16)):
            return [Chunk(path)]
    begins = range(0, size, chunk_bytes)
    return [Chunk(path, begin, min(begin + chunk_bytes, size)) for begin in begins]


def _line_after(file: IO[bytes], position: int) -> int:
    """Where the first line begins that begins at this position or after it."""
    if position == 0:
        return 0
    file.seek(position - 1)
    at = position - 1
    while block := file.read(_BLOCK):
        newline = block.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(block)
    return at


@contextlib.contextmanager
def local_copy(chunk: Chunk) -> Iterator[str]:
    """A local file with the chunk's lines alone."""
    if chunk.end is None and not is_remote(chunk.path):
        yield chunk.path
        return
    with tempfile.NamedTemporaryFile(prefix="lomtree-") as copy, opened(chunk.path) as file:
        begin = _line_after(file, chunk.begin)
        end = None if chunk.end is None else _line_after(file, chunk.end)
        file.seek(begin)
        left = None if end is None else end - begin
        while block := file.read(_BLOCK if left is None else min(_BLOCK, left)):
            copy.write(block)
            left = None if left is None else left - len(block)
        copy.flush()
        yield copy.name


class ChunkReader(Reader):
    """Reads a local copy; its messages name the file that it is a copy of, and the line there."""

    def __init__(self, chunk: Chunk, local: str, first_line: int = 1, **settings: Any) -> None:
        super().__init__([local], **settings)
        self.first_line = first_line
        self._chunk = chunk

    def _open(self, path: str) -> Source:
        source = Source(path)
        source.name = self._chunk.path
        return source


class Manner(NamedTuple):
    """How the data is read."""

    format: str
    on_error: str
    reading: Reading
    derived: Any
    labels_required: bool = True
    trained: str | None = None  # the format that a model was trained with


def find_manner(paths: list[str], manner: Manner) -> Manner:
    """With the format of the first example, and the columns of the first table."""
    for path in paths:
        packed = size_of(path) <= _BLOCK
        with opened(path) as file:
            head = file.read(16)
        binary = is_packed(head) or head[:4] == b"PAR1" or head[:6] == b"ARROW1"
        first = Chunk(path) if packed or binary else Chunk(path, 0, _BLOCK)
        with local_copy(first) as local:
            reader = ChunkReader(first, local, **manner._asdict())
            try:
                next(iter(reader), None)
            except DataError:
                if reader.format == AUTO:
                    raise
        if reader.format != AUTO:
            return manner._replace(format=reader.format, reading=reader.reading)
    raise DataError(f"{', '.join(paths)}: there are no examples to learn from")
