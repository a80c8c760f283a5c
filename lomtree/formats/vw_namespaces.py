"""VW text, with its namespaces and words noted for those who derive features from them.

The parser of vw.py notes nothing, so that it takes no longer where nobody asks.
"""

import numpy as np

from lomtree.examples.examples import GOOD
from lomtree.examples.namespaces import DEFAULT
from lomtree.formats.line import (
    RETURN,
    find_byte,
    find_newline,
    finish_example,
    is_space,
    skip_spaces,
    spoil_example,
    start_example,
    trim_returns,
)
from lomtree.formats.vw import (
    BAR,
    COLON,
    read_features,
    read_header,
    read_namespace,
    read_weighted_value,
    scan_name,
)
from lomtree.jit.kernel import kernel


@kernel
def _note_features(text, position, end, batch, feature, namespace, weight, namespaces):
    """Like read_features; where each name stands is noted, too."""
    anonymous = 0
    while True:
        position = skip_spaces(text, position, end)
        if position >= end or text[position] == BAR:
            return position, feature, GOOD
        begin = position
        if text[begin] == COLON:
            name = np.uint32(namespace + np.uint32(anonymous))
            anonymous += 1
        else:
            name, position = scan_name(text, begin, end, namespace)
        name_end = position
        value, position, problem = read_weighted_value(text, position, end, weight)
        if problem != GOOD:
            return position, feature, problem
        if value != 0:
            batch.features[feature] = name
            batch.values[feature] = value
            namespaces.word_begins[feature] = begin
            namespaces.word_ends[feature] = name_end
            feature += 1


@kernel
def _letter_at(text, position, end):
    """The first byte of the namespace whose name, if it has one, begins here."""
    if position >= end or is_space(text[position]) or text[position] == BAR:
        return np.uint8(DEFAULT)
    return text[position]


@kernel
def _note_namespaces(text, position, end, batch, feature, namespaces, run):
    """All that follows the first bar: (stop or the problem's position; features so far; runs so
    far; problem)."""
    noting_words = len(namespaces.word_begins) > 0
    while position < end and text[position] == BAR:
        letter = _letter_at(text, position + 1, end)
        name, weight, position, problem = read_namespace(text, position + 1, end)
        if problem != GOOD:
            return position, feature, run, problem
        begin = feature
        if noting_words:
            position, feature, problem = _note_features(
                text, position, end, batch, feature, name, weight, namespaces
            )
        else:
            position, feature, problem = read_features(
                text, position, end, batch, feature, name, weight
            )
        if problem != GOOD:
            return position, feature, run, problem
        if feature > begin:
            namespaces.letters[run] = letter
            namespaces.seeds[run] = name
            namespaces.begins[run] = begin
            namespaces.ends[run] = feature
            run += 1
    return position, feature, run, GOOD


@kernel
def _note_no_word(namespaces, feature):
    """The constant has no name."""
    if len(namespaces.word_begins) > 0:
        namespaces.word_begins[feature] = namespaces.word_ends[feature] = 0


@kernel
def parse_namespaces(text, begin, end, batch, spans, namespaces):
    """Like vw.parse; fills `namespaces`, too, which must have room for a run for each two bytes,
    and for a word for each feature if words are to be noted."""
    line_begin = begin
    line = 0
    example = 0
    feature = 0
    run = 0
    batch.starts[0] = namespaces.starts[0] = 0
    while line_begin < end:
        newline = find_newline(text, line_begin, end)
        line_end = trim_returns(text, line_begin, newline)
        position = skip_spaces(text, line_begin, line_end)
        if position < line_end:
            start_example(batch, spans, example, line, position)
            position, problem = read_header(text, position, line_end, batch, spans, example)
            if problem == GOOD:
                line_end = find_byte(text, position, line_end, RETURN)
                position, feature, run, problem = _note_namespaces(
                    text, position, line_end, batch, feature, namespaces, run
                )
            if problem == GOOD:
                _note_no_word(namespaces, feature)
                feature = finish_example(batch, example, feature)
            else:
                column = position - line_begin + 1
                feature = spoil_example(batch, spans, example, problem, column)
                run = namespaces.starts[example]
            example += 1
            namespaces.starts[example] = run
        line_begin = newline + 1
        line += 1
    return example, feature
