"""What is counted and shown while training goes on."""

import sys

import numpy as np
import pytest

from lomtree.examples.label_index import LabelIndex
from lomtree.training.progress import Meter, to_stderr
from tests.generators.streams import batch_of, example


class Watched:
    """A meter fed with (label, prediction, weight) of examples that have two features each."""

    def __init__(self, progress: float | int = 2.0, labels: tuple = (b"cat", b"dog")) -> None:
        names = LabelIndex()
        for label in labels:
            names.add(label)
        self.text: list[str] = []
        self.meter = Meter(names, progress, self.text.append)

    def feed(self, *examples: tuple[int, int, float]) -> "Watched":
        batch = batch_of([example(y, {1: 1, 2: 1}, w) for y, _predict, w in examples])
        predictions = np.array([prediction for _y, prediction, _w in examples], np.int32)
        self.meter.add(batch, len(examples), predictions, np.full(len(examples), 3, np.int32))
        return self

    @property
    def rows(self) -> list[list[str]]:
        return [line.split() for line in self.text]


RIGHT, WRONG = (0, 0, 1.0), (0, 1, 1.0)


def test_a_row_shows_errors_so_far_and_since_the_last_row():
    watched = Watched().feed(WRONG, RIGHT, RIGHT, WRONG)
    assert watched.rows == [
        ["1.0000", "1.0000", "1", "cat", "dog", "3", "2"],
        ["0.5000", "0.0000", "2", "cat", "cat", "3", "2"],
        ["0.5000", "0.5000", "4", "cat", "dog", "3", "2"],
    ]


@pytest.mark.parametrize(
    ("progress", "numbers"),
    [
        (2.0, [1, 2, 4, 8, 16]),
        (3.0, [1, 3, 9]),
        (1.01, list(range(1, 21))),
        (10, [10, 20]),
        (1, list(range(1, 21))),
        (21, []),
    ],
)
def test_rows_come_at_multiples_or_every_so_many(progress, numbers):
    assert [int(row[2]) for row in Watched(progress).feed(*[RIGHT] * 20).rows] == numbers


def test_batches_change_nothing():
    rng = np.random.default_rng(4)
    examples = [(int(a), int(b), float(w + 1)) for a, b, w in rng.integers(0, 2, (100, 3))]
    whole, cut = Watched().feed(*examples), Watched()
    for one in examples:
        cut.feed(one)
    cut.feed()
    assert cut.text == whole.text
    assert (cut.meter.examples, cut.meter.error) == (100, pytest.approx(whole.meter.error))
    assert cut.meter.features == 200


def test_errors_are_weighted_by_importance():
    assert Watched().feed((0, 1, 3.0), (0, 0, 1.0)).meter.error == 0.75
    assert Watched().feed((0, 1, 0.0)).meter.error == 0.0
    assert Watched().feed((0, 1, 0.0)).rows[0][:2] == ["0.0000", "0.0000"]
    assert Watched().meter.error == 0.0


def test_no_prediction_yet_is_a_dash_and_long_labels_are_cut():
    watched = Watched(labels=(b"a-label-of-many-letters", b"\xff")).feed((0, -1, 1.0), (1, 0, 1.0))
    assert [row[3:5] for row in watched.rows] == [
        ["a-label-of-ma...", "-"],
        ["\\xff", "a-label-of-ma..."],
    ]


def test_the_columns_have_headings():
    watched = Watched()
    watched.meter.head()
    assert watched.text[0].split()[-7:] == [
        "error", "last", "counter", "label", "prediction", "depth", "features",
    ]  # fmt: skip


def test_nobody_listening_is_no_reason_to_stop(monkeypatch):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    assert to_stderr("hello\n") is False
    monkeypatch.setattr(sys, "stderr", None)  # what Python makes of `2>&-`
    assert to_stderr("hello\n") is False
