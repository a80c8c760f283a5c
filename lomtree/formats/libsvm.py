"""libsvm's format: `label index:value index:value ... # comment`, one example a line."""

import numpy as np

from lomtree.examples.batch import CONSTANT
from lomtree.examples.examples import GOOD
from lomtree.formats.float_parser import WORD, parse_number, read_fraction
from lomtree.formats.line import (
    SPACE,
    check_value,
    find_newline,
    finish_example,
    is_space,
    skip_spaces,
    spoil_example,
    start_example,
    trim_returns,
)
from lomtree.formats.problems import BAD_INDEX, BAD_VALUE
from lomtree.jit.intrinsics import find16, trailing_zeros
from lomtree.jit.kernel import kernel

_ZERO, _NINE, _COLON, _HASH, _PLUS = 48, 57, 58, 35, 43
_INDICES = 2**32
_LOOK = 16  # bytes that find16 looks at, whether or not they belong to the line


@kernel
def _ends_value(byte):
    return is_space(byte) or byte == _HASH


@kernel
def _read_label(text, begin, end, spans, example):
    """Note the label unless the first word is a feature already; returns where features begin."""
    position = begin
    while position < end and not is_space(text[position]):
        if text[position] == _COLON:
            return begin
        position += 1
    spans.label_begin[example] = begin
    spans.label_end[example] = position
    return position


@kernel
def _read_features(text, position, end, batch, feature, spans, example):
    """Returns (where reading stopped, or the problem's position; features so far; problem)."""
    previous, rising = np.int64(-1), True
    last_quick = len(text) - _LOOK
    while True:
        while position < end and is_space(text[np.uint64(position)]):
            position += 1
        if position >= end or text[np.uint64(position)] == _HASH:
            spans.may_repeat[example] = np.uint8(not rising)
            return position, feature, GOOD
        begin = position
        index = np.int64(0)
        if text[np.uint64(position)] == _PLUS:
            position += 1
        first_digit = position
        while position < end and _ZERO <= text[np.uint64(position)] <= _NINE:
            if index < _INDICES:
                index = index * 10 + (np.int64(text[np.uint64(position)]) - _ZERO)
            position += 1
        if (
            position == first_digit
            or position >= end
            or text[np.uint64(position)] != _COLON
            or index >= _INDICES
        ):
            return begin, feature, BAD_INDEX
        value_begin = position + 1
        number, is_read = 0.0, False
        if WORD <= value_begin <= last_quick and value_begin < end:
            space = trailing_zeros(find16(text, value_begin, SPACE))
            position = min(value_begin + space, end)
            number, is_read = read_fraction(text, value_begin, position)
        value = np.float32(number)
        if not is_read:
            number, position = parse_number(text, value_begin, end)
            value = np.float32(number)
            problem = check_value(value, position - value_begin)
            if position < end and not _ends_value(text[np.uint64(position)]):
                problem = BAD_VALUE
            if problem != GOOD:
                return value_begin, feature, problem
        rising &= (index > previous) & (index != CONSTANT)
        previous = index
        if value != 0:
            batch.features[feature] = index
            batch.values[feature] = value
            feature += 1


@kernel
def parse(text, begin, end, batch, spans):
    """Parse the whole lines text[begin:end]; returns the numbers of (examples, features).

    A '#' at the beginning of a word or behind a value starts a comment. Blank lines are no
    examples. The arrays must be as large as line.make_arrays makes them.
    """
    line_begin = begin
    line = 0
    example = 0
    feature = 0
    batch.starts[0] = 0
    while line_begin < end:
        newline = find_newline(text, line_begin, end)
        line_end = trim_returns(text, line_begin, newline)
        position = skip_spaces(text, line_begin, line_end)
        if position < line_end and text[position] != _HASH:
            start_example(batch, spans, example, line, position)
            position = _read_label(text, position, line_end, spans, example)
            position, feature, problem = _read_features(
                text, position, line_end, batch, feature, spans, example
            )
            if problem == GOOD:
                feature = finish_example(batch, example, feature)
            else:
                column = position - line_begin + 1
                feature = spoil_example(batch, spans, example, problem, column)
            example += 1
        line_begin = newline + 1
        line += 1
    return example, feature


def feature_names(line: bytes) -> dict[int, str]:
    """A feature's name is its index as it was written."""
    names = {CONSTANT: "Constant"}
    for word in line.partition(b"#")[0].split():
        index, colon, _ = word.partition(b":")
        if colon:
            names[int(index[-10:])] = index.decode()  # what stands before 10 digits are zeros
    return names
