"""Examples as plain arrays: what the parsers fill and the learners read."""

from typing import NamedTuple

import numpy as np

from lomtree.jit.kernel import kernel

# The feature that every example has, last, with value 1: VW's constant (intercept).
CONSTANT = 11650396


class Batch(NamedTuple):
    """What learners need of n examples; the arrays may be longer than n."""

    starts: np.ndarray  # int64[n + 1]; example i has the features starts[i]:starts[i + 1]
    features: np.ndarray  # uint32[]; hashes, not masked; none twice in an example
    values: np.ndarray  # float32[]; finite and not 0
    labels: np.ndarray  # int32[n]; number of the label, -1 until someone looks it up
    weights: np.ndarray  # float32[n]; importance, finite and >= 0


class Vector(NamedTuple):
    """The features of one example, where they are in the arrays of a batch."""

    features: np.ndarray  # uint32[]
    values: np.ndarray  # float32[]
    begin: int
    end: int


@kernel
def vector_of(batch, example):
    return Vector(batch.features, batch.values, batch.starts[example], batch.starts[example + 1])


def make_batch(examples: int, features: int) -> Batch:
    """Room for so many; memory that is never touched costs nothing."""
    return Batch(
        starts=np.empty(examples + 1, np.int64),
        features=np.empty(features, np.uint32),
        values=np.empty(features, np.float32),
        labels=np.empty(examples, np.int32),
        weights=np.empty(examples, np.float32),
    )


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
