"""Candidates are found, compared and ranked as by the naive ranking."""

import numpy as np
import pytest

from lomtree.examples.batch import Vector
from lomtree.ranking.bag import add, best_of, empty, make_bag
from lomtree.ranking.centroid import compare, length_of, make_shared
from lomtree.ranking.combination import FIRST, NONE
from lomtree.ranking.label_lists import vote
from lomtree.ranking.ranker import Ranker
from lomtree.ranking.ranking import (
    FoundLabels,
    Ranking,
    find_candidates,
    make_scratch,
    no_ranker,
    put_best,
    rank,
)
from lomtree.ranking.shortlist import make_shortlist, most_voted, shorten
from lomtree.ranking.sighting import MOST_SIGHTED, sight
from tests.generators.streams import batch_of, example, leave_gaps, random_stream, vector_at
from tests.oracles import label_lists
from tests.oracles import ranking as naive
from tests.ranking.rankers import OPTIONS, Lessons, both, loaded, scorer_of, stored, wide_stream

COLUMNS = 90


def random_found(rng, rows, classes):
    """What trees may have found: labels more than once, or none at all."""
    labels = rng.integers(-1, classes, (rows, COLUMNS)).astype(np.int32)
    labels[rng.random(rows) < 0.1] = -1
    return FoundLabels(labels, rng.exponential(size=(rows, COLUMNS)) ** 3)


def found_in(found, row):
    return list(zip(found.labels[row].tolist(), found.masses[row].tolist(), strict=True))


def rank_all(scorer, batch, found, first, last, scratch, ranking):
    """Rank without short cuts; returns the shortlist."""
    shortlist = make_shortlist(last - first, ranking.labels.shape[1])
    shorten(scorer, batch, first, last, False, scratch, shortlist, ranking)
    rank(scorer, batch, found, shortlist, first, last, False, scratch, ranking)
    return shortlist


def compared(known, vector, label):
    positions = np.empty(vector.end - vector.begin, np.int64)
    sighted = sight(known, vector, label, positions)
    shared = make_shared(len(positions))
    return compare(known, vector, length_of(vector), label, positions, sighted, shared)


def taught(seed):
    rng = np.random.default_rng(seed)
    if seed % 2:
        stream = leave_gaps(rng, random_stream(rng, 200, 90, weighted=True))
    else:
        stream = wide_stream(rng, 300, 60, features=300, longest=200)
    lessons = Lessons(rng, stream)
    return rng, lessons, *both(lessons)


def test_the_best_of_a_bag_are_those_of_the_naive_one():
    rng = np.random.default_rng(0)
    bag = make_bag(50)
    for number in range(200):
        masses, held = {}, 0
        for label in rng.integers(0, 2**31 - 1 if number % 2 else 60, 50).tolist():
            mass = float(rng.choice([-1.0, 0.0, 0.5, 1.0, 2.0]))  # there are equals
            masses[label] = masses.get(label, 0.0) + mass
            held = add(bag, held, label, mass)
        assert held == len(masses)
        for share in (0.0, 0.02, 0.7):
            places = np.empty(int(rng.integers(1, 60)), np.int64)
            count = best_of(bag, held, share, places)
            wanted = label_lists.best_of(masses, share, len(places))
            assert bag.labels[places[:count]].tolist() == wanted
        empty(bag, held)
        assert not bag.buckets.any()


def test_votes_and_comparisons_are_those_of_the_naive_ones():
    for seed in range(4):
        _, lessons, ranker, twin = taught(seed)
        batch, bag, sizes = batch_of(lessons.stream), make_bag(1024), np.empty(999, np.float32)
        for i in range(0, len(lessons.stream), 5):
            features, xs, *_ = lessons.stream[i]
            vector = vector_at(batch, i)
            for budget in (0, 30, 256, 1024):
                held = vote(ranker.state.lists, budget, vector, sizes, bag)
                wanted = twin.lists.vote(features, xs, budget)
                assert bag.labels[:held].tolist() == list(wanted)
                assert bag.masses[:held] == pytest.approx(list(wanted.values()), rel=1e-5, abs=1e-6)
                empty(bag, held)
            for label in range(lessons.classes + 9):
                wanted = twin.known.signs(features, xs, label)
                found = compared(ranker.state.known, vector, label)
                assert found == pytest.approx(wanted, rel=1e-4, abs=1e-5)


def test_what_a_label_has_is_sighted_and_little_else():
    rng = np.random.default_rng(0)
    numbers = rng.choice(2**32, 2000, replace=False).tolist()
    stream = [example(0, dict.fromkeys(numbers[n : n + 12], 1.0)) for n in range(0, 1000, 12)]
    ranker = Lessons(rng, stream).teach(Ranker(OPTIONS))
    known = {feature for one in stream for feature in one.features}
    for source in (ranker, loaded(stored(ranker), 1), loaded(stored(ranker, True), 1, False)):
        asked, others, mistaken = batch_of([example(0, {f: 1.0}) for f in numbers]), 0, 0
        for i, feature in enumerate(numbers):
            found = sight(source.state.known, vector_at(asked, i), 0, np.empty(1, np.int64))
            has = feature in known
            assert found == 1 if has else found in (0, 1)
            others += not has
            mistaken += not has and found
        assert 0 < mistaken < 0.2 * others


def test_of_a_long_example_all_is_sighted():
    ranker = Lessons(np.random.default_rng(0), [example(0, {1: 1.0})]).teach(Ranker(OPTIONS))
    long = batch_of([example(0, dict.fromkeys(range(MOST_SIGHTED + 5), 1.0))])
    vector = vector_at(long, 0)
    count = vector.end - vector.begin
    positions = np.empty(count, np.int64)
    assert sight(ranker.state.known, vector, 0, positions) == count
    assert positions.tolist() == list(range(vector.begin, vector.end))
    assert sight(ranker.state.known, vector, 7, positions) == 0


def test_the_cosine_by_hand():
    stream = [example(0, {1: 2.0, 2: 1.0}), example(1, {3: 1.0})]
    ranker = Lessons(np.random.default_rng(0), stream).teach(Ranker(OPTIONS))
    asked = [{1: 4.0, 2: 2.0}, {1: -4.0, 2: -2.0}, {}, {9: 1.0}]
    batch, known = batch_of([example(0, one) for one in asked]), ranker.state.known
    for i, wanted in enumerate([1, -1, 0, 0]):
        vector = vector_at(batch, i)
        assert compared(known, vector, 0)[0] == pytest.approx(wanted)
        assert compared(known, vector, 1)[0] == 0
        assert compared(known, vector, 7)[0] == 0


@pytest.mark.parametrize(
    ("features", "top", "wanted"),
    [(0, 1, 64), (20, 1, 64), (64, 5, 64), (128, 1, 32), (617, 1, 16), (617, 300, 150)],
)
def test_lists_name_fewer_labels_where_examples_are_long(features, top, wanted):
    places = make_scratch(COLUMNS, top, features).places
    vector = Vector(np.empty(0, np.uint32), np.empty(0, np.float32), 7, 7 + features)
    assert most_voted(vector, len(places)) == wanted


@pytest.mark.parametrize("top", [1, 5, 100])
def test_candidates_and_their_probabilities_are_those_of_the_naive_one(top):
    by_both = by_list = 0
    for seed in range(4):
        rng, lessons, ranker, twin = taught(seed)
        weights = rng.normal(FIRST, 1)
        scorer = scorer_of(ranker, weights)
        asked = lessons.stream[::4]
        batch, found = batch_of(asked), random_found(rng, len(asked), lessons.classes)
        scratch, ranking = make_scratch(COLUMNS, top, 999), Ranking.of(len(asked), top)
        shortlist = rank_all(scorer, batch, found, 0, len(asked), scratch, ranking)
        for i, (features, xs, *_) in enumerate(asked):
            wanted = naive.candidates(found_in(found, i), top, features, xs, twin, weights)
            vector = vector_at(batch, i)
            count = find_candidates(scorer, vector, found, shortlist, i, scratch, False)
            assert scratch.candidates.labels[:count].tolist() == list(wanted)
            who = scratch.candidates.found[:count].tolist()
            assert who == [who for _, who in wanted.values()]
            signs = [signs for signs, _ in wanted.values()]
            if signs:
                found_signs = scratch.candidates.signs[:count]
                np.testing.assert_allclose(found_signs, signs, rtol=1e-4, atol=1e-5)
            by_both, by_list = by_both + (3 in who), by_list + (2 in who)
            best = naive.rank(dict(zip(wanted, signs, strict=True)), weights, top)
            labels, chances = ([pair[part] for pair in best] for part in (0, 1))
            given = ranking.probabilities[i]
            assert given[: len(best)] == pytest.approx(chances, rel=1e-2, abs=1e-5)
            assert ranking.labels[i, : len(best)].tolist() == labels
            assert (ranking.labels[i, len(best) :] == -1).all()
            assert not given[len(best) :].any()
            assert given.sum() <= 1 + 1e-5
    assert min(by_both, by_list) > 20


def test_the_best_label_is_the_same_where_those_out_of_reach_are_not_compared_closely():
    for seed in range(6):
        rng, lessons, ranker, _ = taught(seed)
        scorer = scorer_of(ranker, np.abs(rng.normal(FIRST, 1)))
        batch, count = batch_of(lessons.stream), len(lessons.stream)
        found = random_found(rng, count, lessons.classes)
        scratch, labels = make_scratch(COLUMNS, 1, 999), []
        for at_once in (False, True):
            ranking, shortlist = Ranking.of(count, 1), make_shortlist(count, 1)
            shorten(scorer, batch, 0, count, False, scratch, shortlist, ranking)
            rank(scorer, batch, found, shortlist, 0, count, at_once, scratch, ranking)
            labels.append(ranking.labels[:, 0].tolist())
        assert labels[0] == labels[1]
        assert len(set(labels[0])) > 5


@pytest.mark.parametrize("top", [1, 7])
def test_without_a_ranker_masses_alone_count(top):
    rng = np.random.default_rng(3)
    asked = [example(0, {1: 1.0})] * 50
    found, weights = (
        random_found(rng, len(asked), 500),
        np.array([1.3, 8.0, 3.0, 2.0, 0.7, 4.0, -1.0]),
    )
    ranking, scratch = Ranking.of(len(asked), top), make_scratch(COLUMNS, top, 1)
    rank_all(no_ranker(weights), batch_of(asked), found, 0, len(asked), scratch, ranking)
    for i in range(len(asked)):
        wanted = naive.candidates(found_in(found, i), top)
        best = naive.rank({label: signs for label, (signs, _) in wanted.items()}, weights, top)
        assert ranking.labels[i].tolist() == [label for label, _ in best] + [-1] * (top - len(best))
        assert ranking.probabilities[i, : len(best)] == pytest.approx([p for _, p in best])


def test_what_was_found_of_a_part_begins_with_row_0():
    found = FoundLabels(np.array([[4], [5]], np.int32), np.ones((2, 1)))
    ranking, scratch = Ranking.of(4, 1), make_scratch(1, 1, 1)
    batch = batch_of([example(0, {1: 1.0})] * 4)
    rank_all(no_ranker(np.array(FIRST)), batch, found, 1, 3, scratch, ranking)
    assert ranking.labels[:, 0].tolist() == [-1, 4, 5, -1]
    assert ranking.only(np.array([2, 1])).labels[:, 0].tolist() == [5, 4]


def test_of_equal_logits_the_first_is_the_best():
    labels, logits = np.array([7, 3, 9, 1, 5], np.int32), np.array([1.0, 2.0, 2.0, 1.0, 2.0])
    for top in range(1, 7):
        ranking = Ranking.of(1, top)
        put_best(labels, logits, 5, 0.0, ranking, 0)
        assert ranking.labels[0].tolist() == [3, 9, 5, 7, 1, -1][:top]


def test_masses_of_nothing_and_huge_scores_leave_probabilities():
    stream = [example(n % 3, {n % 5: 3e38, 7: 1e-38}, 1e30) for n in range(40)]
    ranker = Lessons(np.random.default_rng(4), stream).teach(Ranker(OPTIONS))
    for weights in ([1e6] * NONE + [-1e6], [-1e6] * NONE + [1e6]):
        scorer = scorer_of(ranker, weights)
        found = FoundLabels(np.zeros((40, 2), np.int32), np.zeros((40, 2)))
        ranking, scratch = Ranking.of(40, 3), make_scratch(2, 3, 2)
        rank_all(scorer, batch_of(stream), found, 0, 40, scratch, ranking)
        assert np.isfinite(ranking.probabilities).all()
        assert (ranking.probabilities.sum(axis=1) <= 1 + 1e-6).all()
        assert (ranking.labels[:, 0] >= 0).all()


def test_very_long_examples_of_unknown_features_are_ranked_soon():
    """Squares of such lengths would be minutes."""
    rng = np.random.default_rng(5)
    features = rng.permutation(2**20)[:300_000]
    values = rng.normal(size=300_000).astype(np.float32)
    known = example(0, {7: 1.0})
    ranker = Lessons(rng, [known]).teach(Ranker(OPTIONS))
    batch = batch_of([known._replace(features=features.tolist(), values=values)])
    found = FoundLabels(np.full((1, 1), -1, np.int32), np.zeros((1, 1)))
    scorer = scorer_of(ranker, FIRST)
    ranking, scratch = Ranking.of(1, 1), make_scratch(1, 1, 300_000)
    rank_all(scorer, batch, found, 0, 1, scratch, ranking)
    assert ranking.labels[0, 0] == (0 if 7 in features else -1)
