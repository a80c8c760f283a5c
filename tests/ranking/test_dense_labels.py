"""Labels whose features are neighbours have dense tables, until a feature comes from far away."""

import numpy as np
import pytest

from lomtree.examples.batch import CONSTANT
from lomtree.ranking.label_features import LabelFeatures
from lomtree.ranking.ranker import Ranker
from tests.generators.streams import example
from tests.ranking.rankers import OPTIONS, Lessons, assert_same, both, contents, loaded, stored


def dense_labels(known: LabelFeatures) -> list[int]:
    tables = known.tables
    return np.flatnonzero((tables["room"] > 0) & tables["dense"]).tolist()


def numbered(rng, count, first, last, labels=3):
    """Examples that have most of the features first ... last - 1."""
    stream = []
    for _ in range(count):
        features = np.flatnonzero(rng.random(last - first) < 0.9) + first
        values = rng.normal(size=len(features)).tolist()
        pairs = dict(zip([*features.tolist(), CONSTANT], [*values, 1.0], strict=True))
        stream.append(example(int(rng.integers(labels)), pairs))
    return stream


@pytest.mark.parametrize("first", [0, 1, 100, 2**32 - 300])
def test_neighbours_lie_in_order_wherever_they_begin(first):
    rng = np.random.default_rng(first % 97)
    ranker, twin = both(Lessons(rng, numbered(rng, 60, first, first + 290)))
    assert dense_labels(ranker.state.known) == [0, 1, 2]
    assert_same(ranker, twin)
    known = ranker.state.known
    for table in known.tables[:3]:
        rows = known.pairs[table["start"] : table["start"] + table["room"]]
        places = np.flatnonzero(~np.isnan(rows["sum"]))
        assert np.array_equal((rows["feature"][places] - table["base"])[1:], places[1:])
        assert rows["feature"][0] == CONSTANT


@pytest.mark.parametrize("longest", [20, 290])  # where all is sighted, and where marks decide
def test_a_feature_from_far_away_ends_that_in_the_middle_of_a_stream(longest):
    rng = np.random.default_rng(longest)
    stream = numbered(rng, 40, 1, longest)
    for place, far in ((15, 2**31), (25, longest + 600), (30, 2**20)):
        stream[place : place + 1] = [example(place % 2, {far: 1.5, 5: 0.5, 7: -1.0})]
    lessons = Lessons(rng, stream)
    ranker, twin = both(lessons)
    assert_same(ranker, twin)
    assert dense_labels(ranker.state.known) == [2]
    assert dense_labels(lessons.teach(Ranker(OPTIONS), 0, 15).state.known) == [0, 1, 2]
    whole = contents(ranker)
    for cut in range(10, 40, 3):
        begun = lessons.teach(Ranker(OPTIONS), 0, cut)
        assert contents(lessons.teach(begun, cut, 40)) == whole
        begun = loaded(stored(lessons.teach(Ranker(OPTIONS), 0, cut)), lessons.classes)
        assert contents(lessons.teach(begun, cut, 40)) == whole


def test_features_that_share_their_last_bits_are_found_one_by_one():
    """Those of a dense label and others that would be in the same rows."""
    rng = np.random.default_rng(3)
    stream = numbered(rng, 20, 0, 30, labels=1)
    stream += [example(1, {feature + 64 * feature: 1.0 for feature in range(30)})] * 3
    stream += [example(number % 2, {feature: 1.0, feature + 64: 0.5}) for number, feature in
               enumerate(range(0, 60, 2))]  # fmt: skip
    assert_same(*both(Lessons(rng, stream)))
