"""Examples on their way to their shards, by few tasks.

A task returns one object, which travels whole: for each chunk to send each shard its own examples
takes a task for every two of them. Where there are many shards, a chunk is cut by groups of them
instead, what several chunks have for a group is put together, and that is cut by shard. In a shard,
examples stay in the order of the stream.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lomtree.cluster.pieces import Piece, joined_pieces, picked

TOGETHER = 16  # shards in a group; also chunks whose examples for a group are put together


class Routed(NamedTuple):
    """Examples in the order of their shards; those of shard n are cuts[n]:cuts[n + 1]."""

    piece: Piece
    cuts: np.ndarray  # int64[shards + 1]


def by_shard(piece: Piece, shard_of: np.ndarray, shards: int) -> Routed:
    """Without the examples whose shard is none of these."""
    order = np.argsort(shard_of, kind="stable")
    cuts = np.searchsorted(shard_of[order], np.arange(shards + 1))
    return Routed(picked(piece, order[cuts[0] : cuts[-1]]), cuts - cuts[0])


def cut(routed: Routed, first: int, last: int) -> Routed:
    """What goes to the shards first:last."""
    cuts = routed.cuts[first : last + 1]
    return Routed(picked(routed.piece, np.arange(cuts[0], cuts[-1])), cuts - cuts[0])


def pick(routed: Routed, shard: int) -> Piece:
    return cut(routed, shard, shard + 1).piece


def join(some: list[Routed]) -> Routed:
    shards = len(some[0].cuts) - 1
    shard_of = [np.repeat(np.arange(shards), np.diff(one.cuts)) for one in some]
    return by_shard(joined_pieces([one.piece for one in some]), np.concatenate(shard_of), shards)


def send(submit: Callable[..., Any], tree: int, routed: Sequence[Any], wanted: list[bool]) -> list:
    """For each shard that is wanted, the pieces of its examples, as promised; None for others."""
    if len(wanted) <= TOGETHER:
        return _picked(submit, tree, routed, wanted, 0)
    pieces = []
    for first in range(0, len(wanted), TOGETHER):
        group = wanted[first : first + TOGETHER]
        parts = []
        if any(group):
            parts = [
                submit("cut", (tree, first, n), cut, one, first, first + len(group))
                for n, one in enumerate(routed)
            ]
        whole = [
            submit("join", (tree, first, n), join, parts[n : n + TOGETHER])
            for n in range(0, len(parts), TOGETHER)
        ]
        pieces += _picked(submit, tree, whole, group, first)
    return pieces


def _picked(
    submit: Callable[..., Any], tree: int, routed: Sequence[Any], wanted: list[bool], first: int
) -> list:
    """`first` is the number of the first of these shards."""
    return [
        [submit("pick", (tree, first + shard, n), pick, one, shard) for n, one in enumerate(routed)]
        if is_wanted
        else None
        for shard, is_wanted in enumerate(wanted)
    ]
