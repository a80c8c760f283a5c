"""Trees are not searched where lists leave no doubt: as by the naive rule."""

import numpy as np
import pytest

from lomtree.ranking.combination import FIRST
from lomtree.ranking.ranking import Ranking, make_scratch, no_ranker, rank
from lomtree.ranking.shortlist import make_shortlist, shorten
from tests.generators.streams import batch_of, example
from tests.oracles import ranking as naive
from tests.ranking.rankers import scorer_of
from tests.ranking.test_ranking import COLUMNS, random_found, taught


def test_what_is_sure_is_named_at_once_and_the_rest_is_open():
    named = guessed = 0
    for seed in range(4):
        rng, lessons, ranker, twin = taught(seed)
        weights = np.abs(rng.normal(FIRST, 1)) * (0.3, 4.0, 2.0, 2.0, 2.0, 2.0, 0.3)
        scorer = scorer_of(ranker, weights)
        asked = lessons.stream[::4]
        shortlist, ranking = make_shortlist(len(asked), 1), Ranking.of(len(asked), 1)
        scratch = make_scratch(COLUMNS, 1, 999)
        batch = batch_of(asked)
        shorten(scorer, batch, 0, len(asked), True, scratch, shortlist, ranking)
        for i, (features, xs, *_) in enumerate(asked):
            wanted, is_guess = naive.sure(features, xs, twin, weights)
            assert shortlist.is_open[i] == (not wanted or is_guess)
            assert shortlist.guesses[i] == (wanted[0][0] if is_guess else -1)
            assert ranking.labels[i].tolist() == ([label for label, _ in wanted] or [-1])
            if wanted:
                # Those out of reach are not compared closely: the label is right, its probability
                # about right.
                assert ranking.probabilities[i, 0] == pytest.approx(wanted[0][1], abs=0.02)
            named += bool(wanted)
            guessed += is_guess
        before = ranking.labels.copy()
        found = random_found(rng, len(asked), lessons.classes)
        rank(scorer, batch, found, shortlist, 0, len(asked), True, scratch, ranking)
        same = ranking.labels[:, 0] == before[:, 0]
        assert same[~shortlist.is_open].all()
        assert not (ranking.labels[shortlist.is_open] == -1).all()
    assert 20 < named < 250
    assert 5 < guessed < named - 5


def test_without_a_ranker_everything_is_open():
    batch = batch_of([example(0, {1: 1.0})] * 3)
    shortlist, ranking = make_shortlist(3, 1), Ranking.of(3, 1)
    scorer = no_ranker(np.array(FIRST))
    shorten(scorer, batch, 0, 3, True, make_scratch(1, 1, 1), shortlist, ranking)
    assert shortlist.is_open.all()
    assert (shortlist.guesses == -1).all()
    assert not shortlist.counts.any()
    assert (ranking.labels == -1).all()
