"""Predictions as text: one line for every line of the input, so that the two lie side by side.

A line that is no example (blank, a comment of libsvm text, or bad and skipped) has an empty one.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.evaluation.predict import Predicted
from lomtree.examples.examples import GOOD, Examples, Strings
from lomtree.examples.label_index import LabelIndex
from lomtree.jit.kernel import kernel

_SPACE, _NEWLINE = 32, 10


class _Page(NamedTuple):
    """What a page of output needs of its examples beside their predictions."""

    tags: Strings
    problems: np.ndarray
    lines: np.ndarray  # int64[]: of the examples, in the input
    line_count: int


@kernel
def _write_word(words, number, out, size):
    for position in range(words.begins[number], words.ends[number]):
        out[size] = words.text[position]
        size += 1
    return size


@kernel
def _write_lines(labels, predictions, page, out):
    """Each example's label, and its tag behind a space; returns the number of bytes."""
    size, line = 0, 0
    for example in range(len(predictions)):
        while line < page.lines[example]:
            out[size] = _NEWLINE
            size += 1
            line += 1
        if page.problems[example] == GOOD:
            if predictions[example] != NO_LABEL:
                size = _write_word(labels, predictions[example], out, size)
            if page.tags.begins[example] < page.tags.ends[example]:
                out[size] = _SPACE
                size = _write_word(page.tags, example, out, size + 1)
        out[size] = _NEWLINE
        size += 1
        line += 1
    while line < page.line_count:
        out[size] = _NEWLINE
        size += 1
        line += 1
    return size


def _page(examples: Examples) -> _Page:
    origin, count = examples.origin, examples.count
    if origin is None or origin.of_records:
        return _Page(examples.tags, examples.problems, np.arange(count), count)
    return _Page(examples.tags, examples.problems, origin.lines, origin.line_count)


def label_lines(labels: LabelIndex, predicted: Predicted) -> bytes:
    """The predicted label of every example, followed by its tag."""
    examples, predictions, _, _ = predicted
    page, count = _page(examples), examples.count
    words = labels.shown_strings
    lengths = np.append(words.ends - words.begins, 0)  # the last one is what NO_LABEL (-1) finds
    tags = page.tags.ends[:count] - page.tags.begins[:count]
    room = int(lengths[predictions].sum()) + int(tags.sum()) + count + page.line_count
    out = np.empty(room, np.uint8)
    size = _write_lines(words, predictions, page, out)
    return out[:size].tobytes()


def ranking_lines(labels: LabelIndex, predicted: Predicted) -> bytes:
    """The best labels of every example, each with its probability, as label:0.98, and its tag."""
    page = _page(predicted.examples)
    rows = list(_ranking_rows(labels, predicted))
    lines = [b""] * page.line_count
    for row, line in zip(rows, page.lines[: len(rows)].tolist(), strict=True):
        lines[line] = row
    return b"".join(line + b"\n" for line in lines)


def _ranking_rows(labels: LabelIndex, predicted: Predicted) -> Iterator[bytes]:
    examples, ranking = predicted.examples, predicted.ranking
    assert ranking is not None
    numbers = set(ranking.labels.ravel().tolist()) - {NO_LABEL}
    known = {number: labels.shown(number) for number in numbers}
    rows = zip(ranking.labels.tolist(), ranking.probabilities.tolist(), strict=True)
    for example, (found, probabilities) in enumerate(rows):
        words = []
        if examples.problems[example] == GOOD:
            words = [
                b"%b:%.4g" % (known[number], probability)
                for number, probability in zip(found, probabilities, strict=True)
                if number != NO_LABEL
            ]
            tag = examples.tags.word(example)
            words += [tag] if tag else []
        yield b" ".join(words)
