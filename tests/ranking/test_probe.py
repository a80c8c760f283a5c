"""Which examples are ranked before they are learned, and what is known from that."""

from itertools import pairwise

import numpy as np
import pytest

from lomtree.ranking.combination import NONE, make_combination
from lomtree.ranking.probe import (
    DENSE,
    DENSE_WITHOUT,
    MOST_PROBED,
    MOST_RESERVED,
    RESERVED,
    Probe,
    draw_reserved,
)
from lomtree.ranking.ranking import Candidates
from tests.generators.streams import batch_of, example, random_stream
from tests.oracles.ranking import Combination as NaiveCombination
from tests.oracles.ranking import probed, reserved


def candidates_of(labels, logits, signs=None):
    signs = np.zeros((len(labels), NONE)) if signs is None else signs
    found = np.ones(len(labels), np.uint8)
    return Candidates(np.array(labels, np.int32), signs, np.array(logits, np.float64), found)


@pytest.mark.parametrize(("ranked", "dense"), [(True, DENSE), (False, DENSE_WITHOUT)])
def test_the_examples_are_those_that_the_naive_one_draws(ranked, dense):
    rng = np.random.default_rng(0)
    stream = random_stream(rng, 3000, 5, weighted=True)
    for first in (0, 1, 100, 5000, 2**40):
        drawn = Probe(ranked).drawn(batch_of(stream), first, len(stream))
        assert drawn == probed(stream, dense, first)
        assert all(stream[i].label >= 0 and stream[i].weight > 0 for i in drawn)


def test_of_the_first_a_share_is_drawn_and_of_the_others_fewer_and_fewer():
    stream = [example(0, {1: 1.0})] * 20_000
    drawn = np.array(Probe(ranked=True).drawn(batch_of(stream), 0, len(stream)))
    early = DENSE / MOST_PROBED  # up to here the share is the largest
    assert (drawn < early).sum() == pytest.approx(DENSE, rel=0.25)
    expected = DENSE * (1 + np.log(len(stream) / early))
    assert len(drawn) == pytest.approx(expected, rel=0.1)


def marked(first, count):
    marks = np.empty(count, np.bool_)
    draw_reserved(first, marks)
    return marks.tolist()


@pytest.mark.parametrize("first", [0, 1, 9_990, 10**6, 2**40])
def test_the_reserved_are_those_that_the_naive_one_draws(first):
    assert marked(first, 5000) == reserved(first, 5000)


def test_no_more_than_a_share_is_reserved_and_fewer_and_fewer():
    count = 420_000
    marks = np.array(marked(0, count))
    early = int(RESERVED / MOST_RESERVED)  # up to here the share is the largest
    assert marks[:early].sum() == pytest.approx(RESERVED, rel=0.2)
    assert marks.sum() == pytest.approx(RESERVED * (1 + np.log(count / early)), rel=0.1)
    parts = marks.reshape(-1, early).sum(axis=1)
    assert (parts[1:] < 0.85 * parts[0]).all()
    assert parts[-1] < 0.1 * parts[0]


def test_where_a_pass_is_cut_changes_nothing_of_what_is_reserved():
    cuts = [0, *sorted(np.random.default_rng(3).integers(0, 3000, 9).tolist()), 3000]
    parts = [mark for begin, end in pairwise(cuts) for mark in marked(begin, end - begin)]
    assert parts == marked(0, 3000)


def test_what_is_reserved_has_nothing_to_do_with_what_is_probed():
    """The probed ones are reserved as often as others."""
    count = int(RESERVED / MOST_RESERVED)
    stream = [example(0, {1: 1.0})] * count
    probed_ones = Probe(ranked=True).drawn(batch_of(stream), 0, count)
    both = np.array(marked(0, count))[probed_ones].sum()
    assert 0 < both < 3 * MOST_RESERVED * len(probed_ones)


def test_where_a_stream_is_cut_changes_nothing():
    rng = np.random.default_rng(1)
    stream = random_stream(rng, 2000, 5, weighted=True)
    whole = Probe(ranked=False).drawn(batch_of(stream), 0, len(stream))
    parts, learned, begin = [], 0, 0
    for end in [*sorted(rng.integers(0, 2000, 9).tolist()), 2000]:
        part = stream[begin:end]
        drawn = Probe(ranked=False).drawn(batch_of(part), learned, len(part)) if part else []
        parts += [begin + number for number in drawn]
        learned += sum(one.label >= 0 and one.weight > 0 for one in part)
        begin = end
    assert parts == whole


def test_the_error_is_an_estimate_for_all_examples():
    probe = Probe(ranked=True)
    assert probe.error == 0
    probe.look(candidates_of([3, 4], [0.0, 1.0]), 2, 4, 1.0, 0)
    assert probe.error == 0
    probe.look(candidates_of([3, 4], [1.0, 1.0]), 2, 4, 1.0, 1)  # the first of equals
    assert probe.error == 1 / 2
    probe.look(candidates_of([3, 4], [0.0, 9.0]), 1, 4, 2.0, 2)  # one candidate only
    assert probe.error == 3 / 4
    often = round(1 / MOST_PROBED)  # each so far stands for so many
    probe.look(
        candidates_of([], []), 0, 4, 1.0, 10 * often * DENSE - 1
    )  # it stands for ten of them
    assert probe.error == pytest.approx(13 / 14)
    assert probe.examples == 4


def test_the_combination_learns_which_candidate_is_right():
    rng = np.random.default_rng(2)
    probe, combination, naive = Probe(ranked=True), make_combination(), NaiveCombination()
    for count in (0, 1, 3, 2, 40, 5):
        labels, signs = rng.permutation(100)[:count], rng.uniform(-1, 1, (count, NONE))
        for y in (*labels[:2].tolist(), 1000):
            right = labels.tolist().index(y) if y in labels else count
            for importance in ((), (0.3,), (5.0,)):
                candidates = candidates_of(labels, signs[:, 0], signs)
                probe.teach(combination, candidates, count, y, *importance)
                naive.learn(signs, right, *importance)
    assert combination.weights == pytest.approx(naive.weights, rel=1e-6)
