"""Vowpal Wabbit's format: `label [importance] [tag]|namespace[:weight] name[:value] ...`.

Text is mostly short words, with a small count or none, and which of these comes next is not to be
foreseen. A processor that guesses wrong loses more time than a word takes, so such words are read
without branches; all others take the general way.
"""

import numpy as np

from lomtree.examples.batch import CONSTANT
from lomtree.examples.examples import GOOD
from lomtree.formats.line import (
    RETURN,
    SPACE,
    TAB,
    find_byte,
    find_newline,
    finish_example,
    is_space,
    make_arrays,
    read_float,
    skip_spaces,
    spoil_example,
    start_example,
    trim_returns,
)
from lomtree.formats.problems import (
    BAD_IMPORTANCE,
    BAD_VALUE,
    COLON_IN_LABEL,
    LARGE_VALUE,
    MISSING_BAR,
    NO_NAMESPACE,
    WORD_BEFORE_BAR,
)
from lomtree.hashing.murmur3 import murmur3_word
from lomtree.hashing.names import hash_name
from lomtree.jit.intrinsics import find16, load64, trailing_zeros
from lomtree.jit.kernel import kernel

_ZERO, _ONE, _NINE, COLON, BAR, _QUOTE = 48, 49, 57, 58, 124, 39

_LOOK = 16  # bytes that find16 looks at, whether or not they belong to the line
_LONG = 8  # bytes of a name that murmur3_word cannot hash

# What each byte is as a digit; to convert digits only would be a branch again.
_DIGIT_VALUES = np.arange(-_ZERO, 256 - _ZERO).astype(np.float32)


@kernel
def _ends_word(byte):
    return is_space(byte) or byte == BAR


@kernel
def _ends_name(byte):
    return (byte <= COLON and (is_space(byte) or byte == COLON)) or byte == BAR


@kernel
def _word_over(text, position, end):
    """Words stop at white space, at a bar or at the end of the line; names at a ':' too."""
    return position >= end or _ends_word(text[position])


@kernel
def _scan_digits(text, begin, end, seed):
    """A name of digits is its own number, counted from the seed: (hash, where digits stop)."""
    position = begin
    number = np.uint32(0)
    while position < end and _ZERO <= text[position] <= _NINE:
        digit = np.uint32(text[position] - np.uint8(_ZERO))
        number = np.uint32(number * np.uint32(10) + digit)
        position += 1
    return np.uint32(number + seed), position


@kernel
def _measure_word(text, begin, end):
    """The lengths of a name and of the whole word, each right if it is below _LOOK."""
    gaps = find16(text, begin, SPACE) | find16(text, begin, TAB) | find16(text, begin, BAR)
    colons = find16(text, begin, COLON)
    room = end - begin
    return min(trailing_zeros(gaps | colons), room), min(trailing_zeros(gaps), room)


@kernel
def _find_name_end(text, position, end):
    while position + _LOOK <= text.size:
        length, _ = _measure_word(text, position, end)
        if length < _LOOK:
            return position + length
        position += _LOOK
    while position < end and not _ends_name(text[np.uint64(position)]):
        position += 1
    return position


@kernel
def scan_name(text, begin, end, seed):
    """The hash of a name, VW's `--hash strings`, and where the name stops."""
    if _ZERO <= text[np.uint64(begin)] <= _NINE:
        number, stop = _scan_digits(text, begin, end, seed)
        if stop >= end or _ends_name(text[np.uint64(stop)]):
            return number, stop
    stop = _find_name_end(text, begin, end)
    return hash_name(text, begin, stop, seed), stop


@kernel
def _read_value(text, begin, end):
    """The number after a ':', with nothing behind it: (value, stop, problem)."""
    value, stop, problem = read_float(text, begin, end)
    if not _word_over(text, stop, end):
        problem = BAD_VALUE
    return value, stop, problem


@kernel
def _scan_header(text, position, end):
    """The words before the bar: how many, the first three and the last, and where they stop."""
    count = 0
    first = second = third = last = position
    first_end = second_end = last_end = position
    while True:
        while position < end and is_space(text[np.uint64(position)]):
            position += 1
        if position >= end or text[np.uint64(position)] == BAR:
            return count, first, first_end, second, second_end, third, last, last_end, position
        last = position
        while position < end and not _ends_word(text[np.uint64(position)]):
            position += 1
        last_end = position
        count += 1
        if count == 1:
            first, first_end = last, last_end
        elif count == 2:
            second, second_end = last, last_end
        elif count == 3:
            third = last


@kernel
def _has_colon(text, begin, end):
    found = False
    for position in range(begin, end):
        found |= text[position] == COLON
    return found


@kernel
def read_header(text, position, end, batch, spans, example):
    """Label, importance and tag; returns (the bar's or the problem's position, problem)."""
    count, first, first_end, second, second_end, third, last, last_end, stop = _scan_header(
        text, position, end
    )
    # VW's rule: the last word is the tag if it touches the bar, or begins with a quote.
    if count > 0 and (last_end == stop or text[last] == _QUOTE):
        if stop == end and text[last] != _QUOTE and _has_colon(text, last, last_end):
            return last, MISSING_BAR  # features that nothing leads in
        count -= 1
        spans.tag_begin[example] = last + 1 if text[last] == _QUOTE else last
        spans.tag_end[example] = last_end
    if count >= 1:
        spans.label_begin[example] = first
        spans.label_end[example] = first_end
        if _has_colon(text, first, first_end):
            return _find_name_end(text, first, first_end), COLON_IN_LABEL
    if count >= 2:
        weight, weight_end, problem = read_float(text, second, end)
        if problem != GOOD or weight_end != second_end or weight < 0:
            return second, BAD_IMPORTANCE
        batch.weights[example] = weight
    if count >= 3:
        return third, WORD_BEFORE_BAR
    return stop, GOOD


@kernel
def read_namespace(text, position, end):
    """What stands behind a bar: (hash, weight, stop or the problem's position, problem)."""
    weight = np.float32(1.0)
    if _word_over(text, position, end):
        return np.uint32(0), weight, position, GOOD
    if text[position] == COLON:
        return np.uint32(0), weight, position, NO_NAMESPACE
    name, stop = scan_name(text, position, end, np.uint32(0))
    if stop < end and text[stop] == COLON:
        colon = stop
        weight, stop, problem = _read_value(text, colon + 1, end)
        if problem != GOOD:
            return name, weight, colon + 1, problem
    return name, weight, stop, GOOD


@kernel
def read_weighted_value(text, colon, end, weight):
    """The value whose ':' stands at `colon`: (value, stop or the problem's position, problem)."""
    if colon >= end or text[np.uint64(colon)] != COLON:
        return weight, colon, GOOD
    value, stop, problem = _read_value(text, colon + 1, end)
    value = np.float32(value * weight)
    if problem == GOOD and not np.isfinite(value):
        problem = LARGE_VALUE
    return value, stop if problem == GOOD else colon + 1, problem


@kernel
def _is_short_value(name_length, word_length, last):
    """Whether a word has no value or one digit ('and' and 'or' would be branches)."""
    digit = (word_length == name_length + 2) & (last >= _ZERO) & (last <= _NINE)
    return (word_length == name_length) | digit


@kernel
def read_features(text, position, end, batch, feature, namespace, weight):
    """The features of one namespace: (stop or the problem's position, features so far, problem).

    In one piece, and with one call of each function, or else the compiler would not inline them.
    """
    anonymous = 0
    # Where there are bytes enough to look at, and no digit can make the value too large.
    last_quick = text.size - _LOOK if np.isfinite(np.float32(9) * weight) else -1
    while True:
        while position < end and is_space(text[np.uint64(position)]):
            position += 1
        if position >= end or text[np.uint64(position)] == BAR:
            return position, feature, GOOD
        begin = position
        first = last = text[np.uint64(begin)]
        name_length = word_length = _LOOK
        short = False
        if begin <= last_quick and first > SPACE and not _ZERO <= first <= COLON:
            name_length, word_length = _measure_word(text, begin, end)
        if name_length < _LONG and text[np.uint64(begin + name_length - 1)] > SPACE:
            name = murmur3_word(load64(text, begin), name_length, namespace)
            position = begin + name_length
            last = text[np.uint64(begin + word_length - 1)]
            short = _is_short_value(name_length, word_length, last)
        elif first == COLON:
            name = np.uint32(namespace + np.uint32(anonymous))
            anonymous += 1
        else:
            name, position = scan_name(text, begin, end, namespace)
        if short:
            digit = last if word_length > name_length else np.uint8(_ONE)
            value = np.float32(_DIGIT_VALUES[np.uint64(digit)] * weight)
            position = begin + word_length
        else:
            value, position, problem = read_weighted_value(text, position, end, weight)
            if problem != GOOD:
                return position, feature, problem
        # Written in any case; if it is 0, the next feature takes its place.
        batch.features[np.uint64(feature)] = name
        batch.values[np.uint64(feature)] = value
        feature += np.int64(value != 0)


@kernel
def _read_namespaces(text, position, end, batch, feature):
    """All that follows the first bar; returns like read_features."""
    while position < end and text[position] == BAR:
        namespace, weight, position, problem = read_namespace(text, position + 1, end)
        if problem == GOOD:
            position, feature, problem = read_features(
                text, position, end, batch, feature, namespace, weight
            )
        if problem != GOOD:
            return position, feature, problem
    return position, feature, GOOD


@kernel
def parse(text, begin, end, batch, spans):
    """Parse the whole lines text[begin:end]; returns the numbers of (examples, features).

    Where there is no bar, the end of the line takes its part. As in VW, a return behind the bar
    ends the line. Blank lines are no examples. The arrays must be as large as line.make_arrays
    makes them.
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
        if position < line_end:
            start_example(batch, spans, example, line, position)
            position, problem = read_header(text, position, line_end, batch, spans, example)
            if problem == GOOD:
                line_end = find_byte(text, position, line_end, RETURN)
                position, feature, problem = _read_namespaces(
                    text, position, line_end, batch, feature
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
    """The features of a line by their hashes, named namespace^name as VW's audit does it.

    Each word is parsed by itself, so that it is hashed as the whole line was.
    """
    names = {CONSTANT: "Constant"}
    for part in line.strip(b"\r\n").replace(b"\t", b" ").split(b"|")[1:]:
        space, _, words = part.partition(b" ")
        for word in words.split():
            text = b"|" + space + b" " + word
            batch, spans = make_arrays(len(text), 0)
            parse(np.frombuffer(text, np.uint8), 0, len(text), batch, spans)
            name = space.partition(b":")[0] + b"^" + word.partition(b":")[0]
            for feature in batch.features[: batch.starts[1] - 1].tolist():
                names[feature] = name.decode("utf-8", "backslashreplace").removeprefix("^")
    return names
