"""No strange ranker is let in: what compiled code will use is checked when it is loaded."""

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.ranking.ranker import Ranker
from tests.generators.models import file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.ranking.rankers import OPTIONS, Lessons, limit, loaded, stored, wide_stream

LESSONS = Lessons(np.random.default_rng(1), wide_stream(np.random.default_rng(1), 60, 5))
FOR_LEARNING = {
    "ranker.examples", "ranker.first", "ranker.last", "ranker.squares", "ranker.rivals",
    "lists.least", "exemplars.lot",
}  # fmt: skip
TYPES = {
    "ranker.used": np.int32,
    "ranker.examples": np.int64,
    "ranker.first": np.int64,
    "ranker.last": np.int64,
    "ranker.length": np.float64,
    "ranker.total": np.float64,
    "ranker.feature": np.uint32,
    "ranker.sum": np.float32,
    "ranker.weight": np.float32,
    "ranker.squares": np.float32,
    "ranker.rivals": np.int32,
    "lists.feature": np.uint32,
    "lists.length": np.int32,
    "lists.least": np.float32,
    "lists.label": np.int32,
    "lists.weight": np.float32,
    "exemplars.count": np.int32,
    "exemplars.length": np.int32,
    "exemplars.lot": np.float32,
    "exemplars.feature": np.uint32,
    "exemplars.value": np.float32,
}


@pytest.fixture
def parts():
    return stored(LESSONS.teach(Ranker(OPTIONS)))


def refused(parts, learning=True):
    with pytest.raises(ModelError):
        loaded(parts, LESSONS.classes, learning)
    return True


def test_these_are_the_arrays(parts):
    assert {name: array.dtype for name, array in parts.arrays.items()} == TYPES
    assert all(len(array) > 1 for array in parts.arrays.values())
    assert loaded(parts, LESSONS.classes)


@pytest.mark.parametrize("name", TYPES)
def test_arrays_of_another_type_or_length(parts, name):
    array = parts.arrays[name]
    for strange in (
        array.astype(np.int64 if array.dtype.kind == "f" else np.float32),
        array[:-1],
        array[:0],
        np.concatenate([array, array[:1]]),
        array.reshape(1, -1),
    ):
        parts.arrays[name] = strange
        assert refused(parts)
        assert name in FOR_LEARNING or refused(parts, learning=False)


def test_arrays_of_nothing_are_a_ranker_that_learned_nothing(parts):
    empty = {name: array[:0] for name, array in parts.arrays.items()}
    parts.arrays.update(empty)
    parts.header["ranked"] = 0
    assert stored(loaded(parts, LESSONS.classes)).arrays["ranker.used"].tolist() == []


NOT_FINITE = [np.nan, np.inf, -np.inf]
STRANGE = {
    "ranker.used": [-1, 2**31 - 1, -(2**31)],
    "ranker.examples": [-1, 2**53 + 1, -(2**63)],
    "ranker.first": [-1, 2**53 + 1, 2**53],  # after the last
    "ranker.last": [-1, 2**53 + 1, -(2**63)],
    "ranker.length": NOT_FINITE,
    "ranker.total": NOT_FINITE,
    "ranker.sum": [*NOT_FINITE, 1e38, -1e38],
    "ranker.weight": [*NOT_FINITE, 1e38, -1e38],
    "ranker.squares": [*NOT_FINITE, 1e38, -1e-30],
    "ranker.rivals": [-2, LESSONS.classes, 2**31 - 1, -(2**31)],
    "lists.length": [0, -1, 257, 2**31 - 1],
    "lists.least": NOT_FINITE,
    "lists.label": [-1, LESSONS.classes, 2**31 - 1],
    "lists.weight": NOT_FINITE,
    "exemplars.count": [-1, 2**31 - 1, -(2**31)],
    "exemplars.length": [-1, 2048, 2**31 - 1],
    "exemplars.lot": [*NOT_FINITE, -0.1, 1.1],
    "exemplars.value": [*NOT_FINITE, 1.1, -1.1],
}


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in STRANGE.items() for value in values]
)
def test_numbers_that_cannot_be(parts, name, value, place):
    parts.arrays[name] = parts.arrays[name].copy()
    parts.arrays[name][place] = value
    assert refused(parts)
    assert name in FOR_LEARNING or refused(parts, learning=False)


def test_more_features_than_any_memory_holds(parts):
    """They are not made room for before the arrays are known to have so many."""
    parts.arrays["ranker.used"] = np.full(2**16, 2**31 - 1, np.int32)
    parts.arrays["ranker.length"] = parts.arrays["ranker.total"] = np.zeros(2**16)
    with pytest.raises(ModelError):
        loaded(parts, 2**16)


def test_labels_that_do_not_exist(parts):
    with pytest.raises(ModelError):
        loaded(parts, LESSONS.classes - 1)


@pytest.mark.parametrize("change", [lambda two: two[::-1], lambda two: two[[0, 0]]])
def test_features_of_a_label_out_of_order_or_twice(parts, change):
    features = parts.arrays["ranker.feature"] = parts.arrays["ranker.feature"].copy()
    assert parts.arrays["ranker.used"][0] >= 2
    features[:2] = change(features[:2]).copy()
    assert refused(parts)
    assert refused(parts, learning=False)


def test_two_lists_of_a_feature(parts):
    features = parts.arrays["lists.feature"] = parts.arrays["lists.feature"].copy()
    features[-1] = features[0]
    assert refused(parts)
    assert refused(parts, learning=False)


@pytest.mark.parametrize("limits", [(16, 10**6), (10**6, 16), (10**6, 10**6, 8192, 16)])
def test_more_than_there_may_be(monkeypatch, parts, limits):
    limit(monkeypatch, *limits)
    assert refused(parts)
    assert refused(parts, learning=False)


@pytest.mark.parametrize("number", [-1, 2**53 + 1, 1.0, "1", None, True])
def test_a_number_of_examples_that_cannot_be(parts, number):
    parts.header["ranked"] = number
    assert refused(parts)


def test_examples_that_are_still_to_come(parts):
    """The next one of a label would come before its first, and there would be no model again."""
    for name in ("first", "last"):
        visits = parts.arrays[f"ranker.{name}"] = parts.arrays[f"ranker.{name}"].copy()
        visits[0] = parts.header["ranked"]
    assert loaded(parts, LESSONS.classes)
    parts.header["ranked"] -= 1
    assert refused(parts)


@pytest.mark.parametrize("most", [0, 15, 32, 100, 4096, 2048.0, "2048", None, True])
def test_a_room_for_exemplars_that_cannot_be(parts, most):
    parts.header["exemplars"] = most
    assert refused(parts)


@pytest.mark.parametrize("name", TYPES)
def test_a_file_without_one_of_them_is_refused(tmp_path, name):
    header, arrays = take_apart(file_bytes(trained(), tmp_path))
    del arrays[name]
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path)
