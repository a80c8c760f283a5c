"""Labels keep their bytes and are numbered in the order in which they first appear."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.constants import NO_LABEL
from lomtree.core.errors import DataError
from lomtree.examples.examples import Strings
from lomtree.examples.label_index import LabelIndex

label_bytes = st.binary(min_size=1, max_size=12)


def strings_of(words: list[bytes]) -> Strings:
    """Words in a text, each followed by a space; an empty one stands for none."""
    ends = np.cumsum([0, *(len(word) + 1 for word in words)])
    text = np.frombuffer(b"".join(word + b" " for word in words), np.uint8)
    return Strings(text, ends[:-1], ends[1:] - 1)


def number(labels: LabelIndex, words: list[bytes], bad=(), count: int | None = None) -> tuple:
    """The numbers that words get, and where numbering stopped."""
    problems = np.zeros(len(words), np.int8)
    problems[list(bad)] = 1
    numbers = np.full(len(words) if count is None else count, 99, np.int32)
    done = labels.number(strings_of(words), problems, numbers)
    return numbers.tolist(), done


def numbers_of(labels: LabelIndex, words: list[bytes]) -> list[int]:
    return number(labels, words)[0]


def looked_up(labels: LabelIndex, words: list[bytes]) -> list[int]:
    numbers = np.full(len(words), 99, np.int32)
    labels.look_up(strings_of(words), np.zeros(len(words), np.int8), numbers)
    return numbers.tolist()


def test_labels_are_numbered_in_order_of_appearance():
    labels = LabelIndex()
    assert numbers_of(labels, [b"cat", b"7", b"cat", b"-1", b"7"]) == [0, 1, 0, 2, 1]
    assert list(labels) == [b"cat", b"7", b"-1"]
    assert numbers_of(labels, [b"dog", b"cat"]) == [3, 0]
    assert (len(labels), labels[3]) == (4, b"dog")


@given(st.lists(st.lists(label_bytes, max_size=30), max_size=5))
def test_numbers_are_those_of_a_dictionary_whatever_the_bytes(blocks):
    labels, expected = LabelIndex(), {}
    for block in blocks:
        wanted = [expected.setdefault(label, len(expected)) for label in block]
        assert numbers_of(labels, block) == wanted
    assert list(labels) == list(expected)
    assert labels.add(*expected).tolist() == list(expected.values())


def test_labels_are_bytes_and_only_equal_bytes_are_the_same_label():
    given = [b"\xff\xfe", b"1", b"01", b"1.0", b"+1", "é".encode(), "e\u0301".encode(), b"\xff"]
    labels = LabelIndex()
    assert numbers_of(labels, given) == list(range(len(given)))
    assert list(labels) == given


def test_the_table_grows_within_one_block():
    given = [b"label-%d" % number for number in range(50_000)]
    labels = LabelIndex()
    assert numbers_of(labels, given + given[::-1]) == [*range(50_000), *range(49_999, -1, -1)]
    assert labels[49_999] == b"label-49999"


def test_labels_may_be_long():
    given = [b"x" * length for length in (1, 5_000, 100_000, 100_001, 3_000_000)]
    labels = LabelIndex()
    assert numbers_of(labels, given * 2) == [*range(5), *range(5)]
    assert list(labels) == given


def test_an_example_without_a_label_or_with_a_problem_gets_no_number():
    labels = LabelIndex()
    assert number(labels, [b"a", b"", b"b", b"c"], bad=[2])[0] == [0, NO_LABEL, NO_LABEL, 1]
    assert list(labels) == [b"a", b"c"]


def test_only_as_many_are_numbered_as_are_asked_for():
    labels = LabelIndex()
    assert number(labels, [b"a", b"b", b"c"], count=2) == ([0, 1], 2)
    assert len(labels) == 2


def test_looking_up_adds_nothing():
    labels = LabelIndex()
    numbers_of(labels, [b"a", b"b"])
    assert looked_up(labels, [b"b", b"new", b"", b"a"]) == [1, NO_LABEL, NO_LABEL, 0]
    assert list(labels) == [b"a", b"b"]
    assert looked_up(LabelIndex(), [b"a"]) == [NO_LABEL]


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 5000])
def test_arrays_make_the_same_labels_again(count):
    labels = LabelIndex()
    given = [b"%x" % (number * 7919) for number in range(count)]
    numbers_of(labels, given)
    again = LabelIndex.from_arrays(labels.text, labels.ends)
    assert list(again) == given
    assert numbers_of(again, [*given, b"new"]) == list(range(count + 1))


def test_labels_as_they_were_before():
    labels = LabelIndex()
    labels.add(b"a", b"bb", b"ccc")
    assert list(labels.first(2)) == [b"a", b"bb"]
    assert labels.first(2).find(b"ccc") == NO_LABEL
    assert labels.first(3) is labels


def test_numbering_stops_where_a_label_would_be_one_too_many():
    labels = LabelIndex()
    labels.most = 2
    numbers, done = number(labels, [b"a", b"b", b"a", b"c", b"a"])
    assert (numbers[:3], done) == ([0, 1, 0], 3)
    assert list(labels) == [b"a", b"b"]
    assert number(labels, [b"b", b"a"]) == ([1, 0], 2)
    assert looked_up(labels, [b"c"]) == [NO_LABEL]
    with pytest.raises(DataError, match="'c' is one more than the 2 that --max-labels allows"):
        labels.add(b"a", b"c")


def test_the_bound_itself_can_be_reached_while_the_table_grows():
    labels = LabelIndex()
    labels.most = 1000
    assert number(labels, [b"%d" % one for one in range(1001)])[1] == 1000
    assert len(labels) == 1000
