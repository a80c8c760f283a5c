"""The rows of a table become lines of VW text, in compiled code; `table` says what becomes what."""

import numpy as np

from lomtree.examples.examples import GOOD
from lomtree.formats.columns import CATEGORICAL, DROPPED, FEATURE, IMPORTANCE, LABEL, TAG, TEXT
from lomtree.formats.fields import read_row
from lomtree.formats.float_parser import parse_number
from lomtree.formats.problems import BAD_WEIGHT, BROKEN_LABEL, FEW_FIELDS, LARGE_NUMBER
from lomtree.jit.kernel import kernel

_SPACE, _NEWLINE, _BAR, _COLON, _UNDERSCORE, _EQUALS = 32, 10, 124, 58, 95, 61
_TAB, _RETURN = 9, 13


@kernel
def _is_blank(byte):
    return byte == _SPACE or _TAB <= byte <= _RETURN


@kernel
def _trim(cells, begin, end):
    while begin < end and _is_blank(cells[begin]):
        begin += 1
    while end > begin and _is_blank(cells[end - 1]):
        end -= 1
    return begin, end


@kernel
def _write(text, begin, end, out, size):
    for position in range(begin, end):
        out[np.uint64(size)] = text[np.uint64(position)]
        size += 1
    return size


@kernel
def _write_plain(text, begin, end, out, size):
    """As a name of VW text."""
    for position in range(begin, end):
        byte = text[np.uint64(position)]
        special = _is_blank(byte) | (byte == _COLON) | (byte == _BAR)
        out[np.uint64(size)] = np.uint8(_UNDERSCORE) if special else byte
        size += 1
    return size


@kernel
def _write_words(cells, begin, end, out, size):
    while begin < end:
        while begin < end and _is_blank(cells[begin]):
            begin += 1
        word = begin
        while begin < end and not _is_blank(cells[begin]):
            begin += 1
        if word < begin:
            out[size] = _SPACE
            size = _write_plain(cells, word, begin, out, size + 1)
    return size


@kernel
def _write_namespace(columns, column, out, size):
    if size > 0 and out[size - 1] != _NEWLINE:
        out[size] = _SPACE
        size += 1
    out[size] = _BAR
    return _write(columns.names, columns.ends[column], columns.ends[column + 1], out, size + 1)


@kernel
def _is_number(cells, begin, end):
    """Whether a field is a number, and the number as a float32 can have it."""
    number, stop = parse_number(cells, begin, end)
    return stop == end, np.float32(number)


@kernel
def _write_feature(columns, column, row, out, size):
    """One field as a feature of the default namespace: (size, whether it is too large)."""
    begin, end = _trim(row.cells, row.begins[column], row.ends[column])
    numeric, value = False, np.float32(0)
    if columns.roles[column] == FEATURE:
        numeric, value = _is_number(row.cells, begin, end)
    out[size] = _SPACE
    size = _write(columns.names, columns.ends[column], columns.ends[column + 1], out, size + 1)
    out[size] = _COLON if numeric else _EQUALS
    if numeric:
        return _write(row.cells, begin, end, out, size + 1), not np.isfinite(value)
    return _write_plain(row.cells, begin, end, out, size + 1), False


@kernel
def _note(columns, column, row, translation, example):
    """A field that is no feature; returns its problem."""
    role = columns.roles[column]
    begin, end = _trim(row.cells, row.begins[column], row.ends[column])
    if role == LABEL:
        translation.labels.begins[example], translation.labels.ends[example] = begin, end
        for position in range(begin, end):
            if _TAB <= row.cells[position] <= _RETURN:
                return BROKEN_LABEL
    elif role == TAG:
        translation.tags.begins[example], translation.tags.ends[example] = begin, end
        for position in range(begin, end):
            if _is_blank(row.cells[position]):
                row.cells[position] = _SPACE
    elif role == IMPORTANCE and begin < end:
        numeric, value = _is_number(row.cells, begin, end)
        if not numeric or not np.isfinite(value) or value < 0:
            return BAD_WEIGHT
        translation.weights[example] = value
    return GOOD


@kernel
def _translate_row(columns, row, translation, example, out, size):
    """Returns (size of the output, problem, its column)."""
    in_default = True
    out[size] = _BAR
    size += 1
    for column in range(len(columns.roles)):
        role = columns.roles[column]
        if role == DROPPED or row.begins[column] == row.ends[column]:
            continue
        problem = GOOD
        if role == TEXT:
            size = _write_namespace(columns, column, out, size)
            size = _write_words(row.cells, row.begins[column], row.ends[column], out, size)
            in_default = False
        elif role not in (FEATURE, CATEGORICAL):
            problem = _note(columns, column, row, translation, example)
        else:
            begin, end = _trim(row.cells, row.begins[column], row.ends[column])
            if begin < end:
                if not in_default:
                    out[size], out[size + 1] = _SPACE, _BAR
                    size += 2
                    in_default = True
                size, large = _write_feature(columns, column, row, out, size)
                problem = LARGE_NUMBER if large else GOOD
        if problem != GOOD:
            return size, problem, column
    return size, GOOD, 0


@kernel
def _locate(text, begin, place, line, translation, example):
    """Note a place in a row that begins at `begin`, in this line."""
    for position in range(begin, place):
        if text[position] == _NEWLINE:
            line, begin = line + 1, position + 1
    translation.lines[example] = line
    translation.columns[example] = place - begin + 1


@kernel
def _count_newlines(text, begin, end):
    count = 0
    for position in range(begin, end):
        count += text[position] == _NEWLINE
    return count


@kernel
def translate_rows(text, dialect, columns, label, row, translation, out):
    """`label` is the label's column, -1 if there is none. Returns the numbers of (examples, bytes
    of the output)."""
    begin, line, example, size, filled = 0, 0, 0, 0, 0
    width = len(columns.roles)
    while begin < len(text):
        stop, count, filled, problem, where = read_row(text, begin, len(text), dialect, row, filled)
        if count == 1 and problem == GOOD and row.begins[0] == row.ends[0] and width > 1:
            line, begin = line + 1, stop  # blank
            continue
        place = row.places[label] if 0 <= label < count else begin
        translation.labels.begins[example] = translation.labels.ends[example] = 0
        translation.tags.begins[example] = translation.tags.ends[example] = 0
        translation.weights[example] = 1.0
        if problem == GOOD and count < width:
            where = stop - 1 if text[stop - 1] == _NEWLINE else stop
            problem = FEW_FIELDS
        first = size
        if problem == GOOD:
            size, problem, column = _translate_row(columns, row, translation, example, out, size)
            where = row.places[column]
        if problem != GOOD:
            place, size = where, first + 1
            out[first] = _BAR
        translation.problems[example] = problem
        _locate(text, begin, place, line, translation, example)
        out[size] = _NEWLINE
        size += 1
        example += 1
        line += _count_newlines(text, begin, stop)
        begin = stop
    return example, size
