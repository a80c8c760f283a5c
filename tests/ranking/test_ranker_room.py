"""What the ranker may have is limited: it goes on with what it has, cut or stored anywhere."""

import numpy as np
import pytest

from lomtree.ranking.ranker import Ranker
from tests.generators.streams import example
from tests.ranking.rankers import (
    OPTIONS,
    Lessons,
    assert_same,
    both,
    contents,
    limit,
    loaded,
    rivals_of,
    stored,
    wide_stream,
)

LIMITS = [(10**6, 10**6), (64, 32), (700, 900)]


@pytest.mark.parametrize("limits", [(0, 0), (8, 4), (64, 32), (700, 10**6), (10**6, 900)])
def test_so_it_does_where_there_is_no_more_room(monkeypatch, limits):
    rng = np.random.default_rng(3)
    limit(monkeypatch, *limits)
    lessons = Lessons(rng, wide_stream(rng, 300, 40, features=300, weighted=True, longest=100))
    ranker, twin = both(lessons, *limits)
    assert_same(ranker, twin)
    assert ranker.state.known.used[1] <= limits[0]
    assert ranker.state.lists.used[2] <= limits[1]
    events = twin.lists.events
    assert twin.known.refused > 10 or limits[0] > 700
    assert events["no list"] > 10 or not 0 < limits[1] < 10**6 or limits[0] == 8
    assert events["too much"] > 10 or limits[1] in (0, 4, 32, 10**6)


@pytest.mark.parametrize("limits", LIMITS)
def test_where_a_stream_is_cut_changes_nothing(monkeypatch, limits):
    rng = np.random.default_rng(4)
    limit(monkeypatch, *limits)
    lessons = Lessons(rng, wide_stream(rng, 200, 30, features=400, weighted=True, longest=100))
    whole = contents(lessons.teach(Ranker(OPTIONS)))
    for _ in range(4):
        cuts = rng.integers(0, 200, 6)
        assert contents(lessons.teach(Ranker(OPTIONS), cuts=cuts)) == whole


@pytest.mark.parametrize("limits", LIMITS)
def test_learning_goes_on_from_a_file(monkeypatch, limits):
    limit(monkeypatch, *limits)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        lessons = Lessons(rng, wide_stream(rng, 400, 30, features=200, weighted=True))
        whole = contents(lessons.teach(Ranker(OPTIONS)))
        ranker = Ranker(OPTIONS)
        for begin, end in ((0, 100), (100, 250), (250, 400)):
            lessons.teach(ranker, begin, end)
            before = contents(ranker)
            ranker = loaded(stored(ranker), lessons.classes)
            assert contents(ranker) == before
        assert before == whole


def test_labels_without_features_are_loaded_as_others_and_with_their_rivals():
    """Their examples are empty here; so are those that came when there was no room."""
    stream = [example(label, {7: 1.0} if label < 2 else {}) for label in (0, 1, 0, 2, 3, 2, 0, 3)]
    lessons = Lessons(np.random.default_rng(5), stream)
    lessons.rivals[:] = [-1, 0, 1, 1, 2, 3, 2, 0]
    ranker = lessons.teach(Ranker(OPTIONS))
    again = loaded(stored(ranker), 4)
    assert rivals_of(again) == rivals_of(ranker)
    assert {0, 2, 3} <= rivals_of(again).keys()
    assert 2 in rivals_of(again)[0]
    assert len(again.state.known.tables) == 4
    assert contents(lessons.teach(again)) == contents(lessons.teach(ranker))
    small = loaded(stored(ranker, predict_only=True), 4, learning=False)
    assert stored(small, predict_only=True).arrays["ranker.used"].tolist() == [1, 1]
