"""What every line of text has, whatever its format: spaces, an end, numbers, one example.

Two things make parsers slow in numba, so the loops over bytes avoid them: every call that passes
an array counts its references, and every signed index is tested for being negative. Hence only
functions of single bytes inside those loops, and `text[np.uint64(position)]`.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import CONSTANT, Batch, make_batch
from lomtree.examples.examples import GOOD
from lomtree.formats.float_parser import parse_number
from lomtree.formats.problems import BAD_VALUE, LARGE_VALUE
from lomtree.jit.intrinsics import find16, trailing_zeros
from lomtree.jit.kernel import kernel

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32


class Spans(NamedTuple):
    """What a parser tells of n examples beside their batch: where they stand in the text, and what
    is wrong with them. begin == end means that there is none."""

    label_begin: np.ndarray  # int64[n]; byte positions in the text
    label_end: np.ndarray
    tag_begin: np.ndarray
    tag_end: np.ndarray
    line: np.ndarray  # int64[n]; counted from 0 at the beginning of the text
    problem: np.ndarray  # int8[n]; GOOD or a code of problems.py
    column: np.ndarray  # int64[n]; the problem's byte in its line, counted from 1
    may_repeat: np.ndarray  # uint8[n]; 0 where certainly no feature is there twice


def make_arrays(byte_count: int, newline_count: int) -> tuple[Batch, Spans]:
    """Arrays that no text of so many bytes and newlines can overflow: a feature is at least one
    byte behind one space, and each line adds the constant."""
    examples = newline_count + 1
    spans = Spans(
        label_begin=np.empty(examples, np.int64),
        label_end=np.empty(examples, np.int64),
        tag_begin=np.empty(examples, np.int64),
        tag_end=np.empty(examples, np.int64),
        line=np.empty(examples, np.int64),
        problem=np.empty(examples, np.int8),
        column=np.empty(examples, np.int64),
        may_repeat=np.empty(examples, np.uint8),
    )
    return make_batch(examples, byte_count // 2 + examples), spans


def holds(batch: Batch, byte_count: int, newline_count: int) -> bool:
    """Whether arrays from make_arrays are large enough for another text."""
    examples = newline_count + 1
    return len(batch.labels) >= examples and len(batch.values) >= byte_count // 2 + examples


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
    return find_byte(text, position, end, NEWLINE)


@kernel
def find_byte(text, position, end, byte):
    """The first such byte, or the end."""
    while position + 16 <= end:
        found = find16(text, position, byte)
        if found != 0:
            return position + trailing_zeros(found)
        position += 16
    while position < end and text[np.uint64(position)] != byte:
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
    batch.labels[example] = NO_LABEL
    batch.weights[example] = 1.0
    spans.label_begin[example] = position
    spans.label_end[example] = position
    spans.tag_begin[example] = position
    spans.tag_end[example] = position
    spans.line[example] = line
    spans.problem[example] = GOOD
    spans.column[example] = 0
    spans.may_repeat[example] = 1


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
