"""fastText's text: `__label__x word word ...`, one example a line.

As in fastText, words are what stands between spaces, tabs, returns, zeros and vertical feeds, and a
word that begins with `__label__` is a label wherever it stands. Its token for the end of a line,
</s>, is the same in every example: here the constant takes its part.

Words become the words of VW's default namespace, with '_' in place of ':' and '|'.
"""

import numpy as np

from lomtree.core.reading import Reading
from lomtree.examples.examples import GOOD, Strings
from lomtree.formats.line import find_newline
from lomtree.formats.problems import SEVERAL_LABELS
from lomtree.formats.translation import Layout, Translation
from lomtree.jit.kernel import kernel

_PREFIX = np.frombuffer(b"__label__", np.uint8)
_SPACE, _NEWLINE, _BAR, _COLON, _UNDERSCORE = 32, 10, 124, 58, 95
_TAB, _RETURN = 9, 13
_SPECIAL = b"\t\v\f\r\0|:"
_AS_VW_TEXT = bytes.maketrans(_SPECIAL, b"     __")


@kernel
def _separates(byte):
    return byte == _SPACE or _TAB <= byte <= _RETURN or byte == 0


@kernel
def _is_label(text, begin, end):
    same = end - begin >= len(_PREFIX)
    for place in range(len(_PREFIX)):
        same = same and text[begin + place] == _PREFIX[place]
    return same


@kernel
def _write_word(text, begin, end, out, size):
    out[size] = _SPACE
    size += 1
    for position in range(begin, end):
        byte = text[np.uint64(position)]
        special = (byte == _COLON) | (byte == _BAR)
        out[np.uint64(size)] = np.uint8(_UNDERSCORE) if special else byte
        size += 1
    return size


@kernel
def _translate_line(text, begin, end, out, size, translation, example, one_label):
    """Returns (size of the output, whether there is anything on the line)."""
    position, found = begin, False
    out[size] = _BAR
    first, size = size + 1, size + 1
    while True:
        while position < end and _separates(text[np.uint64(position)]):
            position += 1
        if position >= end:
            break
        word = position
        while position < end and not _separates(text[np.uint64(position)]):
            position += 1
        if not found:
            found = True
            translation.labels.begins[example] = translation.labels.ends[example] = word
            translation.columns[example] = word - begin + 1
            translation.problems[example] = GOOD
        if text[word] != _UNDERSCORE or not _is_label(text, word, position):
            size = _write_word(text, word, position, out, size)
        elif translation.labels.begins[example] == translation.labels.ends[example]:
            translation.labels.begins[example] = word
            translation.labels.ends[example] = position
        elif one_label and translation.problems[example] == GOOD:
            translation.problems[example] = SEVERAL_LABELS
            translation.columns[example] = word - begin + 1
    if found and translation.problems[example] != GOOD:
        size = first
    return size, found


@kernel
def _translate(text, translation, out, one_label):
    """Returns the numbers of (examples, bytes of the output)."""
    begin, line, example, size = 0, 0, 0, 0
    while begin < len(text):
        newline = find_newline(text, begin, len(text))
        before = size
        size, found = _translate_line(
            text, begin, newline, out, size, translation, example, one_label
        )
        if found:
            translation.lines[example] = line
            out[size] = _NEWLINE
            size += 1
            example += 1
        else:
            size = before
        begin = newline + 1
        line += 1
    return example, size


@kernel
def _replace_labels(text, translation, out):
    """The short way, where each line begins with its only label: its first byte becomes the bar in
    `out`, which is the text as VW would have it. Returns the number of examples, -1 if a line has
    no label there."""
    begin, line, example = 0, 0, 0
    while begin < len(text):
        newline = find_newline(text, begin, len(text))
        word = begin
        while word < newline and _separates(text[np.uint64(word)]):
            word += 1
        if word < newline:
            end = word
            while end < newline and not _separates(text[np.uint64(end)]):
                end += 1
            if not _is_label(text, word, end):
                return -1
            for position in range(word, end):
                out[position] = _SPACE
            out[word] = _BAR
            translation.labels.begins[example], translation.labels.ends[example] = word, end
            translation.lines[example] = line
            translation.columns[example] = word - begin + 1
            example += 1
        begin = newline + 1
        line += 1
    return example


def translate(text: np.ndarray, one_label: bool) -> Translation:
    """Whole lines as VW text. With `one_label` several labels on a line are a problem; without it
    the first one counts."""
    whole = text.tobytes()
    examples = whole.count(b"\n") + 1
    begins, ends, lines, columns = np.zeros((4, examples), np.int64)
    problems = np.zeros(examples, np.int8)
    out = np.frombuffer(bytearray(whole.translate(_AS_VW_TEXT)), np.uint8)
    labels, no_tags = Strings(text, begins, ends), Strings(text, begins, begins)
    room = Translation(out, labels, no_tags, np.ones(examples, "f4"), lines, problems, columns)
    count, size = _replace_labels(text, room, out), len(out)
    if count != whole.count(_PREFIX.tobytes()):
        out = np.empty(len(text) + 3 * examples, np.uint8)
        count, size = _translate(text, room, out, one_label)
    return Translation(
        out[:size],
        Strings(text, begins[:count], ends[:count]),
        Strings(text, begins[:count], begins[:count]),
        room.weights[:count],
        lines[:count],
        problems[:count],
        columns[:count],
    )


class FastTextLayout(Layout):
    def __init__(self, reading: Reading, labels_required: bool) -> None:
        self.reading = reading
        self._one_label = labels_required and not reading.first_label

    def translate(self, text: np.ndarray) -> Translation:
        return translate(text, self._one_label)


def layout_of(_format: str, _source: str, reading: Reading, labels_required: bool) -> Layout:
    return FastTextLayout(reading, labels_required)
