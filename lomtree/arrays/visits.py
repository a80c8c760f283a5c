"""The order in which the examples of a set are learned, where the set has none.

A stream is learned as it comes. A set is not a stream: it may be sorted by its labels, and whoever
shuffles it wants the same model. So what an example says, its features and its label, decides when
its turn comes, with the seed; the order in which the rows lie does not count. An example of weight
3 has three turns, as if it were there three times, and of examples that are equal each has its own.
"""

from collections.abc import Hashable
from zlib import crc32

import numpy as np

from lomtree.arrays.classes import Labels, plain
from lomtree.arrays.rows import Rows
from lomtree.examples.typed_labels import NoWordError, word_of
from lomtree.hashing.counter_rng import draw
from lomtree.jit.kernel import kernel
from lomtree.system.pipeline import side_by_side

MOST_TURNS = 16  # of one example: its weight is spread over them


@kernel
def add_keys(batch, seed, keys):
    """Add what each example's features say to its key, in whatever order they come. The values are
    float32, read as the whole numbers of their bits."""
    for example in range(len(keys)):
        total = np.uint64(0)
        for position in range(batch.starts[example], batch.starts[example + 1]):
            value = np.uint64(batch.values[position])
            said = (np.uint64(batch.features[position]) << np.uint64(32)) | value
            total += draw(seed, said)
        keys[example] = draw(seed, keys[example] ^ total)


@kernel
def mix_turns(seed, keys, begin, later):
    """Let the number of a turn among equal ones count, too. `later` are the places of those that
    are not the first, and equal ones lie side by side from place `begin` on."""
    for place in later:
        turn = np.uint64(place - begin[place])
        keys[place] = draw(seed, keys[place] ^ draw(seed, turn))


def visits(
    rows: Rows, labels: Labels, weights: np.ndarray | None, seed: int, threads: int = 1
) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows in the order of their turns (int64[]), and the weight of each turn (float32[])."""
    keys, order = _keys(rows, labels, seed, threads), np.arange(rows.count)
    if weights is not None:
        turns = np.clip(np.ceil(weights), 0, MOST_TURNS).astype(np.int64)
        weights = np.repeat((weights / np.maximum(turns, 1)).astype(np.float32), turns)
        keys, order = np.repeat(keys, turns), np.repeat(order, turns)
    # Equal examples come to lie side by side; with them the smallest weight has the first turn.
    beside = np.argsort(keys, kind="stable") if weights is None else np.lexsort((weights, keys))
    keys = keys[beside]
    first = np.append(True, keys[1:] != keys[:-1])
    later = np.flatnonzero(~first)
    if len(later):
        begin = np.maximum.accumulate(np.where(first, np.arange(len(keys)), 0))
        mix_turns(seed, keys, begin, later)
        beside = beside[np.argsort(keys, kind="stable")]
    return order[beside], None if weights is None else weights[beside]


def _keys(rows: Rows, labels: Labels, seed: int, threads: int) -> np.ndarray:
    """uint64[rows]: what each example says; each thread asks its share of them."""
    keys = np.array(list(map(_label_key, labels.different)), np.uint64)[labels.places]

    def ask(share: np.ndarray) -> None:
        begin = int(share[0])
        for batch in rows.batches(order=share):
            end = begin + len(batch.labels)
            bits = batch._replace(values=batch.values[: batch.starts[-1]].view(np.uint32))
            add_keys(bits, seed, keys[begin:end])
            begin = end

    shares = [share for share in np.array_split(np.arange(rows.count), threads) if len(share)]
    for _ in side_by_side(ask, shares, threads):
        pass
    return keys


def _label_key(label: Hashable) -> int:
    try:
        word = word_of(plain(label))
    except NoWordError:
        word = repr(label).encode("utf-8", "backslashreplace")
    return crc32(word)
