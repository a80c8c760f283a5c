"""Predictions for programs: a JSON object or a row of TSV for every example."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.evaluation.predict import Predicted
from lomtree.examples.label_index import LabelIndex


class _Row(NamedTuple):
    number: int  # of the example in its block
    labels: list[bytes]  # best first
    probabilities: list[float]  # of these; none after a walk
    tag: bytes


def _rows(labels: LabelIndex, predicted: Predicted) -> Iterator[_Row]:
    """The good examples."""
    ranking, examples = predicted.ranking, predicted.examples
    numbers = predicted.labels[:, None] if ranking is None else ranking.labels
    known = {number: labels[number] for number in set(numbers.ravel().tolist()) - {NO_LABEL}}
    for example in np.flatnonzero(examples.good).tolist():
        found = [number for number in numbers[example].tolist() if number != NO_LABEL]
        shares: list[float] = []
        if ranking is not None:
            shares = ranking.probabilities[example, : len(found)].tolist()
        words = [known[number] for number in found]
        yield _Row(example, words, shares, examples.tags.word(example))


def json_lines(labels: LabelIndex, predicted: Predicted, top: int | None) -> bytes:
    """{"line": 3, "label": "x", "probability": 0.98, "tag": "t", "top": [["x", 0.98], ...]}; there
    is no probability after a walk, no tag where the example has none, and no "top" unless asked."""
    origin, lines = predicted.examples.origin, []
    for row in _rows(labels, predicted):
        shown: dict[str, object] = {}
        if origin is not None:
            shown["line"] = origin.first_line + int(origin.lines[row.number])
        words = [word.decode("utf-8", "backslashreplace") for word in row.labels]
        shown["label"] = words[0] if words else None
        shares = [float(f"{share:.6g}") for share in row.probabilities]
        if shares:
            shown["probability"] = shares[0]
        if row.tag:
            shown["tag"] = row.tag.decode("utf-8", "backslashreplace")
        if top:
            shown["top"] = list(zip(words, shares, strict=True))
        lines.append(json.dumps(shown, ensure_ascii=False))
    return "".join(line + "\n" for line in lines).encode()


def tsv_lines(labels: LabelIndex, predicted: Predicted, top: int | None) -> bytes:
    """label, probability, ..., tag: always as many columns; no probability after a walk."""
    pairs, lines = top or 1, []
    for row in _rows(labels, predicted):
        cells: list[bytes] = []
        for place in range(pairs):
            cells.append(row.labels[place] if place < len(row.labels) else b"")
            if predicted.ranking is not None:
                given = place < len(row.probabilities)
                cells.append(b"%.6g" % row.probabilities[place] if given else b"")
        lines.append(b"\t".join([*cells, row.tag]) + b"\n")
    return b"".join(lines)
