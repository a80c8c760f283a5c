"""What the leaves of a LOMtree predict, counted from its statistics; see ranking/leaf_distribution.

The share of a label is its frequency among the examples of the leaf, with one example's weight
given to what the leaf's parent says, whose own share has one from its parent, and so on: a leaf
that saw little leans on those above it.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.learners.lom.statistics import FETCHED, Listed, find, home
from lomtree.ranking.leaf_distribution import LeafLabels, label_counts, starts_of

_NEGLIGIBLE = 1e-3  # of a share: what comes from farther up is left out


class _Counted(NamedTuple):
    """What is known: the tree, its statistics in the order of `listed`, and of every node the
    importance of the examples that came (sums of l)."""

    nodes: np.ndarray
    root: int
    statistics: np.ndarray
    listed: Listed
    sums: np.ndarray  # float64[nodes]


@kernel
def _sum_up(counted):
    """Sum up l over the labels of every node."""
    listed, last = counted.listed, len(counted.listed.row) - 1
    for place in range(len(listed.row)):
        prefetch(counted.statistics, listed.row[min(place + FETCHED, last)])
        counted.sums[listed.node[place]] += counted.statistics[listed.row[place]].l


@kernel
def _share(counted, v, label, times):
    """The share in v of a label that came there so often, with what the ancestors say as far up
    as it matters."""
    nodes, statistics = counted.nodes, counted.statistics
    weight = 1.0 / (counted.sums[v] + 1.0)
    share = weight * times
    while v != counted.root and weight >= _NEGLIGIBLE:
        v = nodes[v].parent
        weight /= counted.sums[v] + 1.0
        entry = statistics[find(statistics, nodes[v].generation, label)]
        if entry.generation != 0:
            share += weight * entry.l
    return np.float32(share)


@kernel
def _look_ahead(counted, place):
    """Ask for what _share() will want to know of a label in a leaf and in its parent."""
    nodes, listed, v = counted.nodes, counted.listed, counted.listed.node[place]
    if nodes[v].left == NO_NODE:
        prefetch(counted.statistics, listed.row[place])
        if nodes[v].parent != NO_NODE:
            generation = nodes[nodes[v].parent].generation
            prefetch(counted.statistics, home(counted.statistics, generation, listed.label[place]))


@kernel
def _insert(found, held, v, label, share):
    """Keep the largest shares; of equal ones the smaller label first."""
    labels, shares = found.labels, found.shares
    begin, end = found.starts[v], found.starts[v + 1]
    if begin == end:
        return
    place = begin + held[v]
    if place == end:
        place -= 1
        last = shares[place]
        if share < last or (share == last and label > labels[place]):
            return
    else:
        held[v] += 1
    while place > begin and (
        shares[place - 1] < share or (shares[place - 1] == share and labels[place - 1] > label)
    ):
        labels[place] = labels[place - 1]
        shares[place] = shares[place - 1]
        place -= 1
    labels[place] = label
    shares[place] = share


@kernel
def _fill(counted, found, held):
    nodes, listed, last = counted.nodes, counted.listed, len(counted.listed.row) - 1
    for place in range(len(listed.row)):
        _look_ahead(counted, min(place + FETCHED, last))
        v, label = listed.node[place], listed.label[place]
        if nodes[v].left == NO_NODE:
            times = counted.statistics[listed.row[place]].l
            _insert(found, held, v, label, _share(counted, v, label, times))
    for v in range(len(counted.sums)):
        # No example came yet: it predicts the label that its parent had.
        if held[v] == 0 and nodes[v].left == NO_NODE and nodes[v].label != NO_LABEL:
            label = nodes[v].label
            _insert(found, held, v, label, _share(counted, v, label, 0.0))


def count_leaf_labels(
    nodes: np.ndarray, root: int, statistics: np.ndarray, listed: Listed
) -> LeafLabels:
    """Those of a LOMtree, from its statistics, which are `listed` by node."""
    starts = starts_of(label_counts(nodes))
    labels, shares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    found = LeafLabels(starts, labels, shares)
    counted = _Counted(nodes, root, statistics, listed, np.zeros(len(nodes)))
    _sum_up(counted)
    _fill(counted, found, np.zeros(len(nodes), np.int64))
    return found
