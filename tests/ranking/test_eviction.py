"""Where the ranker's tables are full, labels that no longer come give way to those that do."""

import numpy as np
import pytest

from lomtree.ranking.eviction import longest_gone
from lomtree.ranking.label_features import TABLE
from lomtree.ranking.ranker import Ranker
from tests.generators.streams import example
from tests.oracles import ranker as naive
from tests.ranking.rankers import (
    OPTIONS,
    Lessons,
    assert_same,
    contents,
    limit,
    lists_of,
    loaded,
    pairs_of,
    stored,
)

EVERY = 16
AT_A_TIME = 6  # labels that live


def drift(rng, turns, length=120, features=60):
    """Some labels at a time, others at every turn; some features are a label's own."""
    stream = []
    for turn in range(turns):
        for _ in range(length):
            label = turn * AT_A_TIME + int(rng.integers(AT_A_TIME))
            chosen = {
                1000 + 3 * label + int(rng.integers(3)),
                *rng.integers(0, features, 3).tolist(),
            }
            stream.append(example(label, {f: float(rng.uniform(0.2, 2)) for f in chosen}))
    return stream


@pytest.mark.parametrize("limits", [(1200, 10**6), (10**6, 700), (900, 500), (64, 32)])
def test_they_go_as_those_of_the_naive_one(monkeypatch, limits):
    rng = np.random.default_rng(1)
    limit(monkeypatch, *limits, EVERY)
    lessons = Lessons(rng, drift(rng, 6))
    ranker = lessons.teach(Ranker(OPTIONS))
    twin = lessons.teach_naive(naive.Ranker(*limits, EVERY))
    assert twin.events["evicted"] > 3
    assert_same(ranker, twin)
    assert ranker.state.known.used[1] <= limits[0]
    assert ranker.state.lists.used[2] <= limits[1]


@pytest.mark.parametrize("limits", [(1200, 10**6), (900, 500)])
def test_where_a_stream_is_cut_or_stored_changes_nothing(monkeypatch, limits):
    rng = np.random.default_rng(2)
    limit(monkeypatch, *limits, EVERY)
    lessons = Lessons(rng, drift(rng, 5))
    whole = contents(lessons.teach(Ranker(OPTIONS)))
    cuts = [*range(EVERY, len(lessons.stream), 3 * EVERY), *rng.integers(0, 600, 20)]
    assert contents(lessons.teach(Ranker(OPTIONS), cuts=cuts)) == whole
    ranker, begin = Ranker(OPTIONS), 0
    for end in [*sorted(cuts), len(lessons.stream)]:
        ranker = loaded(stored(lessons.teach(ranker, begin, end)), lessons.classes)
        begin = end
    assert contents(ranker) == whole


def test_after_many_drifts_as_much_is_known_of_new_labels_as_in_the_beginning(monkeypatch):
    rng = np.random.default_rng(3)
    limit(monkeypatch, 1200, 1500, EVERY)
    lessons = Lessons(rng, drift(rng, 12))
    ranker, known = Ranker(OPTIONS), []
    for turn in range(12):
        lessons.teach(ranker, 120 * turn, 120 * turn + 120)
        labels = range(AT_A_TIME * turn, AT_A_TIME * (turn + 1))
        pairs, lists = pairs_of(ranker), lists_of(ranker).values()
        named = {label for postings in lists for label, _ in postings}
        known.append((sum(len(pairs.get(label, ())) for label in labels), len(named & {*labels})))
    assert min(pairs for pairs, _ in known[1:]) > 0.8 * known[0][0]
    assert {named for _, named in known} == {AT_A_TIME}


def test_nothing_goes_where_all_labels_go_on_coming(monkeypatch):
    """However little room there is, and in whatever order they come."""
    rng = np.random.default_rng(4)
    limit(monkeypatch, 600, 300, EVERY)
    once = [example(label, {label: 1.0, int(rng.integers(40)): 0.5}) for label in range(100, 200)]
    lessons = Lessons(rng, 8 * once)
    ranker = lessons.teach(Ranker(OPTIONS))
    first = lessons.teach(Ranker(OPTIONS), 0, 100)
    assert pairs_of(first).keys() <= pairs_of(ranker).keys()


def tables_of(*visits):
    tables = np.zeros(len(visits), TABLE)
    for place, (examples, first, last) in enumerate(visits):
        tables[place]["examples"], tables[place]["first"] = examples, first
        tables[place]["last"], tables[place]["room"] = last, 8
    return tables


def test_a_label_is_waited_for_as_long_as_it_is_rare():
    often, rare = (1000, 0, 10_000), (10, 0, 10_000)
    assert longest_gone(tables_of(often, rare), 10_010).tolist() == []
    assert longest_gone(tables_of(often, rare), 10_200).tolist() == [0]
    assert longest_gone(tables_of(rare, rare), 10_200).tolist() == []
    assert longest_gone(tables_of(rare, often), 90_000).tolist() == [1]  # a tenth, and one more


def test_a_burst_is_no_rate():
    """A label that came often in a row is waited for as long as it takes all labels to come."""
    burst = (1000, 0, 999)
    assert longest_gone(tables_of(*50 * [burst]), 999 + 8 * 50).tolist() == []
    assert len(longest_gone(tables_of(*50 * [burst]), 999 + 8 * 50 + 1)) == 6
