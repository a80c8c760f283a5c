"""Examples as plain arrays: what the parsers fill and the learners read."""

from typing import NamedTuple

import numpy as np

# The feature that every example has, last, with value 1: VW's constant (intercept).
CONSTANT = 11650396


class Batch(NamedTuple):
    """What learners need of n examples; the arrays may be longer than n."""

    starts: np.ndarray  # int64[n + 1]; example i has the features starts[i]:starts[i + 1]
    features: np.ndarray  # uint32[]; hashes, not masked
    values: np.ndarray  # float32[]; finite and not 0
    labels: np.ndarray  # int32[n]; number of the label, -1 until someone looks it up
    weights: np.ndarray  # float32[n]; importance, finite and >= 0


class Spans(NamedTuple):
    """Where n examples stand in their block of text; begin == end means that there is none."""

    label_begin: np.ndarray  # int64[n]; byte positions in the text
    label_end: np.ndarray
    tag_begin: np.ndarray
    tag_end: np.ndarray
    line: np.ndarray  # int64[n]; counted from 0 at the beginning of the block
    problem: np.ndarray  # int8[n]; GOOD or one of the codes below
    column: np.ndarray  # int64[n]; the problem's byte in its line, counted from 1


GOOD = 0
BAD_VALUE = 1
LARGE_VALUE = 2
COLON_IN_LABEL = 3
BAD_IMPORTANCE = 4
WORD_BEFORE_BAR = 5
NO_NAMESPACE = 6
BAD_INDEX = 7
NO_LABEL = 8
TAG_FOR_LABEL = 9

# The reader adds where it was and what was found there.
SENTENCES = {
    BAD_VALUE: "expected a number after ':'",
    LARGE_VALUE: "expected a value (times its namespace's weight) between -3.4e38 and 3.4e38",
    COLON_IN_LABEL: "expected a label without ':'",
    BAD_IMPORTANCE: "expected an importance (a number, 0 or more) after the label",
    WORD_BEFORE_BAR: "expected '|' after the label and its importance",
    NO_NAMESPACE: "expected a namespace or a space after '|'",
    BAD_INDEX: "expected INDEX:VALUE with a whole number below 4294967296 as the index",
    NO_LABEL: "expected a label",
    TAG_FOR_LABEL: (
        "expected a space after the label (VW reads a word that touches '|' or ends the line "
        "as a tag)"
    ),
}


def make_arrays(byte_count: int, newline_count: int) -> tuple[Batch, Spans]:
    """Arrays that no text of so many bytes and newlines can overflow.

    A feature is at least one byte behind one space, and each line adds the constant. Memory that
    is never touched costs nothing.
    """
    examples = newline_count + 1
    features = byte_count // 2 + examples
    batch = Batch(
        starts=np.empty(examples + 1, np.int64),
        features=np.empty(features, np.uint32),
        values=np.empty(features, np.float32),
        labels=np.empty(examples, np.int32),
        weights=np.empty(examples, np.float32),
    )
    spans = Spans(
        label_begin=np.empty(examples, np.int64),
        label_end=np.empty(examples, np.int64),
        tag_begin=np.empty(examples, np.int64),
        tag_end=np.empty(examples, np.int64),
        line=np.empty(examples, np.int64),
        problem=np.empty(examples, np.int8),
        column=np.empty(examples, np.int64),
    )
    return batch, spans


def holds(batch: Batch, byte_count: int, newline_count: int) -> bool:
    """Whether arrays from make_arrays are large enough for another text."""
    examples = newline_count + 1
    return len(batch.labels) >= examples and len(batch.values) >= byte_count // 2 + examples


def pick(batch: Batch, chosen: np.ndarray) -> Batch:
    """A batch of its own with the examples whose numbers are `chosen`."""
    lengths = (batch.starts[1:] - batch.starts[:-1])[chosen]
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    shift = np.repeat(batch.starts[chosen] - starts[:-1], lengths)
    positions = np.arange(starts[-1]) + shift
    return Batch(
        starts,
        batch.features[positions],
        batch.values[positions],
        batch.labels[chosen],
        batch.weights[chosen],
    )


def part(batch: Batch, begin: int, end: int) -> Batch:
    """The examples begin:end, still in the arrays of the batch."""
    first, last = batch.starts[begin], batch.starts[end]
    return Batch(
        batch.starts[begin : end + 1] - first,
        batch.features[first:last],
        batch.values[first:last],
        batch.labels[begin:end],
        batch.weights[begin:end],
    )


def copy(batch: Batch, count: int) -> Batch:
    """A batch of its own with the first `count` examples."""
    features = batch.starts[count]
    return Batch(
        batch.starts[: count + 1].copy(),
        batch.features[:features].copy(),
        batch.values[:features].copy(),
        batch.labels[:count].copy(),
        batch.weights[:count].copy(),
    )


def longest(batch: Batch, begin: int, end: int) -> int:
    """The most features that one of these examples has."""
    return int(np.diff(batch.starts[begin : end + 1]).max(initial=0))
