"""Which labels a leaf answers with, and their shares of it: what a search sums up.

The share of a label is its frequency among the examples of the leaf, with one example's weight
given to what the leaf's parent says, whose own share has one from its parent, and so on: a leaf
that saw little is not sure. The labels that only the ancestors saw are left out, and of a leaf with
very many labels all but the MOST frequent ones; so shares may sum up to less than 1.
"""

from typing import NamedTuple

import numpy as np

from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.machine import prefetch
from lomtree.parts import Parts
from lomtree.structure import NO_LABEL, NONE
from lomtree.tallies import FETCHED, find, home

MOST = 32
_NEGLIGIBLE = 1e-3  # of a share: what comes from farther up is left out


class LeafLabels(NamedTuple):
    """Those of node v are starts[v]:starts[v + 1], largest share first; inner nodes have none."""

    starts: np.ndarray  # int64[nodes + 1]
    labels: np.ndarray  # int32[]
    shares: np.ndarray  # float32[]


@kernel
def _count(nodes, tallies, node_of, starts, sums):
    """Sum up l over the labels of every node, and count the labels of every leaf."""
    for row in range(len(tallies)):
        v = node_of[tallies[row].generation]
        if tallies[row].generation != 0 and v != NONE:
            sums[v] += tallies[row].l
            if nodes[v].left == NONE:
                starts[v + 1] += 1
    for v in range(len(sums)):
        if nodes[v].left == NONE and nodes[v].label != NO_LABEL:
            starts[v + 1] = min(max(starts[v + 1], 1), MOST)
        starts[v + 1] += starts[v]


@kernel
def _share(nodes, root, tallies, sums, v, label, l):  # noqa: E741
    """The share in v of a label that came there so often (l), with what the ancestors say as far up
    as it matters."""
    weight = 1.0 / (sums[v] + 1.0)
    share = weight * l
    while v != root and weight >= _NEGLIGIBLE:
        v = nodes[v].parent
        weight /= sums[v] + 1.0
        tally = tallies[find(tallies, nodes[v].generation, label)]
        if tally.generation != 0:
            share += weight * tally.l
    return share


@kernel
def _look_ahead(nodes, tallies, node_of, row):
    """Ask for what _share() will want to know of this row's label in the parent of its leaf."""
    v = node_of[tallies[row].generation]
    if v != NONE and nodes[v].left == NONE and nodes[v].parent != NONE:
        generation = nodes[nodes[v].parent].generation
        prefetch(tallies, home(tallies, generation, tallies[row].label))


@kernel
def _insert(v, label, share, starts, held, labels, shares):
    """Keep the largest shares; of equal ones the smaller label first."""
    begin, place = starts[v], starts[v] + held[v]
    if place == starts[v + 1]:
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
def _fill(nodes, root, tallies, node_of, sums, starts, held, labels, shares):
    for row in range(len(tallies)):
        _look_ahead(nodes, tallies, node_of, min(row + FETCHED, len(tallies) - 1))
        v = node_of[tallies[row].generation]
        if tallies[row].generation != 0 and v != NONE and nodes[v].left == NONE:
            label = tallies[row].label
            share = np.float32(_share(nodes, root, tallies, sums, v, label, tallies[row].l))
            _insert(v, label, share, starts, held, labels, shares)
    for v in range(len(sums)):
        if starts[v] < starts[v + 1] and held[v] == 0:  # no example came yet
            label = nodes[v].label
            share = np.float32(_share(nodes, root, tallies, sums, v, label, 0.0))
            _insert(v, label, share, starts, held, labels, shares)


def count_leaf_labels(nodes: np.ndarray, root: int, tallies: np.ndarray) -> LeafLabels:
    """Those of a LOMtree, from its tallies."""
    count = len(nodes)
    node_of = np.full(
        max(int(nodes["generation"].max()), int(tallies["generation"].max())) + 1, NONE, np.int32
    )
    node_of[nodes["generation"]] = np.arange(count)
    starts, sums = np.zeros(count + 1, np.int64), np.zeros(count)
    _count(nodes, tallies, node_of, starts, sums)
    labels, shares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    held = np.zeros(count, np.int64)
    _fill(nodes, root, tallies, node_of, sums, starts, held, labels, shares)
    return LeafLabels(starts, labels, shares)


def own_labels(nodes: np.ndarray) -> LeafLabels:
    """Those of a tree in which every leaf is one label's; it may not have been seen yet."""
    named = (nodes["left"] == NONE) & (nodes["label"] != NO_LABEL)
    labels = nodes["label"][named].copy()
    return LeafLabels(_starts_of(named), labels, np.ones(len(labels), np.float32))


def joined(parts: list[LeafLabels]) -> LeafLabels:
    """Those of several trees, whose nodes are numbered one tree after the other."""
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return LeafLabels(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.shares for part in parts]),
    )


def store_leaf_labels(leaf_labels: LeafLabels, parts: Parts) -> None:
    """A byte a node, and eight a label."""
    parts.arrays["leaf_labels.count"] = np.diff(leaf_labels.starts).astype(np.uint8)
    parts.arrays["leaf_labels.label"] = leaf_labels.labels
    parts.arrays["leaf_labels.share"] = leaf_labels.shares


def load_leaf_labels(parts: Parts, nodes: np.ndarray, label_count: int) -> LeafLabels:
    counts = parts.column("leaf_labels.count", np.uint8, len(nodes))
    starts = _starts_of(counts)
    labels = parts.column("leaf_labels.label", np.int32, starts[-1])
    shares = parts.column("leaf_labels.share", np.float32, starts[-1])
    named = (nodes["left"] == NONE) & (nodes["label"] != NO_LABEL)
    if np.any((counts > 0) != named) or counts.max() > MOST:
        raise ModelError("its leaves and their labels do not fit together")
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= label_count:
        raise ModelError("its leaves have labels that do not exist")
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ModelError("its leaves have shares that are none")
    return LeafLabels(starts, labels, shares)


def _starts_of(counts: np.ndarray) -> np.ndarray:
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts
