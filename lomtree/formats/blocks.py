"""The bytes of a source cut into blocks of whole lines."""

from collections.abc import Iterator

from lomtree.core.errors import DataError

LONGEST_LINE = 1 << 26  # bytes: what has no line ends is no text, and memory has an end


class LongLineError(Exception):
    """A line is longer than LONGEST_LINE."""


def whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut only behind newlines (and at the end); LongLineError if none comes.

    Only new bytes are searched, and an unfinished line's pieces are joined once, so that a line
    of any length takes linear time.
    """
    unfinished: list[bytes] = []
    length = 0  # of the unfinished line
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*unfinished, piece[:cut]])
            unfinished, length = [], 0
        if cut < len(piece):
            unfinished.append(piece[cut:])
            length += len(piece) - cut
        if length > LONGEST_LINE:
            raise LongLineError
    if unfinished:
        yield b"".join(unfinished)


def text_alone(source: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes; DataError if the first of them are no text."""
    for number, piece in enumerate(pieces):
        place = piece.find(b"\0") if number == 0 else -1
        if place >= 0:
            raise DataError(f"{source}: is a binary file (byte {place + 1} is 0), not text")
        yield piece
