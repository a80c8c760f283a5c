"""A dict is the line of VW text that says the same."""

import random

import numpy as np
import pytest

from lomtree.arrays.dicts import batch_of, batches_of, joined
from lomtree.arrays.names import FeatureNames
from lomtree.examples.batch import CONSTANT, copy
from lomtree.formats.one_line import parse_lines

NAMES = ["x", "long_name_of_a_feature", "7", "007", "a=b", "ä", "w" * 15, "12345678901", "3x"]


def line_of(features: dict) -> str:
    words = []
    for name, value in features.items():
        if isinstance(value, str):
            words.append(f"{name}={value}")
        else:
            words.append(f"{name}:{value!r}")
    return "| " + " ".join(words)


def parsed(lines: list[str]):
    examples = parse_lines(("\n".join(lines) + "\n").encode(), "vw", "X", 1).examples
    return copy(examples.batch, examples.count)


def same(one, other) -> bool:
    ends = one.starts[-1], other.starts[-1]
    return (
        np.array_equal(one.starts, other.starts)
        and np.array_equal(one.features[: ends[0]], other.features[: ends[1]])
        and np.array_equal(one.values[: ends[0]], other.values[: ends[1]])
    )


def test_dicts_are_hashed_as_text_is():
    rng = random.Random(0)
    dicts = []
    for _ in range(200):
        chosen = rng.sample(NAMES, rng.randrange(len(NAMES) + 1))
        dicts.append({name: rng.choice([0.0, 1.5, -2, 1e-3, "red", "blau"]) for name in chosen})
    expected = parsed([line_of(one) for one in dicts])
    assert same(batch_of(dicts, FeatureNames()), expected)
    parts = (dicts[first : first + 30] for first in range(0, 200, 30))
    cut = [batch for some in parts for batch in batches_of(some, FeatureNames())]
    assert same(joined(cut), expected)


def test_names_with_a_namespace_whole_numbers_and_lists_of_strings():
    dicts = [{("words", "hello"): 2.0, ("words", "c"): "x", 5: 1.5, "tag": ["a", "b"], "no": None}]
    text = "|words hello:2 c=x | 5:1.5 tag=a tag=b"
    assert same(batch_of(dicts, FeatureNames()), parsed([text]))


def test_what_is_named_twice_is_summed_and_zeros_are_left_out():
    batch = batch_of([{"7": 1.0, 7: 2.0, "z": 0.0, "t": True, "f": False}, {}], FeatureNames())
    assert batch.starts.tolist() == [0, 3, 4]
    assert batch.values.tolist() == [3.0, 1.0, 1.0, 1.0]
    assert batch.features[[0, 2, 3]].tolist() == [7, CONSTANT, CONSTANT]


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        ({"x": float("nan")}, "contains NaN: X\\[1\\]\\['x'\\]"),
        ({"x": 1e300}, "too large"),
        ({"x": object()}, "is a object, not a number or a string"),
        ({"x": [1]}, "only strings may be"),
        ({-1: 1.0}, "-1 is no name of a feature"),
        ({2.5: 1.0}, "2.5 is no name of a feature"),
        (3, "X\\[1\\] is a int, not a dict"),
    ],
)
def test_what_is_no_example_is_told(one, sentence):
    with pytest.raises(ValueError, match=sentence):
        batch_of([{"y": 1}, one], FeatureNames())


def test_names_that_were_forgotten_are_hashed_again(monkeypatch):
    monkeypatch.setattr("lomtree.arrays.names._REMEMBERED", 2)
    names = FeatureNames()
    first = dict(names.learn(["a", "b", "c"]))
    assert {name: names.learn([name])[name] for name in "abc"} == first
