"""The fields of CSV and TSV rows: RFC 4180's quotes, with newlines in them, in compiled code.

A field that begins with a quote ends with one; a doubled quote in it is a quote. Other quotes are
letters. A row ends with a newline outside quotes; returns before it belong to it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.examples.examples import GOOD
from lomtree.formats.problems import BEHIND_QUOTE, MANY_FIELDS, OPEN_QUOTE
from lomtree.jit.kernel import kernel

_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


class Dialect(NamedTuple):
    delimiter: int  # a byte
    quotes: bool  # whether they mean anything


class Row(NamedTuple):
    """Room for the fields of a row, without their quotes."""

    cells: np.ndarray  # uint8[]; one behind the other, of all rows of a text
    begins: np.ndarray  # int64[columns]; in the cells
    ends: np.ndarray  # int64[columns]
    places: np.ndarray  # int64[columns]; where each field begins in the text


def make_row(byte_count: int, columns: int) -> Row:
    begins, ends, places = np.zeros((3, columns), np.int64)
    return Row(np.empty(byte_count + 1, np.uint8), begins, ends, places)


@kernel
def _read_quoted(text, position, end, cells, size):
    """What stands behind a quote: (where it stops, size of the cells, whether the quotes ended)."""
    while position < end:
        byte = text[np.uint64(position)]
        if byte == _QUOTE:
            position += 1
            if position >= end or text[np.uint64(position)] != _QUOTE:
                return position, size, True
        cells[np.uint64(size)] = byte
        size += 1
        position += 1
    return position, size, False


@kernel
def _read_plain(text, position, end, delimiter, cells, size):
    """Up to the end of a field without quotes: (where it stops, size of the cells)."""
    first = size
    while position < end:
        byte = text[np.uint64(position)]
        if byte in (delimiter, _NEWLINE):
            break
        cells[np.uint64(size)] = byte
        size += 1
        position += 1
    if position >= end or text[position] == _NEWLINE:
        while size > first and cells[size - 1] == _RETURN:
            size -= 1
    return position, size


@kernel
def _after_quote(text, position, end, delimiter):
    """Where the field ends whose quotes have ended: (stop, whether something else stands there)."""
    stop = position
    while stop < end and text[stop] != delimiter and text[stop] != _NEWLINE:
        stop += 1
    rest = stop
    if stop >= end or text[stop] == _NEWLINE:
        while rest > position and text[rest - 1] == _RETURN:
            rest -= 1
    return stop, rest > position


@kernel
def _next_line(text, position, end):
    while position < end and text[position] != _NEWLINE:
        position += 1
    return min(position + 1, end)


@kernel
def read_row(text, begin, end, dialect, row, size):
    """The row at `begin`: (where the next one begins, fields, size of the cells, problem, its
    place). There are as many fields as there are; no more than there is room for are kept."""
    position, count = begin, 0
    problem, where = GOOD, begin
    while True:
        place, first = position, size
        if dialect.quotes and position < end and text[position] == _QUOTE:
            position, size, ended = _read_quoted(text, position + 1, end, row.cells, size)
            if not ended:
                return _next_line(text, place, end), count, first, OPEN_QUOTE, place
            stop, other = _after_quote(text, position, end, dialect.delimiter)
            if other and problem == GOOD:
                problem, where = BEHIND_QUOTE, position
            position = stop
        else:
            position, size = _read_plain(text, position, end, dialect.delimiter, row.cells, size)
        if count < len(row.begins):
            row.begins[count], row.ends[count], row.places[count] = first, size, place
        elif problem == GOOD:
            problem, where = MANY_FIELDS, place
        count += 1
        if position >= end:
            return end, count, size, problem, where
        position += 1
        if text[position - 1] == _NEWLINE:
            return position, count, size, problem, where


@kernel
def _last_row_end(text, dialect, state):
    """Where the last whole row of a text ends that goes on from others; 0 if none does.

    state: int64[2], whether the text before ended within quotes, and whether a field begins.
    """
    inside, fresh, cut = state[0] != 0, state[1] != 0, 0
    position = 0
    while position < len(text):
        byte = text[np.uint64(position)]
        if inside:
            if byte == _QUOTE:
                doubled = position + 1 < len(text) and text[position + 1] == _QUOTE
                position += doubled
                inside = doubled
            fresh = False
        elif byte == _QUOTE and fresh:
            inside, fresh = True, False
        else:
            fresh = byte in (dialect.delimiter, _NEWLINE)
            if byte == _NEWLINE:
                cut = position + 1
        position += 1
    state[0], state[1] = inside, fresh
    return cut


def cut_rows(text: bytes, dialect: Dialect, most: int) -> Iterator[bytes]:
    """Whole rows in parts of so many bytes at most, but for a row that has more. Where quotes do
    not end, lines are taken for rows."""
    begin = 0
    while len(text) - begin > most:
        size, cut, is_open = most, begin, False
        while cut == begin and size < 2 * (len(text) - begin):
            cut, is_open = _end_of_rows(text, begin, begin + size, dialect)
            size *= 2
        if cut > begin:
            yield text[begin:cut]
            begin = cut
        elif is_open:
            dialect = dialect._replace(quotes=False)
        else:  # what is left is one row
            break
    if begin < len(text):
        yield text[begin:]


def _end_of_rows(text: bytes, begin: int, end: int, dialect: Dialect) -> tuple[int, bool]:
    """Where the last row ends before `end`; `begin`, where one begins, if none does. And whether
    quotes are open at `end`."""
    if not dialect.quotes:
        return max(text.rfind(b"\n", begin, end) + 1, begin), False
    part, state = np.frombuffer(text, np.uint8)[begin:end], np.array([0, 1])
    cut = begin + int(_last_row_end(part, dialect, state))
    return cut, bool(state[0])


class LongRowError(Exception):
    """A row is longer than allowed."""


def whole_rows(texts: Iterator[bytes], dialect: Dialect, longest: int) -> Iterator[bytes]:
    """Whole lines as whole rows; LongRowError if one does not end. (Whole lines do not end between
    two quotes.)"""
    state = np.array([0, 1])
    unfinished: list[bytes] = []
    length = 0
    for text in texts:
        if not dialect.quotes or (not unfinished and b'"' not in text):
            yield text
            continue
        cut = _last_row_end(np.frombuffer(text, np.uint8), dialect, state)
        if cut:
            yield b"".join([*unfinished, text[:cut]])
            unfinished, length = [], 0
        if cut < len(text):
            unfinished.append(text[cut:])
            length += len(text) - cut
        if length > longest:
            raise LongRowError
    if unfinished:
        yield b"".join(unfinished)
