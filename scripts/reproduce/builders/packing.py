"""The files that builders write: the same bytes wherever they are built."""

import contextlib
import gzip
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32


def drawn(word: str) -> tuple[int, str]:
    """Sorts words as if they were shuffled, always in the same way."""
    return crc32(word.encode("utf-8", "surrogateescape")), word


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Packed without a name and a time in it; whole or not there."""
    unfinished = path.with_name(path.name + ".part")
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(unfinished.open("wb"))
        packed = stack.enter_context(gzip.GzipFile("", "wb", 1, raw, mtime=0))
        for line in lines:
            packed.write(line.encode("utf-8") + b"\n")
    unfinished.replace(path)
