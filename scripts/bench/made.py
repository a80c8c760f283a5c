"""Examples of k classes, made for measuring: the classes differ, everything else stays the same.

    python -m scripts.bench.made --classes 1000 --examples 10000 > made.vw

There are FEATURES features whatever k is, of which each class has TYPICAL typical ones; an example
has most of those of its class, and noise up to LENGTH. Every class comes once before any comes
again, so after k examples all have been seen.
"""

import sys
from collections.abc import Iterator

import numpy as np

from lomtree.examples.batch import CONSTANT, Batch
from scripts.command import parser_of, run_script

FEATURES, TYPICAL, LENGTH = 1000, 8, 20
KEPT = 0.75  # the part of its class's typical features that an example has
BLOCK = 65_536  # examples that are made into text at once


class Classes:
    """An endless stream of examples of k classes."""

    def __init__(self, k: int, seed: int) -> None:
        self.random = np.random.default_rng([seed, k])
        self.typical = self.random.integers(FEATURES, size=(k, TYPICAL))
        self.coming = np.array([k - 1])  # all numbers below have a regressor from then on

    def draw(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of features in order, int[count, LENGTH], of which some come twice; labels."""
        while len(self.coming) < count:
            order = self.random.permutation(len(self.typical))
            self.coming = np.concatenate([self.coming, order])
        labels, self.coming = self.coming[:count], self.coming[count:]
        names = self.random.integers(FEATURES, size=(count, LENGTH))
        kept = self.random.random((count, TYPICAL)) < KEPT
        names[:, :TYPICAL][kept] = self.typical[labels][kept]
        return np.sort(names, axis=1), labels

    def batch(self, count: int) -> Batch:
        return as_batch(*self.draw(count))

    def text(self, count: int) -> Iterator[bytes]:
        """So many examples as VW lines, in blocks."""
        for begin in range(0, count, BLOCK):
            yield as_text(*self.draw(min(BLOCK, count - begin)))


def once(names: np.ndarray) -> np.ndarray:
    """Where a number comes for the first time in its row."""
    return np.diff(names, axis=1, prepend=-1) != 0


def as_batch(names: np.ndarray, labels: np.ndarray) -> Batch:
    """Examples for a learner; what comes twice counts once."""
    count = len(labels)
    hashes = (names * 2654435761 % 2**32).astype(np.uint32)
    features = np.column_stack([hashes, np.full(count, CONSTANT, np.uint32)])
    first = np.column_stack([once(names), np.ones(count, np.bool_)])
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(first.sum(axis=1), out=starts[1:])
    values = np.ones(starts[-1], np.float32)
    weights = np.ones(count, np.float32)
    return Batch(starts, features[first], values, labels.astype(np.int32), weights)


def as_text(names: np.ndarray, labels: np.ndarray) -> bytes:
    """Lines of fixed width, of which the zeros are left out."""
    words = np.array([f" f{number}" for number in range(FEATURES)], "S")
    cells = np.where(once(names), words[names], b"")
    heads = np.array([f"{label} |" for label in labels.tolist()], "S")
    lines = [part.view(np.uint8).reshape(len(labels), -1) for part in (heads, cells)]
    rows = np.column_stack([*lines, np.full(len(labels), ord("\n"), np.uint8)])
    return rows[rows != 0].tobytes()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--examples", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.stdout.buffer.writelines(Classes(given.classes, given.seed).text(given.examples))


if __name__ == "__main__":
    run_script(main)
