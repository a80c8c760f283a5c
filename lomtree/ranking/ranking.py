"""Labels with their probabilities, from the leaves that searches have found.

A label's mass is the sum, over the leaves found in all trees, of the leaf's probability times the
label's share of it; then its centroid's cosine weighs it (see centroids.py). The mass is spread
wider than the predictions err: the scores of a tree are timid where it saw little, and several
trees disagree. Raised to the power INVERSE_TEMPERATURE and made to sum up to 1 it is a probability
that holds, on the held-out parts of four sets, with one tree and with three; or to the power that
training/calibration.py fits to the data at hand. The order of the labels stays the same.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.examples.batch import vector_of
from lomtree.jit.kernel import kernel
from lomtree.ranking.centroids import WeightedCentroids, cosine, fetch, length_of
from lomtree.ranking.leaf_distribution import MOST, LeafLabels

INVERSE_TEMPERATURE = 2.0
SMALLEST = 1e-300  # of a mass to divide by


class Ranking(NamedTuple):
    """The best labels of examples, best first; NO_LABEL and 0 where there are not so many.
    `inverse_temperature` is the power that masses are raised to."""

    labels: np.ndarray  # int32[examples, top]
    probabilities: np.ndarray  # float32[examples, top]
    asked: np.ndarray  # int32[examples]: regressors
    inverse_temperature: float = INVERSE_TEMPERATURE

    @classmethod
    def of(
        cls, count: int, top: int, inverse_temperature: float = INVERSE_TEMPERATURE
    ) -> "Ranking":
        return cls(
            np.full((count, top), NO_LABEL, np.int32),
            np.zeros((count, top), np.float32),
            np.zeros(count, np.int32),
            inverse_temperature,
        )

    def only(self, chosen: np.ndarray) -> "Ranking":
        """That of the chosen examples."""
        labels, probabilities, asked, inverse_temperature = self
        return Ranking(labels[chosen], probabilities[chosen], asked[chosen], inverse_temperature)


class FoundLeaves(NamedTuple):
    """What searches have found, a row an example; the columns of several trees side by side."""

    leaves: np.ndarray  # int64[rows, columns]: nodes, or NO_NODE
    masses: np.ndarray  # float64[rows, columns]: their probabilities


class Scorer(NamedTuple):
    """What labels are ranked by."""

    leaf_labels: LeafLabels  # those of all trees, joined
    centroids: WeightedCentroids


class Bag(NamedTuple):
    """Room for the labels of one example: an open-addressing table, and a list."""

    buckets: np.ndarray  # int32[power of two]: 1 + place in the list, by the label's hash; 0: free
    taken: np.ndarray  # int64[]: the buckets in use
    labels: np.ndarray  # int32[]
    masses: np.ndarray  # float64[]


def make_found(rows: int, columns: int) -> FoundLeaves:
    return FoundLeaves(np.empty((rows, columns), np.int64), np.empty((rows, columns)))


def make_bag(leaves: int) -> Bag:
    """For as many leaves an example."""
    most = leaves * MOST
    return Bag(
        np.zeros(1 << (2 * most).bit_length(), np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most),
    )


@kernel
def add(bag, held, label, mass):
    """Add to a label's mass; returns how many labels are in the bag then."""
    mask = len(bag.buckets) - 1
    bucket = np.int64(np.uint32(np.uint32(label) * np.uint32(0x9E3779B1))) & mask
    while bag.buckets[bucket] != 0 and bag.labels[bag.buckets[bucket] - 1] != label:
        bucket = (bucket + 1) & mask
    if bag.buckets[bucket] != 0:
        bag.masses[bag.buckets[bucket] - 1] += mass
        return held
    bag.buckets[bucket] = held + 1
    bag.taken[held] = bucket
    bag.labels[held] = label
    bag.masses[held] = mass
    return held + 1


@kernel
def collect(leaf_labels, found, row, bag):
    """The labels of the leaves in a row; returns their number."""
    held = 0
    for column in range(found.leaves.shape[1]):
        leaf = found.leaves[row, column]
        if leaf != NO_NODE:
            for place in range(leaf_labels.starts[leaf], leaf_labels.starts[leaf + 1]):
                mass = found.masses[row, column] * np.float64(leaf_labels.shares[place])
                held = add(bag, held, leaf_labels.labels[place], mass)
    for place in range(held):
        bag.buckets[bag.taken[place]] = 0
    return held


@kernel
def put_best(labels, masses, held, ranking, example):
    """Write the labels with the largest masses, of equal ones those that came first, with their
    probabilities."""
    best, probabilities, top = ranking.labels, ranking.probabilities, ranking.labels.shape[1]
    largest = SMALLEST
    for place in range(held):
        largest = max(largest, masses[place])
    total = SMALLEST
    kept = 0
    for place in range(held):
        probability = (masses[place] / largest) ** ranking.inverse_temperature
        total += probability
        at = kept if kept < top else top - 1
        if kept == top and probabilities[example, at] >= np.float32(probability):
            continue
        while at > 0 and probabilities[example, at - 1] < np.float32(probability):
            probabilities[example, at] = probabilities[example, at - 1]
            best[example, at] = best[example, at - 1]
            at -= 1
        probabilities[example, at] = probability
        best[example, at] = labels[place]
        kept = min(kept + 1, top)
    for at in range(kept):
        probabilities[example, at] = np.float32(probabilities[example, at] / total)


@kernel
def weigh(weighted, vector, bag, held):
    """Multiply the masses in the bag by what the cosine says. Those that it could not lift to the
    largest one are left alone."""
    centroids, weight = weighted
    least = 0.0
    for place in range(held):
        least = max(least, bag.masses[place] * exp(-weight))
    for place in range(held):
        if bag.masses[place] >= least:
            fetch(centroids.table, vector, bag.labels[place])
    length = length_of(vector)
    for place in range(held):
        if bag.masses[place] >= least:
            like = cosine(centroids, vector, length, bag.labels[place])
            bag.masses[place] *= exp(weight * like)


@kernel
def rank(scorer, batch, found, first, last, bag, ranking):
    """Rank the labels of the examples first:last; row 0 of what was found is the first's."""
    for example in range(first, last):
        held = collect(scorer.leaf_labels, found, example - first, bag)
        if scorer.centroids.weight > 0.0:
            weigh(scorer.centroids, vector_of(batch, example), bag, held)
        put_best(bag.labels, bag.masses, held, ranking, example)
