"""Labels of any type have numbers, and come back as they were."""

import datetime
import pickle

import numpy as np
import pytest

from lomtree.arrays.classes import Classes, coded, label_array, label_strings, sorted_labels
from lomtree.core.constants import NO_LABEL
from lomtree.examples.label_index import LabelIndex
from lomtree.examples.typed_labels import NoWordError


def classes_of(*labels) -> Classes:
    classes = Classes(LabelIndex())
    classes.add(classes.new(labels))
    return classes


def test_types_are_kept_and_strings_are_other_labels_than_numbers():
    classes = classes_of(1, "1", None, ("a", 2), b"x", "New York", 2.5)
    assert classes.labels == [1, "1", None, ("a", 2), b"x", "New York", 2.5]
    assert classes.numbers(["1", 1, 3, np.int64(1), np.str_("1")]).tolist() == [
        1, 0, NO_LABEL, 0, 1,
    ]  # fmt: skip


def test_equal_labels_are_one_of_the_type_that_came_first():
    classes = classes_of(1, True, 1.0, 0.0, False)
    assert [(type(label), label) for label in classes.labels] == [(int, 1), (float, 0.0)]


def test_labels_that_no_file_keeps_live_in_memory_and_in_a_pickle():
    day = datetime.date(2020, 1, 2)
    classes = classes_of("a", day, frozenset("ab"))
    again = pickle.loads(pickle.dumps(classes))
    assert again.labels == classes.labels == ["a", day, frozenset("ab")]
    assert again.numbers([day]).tolist() == [1]
    with pytest.raises(NoWordError, match="is a date: a model file keeps strings"):
        classes.refuse_objects()


def test_lists_of_labels_are_checked():
    with pytest.raises(ValueError, match="y has a list in it"):
        coded([1, [2]])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        coded(["a", float("nan")])
    labels = coded(np.array([7, 5, 7]))
    assert (labels.different, labels.places.tolist()) == ([7, 5], [0, 1, 0])


@pytest.mark.parametrize(
    "words",
    [["b", "abc", "b", ""], ["\xff", "\u0142", "\xff", "\U0001f600"], [b"b", b"abc", b"b", b""]],
)
@pytest.mark.parametrize("order", "<>")
def test_arrays_of_strings_are_coded_as_lists_are(words, order):
    array = np.array(words)
    labels = coded(array.astype(array.dtype.newbyteorder(order)))
    assert labels.different == coded(words).different
    assert labels.places.tolist() == coded(words).places.tolist() == [0, 1, 0, 2]


def test_labels_in_another_order_are_in_that_of_their_first_examples():
    labels = coded(["a", "b", "a", "c", True, 1])
    assert labels.different == ["a", "b", "c", True]
    for order in ([5, 4, 3, 2, 1, 0], [1, 1, 0], [3], []):
        own = labels.in_order(np.array(order, np.int64))
        said = [["a", "b", "a", "c", True, True][row] for row in order]
        assert own.different == list(dict.fromkeys(said))
        assert [own.different[place] for place in own.places] == said
    assert labels.in_order(None) is labels


def test_words_of_labels_are_those_of_text():
    strings = label_strings(coded(["b", 1, "b", ""]))
    assert [strings.word(number) for number in range(4)] == [b"b", b" 1", b"b", b" ''"]


def test_arrays_and_order():
    assert label_array([2, 1]).dtype.kind == "i"
    assert label_array(["a", "bc"]).dtype.kind == "U"
    assert label_array([True]).dtype.kind == "b"
    for mixed in ([1, "a"], [1, 2.5], ["a\0"], [(1, 2), (3, 4)], [2**70, 1], []):
        assert label_array(mixed).dtype == object
        assert label_array(mixed).tolist() == mixed
    assert sorted_labels([3, 1, 2]) == [1, 2, 3]
    assert sorted_labels(["b", 2, "a", None, 1]) == [None, 1, 2, "a", "b"]


@pytest.mark.parametrize(
    "y",
    [
        np.array([7, -5, 7, 2**60, 0]),
        np.array([7, 5, 7, 300], ">u2"),
        np.array([True, False, True]),
        np.array(["b", "", "a\0b", "b", "longer \u2603"]),
        np.array([b"b", b"", b"b", b"longer"]),
        np.array(["x", "y", "x", "z"])[::2],
        np.array([1.0, -0.0, 0.0, 2.0]),
        np.array(["", ""]),
        np.array([], int),
    ],
)
def test_labels_of_an_array_are_those_of_its_list(y):
    expected, found = coded(y.tolist()), coded(y)
    assert [*map(repr, found.different)] == [*map(repr, expected.different)]
    assert found.places.tolist() == expected.places.tolist()
    y.flags.writeable = False
    assert coded(y).places.tolist() == expected.places.tolist()


def test_labels_that_were_added_are_those_of_the_index():
    labels = ["a", "", " x", "\udc80", "\ud800", 1.5, -0.0, (1, ("b",)), np.int32(4), b"a", None]
    classes = classes_of(*labels)
    read = Classes(classes.index).labels
    assert [*map(repr, classes.labels)] == [*map(repr, read)]
    assert classes.numbers(read).tolist() == list(range(len(labels)))


def test_labels_in_another_order_have_the_numbers_of_their_first_examples():
    rng = np.random.default_rng(0)
    labels = coded(rng.integers(0, 30, 200).tolist())
    for order in (rng.permutation(200), rng.integers(0, 200, 50), np.empty(0, np.int64)):
        said = [labels.different[labels.places[number]] for number in order.tolist()]
        found = labels.in_order(order)
        assert found.different == list(dict.fromkeys(said))
        assert [found.different[place] for place in found.places.tolist()] == said
    assert labels.in_order(None) is labels
