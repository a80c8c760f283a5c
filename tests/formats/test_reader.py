"""Blocks of examples from sources: lines kept whole, formats guessed, problems told."""

import gzip
import os
import threading

import numpy as np
import pytest

from lomtree.core.errors import DataError
from lomtree.examples.batch import Batch
from lomtree.examples.examples import Examples
from lomtree.formats import blocks as blocks_module
from lomtree.formats import reader as reader_module
from lomtree.formats.blocks import LongLineError, whole_lines
from lomtree.formats.line import Spans
from lomtree.formats.problems import show
from lomtree.formats.reader import Reader
from lomtree.formats.registry import sniff_format
from tests.oracles.text import as_examples, assert_same, parse


def write(folder, name: str, text: bytes) -> str:
    (folder / name).write_bytes(text)
    return str(folder / name)


def examples(reader: Reader) -> list:
    """All examples, with line numbers counted in their source."""
    found = []
    for block in reader:
        for example in as_examples(block.labels.text.tobytes(), *arrays_of(block)):
            example.line += block.origin.first_line - 1
            found.append(example)
    return found


def arrays_of(block: Examples) -> tuple[int, Batch, Spans]:
    """What the parser filled."""
    labels, tags, origin = block.labels, block.tags, block.origin
    repeats = np.ones(block.count, np.uint8)
    spans = Spans(*labels[1:], *tags[1:], origin.lines, block.problems, origin.columns, repeats)
    return block.count, block.batch, spans


def labels(reader: Reader) -> list[bytes]:
    return [example.label for example in examples(reader)]


@pytest.fixture
def pieces(monkeypatch):
    """Let every source hand over exactly these pieces of bytes."""

    class Pieces(list):
        name, size, bytes_read = "pieces", None, 0

        def __enter__(self):
            return self

        def __exit__(self, *_exception):
            pass

    handed_over = Pieces()
    monkeypatch.setattr(reader_module, "Source", lambda _path: handed_over)
    monkeypatch.setattr(reader_module, "size_on_disk", lambda _path: None)
    return handed_over


@pytest.mark.parametrize(
    "text", [b"1 |f a\r\n\r\n2 |g b:2\r\n3 't |h c", b"1 1:2\n\n# x\n22 3:4.5\n"]
)
def test_blocks_may_end_anywhere(pieces, text):
    format = "vw" if b"|" in text else "libsvm"
    for cut in range(len(text) + 1):
        pieces[:] = [piece for piece in (text[:cut], text[cut:]) if piece]
        reader = Reader(["x"])
        assert_same(examples(reader), parse(text, format))
        assert reader.lines == 4
    pieces[:] = [text[i : i + 1] for i in range(len(text))]
    assert_same(examples(Reader(["x"])), parse(text, format))


def test_whole_lines_cuts_behind_newlines_only():
    cut = list(whole_lines(iter([b"a", b"b\nc", b"\n", b"d\ne\nf", b"g"])))
    assert cut == [b"ab\n", b"c\n", b"d\ne\n", b"fg"]


def test_a_line_without_end_is_told_and_not_read_to_its_end(pieces, monkeypatch):
    monkeypatch.setattr(blocks_module, "LONGEST_LINE", 1 << 20)
    taken = []

    def endless():
        for piece in (b"1 |f a\n", b"2 |f b\n3", *[b" c" * 1000] * 10_000):
            taken.append(piece)
            yield piece

    monkeypatch.setattr(type(pieces), "__iter__", lambda _self: endless(), raising=False)
    for on_error in ("stop", "skip"):
        reader = Reader(["x"], on_error=on_error)
        blocks = iter(reader)
        assert [next(blocks).count, next(blocks).count] == [1, 1]
        with pytest.raises(DataError) as caught:
            next(blocks)
        assert str(caught.value) == "pieces:3: expected a line of at most 1 MB, found more"
    assert len(taken) < 2 * 530


def test_the_longest_line_is_a_line(monkeypatch):
    monkeypatch.setattr(blocks_module, "LONGEST_LINE", 8)
    assert list(whole_lines(iter([b"12345678", b"\n"]))) == [b"12345678\n"]
    with pytest.raises(LongLineError):
        list(whole_lines(iter([b"12345678", b"9\n", b"123456789"])))


def test_the_bytes_of_a_huge_line_are_searched_once():
    searched = []

    class Piece(bytes):
        def rfind(self, *arguments):
            searched.append(len(self))
            return super().rfind(*arguments)

    pieces = [Piece(b" ab" * 1000) for _ in range(1000)] + [Piece(b"\n2 |f b\n")]
    [text] = whole_lines(iter(pieces))
    assert text == b"".join(pieces)
    assert sum(searched) == len(text)


def test_a_huge_line_is_read(pieces):
    words = [b" %d" % number for number in range(100_000)]
    pieces[:] = [b"1 |f", *words, b"\n2 |f b\n"]
    counts = [(block.count, int(block.batch.starts[1])) for block in Reader(["x"])]
    assert counts == [(2, 100_001)]


def test_a_line_never_runs_over_from_one_file_to_the_next(tmp_path):
    sources = [write(tmp_path, "a", b"1 |f a\n2 |f b"), write(tmp_path, "b", b"3 |f c")]
    reader = Reader(sources)
    blocks = [(*block.origin[:2], block.count) for block in reader]
    assert blocks == [(sources[0], 1, 1), (sources[0], 2, 1), (sources[1], 1, 1)]
    assert reader.lines == 3
    assert reader.size == reader.bytes_read == 19


def test_a_compressed_file_among_others(tmp_path):
    sources = [
        write(tmp_path, "a", b"1 |f a\n"),
        write(tmp_path, "b", gzip.compress(b"2 |f b\n3 |f c\n")),
    ]
    assert labels(Reader(sources)) == [b"1", b"2", b"3"]


def test_a_byte_order_mark_is_not_part_of_the_first_label(tmp_path):
    assert labels(Reader([write(tmp_path, "a", b"\xef\xbb\xbfcat |f a\n")])) == [b"cat"]


def test_a_pipe_that_pauses_gives_its_examples_at_once():
    before = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    try:
        reader = Reader(["-"])
        blocks = iter(reader)
        os.write(writing, b"1 |f a\n2 |f")
        assert next(blocks).count == 1
        threading.Timer(0.1, lambda: (os.write(writing, b" b\n"), os.close(writing))).start()
        block = next(blocks)
        assert (block.count, *block.origin[:2]) == (1, "standard input", 2)
        assert list(blocks) == []
        assert reader.size is None
        assert reader.bytes_read == 14
    finally:
        os.dup2(before, 0)
        os.close(before)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"1 |f a\n", "vw"),
        (b"\n \t\r\n|f a", "vw"),
        (b"1 1:2\n3 |f\n", "libsvm"),
        (b"cat\n", "libsvm"),
        (b"# a|b\n1 1:2 # c|d\n", "libsvm"),
        (b"1 |f #a\n", "vw"),
        (b"__label__a x|y\n", "fasttext"),
        (b"__label__a |f x\n", "vw"),
        (b' {"_label": 1}\n', "json"),
        (b"{x |f a\n", "vw"),
        (b"", None),
        (b"\n# only a comment\n", None),
    ],
)
def test_the_first_example_tells_the_format(text, format):
    found = sniff_format(text)
    assert (found and found.name) == format


def test_the_format_is_decided_once_for_the_run(tmp_path):
    sources = [
        write(tmp_path, "a", b"# nothing yet\n"),
        write(tmp_path, "b", b"1 1:2\n"),
        write(tmp_path, "c", b"1 |f a\n"),
    ]
    reader = Reader(sources)
    with pytest.raises(DataError, match=r"/c:1:3: expected INDEX:VALUE .*, found '\|f'$"):
        list(reader)
    assert reader.format == "libsvm"


def test_stop_yields_the_good_examples_before_the_bad_line(tmp_path):
    path = write(tmp_path, "a", b"1 |f a\n\n2 |f b\n3 |f c:abc d\n4 |f d\n")
    blocks = iter(Reader([path], on_error="stop"))
    block = next(blocks)
    assert (block.count, block.batch.starts[2]) == (2, 4)
    with pytest.raises(DataError) as caught:
        next(blocks)
    assert str(caught.value) == f"{path}:4:8: expected a number after ':', found 'abc'"


def test_line_numbers_go_on_from_block_to_block(pieces):
    pieces[:] = [b"1 |f a\n\n", b"2 |f a\n3 ", b"|f a:x"]
    with pytest.raises(DataError, match=r"^pieces:4:8: "):
        list(Reader(["x"]))


def test_skip_yields_everything_and_counts_the_bad(tmp_path):
    path = write(tmp_path, "a", b"1 |f a\n2 |f b:x\n3 |f c\n4 |f d:y")
    reader = Reader([path], on_error="skip")
    assert [example.column for example in examples(reader)] == [None, 8, None, 8]
    assert reader.skipped == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"1|f x", "1:1: expected a space after the label (VW reads a word that touches '|' or "
                   "ends the line as a tag), found '1|f'"),
        (b" 5", "1:2: expected a space after the label (VW reads a word that touches '|' or "
                "ends the line as a tag), found '5'"),
        (b"|f x", "1:1: expected a label, found '|f'"),
        (b"'t |f x", "1:1: expected a label, found ''t'"),
        (b"\n |f x", "2:2: expected a label, found '|f'"),
    ],
)  # fmt: skip
def test_labels_may_be_required(tmp_path, line, message):
    path = write(tmp_path, "a", line + b"\n")
    with pytest.raises(DataError) as caught:
        list(Reader([path], "vw", labels_required=True))
    assert str(caught.value) == f"{path}:{message}"
    assert labels(Reader([path], "vw")) == [b""]


def test_a_missing_libsvm_label(tmp_path):
    path = write(tmp_path, "a", b"1 1:1\n1:1 2:2\n")
    with pytest.raises(DataError, match=r"/a:2:1: expected a label, found '1:1'$"):
        list(Reader([path], labels_required=True))


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (b"abc def", "'abc'"),
        (b"", "the end of the line"),
        (b"\r\nabc", "the end of the line"),
        (b" abc", "a space"),
        (b"\tabc", "a space"),
        (b"z\xc3\xbc\x00\xff\x1b[1m", r"'zü\x00\xff\x1b[1m'"),
        (b"x" * 21, "'" + "x" * 20 + "...'"),
    ],
)
def test_what_was_found_is_shown_short_and_printable(found, shown):
    assert show(found) == shown


def test_missing_files_are_told_before_anything_is_read(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        Reader([write(tmp_path, "a", b"1 |f a\n"), str(tmp_path / "none")])


def test_no_examples_no_blocks(tmp_path):
    assert list(Reader([write(tmp_path, "a", b"\n\n"), write(tmp_path, "b", b"")])) == []


def test_reading_again_begins_anew(tmp_path):
    reader = Reader([write(tmp_path, "a", b"1 |f a\n2 |f b:x\n")], on_error="skip")
    for _ in range(2):
        assert len(examples(reader)) == 2
        assert (reader.skipped, reader.lines, reader.bytes_read) == (1, 2, 16)


def test_kept_blocks_do_not_share_arrays(pieces):
    pieces[:] = [b"%d |f a:%d\n" % (i, i + 1) for i in range(6)]
    last: list = []
    for block in Reader(["x"], kept_blocks=3):
        last = [*last[-2:], block]
        values = [float(kept.batch.values[0]) for kept in last]
        assert values == list(np.arange(values[0], values[0] + len(last)))
    assert [kept.origin.first_line for kept in last] == [4, 5, 6]


def test_an_iteration_left_early_does_not_share_arrays_with_the_next(tmp_path):
    reader = Reader([write(tmp_path, "a", b"1 |f a:1\n")])
    first, second = next(iter(reader)), next(iter(reader))
    assert not np.shares_memory(first.batch.values, second.batch.values)


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_a_file_parsed_in_several_threads_is_read_the_same(tmp_path, monkeypatch, on_error):
    monkeypatch.setattr("lomtree.formats.source.BLOCK_BYTES", 500)
    lines = [b"%d |f a:%d b%d\n" % (i % 7, i + 1, i) for i in range(2_000)]
    lines[1_500] = b"1 |f a:x\n"
    path = write(tmp_path, "a", b"".join(lines))
    found = []
    for threads in (1, 3):
        reader, seen = Reader([path], on_error=on_error, threads=threads), []
        try:
            for block in reader:
                seen += [(block.origin.first_line, block.count, *block.batch.values[: block.count])]
        except DataError as error:
            seen.append(str(error))
        found.append((seen, reader.skipped, reader.lines >= 1_500))
    assert found[0] == found[1]
    assert len(found[0][0]) > 50


def test_what_comes_through_a_pipe_is_handed_on_at_once_whatever_the_threads(pieces):
    asked = []

    def arriving():
        for number in range(4):
            asked.append(number)
            yield b"%d |f a\n" % number

    pieces.__class__.__iter__ = lambda _self: arriving()
    for handed_on, block in enumerate(Reader(["x"], threads=4)):
        assert (len(asked), block.count) == (handed_on + 1, 1)
