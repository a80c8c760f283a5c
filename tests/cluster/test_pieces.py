"""Examples that travel: picked, joined and numbered they are the same examples."""

from itertools import pairwise

import numpy as np

from lomtree.cluster.pieces import joined, numbered, picked, piece_of
from lomtree.cluster.roles import ASIDE, HELD_OUT, LEARNED, Shares, roles_of, sampled
from lomtree.core.options import Options
from lomtree.examples.label_index import LabelIndex
from lomtree.formats.reader import Reader


def words(piece) -> list[bytes]:
    ends = piece.ends
    labels = [piece.text[a:b].tobytes() for a, b in pairwise(ends)]
    return [labels[number] for number in piece.batch.labels]


def test_picked_examples_keep_their_labels(data, lines):
    piece = piece_of(Reader([data]))
    assert words(piece) == [line.split()[0] for line in lines]
    chosen = np.array([5, 7, 250, 251])
    some = picked(piece, chosen)
    assert words(some) == [words(piece)[number] for number in chosen]
    assert len(some.ends) - 1 == len(set(words(some)))
    assert picked(piece, chosen[:0]).examples == 0


def test_numbers_are_those_of_one_stream(data):
    piece, labels = piece_of(Reader([data])), LabelIndex()
    halves = [picked(piece, np.arange(0, 150)), picked(piece, np.arange(150, 300))]
    batches = [batch for batch, _ in numbered(halves, labels)]
    whole = joined(batches)
    assert [labels[number] for number in whole.labels] == words(piece)
    for one, other in zip(whole, piece.batch, strict=True):
        assert np.array_equal(one, other) or one is whole.labels


def test_what_an_example_is_for_depends_on_its_number_alone():
    options, shares = Options(holdout=0.2), Shares(0.5, 0.1)
    roles = roles_of(options, shares, 0, 1000)
    parts = [roles_of(options, shares, first, 250) for first in range(0, 1000, 250)]
    assert np.array_equal(np.concatenate(parts), roles)
    assert 100 < (roles == HELD_OUT).sum() < 300
    assert 40 < (roles == ASIDE).sum() < 160
    drawn = sampled(options, shares, 0, 1000)
    assert np.all(roles[drawn] == LEARNED)
    assert 200 < len(drawn) < 500
    assert len(sampled(options, Shares.of(options, 100, 1000), 0, 100)) > 60
