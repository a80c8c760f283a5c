"""Beam search: the best leaves of a tree for an example, instead of the one where a walk ends.

A node's score is read as a probability: sigma(h) is that of going right. From level to level the
search holds the `width` most probable nodes; a leaf stays among them as long as it is. So it asks
at most width * depth regressors. With width 1 it is the walk.

The logistic loss means its scores to be read so. Those of the other losses stay near -1 and 1, and
are stretched to the range of the logistic one: up to where its gradients fall below the threshold.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.examples.batch import vector_of
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.learners.tree.leaf_labels import KEPT, total_of
from lomtree.learners.tree.walk import child
from lomtree.linear.hashed_weights import fetch
from lomtree.linear.update import score
from lomtree.ranking.ranking import FoundLabels

HOPELESS = 1e-2  # nodes so much less probable than the best one are given up
SMALLEST = 1e-300  # however deep the tree: no probability becomes 0


class Beam(NamedTuple):
    """Room for the nodes of two levels, the most probable first."""

    nodes: np.ndarray  # int64[2, width]
    masses: np.ndarray  # float64[2, width]: the probability that the example comes to the node


class SearchSettings(NamedTuple):
    """How one tree is searched, and where its labels go."""

    stretch: float  # what scores are multiplied by before they are read as probabilities
    column: int  # its first one


class SearchRoom(NamedTuple):
    """Where a search of one tree puts what it finds."""

    column: int  # the first of its labels
    beam: Beam
    found: FoundLabels
    asked: np.ndarray  # int32[examples]: counts regressors


def make_beam(width: int) -> Beam:
    return Beam(np.empty((2, width), np.int64), np.empty((2, width)))


@kernel
def put(beam, level, held, v, mass):
    """Put v among the nodes of a level that are held, best first; if there are too many, the last
    one falls out. Returns how many are held then."""
    nodes, masses = beam.nodes, beam.masses
    if held == nodes.shape[1]:
        if mass <= masses[level, held - 1]:
            return held
        held -= 1
    place = held
    while place > 0 and masses[level, place - 1] < mass:
        nodes[level, place] = nodes[level, place - 1]
        masses[level, place] = masses[level, place - 1]
        place -= 1
    nodes[level, place] = v
    masses[level, place] = mass
    return held + 1


@kernel
def fetch_level(router, vector, beam, level, held):
    """Ask for the children and the weights of all nodes of a level at once; returns how many of
    them are no leaves."""
    nodes, inner = router.tree.nodes, 0
    for place in range(held):
        v = beam.nodes[level, place]
        if nodes[v].left != NO_NODE:
            prefetch(nodes, nodes[v].left)
            prefetch(nodes, nodes[v].right)
            fetch(router.weights, nodes[v].slot, vector)
            inner += 1
    return inner


@kernel
def search_example(router, vector, stretch, beam):
    """Returns the level of the beam that holds the leaves, their number, and the number of
    regressors asked."""
    nodes = router.tree.nodes
    level, held, asked = 0, 1, 0
    beam.nodes[0, 0] = router.tree.counts[0].root
    beam.masses[0, 0] = 1.0
    while True:
        inner = fetch_level(router, vector, beam, level, held)
        if inner == 0:
            return level, held, asked
        asked += inner
        below = 0
        for place in range(held):
            v, mass = beam.nodes[level, place], beam.masses[level, place]
            if nodes[v].left == NO_NODE:
                below = put(beam, 1 - level, below, v, mass)
                continue
            h = score(router.weights, nodes[v].slot, vector)
            likely = np.int64(child(nodes, v, h))
            other = np.int64(nodes[v].left) + np.int64(nodes[v].right) - likely
            if nodes[other].label == NO_LABEL:
                below = put(beam, 1 - level, below, likely, mass)
                continue
            share = 1.0 / (1.0 + exp(-stretch * abs(np.float64(h))))
            below = put(beam, 1 - level, below, likely, max(mass * share, SMALLEST))
            below = put(beam, 1 - level, below, other, max(mass * (1.0 - share), SMALLEST))
        level, held = 1 - level, below
        while beam.masses[level, held - 1] < HOPELESS * beam.masses[level, 0]:
            held -= 1


@kernel
def offer(router, kept, beam, level, held, found, row, column):
    """Write the labels of the leaves that were found, with their masses: the leaf's probability
    times the label's share of it."""
    for place in range(held):
        leaf, mass = beam.nodes[level, place], beam.masses[level, place]
        at = column + place * KEPT
        if len(kept.labels) == 0:
            found.labels[row, at] = router.tree.nodes[leaf].label
            found.masses[row, at] = mass
            continue
        total = total_of(kept, leaf)
        for label in range(KEPT):
            found.labels[row, at + label] = kept.labels[leaf, label]
            found.masses[row, at + label] = mass * np.float64(kept.weights[leaf, label]) / total


@kernel
def search(router, kept, batch, first, last, is_open, settings, beam, found, asked):
    """Write the labels found for each of the examples first:last that is open; row 0 is the first
    example's. Adds the regressors asked to `asked`."""
    columns = beam.nodes.shape[1] * KEPT
    for example in range(first, last):
        row = example - first
        if not is_open[row]:
            continue
        for column in range(settings.column, settings.column + columns):
            found.labels[row, column] = NO_LABEL
        vector = vector_of(batch, example)
        level, held, count = search_example(router, vector, settings.stretch, beam)
        asked[example] += count
        offer(router, kept, beam, level, held, found, row, settings.column)
