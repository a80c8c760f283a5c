"""Examples from any number of sources: bytes in, Examples out, problems as sentences."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lomtree.core.errors import DataError
from lomtree.examples.batch import Batch
from lomtree.examples.examples import Examples, Origin, Strings
from lomtree.examples.merging import Merger
from lomtree.formats.line import Spans, holds, make_arrays
from lomtree.formats.problems import describe, require_labels
from lomtree.formats.registry import AUTO, FORMATS, sniff_format
from lomtree.formats.source import Source, size_on_disk
from lomtree.system.pipeline import DEPTH, side_by_side
from lomtree.system.timing import watch

LONGEST_LINE = 1 << 26  # bytes: what has no line ends is no text, and memory has an end
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Room(NamedTuple):
    """Arrays to parse a text into."""

    batch: Batch
    spans: Spans


class _Mergers(threading.local):
    """A merger for each thread that parses."""

    def __init__(self) -> None:
        self.mine = Merger()


class _Unparsed(NamedTuple):
    """Whole lines of one source, and room for the examples in them."""

    text: np.ndarray  # uint8[]
    room: _Room
    source: str
    first_line: int
    line_count: int


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


class Reader:
    """Iterate over the examples of `sources` (paths, '-' for standard input) as Examples.

    The last `kept_blocks` of them are valid at any time: after that their arrays are filled anew
    (their text is not). Consumers copy what they keep for longer.

    format: one of FORMATS, or 'auto', which the first example of the run decides.
    on_error: 'stop' yields the good examples before the first bad line and then raises DataError;
    'skip' yields bad ones in their place, with a problem and no use for a learner.
    labels_required: whether an example without a label is bad.
    threads: how many blocks of a file are parsed at once. Those of a pipe are parsed as they come.
    """

    def __init__(
        self,
        sources: list[str],
        format: str = AUTO,
        on_error: str = "stop",
        labels_required: bool = False,
        kept_blocks: int = DEPTH + 2,
        threads: int = 1,
    ) -> None:
        self.sources = sources
        self.format = format
        self.skipped = 0  # examples with a problem so far
        self.lines = 0  # lines so far, in all sources
        self.examples = 0  # so far, bad ones included
        self.has_features = False  # whether any of them has more than the constant
        self._on_error = on_error
        self._labels_required = labels_required
        sizes = [size_on_disk(path) for path in sources]
        known = [size for size in sizes if size is not None]
        self.size = sum(known) if len(known) == len(sizes) else None
        self._bytes_before = 0
        self._source: Source | None = None
        self._threads = threads
        self._kept_blocks = kept_blocks
        self._rooms = self._no_rooms()
        self._mergers = _Mergers()
        self._turn = 0

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, before unpacking: to be compared with `size`."""
        return self._bytes_before + (self._source.bytes_read if self._source else 0)

    def __iter__(self) -> Iterator[Examples]:
        self.skipped = self.lines = self.examples = self._bytes_before = 0
        self.has_features = False
        self._rooms = self._no_rooms()  # an iteration left early may still be filling its own
        for path in self.sources:
            with Source(path) as source:
                self._source = source
                threads = 1 if size_on_disk(path) is None else self._threads
                yield from self._read_source(source, threads)
            self._bytes_before += source.bytes_read
            self._source = None

    def _read_source(self, source: Source, threads: int) -> Iterator[Examples]:
        unparsed = self._unparsed(source)
        if threads > 1:
            parsed = side_by_side(self._parse, unparsed, threads)
        else:
            parsed = map(self._parse, unparsed)
        for examples in parsed:
            self.examples += examples.count
            if not self.has_features:
                lengths = np.diff(examples.batch.starts[: examples.count + 1])
                self.has_features = bool((lengths[examples.good] > 1).any())
            yield from self._sort_out(examples)

    def _unparsed(self, source: Source) -> Iterator[_Unparsed]:
        first_line = 1
        for text in watch.each("read", self._texts(source)):
            watch.count("read", bytes=len(text))
            if first_line == 1:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            newlines = text.count(b"\n")
            lines = newlines + (not text.endswith(b"\n"))
            self.lines += lines
            if self.format == AUTO:
                found = sniff_format(text, source.name)
                self.format = found.name if found else AUTO
            if self.format != AUTO:
                yield self._outline(text, newlines, source.name, first_line)
            first_line += lines

    def _texts(self, source: Source) -> Iterator[bytes]:
        """Whole lines; one without an end stops the run in any case: nobody knows what follows."""
        before = self.lines
        try:
            yield from whole_lines(_text_alone(source))
        except LongLineError:
            place = f"{source.name}:{self.lines - before + 1}"
            most = f"{LONGEST_LINE >> 20} MB"
            raise DataError(f"{place}: expected a line of at most {most}, found more") from None

    def _outline(self, text: bytes, newlines: int, name: str, first_line: int) -> _Unparsed:
        room = self._next_room(len(text), newlines)
        lines = newlines + (not text.endswith(b"\n"))
        return _Unparsed(np.frombuffer(text, np.uint8), room, name, first_line, lines)

    def _parse(self, unparsed: _Unparsed) -> Examples:
        text, (batch, spans) = unparsed.text, unparsed.room
        with watch.stage("parse", bytes=len(text)):
            count, features = FORMATS[self.format].parse(text, 0, len(text), batch, spans)
            self._mergers.mine.merge(batch, count, spans.may_repeat)
        watch.count("parse", features=features)
        examples = Examples(
            batch,
            count,
            Strings(text, spans.label_begin, spans.label_end),
            Strings(text, spans.tag_begin, spans.tag_end),
            spans.problem,
            Origin(*unparsed[2:], spans.line, spans.column),
            self.format,
        )
        if self._labels_required:
            require_labels(examples)
        return examples

    def _no_rooms(self) -> list[_Room | None]:
        return [None] * (self._kept_blocks + self._threads)

    def _next_room(self, byte_count: int, newlines: int) -> _Room:
        self._turn = (self._turn + 1) % len(self._rooms)
        room = self._rooms[self._turn]
        if room is None or not holds(room.batch, byte_count, newlines):
            # A little more than asked for, as the next text is never exactly as long.
            arrays = make_arrays(byte_count + byte_count // 4, newlines + newlines // 4)
            room = self._rooms[self._turn] = _Room(*arrays)
        return room

    def _sort_out(self, examples: Examples) -> Iterator[Examples]:
        """Hand on the examples as `on_error` wants it."""
        bad = np.flatnonzero(~examples.good)
        if len(bad) == 0 or self._on_error == "skip":
            self.skipped += len(bad)
            yield examples
            return
        error = DataError(describe(examples, int(bad[0])))
        if bad[0] > 0:
            assert examples.origin is not None
            before = examples.origin._replace(line_count=int(examples.origin.lines[bad[0]]))
            yield replace(examples, count=int(bad[0]), origin=before)
        raise error


def read_line(line: bytes, format: str = AUTO) -> Examples:
    """The examples of one line that is no file's; DataError if it is none."""
    return read_lines(line, format, "line")


def read_lines(text: bytes, format: str = AUTO, name: str = "text", first: int = 1) -> Examples:
    """The examples of whole lines that are no file's, the first of which has this number; DataError
    if one of them is bad."""
    reader = Reader([], format)
    if format == AUTO:
        found = sniff_format(text, name)
        if found is None:
            raise DataError(f"the {name} is empty")
        reader.format = found.name
    examples = reader._parse(reader._outline(text, text.count(b"\n"), name, first))
    bad = np.flatnonzero(~examples.good)
    if len(bad):
        raise DataError(describe(examples, int(bad[0])))
    return examples


def _text_alone(source: Source) -> Iterator[bytes]:
    """The same bytes; DataError if the first of them are no text."""
    for number, piece in enumerate(source):
        place = piece.find(b"\0") if number == 0 else -1
        if place >= 0:
            raise DataError(f"{source.name}: is a binary file (byte {place + 1} is 0), not text")
        yield piece
