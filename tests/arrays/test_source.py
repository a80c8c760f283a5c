"""Whatever X is, its kind is found, and nothing of it is lost."""

import numpy as np
import pytest

from lomtree.arrays.source import check_weights, examples_of, kind_of
from lomtree.examples.typed_labels import label_of


def words_of(examples) -> list:
    return [label_of(examples.labels.word(n)) for n in range(examples.count)]


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (np.zeros((2, 2)), "matrix"),
        ([[1, 2]], "matrix"),
        ([{"a": 1}], "dicts"),
        (["1 | a"], "lines"),
        (np.array(["1 | a"]), "lines"),
        (np.array([{"a": 1}], object), "dicts"),
        (iter([b"1 | a"]), "lines"),
    ],
)
def test_kinds(X, kind):
    assert kind_of(X)[0] == kind


def test_a_generator_is_streamed_and_complete():
    asked = []

    def dicts():
        for number in range(20_000):
            asked.append(number)
            yield {"x": number}

    first, *rest = [(one.count, len(asked)) for one in examples_of(dicts())]
    assert first == (8192, 8192)
    assert first[0] + sum(count for count, _ in rest) == 20_000


def test_lines_have_labels_and_weights_of_their_own_unless_others_are_given():
    lines = ["cat 2 | a b", "dog | c"]
    [own] = examples_of(lines)
    assert (words_of(own), own.batch.weights[:2].tolist()) == (["cat", "dog"], [2.0, 1.0])
    [given] = examples_of(lines, [1, 2], [0.5, 3])
    assert (words_of(given), given.batch.weights[:2].tolist()) == ([1, 2], [0.5, 3.0])


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (["1 | a:x"], "X:1:"),
        (["1 | a", "2 | b:nan"], "X:2:"),
        (["1 | a", ""], "X\\[1\\] is a line without an example"),
        (["1 | a\n2 | b"], "more than one line"),
        (["1 | a", 5], "is a int, not a line of text"),
        ({"a": 1}, "X is one dict"),
        ("1 | a", "X is one string"),
        (np.zeros(3), "Expected 2D array"),
    ],
)
def test_what_is_wrong_is_told(X, sentence):
    with pytest.raises(ValueError, match=sentence):
        list(examples_of(X))


def test_labels_and_weights_are_as_many_as_rows():
    for y in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match="examples"):
            list(examples_of(np.ones((2, 1)), y))
    for weights, sentence in (([-1.0], "negative"), ([np.nan], "NaN"), ([[1.0]], "1D")):
        with pytest.raises(ValueError, match=sentence):
            check_weights(weights)
