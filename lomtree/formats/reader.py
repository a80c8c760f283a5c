"""Examples from any number of sources: bytes in, Examples out, problems as sentences."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.errors import DataError
from lomtree.core.reading import PLAIN, Reading
from lomtree.derived.derivation import Deriver
from lomtree.examples.batch import Batch
from lomtree.examples.examples import Examples, Origin, Strings
from lomtree.examples.merging import Merger
from lomtree.examples.namespaces import Namespaces, make_namespaces, one_namespace
from lomtree.formats import blocks
from lomtree.formats.blocks import LongLineError, text_alone, whole_lines
from lomtree.formats.line import Spans, holds, make_arrays
from lomtree.formats.problems import describe, require_labels
from lomtree.formats.registry import AUTO, FORMATS, Expected, is_arrow, sniff_format
from lomtree.formats.source import Source, size_on_disk
from lomtree.formats.translation import Layout, complete
from lomtree.system.pipeline import DEPTH, side_by_side
from lomtree.system.timing import watch

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Room(NamedTuple):
    """Arrays to parse a text into."""

    batch: Batch
    spans: Spans
    namespaces: Namespaces | None  # where features are derived from them


class Parsed(NamedTuple):
    """Examples, and what others may be derived from."""

    examples: Examples
    namespaces: Namespaces | None


class _Mergers(threading.local):
    """A merger for each thread that parses."""

    def __init__(self) -> None:
        self.mine = Merger()


class _Unparsed(NamedTuple):
    """Whole lines of one source, and room for the examples in them. What is translated first needs
    no room, and may be something else than text."""

    text: Any  # uint8[] where it is text
    room: _Room | None
    layout: Layout | None
    source: str
    first_line: int
    line_count: int


class Reader:
    """Iterate over the examples of `sources` (paths, '-' for standard input) as Examples.

    The last `kept_blocks` of them are valid at any time: after that their arrays are filled anew
    (their text is not). Consumers copy what they keep for longer.

    format: one of FORMATS, or 'auto', which the first example of the run decides.
    on_error: 'stop' yields the good examples before the first bad line and then raises DataError;
    'skip' yields bad ones in their place, with a problem and no use for a learner.
    labels_required: whether an example without a label is bad.
    threads: how many blocks of a file are parsed at once. Those of a pipe are parsed as they come.
    reading: how tables are read; afterwards it knows their columns, too.
    trained: the format that a model was trained with, for text that does not tell its own.
    derived: what is made of their features; of a model's options that is `options.derived`.
    """

    def __init__(
        self,
        sources: list[str],
        format: str = AUTO,
        on_error: str = "stop",
        labels_required: bool = False,
        kept_blocks: int = DEPTH + 2,
        threads: int = 1,
        reading: Reading = PLAIN,
        trained: str | None = None,
        derived: Derivations = NOTHING,
    ) -> None:
        self.sources = sources
        self.format = format
        self.reading = reading
        self.skipped = 0  # examples with a problem so far
        self.lines = 0  # lines so far, in all sources
        self.examples = 0  # so far, bad ones included
        self.has_features = False  # whether any of them has more than the constant
        self.first_line = 1  # the number of a text's first line
        self._on_error = on_error
        self._labels_required = labels_required
        self.trained = trained
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
        self._derived = derived
        self._notes_words = bool(derived.characters)
        self._deriver = self._new_deriver()

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, before unpacking: to be compared with `size`."""
        return self._bytes_before + (self._source.bytes_read if self._source else 0)

    def __iter__(self) -> Iterator[Examples]:
        self.skipped = self.lines = self.examples = self._bytes_before = 0
        self.has_features = False
        self._rooms = self._no_rooms()  # an iteration left early may still be filling its own
        self._deriver = self._new_deriver()
        for path in self.sources:
            with self._open(path) as source:
                self._source = source
                threads = 1 if size_on_disk(path) is None else self._threads
                yield from self._read_source(path, source, threads)
            self._bytes_before += source.bytes_read
            self._source = None

    def _open(self, path: str) -> Source:
        return Source(path)

    def _read_source(self, path: str, source: Source, threads: int) -> Iterator[Examples]:
        unparsed = self._unparsed(path, source)
        if threads > 1:
            parsed = side_by_side(self._parse, unparsed, threads)
        else:
            parsed = map(self._parse, unparsed)
        for block in parsed:
            yield from self._finish(block)

    def parse_text(self, text: bytes, name: str, first: int, words: bool = False) -> Parsed:
        """Parse text that is no source's, whose first line has this number; its words are noted if
        they are wanted in any case."""
        self._notes_words |= words
        layout = FORMATS[self.format].layout_of(name, self.reading, self._labels_required)
        return self._parse(self._outline(text, text.count(b"\n"), layout, name, first))

    def read_rows(self, rows: Any, layout: Layout, first_row: int) -> Iterator[Examples]:
        """The examples of a batch of Arrow that is no source's."""
        count = rows.num_rows
        unparsed = _Unparsed(rows, None, layout, "the table", first_row, count)
        yield from self._finish(self._parse(unparsed))

    def _finish(self, block: Parsed) -> Iterator[Examples]:
        for examples in self._derive(block):
            self.examples += examples.count
            if not self.has_features:
                lengths = np.diff(examples.batch.starts[: examples.count + 1])
                constants = int(self._derived.constant)
                self.has_features = bool((lengths[examples.good] > constants).any())
            yield from self._sort_out(examples)

    def _derive(self, block: Parsed) -> Iterator[Examples]:
        if self._deriver is None or block.namespaces is None:
            yield block.examples
            return
        parts = self._deriver.parts(block.examples, block.namespaces)
        for examples in watch.each("derive", parts):
            watch.count("derive", features=int(examples.batch.starts[examples.count]))
            yield examples

    def _unparsed(self, path: str, source: Source) -> Iterator[_Unparsed]:
        pieces = iter(source)
        head = next(pieces, b"")
        if is_arrow(head, self.format, source.name):
            yield from self._rows(path, source, head)
            return
        first_line, texts = self._find_format(source, chain([head], pieces))
        if texts is None:
            return
        format = FORMATS[self.format]
        layout = format.layout_of(source.name, self.reading, self._labels_required)
        for left_out, text in layout.whole(texts) if layout else ((0, text) for text in texts):
            self.reading = layout.reading if layout else self.reading
            self.lines += left_out
            first_line += left_out
            newlines = text.count(b"\n")
            unparsed = self._outline(text, newlines, layout, source.name, first_line)
            self.lines += unparsed.line_count
            yield unparsed
            first_line += unparsed.line_count

    def _rows(self, path: str, source: Source, head: bytes) -> Iterator[_Unparsed]:
        """The batches of a file that is Parquet or Arrow."""
        from lomtree.formats.arrow import ArrowLayout, read_batches

        self.format, first_row = "parquet", 1
        layout = ArrowLayout(source.name, self.reading, self._labels_required)
        for batch, done in watch.each("read", read_batches(path, source.name, head)):
            layout.see(batch)
            self.reading = layout.reading
            source.bytes_read = int(done * (source.size or 0))
            self.lines += batch.num_rows
            yield _Unparsed(batch, None, layout, source.name, first_row, batch.num_rows)
            first_row += batch.num_rows
        source.bytes_read = source.size or source.bytes_read

    def _find_format(
        self, source: Source, pieces: Iterator[bytes]
    ) -> tuple[int, Iterator[bytes] | None]:
        """The first line of the text that tells the format, and all texts from there on."""
        first_line, texts = self.first_line, self._texts(source.name, pieces)
        for text in texts:
            if self.format == AUTO:
                expected = Expected(self.reading, self._labels_required, self.trained)
                found = sniff_format(text, source.name, expected)
                self.format = found.name if found else AUTO
            if self.format != AUTO:
                return first_line, chain([text], texts)
            lines = text.count(b"\n") + (not text.endswith(b"\n"))
            self.lines += lines
            first_line += lines
        return first_line, None

    def _texts(self, source: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Whole lines; one without an end stops the run in any case: nobody knows what follows."""
        before = self.lines
        try:
            whole = whole_lines(text_alone(source, pieces))
            for number, text in enumerate(watch.each("read", whole)):
                watch.count("read", bytes=len(text))
                yield text if number else text.removeprefix(_BYTE_ORDER_MARK)
        except LongLineError:
            place = f"{source}:{self.lines - before + self.first_line}"
            most = f"{blocks.LONGEST_LINE >> 20} MB"
            raise DataError(f"{place}: expected a line of at most {most}, found more") from None

    def _outline(
        self, text: bytes, newlines: int, layout: Layout | None, name: str, first_line: int
    ) -> _Unparsed:
        room = self._next_room(len(text), newlines) if layout is None else None
        lines = newlines + (not text.endswith(b"\n"))
        return _Unparsed(np.frombuffer(text, np.uint8), room, layout, name, first_line, lines)

    def _parse(self, unparsed: _Unparsed) -> Parsed:
        text, translation = unparsed.text, None
        if unparsed.layout is not None:
            with watch.stage("translate"):
                translation = unparsed.layout.translate(text)
            text = translation.text
        room = unparsed.room or self._new_room(len(text), text.tobytes().count(b"\n"))
        with watch.stage("parse", bytes=len(text)):
            count, features, namespaces = self._fill(text, room)
        watch.count("parse", features=features)
        batch, spans, _ = room
        examples = Examples(
            batch,
            count,
            Strings(text, spans.label_begin, spans.label_end),
            Strings(text, spans.tag_begin, spans.tag_end),
            spans.problem,
            Origin(*unparsed[3:], spans.line, spans.column),
            self.format,
        )
        if translation is not None:
            assert unparsed.layout is not None
            examples = complete(examples, translation, unparsed.text, unparsed.layout.of_records)
        if self._labels_required:
            require_labels(examples)
        return Parsed(examples, namespaces)

    def _fill(self, text: np.ndarray, room: _Room) -> tuple[int, int, Namespaces | None]:
        """Parse a text: the numbers of its examples and features, and where these come from, if
        others are derived from them. If not, those that come twice are merged already."""
        format, (batch, spans, namespaces) = FORMATS[self.format], room
        note = format.parse_namespaces
        if namespaces is not None and note is not None:
            return *note(text, 0, len(text), batch, spans, namespaces), namespaces
        count, features = format.parse(text, 0, len(text), batch, spans)
        if namespaces is not None:
            return count, features, one_namespace(batch, count)
        self._mergers.mine.merge(batch, count, spans.may_repeat)
        return count, features, None

    def _new_deriver(self) -> Deriver | None:
        """With room for what is handed on, and for what is in the making."""
        return None if self._derived == NOTHING else Deriver(self._derived, self._kept_blocks + 1)

    def _no_rooms(self) -> list[_Room | None]:
        return [None] * (self._kept_blocks + self._threads)

    def _next_room(self, byte_count: int, newlines: int) -> _Room:
        self._turn = (self._turn + 1) % len(self._rooms)
        room = self._rooms[self._turn]
        if room is None or not holds(room.batch, byte_count, newlines):
            # A little more than asked for, as the next text is never exactly as long.
            more_bytes, more_lines = byte_count // 4, newlines // 4
            room = self._new_room(byte_count + more_bytes, newlines + more_lines)
            self._rooms[self._turn] = room
        return room

    def _new_room(self, byte_count: int, newlines: int) -> _Room:
        """At worst, each feature has a namespace of its own."""
        batch, spans = make_arrays(byte_count, newlines)
        if self._derived == NOTHING:
            return _Room(batch, spans, None)
        features = len(batch.values)
        words = features * self._notes_words
        return _Room(batch, spans, make_namespaces(len(batch.labels), features, words))

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
