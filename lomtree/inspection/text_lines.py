"""Lines of files and pipes as they are written, unpacked: for what explains one after the other."""

from collections.abc import Iterator

from lomtree.formats.reader import whole_lines
from lomtree.formats.source import Source


def text_lines(paths: list[str]) -> Iterator[bytes]:
    """Those that are not blank, without their ends."""
    for path in paths:
        with Source(path) as source:
            for text in whole_lines(iter(source)):
                for line in text.split(b"\n"):
                    if line.strip():
                        yield line.rstrip(b"\r")
