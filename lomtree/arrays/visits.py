"""The order in which the examples of a set are learned, where the set has none.

A stream is learned as it comes. A set is not a stream: it may be sorted by its labels, and whoever
shuffles it wants the same model. So what an example says, its features and its label, decides when
its turn comes, with the seed; the order in which the rows lie does not count. An example of weight
3 has three turns, as if it were there three times, and of examples that are equal each has its own.
"""

from collections.abc import Hashable
from itertools import pairwise
from zlib import crc32

import numpy as np

from lomtree.arrays.classes import Labels, plain_labels
from lomtree.arrays.rows import Rows
from lomtree.examples.typed_labels import NoWordError, word_of, words_of
from lomtree.hashing.counter_rng import draw
from lomtree.jit.kernel import kernel
from lomtree.system.pipeline import side_by_side

MOST_TURNS = 16  # of one example: its weight is spread over them


@kernel
def mix_turns(seed, keys, groups, seen, order):
    """Let the number of a turn among equal ones count, too. Those of one group are equal, and have
    their turns in this order; `seen` is 0 for every group."""
    for place in order:
        turn = np.uint64(seen[groups[place]])
        seen[groups[place]] += 1
        if turn > np.uint64(0):
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
    beside, new = _sorted(keys)
    if not new.all():
        _mix_equal(keys, beside, new, weights, seed)
        beside, new = _sorted(keys)
        if not new.all():  # those that still are equal have their turns as they lie
            beside = np.argsort(keys, kind="stable")
    return order[beside], None if weights is None else weights[beside]


def _sorted(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the keys in order (int64[]), equal ones in any; and whether each but the first
    is another than the one before it. A stable sort takes numpy several times as long."""
    beside = np.argsort(keys)
    return beside, keys[beside[1:]] != keys[beside[:-1]]


def _mix_equal(
    keys: np.ndarray, beside: np.ndarray, new: np.ndarray, weights: np.ndarray | None, seed: int
) -> None:
    """Make equal keys different; `beside` and `new` are as from _sorted(). Of equal examples the
    one with the smallest weight has the first turn, then the one that lies first."""
    groups = np.zeros(len(keys), np.int64)
    groups[beside[1:]] = np.cumsum(new)
    count = int(groups[beside[-1]]) + 1
    by_weight = np.arange(len(keys)) if weights is None else np.argsort(weights, kind="stable")
    mix_turns(seed, keys, groups, np.zeros(count, np.int64), by_weight)


def _keys(rows: Rows, labels: Labels, seed: int, threads: int) -> np.ndarray:
    """uint64[rows]: what each example says; each thread asks its share of them."""
    of_label = np.fromiter(map(crc32, _words(labels.different)), np.uint64, len(labels.different))
    keys = of_label[labels.places]
    bounds = np.linspace(0, rows.count, threads + 1).astype(int).tolist()

    def ask(share: tuple[int, int]) -> None:
        begin, end = share
        rows.add_keys(begin, seed, keys[begin:end])

    for _ in side_by_side(ask, pairwise(bounds), threads):
        pass
    return keys


def _words(labels: list[Hashable]) -> list[bytes]:
    """What tells labels apart, also those that have no word."""
    some = plain_labels(labels)
    try:
        return words_of(some)
    except NoWordError:
        return list(map(_word, some))


def _word(label: Hashable) -> bytes:
    try:
        return word_of(label)
    except NoWordError:
        return repr(label).encode("utf-8", "backslashreplace")
