"""Labels as they were written, numbered in the order in which they first appeared."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.batch import GOOD, Spans
from lomtree.compiled import kernel
from lomtree.errors import DataError
from lomtree.murmur import murmur3
from lomtree.printable import printable

NONE = -1
LARGEST_COUNT = 2**30
_FIRST_LABELS = 1 << 8
_SEED = 0x4C4F4D
_SHOWN = 40  # characters of a label, in a message


class Table(NamedTuple):
    """An open-addressing hash table over the bytes of the labels."""

    text: np.ndarray  # uint8[]: the labels, one behind the other
    ends: np.ndarray  # int64[]: label i is text[ends[i]:ends[i + 1]]
    slots: np.ndarray  # int32[]: numbers of labels, NONE where free
    size: np.ndarray  # int64[1]: labels


@kernel
def _same(table, number, text, begin, end):
    first = table.ends[number]
    if table.ends[number + 1] - first != end - begin:
        return False
    for position in range(end - begin):
        if table.text[first + position] != text[begin + position]:
            return False
    return True


@kernel
def _find(table, text, begin, end):
    """The slot of a label, or the free slot where it belongs."""
    mask = len(table.slots) - 1
    slot = np.int64(murmur3(text, begin, end, _SEED)) & mask
    while table.slots[slot] != NONE and not _same(table, table.slots[slot], text, begin, end):
        slot = (slot + 1) & mask
    return slot


@kernel
def _add(table, slot, text, begin, end):
    number = table.size[0]
    first = table.ends[number]
    for position in range(end - begin):
        table.text[first + position] = text[begin + position]
    table.ends[number + 1] = first + end - begin
    table.slots[slot] = number
    table.size[0] = number + 1


@kernel
def _has_room(table, length):
    number = table.size[0]
    return 2 * (number + 1) <= len(table.slots) and table.ends[number] + length <= len(table.text)


@kernel
def _number(table, text, begins, ends, problems, first, last, new_ones, numbers, most):
    """Look up the labels of the examples first:last; stops where a new one finds no room, or there
    are `most` of them."""
    for example in range(first, last):
        begin, end = begins[example], ends[example]
        numbers[example] = NONE
        if problems[example] != GOOD or begin == end:
            continue
        slot = _find(table, text, begin, end)
        if table.slots[slot] == NONE and new_ones:
            if table.size[0] >= most or not _has_room(table, end - begin):
                return example
            _add(table, slot, text, begin, end)
        numbers[example] = table.slots[slot]
    return last


@kernel
def _fill_slots(table):
    for number in range(table.size[0]):
        slot = _find(table, table.text, table.ends[number], table.ends[number + 1])
        table.slots[slot] = number


@kernel
def _write_answers(table, answers, text, spans, count, out):
    """One line an example: the label, and the tag behind a space; empty for a skipped line."""
    size = 0
    for example in range(count):
        if spans.problem[example] == GOOD:
            if answers[example] != NONE:
                number = answers[example]
                for position in range(table.ends[number], table.ends[number + 1]):
                    out[size] = table.text[position]
                    size += 1
            if spans.tag_begin[example] < spans.tag_end[example]:
                out[size] = 32
                size += 1
                for position in range(spans.tag_begin[example], spans.tag_end[example]):
                    out[size] = text[position]
                    size += 1
        out[size] = 10
        size += 1
    return size


def _make_table(labels: int, text_bytes: int) -> Table:
    slots = 2 * _FIRST_LABELS
    while slots < 4 * labels:
        slots *= 2
    return Table(
        np.zeros(max(text_bytes, 16 * _FIRST_LABELS), np.uint8),
        np.zeros(slots // 2 + 1, np.int64),
        np.full(slots, NONE, np.int32),
        np.zeros(1, np.int64),
    )


class Labels:
    def __init__(self) -> None:
        self.most = LARGEST_COUNT  # how many there may be
        self._table = _make_table(0, 0)

    @classmethod
    def from_arrays(cls, text: np.ndarray, ends: np.ndarray) -> "Labels":
        """Labels from what `text` and `ends` gave and a file kept; ValueError says in words what is
        wrong with them."""
        if ends.dtype != np.int64 or text.dtype != np.uint8 or not 0 < len(ends) <= 2**31:
            raise ValueError("its labels have the wrong form")
        if ends[0] != 0 or ends[-1] != len(text) or np.any(ends[1:] <= ends[:-1]):
            raise ValueError("its labels overlap")
        if np.any((text == 9) | (text == 10) | (text == 32)):
            raise ValueError("its labels have white space in them")
        labels = cls()
        labels._rebuild(text, ends, len(text))
        if np.count_nonzero(labels._table.slots != NONE) != len(labels):
            raise ValueError("two of its labels are the same")
        return labels

    def __len__(self) -> int:
        return int(self._table.size[0])

    def __getitem__(self, number: int) -> bytes:
        begin, end = self._table.ends[number : number + 2]
        return self._table.text[begin:end].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    @property
    def ends(self) -> np.ndarray:
        """int64[k + 1]: where each label begins in `text`, and where the last one ends."""
        return self._table.ends[: len(self) + 1]

    @property
    def text(self) -> np.ndarray:
        return self._table.text[: self.ends[-1]]

    def first(self, count: int) -> "Labels":
        """The labels as they were when there were `count` of them."""
        if count == len(self):
            return self
        return self.from_arrays(self.text[: self.ends[count]], self.ends[: count + 1])

    def number(self, text: np.ndarray, spans: Spans, count: int, numbers: np.ndarray) -> int:
        """Write the number of each example's label, giving new labels the next number; NONE where
        there is no label or a problem. Returns where a label would be one too many, or count."""
        return self._number_spans(text, spans, count, numbers, True)

    def look_up(self, text: np.ndarray, spans: Spans, count: int, numbers: np.ndarray) -> None:
        """The same, but a label that is not known is NONE."""
        self._number_spans(text, spans, count, numbers, False)

    def find(self, word: bytes) -> int:
        """The number of a label; NONE if it is not known."""
        text = np.frombuffer(word, np.uint8)
        return int(self._table.slots[_find(self._table, text, 0, len(text))])

    def add(self, *words: bytes) -> np.ndarray:
        """The numbers of these labels, which are new ones if need be."""
        text = np.frombuffer(b"".join(words), np.uint8)
        ends = np.cumsum([0, *map(len, words)])
        numbers = np.empty(len(words), np.int32)
        good = np.zeros(len(words), np.int8)
        done = self._number_all(text, ends[:-1], ends[1:], good, len(words), numbers, True)
        if done < len(words):
            raise DataError(self.too_many(words[done]))
        return numbers

    def too_many(self, word: bytes) -> str:
        """The sentence about a label that is one too many."""
        shown = printable(word.decode("utf-8", "backslashreplace"), _SHOWN)
        return f"the label '{shown}' is one more than the {self.most:,} that --max-labels allows"

    def answer_lines(
        self, answers: np.ndarray, text: np.ndarray, spans: Spans, count: int
    ) -> bytes:
        """The output of predict for `count` examples."""
        lengths = np.append(np.diff(self.ends), 0)  # the last one is what NONE (-1) finds
        tags = spans.tag_end[:count] - spans.tag_begin[:count]
        room = int(lengths[answers[:count]].sum()) + int(tags.sum()) + 2 * count
        out = np.empty(room, np.uint8)
        size = _write_answers(self._table, answers, text, spans, count, out)
        return out[:size].tobytes()

    def _number_spans(
        self, text: np.ndarray, spans: Spans, count: int, numbers: np.ndarray, new_ones: bool
    ) -> int:
        begins, ends, problems = spans.label_begin, spans.label_end, spans.problem
        return self._number_all(text, begins, ends, problems, count, numbers, new_ones)

    def _number_all(
        self,
        text: np.ndarray,
        begins: np.ndarray,
        ends: np.ndarray,
        problems: np.ndarray,
        count: int,
        numbers: np.ndarray,
        new_ones: bool,
    ) -> int:
        """Returns where a new label would be one too many, or count."""
        done = 0
        while True:
            done = _number(
                self._table, text, begins, ends, problems, done, count, new_ones, numbers, self.most
            )
            if done == count or len(self) >= self.most:
                return done
            self._grow(int(ends[done] - begins[done]))

    def _grow(self, more_bytes: int) -> None:
        self._rebuild(self.text, self.ends, 2 * (len(self.text) + more_bytes))

    def _rebuild(self, text: np.ndarray, ends: np.ndarray, text_bytes: int) -> None:
        count = len(ends) - 1
        table = _make_table(count + 1, text_bytes)
        table.text[: len(text)] = text
        table.ends[: count + 1] = ends
        table.size[0] = count
        _fill_slots(table)
        self._table = table
