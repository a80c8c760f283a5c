"""What was predicted for each example before it was learned, as lines of text: VW's train -p.

Tags do not go through the trainer. They are noted when examples are read, and used up in the same
order; reading is ahead by a few blocks at most.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.examples import Examples
from lomtree.examples.label_index import LabelIndex


class ProgressivePredictions:
    """Writes `label tag` for every example of the first pass."""

    def __init__(self, file: BinaryIO, labels: LabelIndex) -> None:
        self._file, self._labels = file, labels
        self._tags: deque[bytes] = deque()

    def noting(self, source: Iterable[Examples]) -> Iterator[Examples]:
        """The same examples; their tags are remembered."""
        for examples in source:
            good = np.flatnonzero(examples.good).tolist()
            self._tags.extend(map(examples.tags.word, good))
            yield examples

    def write(self, predictions: np.ndarray) -> None:
        known = {number: self._labels[number] for number in set(predictions.tolist()) - {NO_LABEL}}
        lines = []
        for number in predictions.tolist():
            tag = self._tags.popleft()
            lines.append(known.get(number, b"") + (b" " + tag if tag else b"") + b"\n")
        self._file.write(b"".join(lines))
