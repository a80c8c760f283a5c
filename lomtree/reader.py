"""Examples from any number of sources: bytes in, parsed blocks out, problems as sentences."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lomtree.ahead import DEPTH, side_by_side
from lomtree.batch import GOOD, NO_LABEL, SENTENCES, TAG_FOR_LABEL, Batch, Spans, holds, make_arrays
from lomtree.errors import DataError
from lomtree.libsvm_text import parse_libsvm
from lomtree.printable import printable
from lomtree.source import Source, size_on_disk
from lomtree.stopwatch import watch
from lomtree.vw_text import parse_vw

LONGEST_LINE = 1 << 26  # bytes: what has no line ends is no text, and memory has an end
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SHOWN = 20  # characters of what was found, in a message
_PARSERS = {"vw": parse_vw, "libsvm": parse_libsvm}


@dataclass(frozen=True)
class Block:
    """Whole lines of one source and the examples in them: the first `count` of each array."""

    text: np.ndarray  # uint8[]
    batch: Batch
    spans: Spans
    count: int
    source: str  # the name for messages
    first_line: int  # the number of the block's first line in its source, from 1


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


def guess_format(text: bytes) -> str | None:
    """'vw' or 'libsvm' after the first example in the text, None if there is none."""
    begin = 0
    while begin < len(text):
        newline = text.find(b"\n", begin)
        end = len(text) if newline < 0 else newline
        line = text[begin:end].replace(b"\t", b" ").strip(b" \r")
        before_comment = (b" " + line).partition(b" #")[0]
        if b"|" in before_comment:
            return "vw"
        if before_comment.strip():
            return "libsvm"
        begin = end + 1
    return None


def show(found: bytes) -> str:
    """What stands at the beginning of `found`, fit for a message."""
    line = found.partition(b"\n")[0].rstrip(b"\r").replace(b"\t", b" ")
    if not line:
        return "the end of the line"
    word = line.partition(b" ")[0].decode("utf-8", "backslashreplace")
    if not word:
        return "a space"
    return f"'{printable(word[:_SHOWN], _SHOWN)}{'...' if len(word) > _SHOWN else ''}'"


class Reader:
    """Iterate over the examples of `sources` (paths, '-' for standard input) as Blocks.

    The last `kept_blocks` Blocks are valid at any time: after that the arrays of their batch and
    spans are filled anew (their text is not). Consumers copy what they keep for longer.

    format: 'vw', 'libsvm', or 'auto', which the first example of the run decides.
    on_error: 'stop' yields the good examples before the first bad line and then raises DataError;
    'skip' yields bad ones in their place, with spans.problem != 0 and no use for a learner.
    labels_required: whether an example without a label is bad.
    threads: how many blocks of a file are parsed at once. Those of a pipe are parsed as they come.
    """

    def __init__(
        self,
        sources: list[str],
        format: str = "auto",
        on_error: str = "stop",
        labels_required: bool = False,
        kept_blocks: int = DEPTH + 2,
        threads: int = 1,
    ) -> None:
        self.sources = sources
        self.format = format
        self.skipped = 0  # examples with a problem so far
        self.lines = 0  # lines so far, in all sources
        self._on_error = on_error
        self._labels_required = labels_required
        sizes = [size_on_disk(path) for path in sources]
        known = [size for size in sizes if size is not None]
        self.size = sum(known) if len(known) == len(sizes) else None
        self._bytes_before = 0
        self._source: Source | None = None
        self._threads = threads
        self._kept_blocks = kept_blocks
        self._arrays = self._no_arrays()
        self._turn = 0

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, before unpacking: to be compared with `size`."""
        return self._bytes_before + (self._source.bytes_read if self._source else 0)

    def __iter__(self) -> Iterator[Block]:
        self.skipped = self.lines = self._bytes_before = 0
        self._arrays = self._no_arrays()  # an iteration left early may still be filling its own
        for path in self.sources:
            with Source(path) as source:
                self._source = source
                threads = 1 if size_on_disk(path) is None else self._threads
                yield from self._read_source(source, threads)
            self._bytes_before += source.bytes_read
            self._source = None

    def _read_source(self, source: Source, threads: int) -> Iterator[Block]:
        unparsed = self._unparsed(source)
        if threads > 1:
            blocks = side_by_side(self._parse, unparsed, threads)
        else:
            blocks = map(self._parse, unparsed)
        for block in blocks:
            yield from self._sort_out(block)

    def _unparsed(self, source: Source) -> Iterator[Block]:
        """Blocks whose arrays have not been filled yet."""
        first_line = 1
        for text in watch.each("read", self._texts(source)):
            watch.count("read", bytes=len(text))
            if first_line == 1:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            newlines = text.count(b"\n")
            lines = newlines + (not text.endswith(b"\n"))
            self.lines += lines
            if self.format == "auto":
                self.format = guess_format(text) or "auto"
            if self.format != "auto":
                yield self._outline(text, newlines, source.name, first_line)
            first_line += lines

    def _texts(self, source: Source) -> Iterator[bytes]:
        """Whole lines; one without an end stops the run in any case: nobody knows what follows."""
        before = self.lines
        try:
            yield from whole_lines(iter(source))
        except LongLineError:
            place = f"{source.name}:{self.lines - before + 1}"
            most = f"{LONGEST_LINE >> 20} MB"
            raise DataError(f"{place}: expected a line of at most {most}, found more") from None

    def _outline(self, text: bytes, newlines: int, name: str, first_line: int) -> Block:
        batch, spans = self._next_arrays(len(text), newlines)
        return Block(np.frombuffer(text, np.uint8), batch, spans, 0, name, first_line)

    def _parse(self, block: Block) -> Block:
        text = block.text
        with watch.stage("parse", bytes=len(text)):
            count, features = _PARSERS[self.format](text, 0, len(text), block.batch, block.spans)
        watch.count("parse", features=features)
        block = replace(block, count=count)
        if self._labels_required:
            _require_labels(block)
        return block

    def _no_arrays(self) -> list[tuple[Batch, Spans] | None]:
        return [None] * (self._kept_blocks + self._threads)

    def _next_arrays(self, byte_count: int, newlines: int) -> tuple[Batch, Spans]:
        self._turn = (self._turn + 1) % len(self._arrays)
        arrays = self._arrays[self._turn]
        if arrays is None or not holds(arrays[0], byte_count, newlines):
            # A little more than asked for, as the next block is never exactly as long.
            arrays = make_arrays(byte_count + byte_count // 4, newlines + newlines // 4)
            self._arrays[self._turn] = arrays
        return arrays

    def _sort_out(self, block: Block) -> Iterator[Block]:
        """Hand on the block as `on_error` wants it."""
        bad = np.flatnonzero(block.spans.problem[: block.count])
        if len(bad) == 0 or self._on_error == "skip":
            self.skipped += len(bad)
            if block.count > 0:
                yield block
            return
        error = DataError(describe_problem(block, int(bad[0])))
        if bad[0] > 0:
            yield replace(block, count=int(bad[0]))
        raise error


def read_line(line: bytes, format: str = "auto") -> Block:
    """The block of one line that is no file's; DataError if it is no example."""
    reader = Reader([], format)
    reader.format = guess_format(line) or "" if format == "auto" else format
    if not reader.format:
        raise DataError("the line is empty")
    block = reader._parse(reader._outline(line, line.count(b"\n"), "line", 1))
    bad = np.flatnonzero(block.spans.problem[: block.count])
    if len(bad):
        raise DataError(describe_problem(block, int(bad[0])))
    return block


def _require_labels(block: Block) -> None:
    """Mark the examples without a label; a tag that was meant as a label gets its own sentence."""
    spans, count = block.spans, block.count
    missing = spans.label_begin[:count] == spans.label_end[:count]
    missing &= spans.problem[:count] == GOOD
    text = block.text.tobytes() if missing.any() else b""
    for example in np.flatnonzero(missing):
        # Without a label its span is empty and stands at the first word, which is the tag if
        # there is one without a quote.
        begin = int(spans.label_begin[example])
        tagged = spans.tag_begin[example] == begin < spans.tag_end[example]
        spans.problem[example] = TAG_FOR_LABEL if tagged else NO_LABEL
        spans.column[example] = begin - text.rfind(b"\n", 0, begin)


def describe_problem(block: Block, example: int) -> str:
    """FILE:LINE:COLUMN: what was expected, and what was found."""
    text = block.text.tobytes()
    line, column = int(block.spans.line[example]), int(block.spans.column[example])
    line_begin = 0
    for _ in range(line):
        line_begin = text.index(b"\n", line_begin) + 1
    found = line_begin + column - 1
    sentence = SENTENCES[int(block.spans.problem[example])]
    place = f"{block.source}:{block.first_line + line}:{column}"
    return f"{place}: {sentence}, found {show(text[found : found + 200])}"
