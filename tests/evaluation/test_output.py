"""Predictions as lines: the label as it was written, and the tag behind a space."""

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.evaluation.output import label_lines
from lomtree.evaluation.predict import Predicted
from lomtree.examples.batch import make_batch
from lomtree.examples.examples import Examples, Origin
from lomtree.examples.label_index import LabelIndex
from tests.examples.test_label_index import strings_of


def lines_for(labels, predictions: list[int], tags: list[bytes], bad=(), origin=None) -> bytes:
    count, words = len(predictions), LabelIndex()
    words.add(*labels)
    problems = np.zeros(count, np.int8)
    problems[list(bad)] = 1
    nothing = strings_of([b""] * count)
    given = Examples(make_batch(count, 0), count, nothing, strings_of(tags), problems, origin)
    depths = np.zeros(count, np.int32)
    return label_lines(words, Predicted(given, np.array(predictions, np.int32), depths, None))


def test_the_label_as_it_was_written_and_the_tag_behind_a_space():
    labels = [b"cat", b"\xff\x00", b"0007"]
    lines = lines_for(labels, [2, 0, 1, 0], [b"", b"first", b"\xe9", b""])
    assert lines == b"0007\ncat first\n\xff\x00 \xe9\ncat\n"


def test_a_skipped_line_is_an_empty_line():
    assert lines_for([b"cat"], [0, 0, 0], [b"a", b"b", b""], bad=[1]) == b"cat a\n\ncat\n"


def test_no_prediction_leaves_the_label_out():
    assert lines_for([], [NO_LABEL, NO_LABEL], [b"", b"tag"]) == b"\n tag\n"
    labels = [b"a", b"a-long-last-label"]
    assert lines_for(labels, [NO_LABEL, 1], [b"t", b""]) == b" t\na-long-last-label\n"


def test_no_examples_no_lines():
    assert lines_for([], [], []) == b""


def test_lines_without_an_example_are_empty():
    origin = Origin("x", 1, 6, np.array([1, 4]), np.zeros(2, np.int64))
    assert lines_for([b"a", b"b"], [0, 1], [b"", b"t"], origin=origin) == b"\na\n\n\nb t\n\n"
