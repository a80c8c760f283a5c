"""How many examples, classes and features a set has: counted, so that nobody has to say it."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lomtree.examples.batch import CONSTANT
from lomtree.examples.label_index import LabelIndex
from lomtree.formats.reader import Reader
from lomtree.training.sources import number_examples


class Counts(NamedTuple):
    features: int
    examples: int
    classes: int


def count(paths: Iterable[Path], format: str) -> Counts:
    """DataError, with file and line, if one of them is not of this format or has no label."""
    labels, examples = LabelIndex(), 0
    features = np.array([CONSTANT], np.uint32)
    for path in paths:
        reader = Reader([str(path)], format, "stop", labels_required=True)
        for batch, found in number_examples(reader, labels):
            examples += found
            features = np.union1d(features, batch.features[: batch.starts[found]])
    return Counts(len(features) - 1, examples, len(labels))
