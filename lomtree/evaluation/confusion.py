"""What a model takes for what: the labels with most errors, and the most frequent confusions."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.printable import printable
from lomtree.examples.examples import Examples
from lomtree.examples.label_index import LabelIndex

_LEAST_WAITING = 1 << 16
_LONGEST = 40  # characters of a label, for people

Row = dict[str, str | int | float | None]

# What a row holds, as people read it; labels begin at the left of their column.
_HEADINGS = {
    "by_label": {
        "label": "label",
        "examples": "examples",
        "errors": "errors",
        "error": "error rate",
        "precision": "precision",
        "wrong_prediction": "most frequent wrong prediction",
    },
    "confusion": {
        "truth": "truth",
        "prediction": "prediction",
        "count": "count",
        "share": "share of truth",
    },
}
_LABELS = ("label", "wrong_prediction", "truth", "prediction")


class Pairs(NamedTuple):
    """How often which truth met which prediction; labels are places in `words`."""

    words: list[bytes]  # in order; an empty one stands for no prediction
    truth: np.ndarray  # int64[n]
    prediction: np.ndarray
    counts: np.ndarray  # int64[n], above 0


class Confusions:
    """Counts of (truth, prediction), in memory that follows the number of different pairs.

    Labels that training never saw get numbers of their own; those of the model stay as they are.
    """

    def __init__(self, labels: LabelIndex) -> None:
        self._labels = LabelIndex.from_arrays(labels.text, labels.ends)
        self._keys = np.empty(0, np.int64)  # truth and prediction + 1, in 32 bits each; in order
        self._counts = np.empty(0, np.int64)
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []  # keys and counts of blocks
        self._waiting_size = 0

    def add(self, examples: Examples, predictions: np.ndarray) -> None:
        """Count the examples that have a label and no problem."""
        truth = np.empty(examples.count, np.int32)
        self._labels.number_shown(examples.labels, examples.problems, truth)
        good = truth != NO_LABEL
        keys = (truth[good].astype(np.int64) << 32) | (predictions[good].astype(np.int64) + 1)
        self._waiting.append(np.unique(keys, return_counts=True))
        self._waiting_size += len(self._waiting[-1][0])
        # Not at every block: so a key is sorted about as often as the number of keys doubles.
        if self._waiting_size > max(_LEAST_WAITING, len(self._keys)):
            self._merge()

    def pairs(self) -> Pairs:
        self._merge()
        truth, prediction = self._keys >> 32, (self._keys & 0xFFFFFFFF) - 1
        numbers, places = np.unique(np.concatenate([truth, prediction]), return_inverse=True)
        words = [
            b"" if number == NO_LABEL else self._labels.shown(number) for number in numbers.tolist()
        ]
        order = sorted(range(len(words)), key=words.__getitem__)
        rank = np.empty(len(words), np.int64)
        rank[order] = np.arange(len(words))
        truth, prediction = rank[places].reshape(2, -1)
        return Pairs([words[place] for place in order], truth, prediction, self._counts)

    def _merge(self) -> None:
        keys, counts = zip((self._keys, self._counts), *self._waiting, strict=True)
        self._keys, places = np.unique(np.concatenate(keys), return_inverse=True)
        self._counts = _sums(places, np.concatenate(counts), len(self._keys))
        self._waiting, self._waiting_size = [], 0


def _sums(places: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    return np.bincount(places, counts, size).astype(np.int64)


def _text(word: bytes) -> str | None:
    return word.decode("utf-8", "backslashreplace") if word else None


def most_frequent(pairs: Pairs, top: int) -> list[Row]:
    """The `top` confusions that are most frequent, or all with 0; ties in the order of labels."""
    words, truth, prediction, counts = pairs
    examples = _sums(truth, counts, len(words))
    wrong = np.flatnonzero(truth != prediction)
    order = np.lexsort((prediction[wrong], truth[wrong], -counts[wrong]))
    return [
        {
            "truth": _text(words[truth[pair]]),
            "prediction": _text(words[prediction[pair]]),
            "count": int(counts[pair]),
            "share": float(counts[pair] / examples[truth[pair]]),
        }
        for pair in wrong[order][: top or None]
    ]


def worst_labels(pairs: Pairs, top: int) -> list[Row]:
    """The `top` labels of the examples with most errors, or all with 0; ties go to the higher
    error rate, then in the order of labels. A label that was never predicted has no precision."""
    words, truth, prediction, counts = pairs
    right = truth == prediction
    hits = _sums(truth[right], counts[right], len(words))
    examples, predicted = (_sums(side, counts, len(words)) for side in (truth, prediction))
    errors = examples - hits
    wrong_prediction = _wrong_predictions(pairs)
    labels = np.flatnonzero(examples)
    order = np.lexsort((labels, -errors[labels] / examples[labels], -errors[labels]))
    return [
        {
            "label": _text(words[label]),
            "examples": int(examples[label]),
            "errors": int(errors[label]),
            "error": float(errors[label] / examples[label]),
            "precision": float(hits[label] / predicted[label]) if predicted[label] else None,
            "wrong_prediction": _text(words[wrong_prediction[label]]) if errors[label] else None,
        }
        for label in labels[order][: top or None]
    ]


def _wrong_predictions(pairs: Pairs) -> np.ndarray:
    """The most frequent wrong prediction for each label, the first of equals; NO_LABEL if all is
    right."""
    words, truth, prediction, counts = pairs
    wrong = np.flatnonzero(truth != prediction)
    order = wrong[np.lexsort((prediction[wrong], -counts[wrong], truth[wrong]))]
    labels, first = np.unique(truth[order], return_index=True)
    predictions = np.full(len(words), NO_LABEL, np.int64)
    predictions[labels] = prediction[order[first]]
    return predictions


def make_tables(confusions: Confusions, by_label: bool, confusion: bool, top: int) -> dict:
    """The tables that are wanted, as JSON has them: lists of rows by the name of the table."""
    pairs = confusions.pairs()
    tables = {}
    if by_label:
        tables["by_label"] = worst_labels(pairs, top)
    if confusion:
        tables["confusion"] = most_frequent(pairs, top)
    return tables


def table_lines(name: str, rows: Iterable[Row]) -> bytes:
    """A table for people, in aligned columns under their headings, as UTF-8."""
    headings = _HEADINGS[name]
    lines = [list(headings.values()), *([_show(row[key]) for key in headings] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = ["<" if key in _LABELS else ">" for key in headings]
    return b"".join(
        "  ".join(map("{:{}{}}".format, line, sides, widths)).rstrip().encode() + b"\n"
        for line in lines
    )


def _show(value: str | int | float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2%}"
    if isinstance(value, int):
        return f"{value:,}"
    return printable(value, _LONGEST)
