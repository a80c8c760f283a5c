"""Labels keep their bytes and are numbered in the order in which they first appear."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.batch import BAD_VALUE, Spans, make_arrays
from lomtree.errors import DataError
from lomtree.labels import NONE, Labels

label_bytes = st.binary(min_size=1, max_size=12)


def text_with(labels: list[bytes], tags: list[bytes] | None = None) -> tuple[np.ndarray, Spans]:
    """A text in which label i, a space, tag i and a space follow each other; no label is empty
    bytes, no tag too."""
    spans = make_arrays(0, len(labels))[1]
    text = bytearray()
    for number, (label, tag) in enumerate(zip(labels, tags or [b""] * len(labels), strict=True)):
        spans.problem[number] = 0
        spans.label_begin[number], spans.label_end[number] = len(text), len(text) + len(label)
        text += label + b" "
        spans.tag_begin[number], spans.tag_end[number] = len(text), len(text) + len(tag)
        text += tag + b" "
    return np.frombuffer(bytes(text), np.uint8), spans


def numbers_of(labels: Labels, given: list[bytes], *, new_ones: bool = True) -> list[int]:
    numbers = np.full(len(given), 99, np.int32)
    method = labels.number if new_ones else labels.look_up
    method(*text_with(given), len(given), numbers)
    return numbers.tolist()


def test_labels_are_numbered_in_order_of_appearance():
    labels = Labels()
    assert numbers_of(labels, [b"cat", b"7", b"cat", b"-1", b"7"]) == [0, 1, 0, 2, 1]
    assert list(labels) == [b"cat", b"7", b"-1"]
    assert numbers_of(labels, [b"dog", b"cat"]) == [3, 0]
    assert (len(labels), labels[3]) == (4, b"dog")


@settings(deadline=None)
@given(st.lists(st.lists(label_bytes, max_size=30), max_size=5))
def test_numbers_are_those_of_a_dictionary_whatever_the_bytes(blocks):
    labels, expected = Labels(), {}
    for block in blocks:
        wanted = [expected.setdefault(label, len(expected)) for label in block]
        assert numbers_of(labels, block) == wanted
    assert list(labels) == list(expected)
    assert labels.add(*expected).tolist() == list(expected.values())


def test_labels_are_bytes_and_only_equal_bytes_are_the_same_label():
    given = [b"\xff\xfe", b"1", b"01", b"1.0", b"+1", "é".encode(), "e\u0301".encode(), b"\xff"]
    labels = Labels()
    assert numbers_of(labels, given) == list(range(len(given)))
    assert list(labels) == given


def test_the_table_grows_within_one_block():
    given = [b"label-%d" % number for number in range(50_000)]
    labels = Labels()
    assert numbers_of(labels, given + given[::-1]) == [*range(50_000), *range(49_999, -1, -1)]
    assert labels[49_999] == b"label-49999"


def test_labels_may_be_long():
    given = [b"x" * length for length in (1, 5_000, 100_000, 100_001, 3_000_000)]
    labels = Labels()
    assert numbers_of(labels, given * 2) == [*range(5), *range(5)]
    assert list(labels) == given


def test_an_example_without_a_label_or_with_a_problem_gets_no_number():
    text, spans = text_with([b"a", b"", b"b", b"c"])
    spans.problem[2] = BAD_VALUE
    numbers = np.full(4, 99, np.int32)
    labels = Labels()
    labels.number(text, spans, 4, numbers)
    assert numbers.tolist() == [0, NONE, NONE, 1]
    assert list(labels) == [b"a", b"c"]


def test_only_the_first_examples_of_a_block_are_numbered():
    numbers = np.full(3, 99, np.int32)
    labels = Labels()
    labels.number(*text_with([b"a", b"b", b"c"]), 2, numbers)
    assert numbers.tolist() == [0, 1, 99]
    assert len(labels) == 2


def test_looking_up_adds_nothing():
    labels = Labels()
    numbers_of(labels, [b"a", b"b"])
    assert numbers_of(labels, [b"b", b"new", b"", b"a"], new_ones=False) == [1, NONE, NONE, 0]
    assert list(labels) == [b"a", b"b"]
    assert numbers_of(Labels(), [b"a"], new_ones=False) == [NONE]


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 5000])
def test_arrays_make_the_same_labels_again(count):
    labels = Labels()
    given = [b"%x" % (number * 7919) for number in range(count)]
    numbers_of(labels, given)
    again = Labels.from_arrays(labels.text, labels.ends)
    assert list(again) == given
    assert numbers_of(again, [*given, b"new"]) == list(range(count + 1))


def lines_for(labels: Labels, answers: list[int], tags: list[bytes], bad=()) -> bytes:
    text, spans = text_with([b"?"] * len(answers), tags)
    spans.problem[list(bad)] = BAD_VALUE
    return labels.answer_lines(np.array(answers, np.int32), text, spans, len(answers))


def test_an_answer_is_the_label_as_it_was_written_and_the_tag_behind_a_space():
    labels = Labels()
    numbers_of(labels, [b"cat", b"\xff\x00", b"0007"])
    lines = lines_for(labels, [2, 0, 1, 0], [b"", b"first", b"\xe9", b""])
    assert lines == b"0007\ncat first\n\xff\x00 \xe9\ncat\n"


def test_a_skipped_line_is_an_empty_line():
    labels = Labels()
    numbers_of(labels, [b"cat"])
    assert lines_for(labels, [0, 0, 0], [b"a", b"b", b""], bad=[1]) == b"cat a\n\ncat\n"


def test_no_answer_leaves_the_label_out():
    assert lines_for(Labels(), [NONE, NONE], [b"", b"tag"]) == b"\n tag\n"
    labels = Labels()
    numbers_of(labels, [b"a", b"a-long-last-label"])
    assert lines_for(labels, [NONE, 1], [b"t", b""]) == b" t\na-long-last-label\n"


def test_no_examples_no_lines():
    assert lines_for(Labels(), [], []) == b""


def test_labels_as_they_were_before():
    labels = Labels()
    labels.add(b"a", b"bb", b"ccc")
    assert list(labels.first(2)) == [b"a", b"bb"]
    assert labels.first(2).find(b"ccc") == NONE
    assert labels.first(3) is labels


def test_numbering_stops_where_a_label_would_be_one_too_many():
    labels, given = Labels(), [b"a", b"b", b"a", b"c", b"a"]
    labels.most = 2
    numbers = np.full(5, 99, np.int32)
    assert labels.number(*text_with(given), 5, numbers) == 3
    assert numbers.tolist()[:3] == [0, 1, 0]
    assert list(labels) == [b"a", b"b"]
    assert labels.number(*text_with([b"b", b"a"]), 2, numbers) == 2
    assert numbers_of(labels, [b"c"], new_ones=False) == [NONE]
    with pytest.raises(DataError, match="'c' is one more than the 2 that --max-labels allows"):
        labels.add(b"a", b"c")


def test_the_bound_itself_can_be_reached_while_the_table_grows():
    labels = Labels()
    labels.most = 1000
    given = [b"%d" % number for number in range(1001)]
    assert labels.number(*text_with(given), 1001, np.empty(1001, np.int32)) == 1000
    assert len(labels) == 1000
