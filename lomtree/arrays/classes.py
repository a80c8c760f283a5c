"""Labels of Python and their numbers in a model: any hashable type, and each keeps its own.

As everywhere in Python, equal labels are one: 1, 1.0 and True are the same class, of the type that
came first; "1" is another.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.examples import GOOD, Strings
from lomtree.examples.label_index import LabelIndex
from lomtree.examples.typed_labels import NoWordError, label_of, word_of, words_of
from lomtree.jit.kernel import kernel

_OF_BYTES = "USiub"  # kinds of dtypes; floats that are equal may differ in their bytes
_KINDS = {int: "iu", float: "f", bool: "b"}  # of dtypes that hold each of such labels as it is
_WIDEST = 1 << 26  # bytes of an array of strings: where more are needed, it is one of objects


class Classes:
    """The labels of an index. Those that have no word are kept here, under one that no file
    takes."""

    def __init__(self, index: LabelIndex) -> None:
        self.index = index
        self._objects: list[Hashable] = []
        self._labels: list[Hashable] = []  # by their numbers
        self._numbers: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self.index)

    @property
    def labels(self) -> list[Hashable]:
        """By their numbers."""
        while len(self._labels) < len(self.index):
            label = self._label(self.index[len(self._labels)])
            self._numbers.setdefault(label, len(self._labels))
            self._labels.append(label)
        return self._labels

    def numbers(self, labels: Iterable[Hashable]) -> np.ndarray:
        """int32[]: the number of each label, NO_LABEL where it is not known."""
        self.labels  # noqa: B018  # all of them are known now
        get = self._numbers.get
        return np.array([get(label, NO_LABEL) for label in labels], np.int32)

    def new(self, labels: Iterable[Hashable]) -> list[Hashable]:
        """Those that are not known, each once, in the order in which they come."""
        self.labels  # noqa: B018
        return [label for label in dict.fromkeys(labels) if label not in self._numbers]

    def add(self, labels: Iterable[Hashable]) -> None:
        """Give these, which are new, the next numbers."""
        added = plain_labels(labels)
        if added:
            known = self.labels
            self.index.add(*self._words(added))
            self._numbers.update(zip(added, range(len(known), len(self.index)), strict=True))
            known += added

    def refuse_objects(self) -> None:
        """NoWordError, if a label is nothing that a file keeps."""
        for label in self._objects:
            word_of(label)

    def __getstate__(self) -> dict[str, Any]:
        return {"words": list(self.index), "objects": self._objects}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(LabelIndex())  # type: ignore[misc]
        self._objects = state["objects"]
        if state["words"]:
            self.index.add(*state["words"])

    def _words(self, labels: list[Hashable]) -> list[bytes]:
        try:
            return words_of(labels)
        except NoWordError:
            return list(map(self._word, labels))

    def _word(self, label: Hashable) -> bytes:
        try:
            return word_of(label)
        except NoWordError:
            self._objects.append(label)
            return b" object %d" % (len(self._objects) - 1)

    def _label(self, word: bytes) -> Any:
        if word.startswith(b" object "):
            return self._objects[int(word[8:])]
        return label_of(word)


def plain(label: Any) -> Any:
    """A scalar of numpy's as Python's own."""
    return label.item() if isinstance(label, np.generic) else label


def plain_labels(labels: Iterable[Hashable]) -> list[Any]:
    some = list(labels)
    if any(issubclass(kind, np.generic) for kind in set(map(type, some))):
        return [plain(label) for label in some]
    return some


class Labels(NamedTuple):
    """The labels of examples. What is done to labels is done to the different ones, which are few;
    to go through all of them takes Python long."""

    different: list[Any]  # in the order in which they come first; of equal ones, the first
    places: np.ndarray  # int32[examples]: of each example's label among these

    def in_order(self, order: np.ndarray | None) -> "Labels":
        """Those of the examples of these numbers."""
        if order is None:
            return self
        came = np.empty(len(self.different), np.int32)
        places = np.empty(len(order), np.int32)
        number = np.full(len(self.different), NO_LABEL, np.int32)
        count = number_as_they_come(self.places, order, number, came, places)
        return Labels([self.different[place] for place in came[:count].tolist()], places)


@kernel
def number_as_they_come(labels, order, number, came, numbers):
    """Number labels, which have numbers already, by their first examples in this order. Writes the
    numbers of these examples, and which labels came; returns how many. `number` has NO_LABEL
    everywhere."""
    count = np.int64(0)
    for turn in range(len(order)):
        label = labels[order[turn]]
        if number[label] == NO_LABEL:
            number[label] = count
            came[count] = label
            count += 1
        numbers[turn] = number[label]
    return count


def coded(y: Any) -> Labels:
    """Labels as Python's own; ValueError if one of them cannot be a label."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in _OF_BYTES and y.itemsize:
        return _coded_by_bytes(y)
    labels = y.tolist() if hasattr(y, "tolist") else list(y)
    try:
        different = list(dict.fromkeys(labels))
    except TypeError:
        wrong = next(label for label in labels if not isinstance(label, Hashable))
        raise ValueError(
            f"y has a {type(wrong).__name__} in it, which cannot be a label."
        ) from None
    if any(map(is_nan, different)):
        raise ValueError("Input y contains NaN.")
    place_of = {label: place for place, label in enumerate(different)}
    places = np.fromiter(map(place_of.__getitem__, labels), np.int32, len(labels))
    return Labels(different, places)


def is_nan(label: Any) -> bool:
    """Whether it is not a number, or what pandas has for that, which will not be compared."""
    try:
        return bool(label != label)
    except TypeError:
        return True


def _coded_by_bytes(y: np.ndarray) -> Labels:
    """The same of labels that are equal where their bytes are: compiled code compares these."""
    letters = np.ascontiguousarray(y).view(np.uint32 if y.dtype.kind == "U" else np.uint8)
    short = letters.max(initial=0) < 256  # a byte a letter says it all
    text = letters.astype(np.uint8) if short else letters.view(np.uint8)
    ends = np.arange(len(y) + 1) * (len(text) // max(len(y), 1))
    index, places = LabelIndex(), np.empty(len(y), np.int32)
    index.number(Strings(text, ends[:-1], ends[1:]), np.full(len(y), GOOD, np.int8), places)
    found = index.text.astype(letters.dtype) if short else index.text.copy()
    return Labels(found.view(y.dtype).tolist(), places)


def label_strings(labels: Labels) -> Strings:
    """The words of labels, as those of text come from a parser."""
    words = words_of(plain_labels(labels.different))
    ends = np.cumsum([0, *map(len, words)])
    text = np.frombuffer(b"".join(words), np.uint8)
    return Strings(text, ends[:-1][labels.places], ends[1:][labels.places])


def label_array(labels: Sequence[Hashable]) -> np.ndarray:
    """An array of labels; of objects, unless all are of one type that numpy has."""
    kinds = set(map(type, labels))
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind in _KINDS:
        made = np.array(labels)
        if made.dtype.kind in _KINDS[kind]:
            return made
    if kind is str and 4 * len(labels) * max(map(len, labels)) <= _WIDEST:  # type: ignore[arg-type]
        made = np.array(labels)
        if made.tolist() == list(labels):  # numpy takes zeros at the end for padding
            return made
    array = np.empty(len(labels), object)
    array[:] = list(labels)
    return array


def sorted_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """In order, where there is one; else by the names of their types, and as they are written."""
    some = list(labels)
    try:
        return sorted(some)  # type: ignore[type-var]
    except TypeError:
        return sorted(some, key=lambda label: (type(label).__name__, str(label)))
