"""Labels keep their types through their words, and text shows them as words of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.constants import NO_LABEL
from lomtree.examples.label_index import LabelIndex
from lomtree.examples.typed_labels import NoWordError, is_typed, label_of, shown, word_of, words_of
from tests.examples.test_label_index import strings_of

simple = st.one_of(
    st.text(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.binary(max_size=20),
    st.floats(allow_nan=False),
)
finite = st.one_of(st.text(max_size=9), st.integers(), st.floats(allow_nan=False, allow_infinity=0))
labels = st.one_of(simple, st.tuples(finite, st.tuples(finite)), st.just(()))


def index_of(*some) -> LabelIndex:
    index = LabelIndex()
    index.add(*map(word_of, some))
    return index


@given(st.lists(labels, max_size=8))
def test_a_label_comes_back_as_it_was_with_its_type(some):
    again = [label_of(word_of(label)) for label in some]
    assert again == some
    assert list(map(type, again)) == list(map(type, some))
    assert list(map(repr, again)) == list(map(repr, some))


@given(labels, labels)
def test_labels_of_different_types_have_different_words(one, other):
    same = repr(one) == repr(other)
    assert (word_of(one) == word_of(other)) == same


@given(st.binary(min_size=1).filter(lambda word: not set(word) & set(b"\t\n ")))
def test_labels_of_text_are_strings_whatever_their_bytes(word):
    assert not is_typed(word)
    assert type(label_of(word)) is str
    assert word_of(label_of(word)) == word
    assert shown(word) == word


@given(labels)
def test_what_is_shown_is_one_word_but_for_the_spaces_of_a_string(label):
    word = word_of(label)
    assert shown(word)
    assert not set(shown(word)) & set(b"\t\n " if is_typed(word) else b"\t\n")
    assert not shown(word).startswith(b" ")


def test_how_labels_are_shown():
    some = ["cat", 1, "1", 2.5, True, None, "New York", "", "a\tb\n", ("a", 1)]
    assert [shown(word_of(label)).decode() for label in some] == [
        "cat", "1", "1", "2.5", "True", "None", "New York", '""', r"a\x09b\x0a", r"('a',\x201)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "label", [float("nan"), frozenset("a"), 2j, ("a", object()), (float("inf"),), ("x" * 2000,)]
)
def test_other_labels_have_no_word(label):
    with pytest.raises(NoWordError, match="a model file keeps strings, numbers, bytes"):
        word_of(label)


@pytest.mark.parametrize(
    "word",
    [
        b" ", b" 01", b" 1_0", b" +1", b" 'cat'", b" [1]", b" nan", b" x", b" f()", b" 1 ", b" {}",
        b" __import__('os')", b" " + b"(" * 900, b" " + b"-" * 900 + b"1", b" 'a' 'b'", b" \xff",
        b" " + b"1," * 2000, b" (1, [2])", b" 9" + b"9" * 5000,
    ],
)  # fmt: skip
def test_words_that_no_label_has_are_not_read(word):
    with pytest.raises(ValueError, match="one of its labels is"):
        label_of(word)
    with pytest.raises(ValueError, match="one of its labels is"):
        LabelIndex.from_arrays(np.frombuffer(word, np.uint8), np.array([0, len(word)]))


def test_an_index_of_typed_labels_comes_back_from_its_arrays():
    index = index_of(1, "1", "New York", "", None, "cat")
    again = LabelIndex.from_arrays(index.text, index.ends)
    assert [label_of(word) for word in again] == [1, "1", "New York", "", None, "cat"]
    assert again.typed.tolist() == [0, 3, 4]
    text = np.frombuffer(b"New\tYork", np.uint8)
    with pytest.raises(ValueError, match="tabs or newlines"):
        LabelIndex.from_arrays(text, np.array([0, 8]))


def test_text_means_a_string_or_else_the_label_that_is_shown_so():
    index = index_of(1, 2, "2", 3.5)
    words = strings_of([b"1", b"2", b"3.5", b"4", b""])
    numbers = np.empty(5, np.int32)
    index.look_up_shown(words, np.zeros(5, np.int8), numbers)
    assert numbers.tolist() == [0, 2, 3, NO_LABEL, NO_LABEL]
    assert index.number_shown(words, np.zeros(5, np.int8), numbers) == 5
    assert numbers.tolist() == [0, 2, 3, 4, NO_LABEL]
    assert index[4] == b"4"
    assert [index.shown_strings.word(number) for number in range(5)] == [
        b"1", b"2", b"2", b"3.5", b"4",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "some",
    [
        [],
        ["a", "New York", "\u0142", "\xed\r"],
        ["a", ""],
        ["", "a"],
        [" a", "b"],
        ["b", " a"],
        ["a\tb", "c"],
        ["a\nb", "c"],
        ["a\n", "c"],
        ["\n"],
        ["a", "\udc80"],
        ["a", 1, None, (1, "x")],
    ],
)
def test_words_of_several_labels_are_those_of_each(some):
    assert words_of(some) == [word_of(label) for label in some]


def test_several_labels_may_have_one_that_has_no_word():
    with pytest.raises(NoWordError, match="is a frozenset"):
        words_of(["a", frozenset()])
