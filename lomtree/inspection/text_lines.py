"""Lines of files and pipes as they are written, unpacked: for what explains one after the other."""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from lomtree.core.errors import LomtreeError
from lomtree.formats.blocks import whole_lines
from lomtree.formats.source import Source

_OWN = "line:1:"  # how a sentence begins that is about a line of no file


class TextLine(NamedTuple):
    text: bytes
    place: str  # file:number

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever is wrong with the line is told with its place."""
        try:
            yield
        except LomtreeError as error:
            told = str(error)
            where = f"{self.place}:" if told.startswith(_OWN) else f"{self.place}: "
            raise type(error)(where + told.removeprefix(_OWN)) from None


def text_lines(paths: list[str]) -> Iterator[TextLine]:
    """Those with an example: blank lines and comments of libsvm text have none."""
    for path in paths:
        with Source(path) as source:
            number = 0
            for text in whole_lines(iter(source)):
                for line in text.removesuffix(b"\n").split(b"\n"):
                    number += 1
                    words = line.strip()
                    if words and (b"|" in words or not words.startswith(b"#")):
                        yield TextLine(line.rstrip(b"\r"), f"{source.name}:{number}")
