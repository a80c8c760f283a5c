"""The ranker learns as its naive twin does, however the stream is cut and wherever it is stored."""

import numpy as np

from lomtree.core.options import Options
from lomtree.ranking.ranker import Ranker
from tests.generators.streams import BITS, CONSTANT, batch_of, example, leave_gaps, random_stream
from tests.oracles import ranker as naive
from tests.ranking.rankers import (
    OPTIONS,
    Lessons,
    assert_same,
    both,
    contents,
    lists_of,
    loaded,
    pairs_of,
    stored,
    wide_stream,
)


def test_it_learns_as_the_naive_one():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        classes = int(rng.choice([1, 2, 9, 40]))
        stream = leave_gaps(rng, random_stream(rng, 300, classes, weighted=seed % 2 == 0))
        ranker, twin = both(Lessons(rng, stream, trees=1 + seed % 3))
        assert_same(ranker, twin)
        if classes > 2:
            assert min(twin.events[name] for name in ("voted", "rivals forgotten")) > 10
            assert twin.events["too small to learn"] > 10
        if classes < 10:
            assert min(twin.events[name] for name in ("noted", "not noted")) > 5


def test_so_it_does_while_tables_and_lists_grow():
    rng = np.random.default_rng(1)
    ranker, twin = both(Lessons(rng, wide_stream(rng, 500, 40, weighted=True, longest=900)))
    assert_same(ranker, twin)
    assert twin.lists.events["budget used up"] > 2
    assert len(ranker.state.known.pairs) > 1 << 12
    assert len(ranker.state.lists.heads) > 1 << 10


def test_so_it_does_where_lists_are_as_long_as_they_may_be():
    """More labels than a list may have share a feature that the later ones weigh more."""
    rng = np.random.default_rng(2)
    stream = []
    for number in range(1500):
        label = int(rng.integers(500))
        features = {CONSTANT: number / 500 * rng.random(), label % 50: 1.0, 100 + label: 0.5}
        stream.append(example(label, features))
    ranker, twin = both(Lessons(rng, stream))
    assert_same(ranker, twin)
    assert max(map(len, lists_of(ranker).values())) == 256
    assert min(twin.lists.events[name] for name in ("replaced", "not looked at")) > 50


def test_where_a_stream_is_cut_changes_nothing():
    rng = np.random.default_rng(4)
    lessons = Lessons(rng, wide_stream(rng, 300, 30, weighted=True, longest=300))
    whole = contents(lessons.teach(Ranker(OPTIONS)))
    for _ in range(4):
        cuts = rng.integers(0, 300, 6)
        assert contents(lessons.teach(Ranker(OPTIONS), cuts=cuts)) == whole
    assert contents(lessons.teach(Ranker(OPTIONS), cuts=range(300))) == whole


def test_learning_goes_on_from_a_file():
    rng = np.random.default_rng(5)
    lessons = Lessons(rng, wide_stream(rng, 300, 30, weighted=True, longest=300))
    ranker = loaded(stored(lessons.teach(Ranker(OPTIONS), 0, 150)), lessons.classes)
    assert contents(lessons.teach(ranker, 150)) == contents(lessons.teach(Ranker(OPTIONS)))


def test_what_only_learning_needs_is_left_out_of_a_file_for_predictions():
    rng = np.random.default_rng(7)
    lessons = Lessons(rng, wide_stream(rng, 200, 20))
    ranker = lessons.teach(Ranker(OPTIONS))
    small = stored(ranker, predict_only=True)
    left_out = {"squares", "rivals", "examples", "first", "last"}
    left_out = {f"ranker.{name}" for name in left_out} | {"lists.least", "exemplars.lot"}
    assert small.arrays.keys() == stored(ranker).arrays.keys() - left_out
    again = loaded(small, lessons.classes, learning=False)
    assert lists_of(again, predict_only=True) == lists_of(ranker)
    used = stored(again).arrays["ranker.used"]  # no memory is written that is not its own
    assert used.tolist() == small.arrays["ranker.used"].tolist()
    kept = pairs_of(again, predict_only=True)
    assert kept.keys() == pairs_of(ranker).keys()
    for y, pairs in pairs_of(ranker).items():
        assert kept[y] == {f: row[:2] for f, row in pairs.items()}


def test_all_examples_may_be_empty_and_many_trees_may_name_rivals():
    rng = np.random.default_rng(6)
    lessons = Lessons(rng, [example(label % 30) for label in range(200)], trees=60)
    ranker = lessons.teach(Ranker(Options(bits=BITS, trees=60)))
    assert_same(ranker, lessons.teach_naive(naive.Ranker()))


def test_a_label_with_very_many_features_is_stored_soon():
    """Squares of such a number would be minutes."""
    rng = np.random.default_rng(8)
    features = rng.permutation(2**20)[:300_000] * 4096 + 7
    options = Options(bits=22)
    ranker = Ranker(options)
    long = example(0)._replace(features=features, values=np.ones(300_000, np.float32))
    ranker.learn(batch_of([long]), np.full((1, 1), -1, np.int32), np.ones(1), 0, 1)
    stored_features = stored(ranker).arrays["ranker.feature"]
    assert np.array_equal(stored_features, np.sort(features).astype(np.uint32))
    assert contents(loaded(stored(ranker), 1, options=options)) == contents(ranker)
