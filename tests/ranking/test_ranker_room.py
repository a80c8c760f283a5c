"""What the ranker may have is limited: it goes on with what it has, cut or stored anywhere."""

import numpy as np
import pytest

from lomtree.ranking.ranker import Ranker
from tests.ranking.rankers import (
    OPTIONS,
    Lessons,
    assert_same,
    both,
    contents,
    limit,
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
