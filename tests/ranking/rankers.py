"""Rankers that have learned a stream, compiled and naive, and what they know."""

from itertools import pairwise

import numpy as np
import pytest

from lomtree.core.options import Options
from lomtree.ranking.eviction import EVICT_EVERY
from lomtree.ranking.ranker import Ranker
from lomtree.ranking.ranker_file import load_ranker, store_ranker
from lomtree.ranking.ranking import Scorer
from lomtree.storage.state_dict import StateDict
from tests.generators.streams import BITS, CONSTANT, Example, batch_of
from tests.oracles import ranker as naive

OPTIONS = Options(bits=BITS)
NO_LABEL = -1


def wide_stream(rng, count, classes, *, features=2000, weighted=False, longest=0):
    """Many hashed features, some of them a label's own; labels appear one by one, and a few
    examples are as long as the longest."""
    numbers = rng.choice(2**32, features, replace=False)
    own = rng.integers(0, features, (classes, 12))
    examples = []
    for number in range(count):
        label = int(rng.integers(max(1, classes * (number + 1) // count)))
        length = int(rng.integers(0, 12)) if not longest or rng.random() < 0.95 else longest
        chosen = np.unique([*rng.choice(own[label], 4), *rng.integers(0, features, length)])
        values = rng.normal(0.5, 1, len(chosen)).astype(np.float32)
        rows = [*numbers[rng.permutation(chosen)].tolist(), CONSTANT]
        weight = rng.choice([0, 0.3, 1, 1, 1.5, 20]) if weighted else 1
        label = -1 if rng.random() < 0.03 else label
        examples.append(Example(rows, [*values, np.float32(1)], label, np.float32(weight)))
    return examples


def rivals_for(rng, stream, trees=2):
    """int32[trees, examples]: labels that were learned before, or none."""
    seen, columns = [NO_LABEL], []
    for one in stream:
        columns.append(rng.choice(seen, trees))
        if one.label >= 0 and one.weight > 0 and one.label not in seen:
            seen.append(one.label)
    return np.array(columns, np.int32).reshape(-1, trees).T.copy()


class Lessons:
    """A stream with what the trees say to it."""

    def __init__(self, rng, stream, trees=2):
        self.stream = stream
        self.rivals = rivals_for(rng, stream, trees)
        self.mean_squares = rng.uniform(0.3, 3, len(stream))
        self.classes = 1 + max(one.label for one in stream)

    def teach(self, ranker, begin=0, end=None, cuts=(), are_new=True):
        end = len(self.stream) if end is None else end
        for first, last in pairwise([begin, *sorted(cuts), end]):
            rows = slice(first, last)
            ranker.learn(
                batch_of(self.stream[rows]),
                np.ascontiguousarray(self.rivals[:, rows]),
                self.mean_squares[rows],
                0,
                last - first,
                are_new,
            )
        return ranker

    def teach_naive(self, ranker, are_new=True):
        for i, one in enumerate(self.stream):
            rivals = self.rivals[:, i].tolist()
            ranker.learn(*one, rivals, float(self.mean_squares[i]), are_new)
        return ranker


def both(lessons, *limits):
    """The compiled and the naive one, after these lessons."""
    return lessons.teach(Ranker(OPTIONS)), lessons.teach_naive(naive.Ranker(*limits))


def limit(monkeypatch, rows, postings, evict_every=EVICT_EVERY, items=2**40):
    """From now on rankers may have so much."""
    monkeypatch.setattr("lomtree.ranking.ranker.EVICT_EVERY", evict_every)
    monkeypatch.setattr("lomtree.ranking.label_features.most_rows", lambda options: rows)
    monkeypatch.setattr("lomtree.ranking.label_lists.most_postings", lambda options: postings)
    for module in ("exemplars", "exemplars_file"):
        monkeypatch.setattr(f"lomtree.ranking.{module}.most_items", lambda options: items)


def scorer_of(ranker, weights) -> Scorer:
    state = ranker.state
    return Scorer(state.known, state.lists, state.exemplars, np.asarray(weights), True)


def stored(ranker, predict_only=False) -> StateDict:
    state_dict = StateDict({}, {})
    store_ranker(ranker, state_dict, predict_only)
    return state_dict


def loaded(state_dict, classes, learning=True, options=OPTIONS) -> Ranker:
    return load_ranker(state_dict, options, classes, learning)


def contents(ranker):
    """All bytes that a file would have of it."""
    state_dict = stored(ranker)
    arrays = {name: (array.dtype.str, array.tobytes()) for name, array in state_dict.arrays.items()}
    return state_dict.header, arrays


def pairs_of(ranker, predict_only=False) -> dict:
    """{label: {feature: (sum, weight, squares)}} of what it stores; without squares to predict."""
    arrays, first, found = stored(ranker, predict_only).arrays, 0, {}
    names = ("sum", "weight") if predict_only else ("sum", "weight", "squares")
    columns = [arrays[f"ranker.{name}"].tolist() for name in names]
    for label, used in enumerate(arrays["ranker.used"].tolist()):
        rows = range(first, first + used)
        features = arrays["ranker.feature"][first : first + used].tolist()
        assert features == sorted(set(features))
        found[label] = {
            f: tuple(column[row] for column in columns)
            for f, row in zip(features, rows, strict=True)
        }
        first += used
    assert first == len(arrays["ranker.feature"])
    return {label: pairs for label, pairs in found.items() if pairs}


def lists_of(ranker, predict_only=False) -> dict:
    """{feature: [(label, weight)]} of what it stores."""
    arrays, first, found = stored(ranker, predict_only).arrays, 0, {}
    for feature, length in zip(arrays["lists.feature"], arrays["lists.length"], strict=True):
        rows = slice(first, first + int(length))
        labels, weights = (arrays[f"lists.{name}"][rows].tolist() for name in ("label", "weight"))
        found[int(feature)] = list(zip(labels, weights, strict=True))
        first += int(length)
    return found


def exemplars_of(ranker, predict_only=False) -> dict:
    """{label: [(lot, {feature: value})]} of what it stores; a lot is None to predict."""
    arrays, number, place, found = stored(ranker, predict_only).arrays, 0, 0, {}
    features, values = (arrays[f"exemplars.{name}"].tolist() for name in ("feature", "value"))
    for label, count in enumerate(arrays["exemplars.count"].tolist()):
        for _ in range(count):
            rows = slice(place, place + int(arrays["exemplars.length"][number]))
            lot = None if predict_only else float(arrays["exemplars.lot"][number])
            vector = dict(zip(features[rows], values[rows], strict=True))
            found.setdefault(label, []).append((lot, vector))
            number, place = number + 1, rows.stop
    assert (number, place) == (len(arrays["exemplars.length"]), len(features))
    return found


def rivals_of(ranker) -> dict:
    rows = enumerate(ranker.state.rivals.tolist())
    return {y: [r for r in row if r != NO_LABEL] for y, row in rows if row[0] != NO_LABEL}


def assert_same(ranker: Ranker, twin: naive.Ranker) -> None:
    """The same labels, lists and rivals; numbers but for their last bits."""
    known = twin.known
    pairs = pairs_of(ranker)
    assert pairs.keys() == {y for y, sums in known.sums.items() if sums}
    for y, rows in pairs.items():
        assert rows.keys() == known.sums[y].keys()
        wanted = [(known.sums[y][f], known.weights[y][f], known.squares[y][f]) for f in rows]
        np.testing.assert_allclose(list(rows.values()), wanted, rtol=1e-4, atol=1e-6)
    visits = (stored(ranker).arrays[f"ranker.{name}"] for name in ("examples", "first", "last"))
    visits = enumerate(zip(*(column.tolist() for column in visits), strict=True))
    assert {y: visit for y, visit in visits if visit[0]} == {
        y: (count, twin.first[y], twin.last[y]) for y, count in known.examples.items()
    }
    lists = lists_of(ranker)
    assert lists.keys() == twin.lists.lists.keys()
    for f, postings in lists.items():
        wanted = twin.lists.lists[f]
        assert [label for label, _ in postings] == [label for label, _ in wanted]
        weights = [[weight for _, weight in found] for found in (postings, wanted)]
        np.testing.assert_allclose(*weights, rtol=1e-5, atol=1e-7)
    exemplars = exemplars_of(ranker)
    assert exemplars.keys() == {y for y, own in twin.exemplars.kept.items() if own}
    for y, newest_first in exemplars.items():
        own, wanted = sorted(newest_first, key=lambda one: one[0]), twin.exemplars.kept[y]
        assert [(lot, list(vector)) for lot, vector in own] == [
            (lot, list(vector)) for lot, vector in wanted
        ]
        for (_, vector), (_, other) in zip(own, wanted, strict=True):
            assert list(vector.values()) == pytest.approx(list(other.values()), rel=1e-5)
    assert rivals_of(ranker) == {y: found for y, found in twin.rivals.items() if found}
    assert ranker.state.counts[0] == twin.learned
