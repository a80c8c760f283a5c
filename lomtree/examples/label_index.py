"""Labels as they were written, numbered in the order in which they first appeared.

Those that are no strings of text have words that tell their type: see typed_labels."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import MOST_INTERNAL_NODES, NO_LABEL
from lomtree.core.errors import DataError
from lomtree.core.printable import printable
from lomtree.examples import typed_labels
from lomtree.examples.examples import GOOD, Strings
from lomtree.hashing.secrets import POINT, polynomial
from lomtree.jit.kernel import kernel

LARGEST_COUNT = MOST_INTERNAL_NODES
_FIRST_LABELS = 1 << 8
_SHOWN = 40  # characters of a label, in a message
_SPACE = 32  # what the words of typed labels begin with


class Table(NamedTuple):
    """An open-addressing hash table over the bytes of the labels."""

    text: np.ndarray  # uint8[]: the labels, one behind the other
    ends: np.ndarray  # int64[]: label i is text[ends[i]:ends[i + 1]]
    buckets: np.ndarray  # int32[]: numbers of labels, NO_LABEL where free
    size: np.ndarray  # int64[1]: labels
    point: np.ndarray  # uint64[1]: see hashing/secrets


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
    """The bucket of a label, or the free bucket where it belongs."""
    mask = len(table.buckets) - 1
    bucket = np.int64(polynomial(text, begin, end, table.point[0])) & mask
    while table.buckets[bucket] != NO_LABEL and not _same(
        table, table.buckets[bucket], text, begin, end
    ):
        bucket = (bucket + 1) & mask
    return bucket


@kernel
def _add(table, bucket, text, begin, end):
    number = table.size[0]
    first = table.ends[number]
    for position in range(end - begin):
        table.text[first + position] = text[begin + position]
    table.ends[number + 1] = first + end - begin
    table.buckets[bucket] = number
    table.size[0] = number + 1


@kernel
def _has_room(table, length):
    number = table.size[0]
    return 2 * (number + 1) <= len(table.buckets) and table.ends[number] + length <= len(table.text)


@kernel
def _number(table, words, problems, numbers, first, last, most):
    """Look up the labels of the examples first:last. New ones get the next number while there are
    fewer than `most`; stops where one finds no room, or there are as many. With 0 there are no new
    ones."""
    for example in range(first, last):
        begin, end = words.begins[example], words.ends[example]
        numbers[example] = NO_LABEL
        if problems[example] != GOOD or begin == end:
            continue
        bucket = _find(table, words.text, begin, end)
        if table.buckets[bucket] == NO_LABEL and most > 0:
            if table.size[0] >= most or not _has_room(table, end - begin):
                return example
            _add(table, bucket, words.text, begin, end)
        numbers[example] = table.buckets[bucket]
    return last


@kernel
def _fill_buckets(table):
    for number in range(table.size[0]):
        bucket = _find(table, table.text, table.ends[number], table.ends[number + 1])
        table.buckets[bucket] = number


def _make_table(labels: int, text_bytes: int) -> Table:
    buckets = 2 * _FIRST_LABELS
    while buckets < 4 * labels:
        buckets *= 2
    return Table(
        np.zeros(max(text_bytes, 16 * _FIRST_LABELS), np.uint8),
        np.zeros(buckets // 2 + 1, np.int64),
        np.full(buckets, NO_LABEL, np.int32),
        np.zeros(1, np.int64),
        np.full(1, POINT),
    )


def _check_spaces(text: np.ndarray, ends: np.ndarray) -> None:
    """No label has tabs or newlines, and what begins with a space is the word of a typed one."""
    if np.any((text == 9) | (text == 10)):
        raise ValueError("its labels have tabs or newlines in them")
    for label in np.flatnonzero(text[ends[:-1]] == _SPACE).tolist():
        typed_labels.label_of(text[ends[label] : ends[label + 1]].tobytes())


class _Shown(NamedTuple):
    """Labels as words of text, whatever their types."""

    strings: Strings  # by their numbers
    numbers: dict[bytes, int]  # of the typed labels, the first of those that are shown alike


class LabelIndex:
    def __init__(self) -> None:
        self.most = LARGEST_COUNT  # how many there may be
        self._table = _make_table(0, 0)
        self._shown: _Shown | None = None

    @classmethod
    def from_arrays(cls, text: np.ndarray, ends: np.ndarray) -> "LabelIndex":
        """Labels from what `text` and `ends` gave and a file kept; ValueError says in words what is
        wrong with them."""
        if ends.dtype != np.int64 or text.dtype != np.uint8 or not 0 < len(ends) <= 2**31:
            raise ValueError("its labels have the wrong form")
        if ends[0] != 0 or ends[-1] != len(text) or np.any(ends[1:] <= ends[:-1]):
            raise ValueError("its labels overlap")
        _check_spaces(text, ends)
        labels = cls()
        labels._rebuild(text, ends, len(text))
        if np.count_nonzero(labels._table.buckets != NO_LABEL) != len(labels):
            raise ValueError("two of its labels are the same")
        return labels

    def __len__(self) -> int:
        return int(self._table.size[0])

    def __getitem__(self, number: int) -> bytes:
        begin, end = self._table.ends[number : number + 2]
        return self._table.text[begin:end].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def shown(self, number: int) -> bytes:
        """A label as a word of text, whatever its type."""
        return typed_labels.shown(self[number])

    @property
    def typed(self) -> np.ndarray:
        """int64[]: the numbers of the labels that are no strings of text."""
        return np.flatnonzero(self._table.text[self.ends[:-1]] == _SPACE)

    @property
    def shown_strings(self) -> Strings:
        """The labels by their numbers, as they are shown."""
        return self._as_shown().strings

    def _as_shown(self) -> _Shown:
        """Words of text for all labels, made anew when there are more of them."""
        if self._shown is None or len(self._shown.strings.ends) != len(self):
            typed = self.typed
            words = [self.shown(number) for number in typed.tolist()]
            lengths = np.array([len(word) for word in words], np.int64)
            begins, ends = self.ends[:-1].copy(), self.ends[1:].copy()
            ends[typed] = len(self.text) + np.cumsum(lengths)
            begins[typed] = ends[typed] - lengths
            text = np.concatenate([self.text, np.frombuffer(b"".join(words), np.uint8)])
            numbers = dict(zip(reversed(words), reversed(typed.tolist()), strict=True))
            self._shown = _Shown(Strings(text, begins, ends), numbers)
        return self._shown

    @property
    def ends(self) -> np.ndarray:
        """int64[k + 1]: where each label begins in `text`, and where the last one ends."""
        return self._table.ends[: len(self) + 1]

    @property
    def text(self) -> np.ndarray:
        return self._table.text[: self.ends[-1]]

    @property
    def strings(self) -> Strings:
        """The labels by their numbers."""
        return Strings(self._table.text, self.ends[:-1], self.ends[1:])

    def first(self, count: int) -> "LabelIndex":
        """The labels as they were when there were `count` of them."""
        if count == len(self):
            return self
        return self.from_arrays(self.text[: self.ends[count]], self.ends[: count + 1])

    def number(self, words: Strings, problems: np.ndarray, numbers: np.ndarray) -> int:
        """Write the number of each word, giving new ones the next number; NO_LABEL where there is
        no word, or a problem. As many as there is room for in `numbers`. Returns where a label
        would be one too many, or their count."""
        done, count = 0, len(numbers)
        while True:
            done = _number(self._table, words, problems, numbers, done, count, self.most)
            if done == count or len(self) >= self.most:
                return done
            self._grow(int(words.ends[done] - words.begins[done]))

    def look_up(self, words: Strings, problems: np.ndarray, numbers: np.ndarray) -> None:
        """The same, but a label that is not known is NO_LABEL."""
        _number(self._table, words, problems, numbers, 0, len(numbers), 0)

    def number_shown(self, words: Strings, problems: np.ndarray, numbers: np.ndarray) -> int:
        """As number(), but text also means the labels of other types that are shown so."""
        if len(self.typed) == 0:
            return self.number(words, problems, numbers)
        self.look_up_shown(words, problems, numbers)
        known, count = numbers != NO_LABEL, len(numbers)
        others = np.where(known, np.int8(GOOD + 1), problems[:count])
        new = np.empty(count, np.int32)
        done = self.number(words, others, new)
        numbers[~known] = new[~known]
        return done

    def look_up_shown(self, words: Strings, problems: np.ndarray, numbers: np.ndarray) -> None:
        """As look_up(), but text also means the labels of other types that are shown so."""
        self.look_up(words, problems, numbers)
        if len(self.typed):
            there = (problems[: len(numbers)] == GOOD) & (words.begins < words.ends)[: len(numbers)]
            for example in np.flatnonzero(there & (numbers == NO_LABEL)).tolist():
                numbers[example] = self.find_shown(words.word(example))

    def find_shown(self, text: bytes) -> int:
        """The number of the label that text means: the string, or else the first label of another
        type that is shown so; NO_LABEL if there is none."""
        number = self.find(text)
        if number != NO_LABEL:
            return number
        return self._as_shown().numbers.get(text, NO_LABEL)

    def find(self, word: bytes) -> int:
        """The number of a label; NO_LABEL if it is not known."""
        text = np.frombuffer(word, np.uint8)
        return int(self._table.buckets[_find(self._table, text, 0, len(text))])

    def add(self, *words: bytes) -> np.ndarray:
        """The numbers of these labels, which are new ones if need be."""
        ends = np.cumsum([0, *map(len, words)])
        return self.add_strings(
            Strings(np.frombuffer(b"".join(words), np.uint8), ends[:-1], ends[1:])
        )

    def add_strings(self, words: Strings) -> np.ndarray:
        """The same; DataError if there are too many."""
        numbers = np.empty(len(words.ends), np.int32)
        done = self.number(words, np.zeros(len(numbers), np.int8), numbers)
        if done < len(numbers):
            raise DataError(self.too_many(words.word(done)))
        return numbers

    def too_many(self, word: bytes) -> str:
        """The sentence about a label that is one too many."""
        text = typed_labels.shown(word).decode("utf-8", "backslashreplace")
        shown = printable(text, _SHOWN)
        return f"the label '{shown}' is one more than the {self.most:,} that --max-labels allows"

    def _grow(self, more_bytes: int) -> None:
        self._rebuild(self.text, self.ends, 2 * (len(self.text) + more_bytes))

    def _rebuild(self, text: np.ndarray, ends: np.ndarray, text_bytes: int) -> None:
        count = len(ends) - 1
        table = _make_table(count + 1, text_bytes)
        table.text[: len(text)] = text
        table.ends[: count + 1] = ends
        table.size[0] = count
        _fill_buckets(table)
        self._table = table
