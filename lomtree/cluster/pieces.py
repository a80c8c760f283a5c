"""Examples on their way between workers: a batch with the labels that its numbers mean."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lomtree.examples.batch import Batch, copy, part, pick
from lomtree.examples.examples import Examples, Strings
from lomtree.examples.label_index import LabelIndex
from lomtree.training.sources import Numbered

BATCH = 8192  # examples that are learned at once


class Piece(NamedTuple):
    """Plain arrays: they travel as they are."""

    batch: Batch
    text: np.ndarray  # uint8[]: the labels of the batch, one behind the other
    ends: np.ndarray  # int64[labels + 1]

    @property
    def examples(self) -> int:
        return len(self.batch.labels)

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (*self.batch, self.text, self.ends))


def joined(batches: list[Batch]) -> Batch:
    if not batches:
        empty = np.empty(0, np.float32)
        return Batch(
            np.zeros(1, np.int64), np.empty(0, np.uint32), empty, np.empty(0, np.int32), empty
        )
    firsts = np.cumsum([0, *(len(batch.features) for batch in batches)])
    starts = [batch.starts[:-1] + first for batch, first in zip(batches, firsts, strict=False)]
    columns = zip(*(batch[1:] for batch in batches), strict=True)
    return Batch(
        np.concatenate([*starts, firsts[-1:]]), *(np.concatenate(column) for column in columns)
    )


def piece_of(blocks: Iterable[Examples]) -> Piece:
    """The good examples of a reader."""
    labels, batches = LabelIndex(), []
    for examples in blocks:
        batch, count = examples.batch, examples.count
        labels.number(examples.labels, examples.problems, batch.labels[:count])
        good = np.flatnonzero(examples.good)
        batches.append(copy(batch, count) if len(good) == count else pick(batch, good))
    return Piece(joined(batches), labels.text.copy(), labels.ends.copy())


def joined_pieces(pieces: list[Piece]) -> Piece:
    labels = LabelIndex()
    batches = [_renumbered(piece, labels) for piece in pieces]
    return Piece(joined(batches), labels.text.copy(), labels.ends.copy())


def _renumbered(piece: Piece, labels: LabelIndex) -> Batch:
    """With the numbers of `labels`, which learns the new ones."""
    numbers = labels.add_strings(Strings(piece.text, piece.ends[:-1], piece.ends[1:]))
    return piece.batch._replace(labels=numbers[piece.batch.labels])


def picked(piece: Piece, chosen: np.ndarray) -> Piece:
    """Some examples, and of the labels those that they have, in the order of appearance."""
    batch = pick(piece.batch, chosen)
    used, first = np.unique(batch.labels, return_index=True)
    used = used[np.argsort(first)]
    number = np.zeros(max(len(piece.ends) - 1, 1), np.int32)
    number[used] = np.arange(len(used))
    lengths = np.diff(piece.ends)[used]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    where = np.arange(ends[-1]) + np.repeat(piece.ends[used] - ends[:-1], lengths)
    return Piece(batch._replace(labels=number[batch.labels]), piece.text[where], ends)


def numbered(pieces: Iterable[Piece], labels: LabelIndex) -> Iterator[Numbered]:
    """The examples of pieces with the numbers of `labels`, which learns the new ones."""
    for piece in pieces:
        batch = _renumbered(piece, labels)
        for begin in range(0, piece.examples, BATCH):
            end = min(begin + BATCH, piece.examples)
            yield part(batch, begin, end), end - begin
