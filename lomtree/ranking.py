"""Labels with their probabilities, from the leaves that searches have found.

A label's mass is the sum, over the leaves found in all trees, of the leaf's probability times the
label's share of it; then likeness weighs it (see profiles.py). The mass is spread wider than the
answers err: the scores of a tree are timid where it saw little, and several trees disagree.
Raised to the power SHARPNESS and made to sum up to 1 it is a probability that holds, on the
held-out parts of four sets, with one tree and with three; or to the power that calibration.py finds
for the data at hand. The order of the labels stays the same.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.leaf_labels import MOST
from lomtree.profiles import fetch, length_of, likeness
from lomtree.structure import NO_LABEL, NONE

SHARPNESS = 2.0
SMALLEST = 1e-300  # of a mass to divide by


class Ranking(NamedTuple):
    """The best labels of examples, best first; NO_LABEL and 0 where there are not so many.
    `sharpness` is the power that masses are raised to."""

    labels: np.ndarray  # int32[examples, top]
    probabilities: np.ndarray  # float32[examples, top]
    asked: np.ndarray  # int32[examples]: regressors
    sharpness: float = SHARPNESS

    @classmethod
    def of(cls, count: int, top: int, sharpness: float = SHARPNESS) -> "Ranking":
        return cls(
            np.full((count, top), NO_LABEL, np.int32),
            np.zeros((count, top), np.float32),
            np.zeros(count, np.int32),
            sharpness,
        )

    def only(self, chosen: np.ndarray) -> "Ranking":
        """That of the chosen examples."""
        labels, probabilities, asked, sharpness = self
        return Ranking(labels[chosen], probabilities[chosen], asked[chosen], sharpness)


class Bag(NamedTuple):
    """Room for the labels of one example: an open-addressing table, and a list."""

    slots: np.ndarray  # int32[power of two]: 1 + place in the list, by the label's hash; 0: free
    taken: np.ndarray  # int64[]: the slots in use
    labels: np.ndarray  # int32[]
    masses: np.ndarray  # float64[]


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
    mask = len(bag.slots) - 1
    slot = np.int64(np.uint32(label) * np.uint32(0x9E3779B1)) & mask
    while bag.slots[slot] != 0 and bag.labels[bag.slots[slot] - 1] != label:
        slot = (slot + 1) & mask
    if bag.slots[slot] != 0:
        bag.masses[bag.slots[slot] - 1] += mass
        return held
    bag.slots[slot] = held + 1
    bag.taken[held] = slot
    bag.labels[held] = label
    bag.masses[held] = mass
    return held + 1


@kernel
def collect(leaf_labels, leaves, masses, row, bag):
    """The labels of the leaves in a row; returns their number."""
    held = 0
    for column in range(leaves.shape[1]):
        leaf = leaves[row, column]
        if leaf != NONE:
            for place in range(leaf_labels.starts[leaf], leaf_labels.starts[leaf + 1]):
                mass = masses[row, column] * leaf_labels.shares[place]
                held = add(bag, held, leaf_labels.labels[place], mass)
    for place in range(held):
        bag.slots[bag.taken[place]] = 0
    return held


@kernel
def put_best(labels, masses, held, ranking, example):
    """Write the labels with the largest masses, of equal ones those that came first, with their
    probabilities."""
    best, chances, top = ranking.labels, ranking.probabilities, ranking.labels.shape[1]
    largest = SMALLEST
    for place in range(held):
        largest = max(largest, masses[place])
    total = SMALLEST
    kept = 0
    for place in range(held):
        chance = (masses[place] / largest) ** ranking.sharpness
        total += chance
        at = kept if kept < top else top - 1
        if kept == top and chances[example, at] >= np.float32(chance):
            continue
        while at > 0 and chances[example, at - 1] < np.float32(chance):
            chances[example, at] = chances[example, at - 1]
            best[example, at] = best[example, at - 1]
            at -= 1
        chances[example, at] = chance
        best[example, at] = labels[place]
        kept = min(kept + 1, top)
    for at in range(kept):
        chances[example, at] = np.float32(chances[example, at] / total)


@kernel
def weigh(likenesses, batch, example, bag, held):
    """Multiply the masses in the bag by what likeness says. Those that it could not lift to the
    largest one are left alone."""
    profiles, weight = likenesses
    begin, end = batch.starts[example], batch.starts[example + 1]
    least = 0.0
    for place in range(held):
        least = max(least, bag.masses[place] * exp(-weight))
    for place in range(held):
        if bag.masses[place] >= least:
            fetch(profiles.table, batch.features, begin, end, bag.labels[place])
    length = length_of(batch, begin, end)
    for place in range(held):
        if bag.masses[place] >= least:
            like = likeness(profiles, batch, begin, end, length, bag.labels[place])
            bag.masses[place] *= exp(weight * like)


@kernel
def rank(leaf_labels, likenesses, batch, leaves, masses, first, last, bag, ranking):
    """Rank the labels of the examples first:last; row 0 of leaves and masses is the first's."""
    for example in range(first, last):
        held = collect(leaf_labels, leaves, masses, example - first, bag)
        if likenesses.weight > 0.0:
            weigh(likenesses, batch, example, bag, held)
        put_best(bag.labels, bag.masses, held, ranking, example)
