"""Which labels a leaf answers with, and their shares of it: what a search sums up.

The share of a label is its frequency among the examples of the leaf, with one example's weight
given to what the leaf's parent says, whose own share has one from its parent, and so on: a leaf
that saw little is not sure. The labels that only the ancestors saw are left out, and of a leaf with
very many labels all but the MOST frequent ones; so shares may sum up to less than 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lomtree.array_file import Coming
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.machine import prefetch
from lomtree.parts import Parts
from lomtree.structure import NO_LABEL, NONE
from lomtree.tallies import FETCHED, Listed, find, home

MOST = 32
_NEGLIGIBLE = 1e-3  # of a share: what comes from farther up is left out


class LeafLabels(NamedTuple):
    """Those of node v are starts[v]:starts[v + 1], largest share first; inner nodes have none."""

    starts: np.ndarray  # int64[nodes + 1]
    labels: np.ndarray  # int32[]
    shares: np.ndarray  # float32[]


@kernel
def _sum_up(tallies, listed, sums):
    """Sum up l over the labels of every node."""
    last = len(listed.row) - 1
    for place in range(len(listed.row)):
        prefetch(tallies, listed.row[min(place + FETCHED, last)])
        sums[listed.node[place]] += tallies[listed.row[place]].l


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
def _look_ahead(nodes, tallies, listed, place):
    """Ask for what _share() will want to know of a label in a leaf and in its parent."""
    v = listed.node[place]
    if nodes[v].left == NONE:
        prefetch(tallies, listed.row[place])
        if nodes[v].parent != NONE:
            generation = nodes[nodes[v].parent].generation
            prefetch(tallies, home(tallies, generation, listed.label[place]))


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
def _fill(nodes, root, tallies, listed, sums, starts, held, labels, shares):
    last = len(listed.row) - 1
    for place in range(len(listed.row)):
        _look_ahead(nodes, tallies, listed, min(place + FETCHED, last))
        v, label = listed.node[place], listed.label[place]
        if nodes[v].left == NONE:
            times = tallies[listed.row[place]].l
            share = np.float32(_share(nodes, root, tallies, sums, v, label, times))
            _insert(v, label, share, starts, held, labels, shares)
    for v in range(len(sums)):
        if starts[v] < starts[v + 1] and held[v] == 0:  # no example came yet
            label = nodes[v].label
            share = np.float32(_share(nodes, root, tallies, sums, v, label, 0.0))
            _insert(v, label, share, starts, held, labels, shares)


def places_of(nodes: np.ndarray) -> np.ndarray:
    """How many labels each node of a LOMtree answers with."""
    named = (nodes["left"] == NONE) & (nodes["label"] != NO_LABEL)
    return np.where(named, np.clip(nodes["labels"], 1, MOST), 0).astype(np.uint8)


def count_leaf_labels(
    nodes: np.ndarray, root: int, tallies: np.ndarray, listed: Listed
) -> LeafLabels:
    """Those of a LOMtree, from its tallies, which are `listed` by node."""
    starts, sums = _starts_of(places_of(nodes)), np.zeros(len(nodes))
    _sum_up(tallies, listed, sums)
    labels, shares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    held = np.zeros(len(nodes), np.int64)
    _fill(nodes, root, tallies, listed, sums, starts, held, labels, shares)
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


def store_leaf_labels(nodes: np.ndarray, counted: Callable[[], LeafLabels], parts: Parts) -> None:
    """A byte a node, and eight a label; they will have been `counted` when they are written."""
    places = places_of(nodes)
    count = int(places.sum(dtype=np.int64))
    parts.arrays["leaf_labels.count"] = places
    parts.arrays["leaf_labels.label"] = Coming(np.int32, count, lambda: [counted().labels])
    parts.arrays["leaf_labels.share"] = Coming(np.float32, count, lambda: [counted().shares])


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
