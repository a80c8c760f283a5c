"""libsvm's format: `label index:value index:value ... # comment`, one example a line."""

import numpy as np

from lomtree.batch import BAD_INDEX, BAD_VALUE, GOOD
from lomtree.compiled import kernel
from lomtree.number import parse_number
from lomtree.text_line import (
    check_value,
    find_newline,
    finish_example,
    is_space,
    skip_spaces,
    spoil_example,
    start_example,
    trim_returns,
)

_ZERO, _NINE, _COLON, _HASH = 48, 57, 58, 35
_INDICES = 2**32


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
def _read_features(text, position, end, batch, feature):
    """Returns (where reading stopped, or the problem's position; features so far; problem)."""
    while True:
        while position < end and is_space(text[np.uint64(position)]):
            position += 1
        if position >= end or text[np.uint64(position)] == _HASH:
            return position, feature, GOOD
        begin = position
        index = np.int64(0)
        while position < end and _ZERO <= text[np.uint64(position)] <= _NINE:
            if index < _INDICES:
                index = index * 10 + (np.int64(text[np.uint64(position)]) - _ZERO)
            position += 1
        if (
            position == begin
            or position >= end
            or text[np.uint64(position)] != _COLON
            or index >= _INDICES
        ):
            return begin, feature, BAD_INDEX
        value_begin = position + 1
        number, position = parse_number(text, value_begin, end)
        value = np.float32(number)
        problem = check_value(value, position - value_begin)
        if position < end and not is_space(text[np.uint64(position)]):
            problem = BAD_VALUE
        if problem != GOOD:
            return value_begin, feature, problem
        if value != 0:
            batch.features[feature] = index
            batch.values[feature] = value
            feature += 1


@kernel
def parse_libsvm(text, begin, end, batch, spans):
    """Parse the whole lines text[begin:end]; returns the numbers of (examples, features).

    A '#' at the beginning of a word starts a comment. Blank lines are no examples. The arrays must
    be as large as batch.make_arrays makes them.
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
            position, feature, problem = _read_features(text, position, line_end, batch, feature)
            if problem == GOOD:
                feature = finish_example(batch, example, feature)
            else:
                column = position - line_begin + 1
                feature = spoil_example(batch, spans, example, problem, column)
            example += 1
        line_begin = newline + 1
        line += 1
    return example, feature
