"""Labels of any type have numbers, and come back as they were."""

import datetime
import pickle

import numpy as np
import pytest

from lomtree.arrays.classes import Classes, label_array, label_list, label_strings, sorted_labels
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
        label_list([1, [2]])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        label_list(["a", float("nan")])
    assert label_list(np.array([1, 2])) == [1, 2]


def test_words_of_labels_are_those_of_text():
    strings = label_strings(["b", 1, "b", ""])
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
