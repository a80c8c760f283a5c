"""Examples on their way to their shards: each comes to its own, in the order of the stream."""

from itertools import pairwise

import numpy as np
import pytest

from lomtree.cluster.executors import Inline
from lomtree.cluster.pieces import Piece, joined_pieces, picked, piece_of
from lomtree.cluster.shuffle import TOGETHER, by_shard, send
from lomtree.formats.reader import Reader


def described(piece: Piece) -> list[tuple]:
    """The examples as plain values."""
    labels = [piece.text[a:b].tobytes() for a, b in pairwise(piece.ends)]
    starts = piece.batch.starts
    return [
        (labels[label], *piece.batch.features[starts[n] : starts[n + 1]].tolist())
        for n, label in enumerate(piece.batch.labels)
    ]


@pytest.fixture
def piece(data):
    return piece_of(Reader([data]))


@pytest.mark.parametrize("shards", [1, 3, TOGETHER, TOGETHER + 1, 3 * TOGETHER])
@pytest.mark.parametrize("chunks", [1, 2 * TOGETHER + 3])
def test_every_example_comes_to_its_shard(piece, shards, chunks):
    rng = np.random.default_rng(shards)
    shard_of = rng.integers(0, shards + 1, piece.examples)  # the last ones go nowhere
    edges = np.linspace(0, piece.examples, chunks + 1).astype(int)
    routed = [
        by_shard(picked(piece, np.arange(a, b)), shard_of[a:b], shards) for a, b in pairwise(edges)
    ]
    wanted = [shard % 3 != 1 for shard in range(shards)]
    found = send(Inline().submit, 0, routed, wanted)
    everything = described(piece)
    for shard, pieces in enumerate(found):
        if not wanted[shard]:
            assert pieces is None
            continue
        expected = [everything[n] for n in np.flatnonzero(shard_of == shard)]
        assert [one for some in pieces for one in described(some)] == expected


def test_joined_pieces_are_one(piece):
    parts = [picked(piece, np.arange(a, a + 100)) for a in (0, 100, 200)]
    assert described(joined_pieces(parts)) == described(piece)
    assert joined_pieces([]).examples == 0


def test_many_shards_take_few_tasks():
    """Each chunk with each shard would be 100 * 256."""
    counted = []
    send(lambda *task: counted.append(task), 0, [None] * 100, [True] * 256)
    assert len(counted) < 100 * 256 / 7
    assert len({(kind, number) for kind, number, *_ in counted}) == len(counted)
