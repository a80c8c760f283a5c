"""What every line of text has, whatever its format: spaces, an end, numbers, one example.

Two things make parsers slow in numba, so the loops over bytes avoid them: every call that passes
an array counts its references, and every signed index is tested for being negative. Hence only
functions of single bytes inside those loops, and `text[np.uint64(position)]`.
"""

import numpy as np

from lomtree.batch import BAD_VALUE, CONSTANT, GOOD, LARGE_VALUE
from lomtree.compiled import kernel
from lomtree.machine import find16, trailing_zeros
from lomtree.number import parse_number

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32


@kernel
def is_space(byte):
    return byte in (SPACE, TAB)


@kernel
def skip_spaces(text, position, end):
    while position < end and is_space(text[np.uint64(position)]):
        position += 1
    return position


@kernel
def find_newline(text, position, end):
    """The first newline, or the end of the text.

    One sweep ahead of the parser is cheap, and saves it from looking for two more bytes.
    """
    while position + 16 <= end:
        found = find16(text, position, NEWLINE)
        if found != 0:
            return position + trailing_zeros(found)
        position += 16
    while position < end and text[np.uint64(position)] != NEWLINE:
        position += 1
    return position


@kernel
def trim_returns(text, begin, end):
    """The end of the line without the returns of a `\\r\\n`."""
    while end > begin and text[end - 1] == RETURN:
        end -= 1
    return end


@kernel
def check_value(value, length):
    """The problem with a float32 that was read from so many bytes."""
    if length == 0:
        return BAD_VALUE
    if not np.isfinite(value):
        return LARGE_VALUE
    return GOOD


@kernel
def read_float(text, begin, end):
    """The number at `begin` as (float32, where it stops, problem)."""
    number, stop = parse_number(text, begin, end)
    value = np.float32(number)
    return value, stop, check_value(value, stop - begin)


@kernel
def start_example(batch, spans, example, line, position):
    batch.labels[example] = -1
    batch.weights[example] = 1.0
    spans.label_begin[example] = position
    spans.label_end[example] = position
    spans.tag_begin[example] = position
    spans.tag_end[example] = position
    spans.line[example] = line
    spans.problem[example] = GOOD
    spans.column[example] = 0


@kernel
def finish_example(batch, example, feature):
    """Add the constant as the last feature; returns the number of features so far."""
    batch.features[feature] = CONSTANT
    batch.values[feature] = 1.0
    batch.starts[example + 1] = feature + 1
    return feature + 1


@kernel
def spoil_example(batch, spans, example, problem, column):
    """Say what is wrong, and let the example have no features."""
    spans.problem[example] = problem
    spans.column[example] = column
    batch.starts[example + 1] = batch.starts[example]
    return batch.starts[example]
