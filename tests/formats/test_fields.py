"""Rows and fields of CSV: what Python's csv module finds, in any pieces."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lomtree.examples.examples import GOOD
from lomtree.formats.fields import (
    Dialect,
    LongRowError,
    cut_rows,
    make_row,
    read_row,
    whole_rows,
)
from tests.oracles.tables import rows

TEXT = st.lists(
    st.sampled_from(["a", "bc", ",", ",", '"', '"', '""', "\n", "\n", " ", "ü", ';"', "\r\n"]),
    max_size=30,
).map("".join)


def read(text: bytes, dialect: Dialect) -> tuple[list[list[str]], bool]:
    """All rows up to the first mistake."""
    memory, found, begin, size = np.frombuffer(text, np.uint8), [], 0, 0
    row = make_row(len(text), text.count(bytes([dialect.delimiter])) + 1)
    while begin < len(text):
        begin, count, size, problem, _ = read_row(memory, begin, len(text), dialect, row, size)
        if problem != GOOD:
            return found, True
        spans = zip(row.begins[:count], row.ends[:count], strict=True)
        cells = [row.cells[first:last].tobytes().decode() for first, last in spans]
        found.append([] if cells == [""] else cells)
    return found, False


@settings(max_examples=500)
@given(TEXT, st.sampled_from(",;"), st.booleans())
def test_rows_are_those_of_the_csv_module(text, delimiter, quotes):
    theirs, bad = rows(text, delimiter, quotes)
    ours, broken = read(text.encode(), Dialect(ord(delimiter), quotes))
    if '"\r\n' in text.replace('""', "") or "\r\r" in text:
        return  # what follows quotes: there the csv module has views of its own
    assert broken == bad
    # A field "" alone in its row and a blank line differ there, and both are nothing here.
    assert [[] if row == [""] else row for row in theirs] == ours


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_quotes_may_end_a_row(end):
    text = f'"a,1","b ""c"" d"{end}"x\ny",2{end}' if end else '"a,1","b ""c"" d"'
    wanted = [["a,1", 'b "c" d'], ["x\ny", "2"]] if end else [["a,1", 'b "c" d']]
    assert read(text.encode(), Dialect(ord(","), True)) == (wanted, False)


@settings(max_examples=300)
@given(TEXT, st.lists(st.integers(0, 200), max_size=5))
def test_texts_are_cut_between_rows_only(text, cuts):
    lines = text.encode().splitlines(keepends=True)
    lines = b"".join(lines).split(b"\n")
    lines = [line + b"\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
    places = sorted({cut % (len(lines) + 1) for cut in cuts} | {0, len(lines)})
    pieces = [b"".join(lines[first:last]) for first, last in pairwise(places)]
    dialect = Dialect(ord(","), True)
    whole = list(whole_rows(iter(pieces), dialect, 1 << 20))
    assert b"".join(whole) == text.encode()
    alone = [row for piece in whole for row in read(piece, dialect)[0]]
    together, broken = read(text.encode(), dialect)
    if not broken:
        assert alone == together


@settings(max_examples=300)
@given(TEXT, st.integers(1, 30), st.booleans())
@example('"\r\n"', 1, True)  # the last row ends with quotes, and with no line
def test_parts_of_a_text_have_its_rows(text, most, quotes):
    data, dialect = text.encode(), Dialect(ord(","), quotes)
    parts = list(cut_rows(data, dialect, most))
    assert b"".join(parts) == data
    found, broken = read(data, dialect)
    if not broken:
        assert [row for part in parts for row in read(part, dialect)[0]] == found
    for part in parts[:-1]:
        assert part.endswith(b"\n")
        assert quotes or len(part) <= max(most, 2 * len(part.partition(b"\n")[0]) + 2)


def test_a_quote_without_end_is_not_read_to_the_end_of_time():
    taken = []

    def endless():
        for number in range(10_000):
            taken.append(number)
            yield b'"' * (number == 0) + b"a,b\n" * 100

    with pytest.raises(LongRowError):
        list(whole_rows(endless(), Dialect(ord(","), True), 100_000))
    assert len(taken) < 300
