"""Exemplars are kept, thinned and compared as by the naive ones."""

import numpy as np
import pytest

from lomtree.ranking.centroid import length_of
from lomtree.ranking.exemplars import (
    FIRST_ITEMS,
    LEAST,
    MOST,
    closeness,
    find_nearest,
)
from lomtree.ranking.exemplars_file import merged_exemplars
from lomtree.ranking.lookup import clear, fill, make_lookup
from lomtree.ranking.ranker import Ranker
from tests.generators.streams import batch_of, example, vector_at
from tests.oracles import ranker as naive
from tests.ranking.rankers import (
    OPTIONS,
    Lessons,
    assert_same,
    both,
    contents,
    exemplars_of,
    limit,
    loaded,
    stored,
    wide_stream,
)


def close(ranker, vector, label):
    lookup, length = make_lookup(vector.end - vector.begin), length_of(vector)
    if not length > 0:
        return 0.0
    fill(lookup, vector, length)
    _head, cosine = find_nearest(ranker.state.exemplars, label, lookup)
    clear(lookup)
    assert not lookup.values.any()
    return closeness(cosine)


def test_how_near_an_example_is_to_the_nearest_by_hand():
    stream = [example(0, {1: 3.0, 2: 4.0}), example(0, {3: 2.0}), example(1, {1: 1.0})]
    ranker = Lessons(np.random.default_rng(0), stream).teach(Ranker(OPTIONS))
    asked = batch_of([example(0, {1: 0.3, 2: 0.4}), example(0, {1: 9.0}), example(0, {3: -1.0})])
    for i, label, wanted in [
        (0, 0, np.log(1.001 / 0.001)),
        (0, 1, np.log(1.001 / 0.401)),
        (1, 0, np.log(1.001 / 0.401)),
        (1, 1, np.log(1.001 / 0.001)),
        (2, 0, 0.0),
        (2, 7, 0.0),
    ]:
        assert close(ranker, vector_at(asked, i), label) == pytest.approx(wanted, abs=1e-3)


def test_closeness_is_that_of_the_naive_ones():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        lessons = Lessons(rng, wide_stream(rng, 300, 20, features=100, longest=90))
        ranker, twin = both(lessons)
        batch = batch_of(lessons.stream)
        for i in range(0, 300, 7):
            features, xs, *_ = lessons.stream[i]
            for label in range(lessons.classes + 2):
                wanted = twin.exemplars.closeness(features, xs, label)
                found = close(ranker, vector_at(batch, i), label)
                assert found == pytest.approx(wanted, abs=2e-3)


def test_a_label_keeps_those_with_the_smallest_lots():
    rng = np.random.default_rng(1)
    stream = [example(n % 3, dict.fromkeys(range(n % 70), 1.0)) for n in range(900)]
    ranker, twin = both(Lessons(rng, stream))
    assert_same(ranker, twin)
    assert twin.exemplars.events["gone"] > 300
    sizes = [sum(1 + len(v) for _, v in own) for own in exemplars_of(ranker).values()]
    assert min(sizes) > MOST - 100
    assert max(sizes) <= MOST


def test_those_of_a_label_are_stored_newest_first():
    stream = [example(n % 2, {n: 1.0}) for n in range(9)]
    ranker = Lessons(np.random.default_rng(6), stream).teach(Ranker(OPTIONS))
    for same in (ranker, loaded(stored(ranker), 2)):
        kept = exemplars_of(same)
        assert [list(vector) for _, vector in kept[0]] == [[8], [6], [4], [2], [0]]
        assert [list(vector) for _, vector in kept[1]] == [[7], [5], [3], [1]]


def test_what_was_let_go_makes_room_when_the_array_is_full(monkeypatch):
    rng = np.random.default_rng(7)
    stream = [example(n % 3, dict.fromkeys(range(n % 70), 1.0)) for n in range(900)]
    lessons = Lessons(rng, stream)
    whole = contents(lessons.teach(Ranker(OPTIONS)))
    monkeypatch.setattr("lomtree.ranking.exemplars.RESERVED", 256)
    ranker = Ranker(OPTIONS)
    assert len(ranker.state.exemplars.items) == 256
    assert contents(lessons.teach(ranker)) == whole
    exemplars = ranker.state.exemplars
    everything = sum(2 + n % 70 for n in range(900))
    assert exemplars.used[1] < exemplars.used[0] <= len(exemplars.items) < everything


@pytest.mark.parametrize("items", [FIRST_ITEMS, 700, 90])
def test_when_there_are_too_many_each_label_has_fewer(monkeypatch, items):
    rng = np.random.default_rng(2)
    lessons = Lessons(rng, wide_stream(rng, 600, 60, longest=60))
    limit(monkeypatch, 2**40, 2**40, items=items)
    ranker = lessons.teach(Ranker(OPTIONS))
    twin = lessons.teach_naive(naive.Ranker(most_items=items))
    assert_same(ranker, twin)
    assert twin.exemplars.events["halved"] > 3
    assert ranker.state.exemplars.used[2] == twin.exemplars.most >= LEAST
    assert items == FIRST_ITEMS or twin.exemplars.events["left out"] > 20
    whole = contents(ranker)
    for cut in (1, 77, 300, 599):
        half = lessons.teach(Ranker(OPTIONS), 0, cut)
        again = loaded(stored(half), lessons.classes)
        assert contents(lessons.teach(again, cut)) == whole


def test_examples_of_later_passes_are_not_kept_again():
    rng = np.random.default_rng(3)
    lessons = Lessons(rng, wide_stream(rng, 200, 9))
    ranker = lessons.teach(Ranker(OPTIONS))
    once = exemplars_of(ranker)
    assert exemplars_of(lessons.teach(ranker, are_new=False)) == once
    assert exemplars_of(lessons.teach(Ranker(OPTIONS), are_new=False)) == {}


def test_examples_without_features_or_longer_than_the_room_are_not_kept():
    long = dict.fromkeys(range(MOST), 1.0)
    stream = [example(0, long), example(1, dict.fromkeys(range(MOST - 2), 1.0)), example(2)]
    stream[2] = stream[2]._replace(features=[], values=np.empty(0, np.float32))
    ranker, twin = both(Lessons(np.random.default_rng(4), stream))
    assert_same(ranker, twin)
    assert exemplars_of(ranker).keys() == {1}


def test_those_of_several_rankers_become_one():
    rng = np.random.default_rng(5)
    parts, numbers, slowly = [], [], {}
    for number in range(3):
        lessons = Lessons(rng, wide_stream(rng, 150 + 400 * number, 6, longest=40))
        ranker = lessons.teach(Ranker(OPTIONS))
        parts.append(stored(ranker, predict_only=True).arrays)
        numbers.append(rng.permutation(9)[:6].astype(np.int32))
        for label, own in exemplars_of(ranker).items():
            turns = enumerate(vector for _, vector in own)
            slowly.setdefault(int(numbers[-1][label]), []).extend(turns)
    merged = merged_exemplars(parts, numbers)
    found, number, place = {}, 0, 0
    for label, count in enumerate(merged["exemplars.count"].tolist()):
        for length in merged["exemplars.length"][number : number + count].tolist():
            rows = slice(place, place + length)
            features, values = (merged[f"exemplars.{n}"][rows] for n in ("feature", "value"))
            vector = dict(zip(features.tolist(), values.tolist(), strict=True))
            found.setdefault(label, []).append(vector)
            place = rows.stop
        number += count
    assert found.keys() == slowly.keys()
    cut = 0
    for label, own in slowly.items():
        wanted, used = [], 0
        for _, vector in sorted(own, key=lambda pair: pair[0]):
            used += 1 + len(vector)
            if used <= MOST:
                wanted.append(vector)
        assert found[label] == wanted
        cut += used > MOST
    assert cut > 0
