"""A balanced random tree over the labels: what the Rtree and the Filter tree share.

Every label has a leaf of its own. The tree grows by one leaf a label: label i splits the leaf of an
older one. In the round of the labels 2^b ... 2^(b+1) - 1 each of the leaves 0 ... 2^b - 1 is split
once, in random order, so that k labels make a tree of depth ceil(log2 k), always, and what was
learned above stays as it is. Seed and number alone decide who is split: laying the tree out at once
for a known k gives the same tree.

A node whose one side has no label that was ever learned is no match yet: it is passed by without
asking and without training its regressor.
"""

from typing import NamedTuple

import numpy as np

from lomtree.chance import draw, shuffle
from lomtree.compiled import kernel
from lomtree.nodes import take_place
from lomtree.regressor import score, update
from lomtree.structure import NO_LABEL, NONE
from lomtree.walk import child, step_down
from lomtree.weights import GROUP_BITS, fetch

DEEPEST = 128  # four times as deep as a tree of 2^31 labels


class Scratch(NamedTuple):
    """Room for one example: the direction of an update, the walk that answers, and the path of its
    label; both from the root on."""

    direction: np.ndarray  # float32[]
    walked: np.ndarray  # int64[DEEPEST]: nodes
    scores: np.ndarray  # float32[DEEPEST]: of these nodes
    path: np.ndarray  # int64[DEEPEST]: nodes


class Entry(NamedTuple):
    """An example at the beginning of its training."""

    begin: int  # its features
    end: int
    importance: float
    mean_square: float
    shared: int  # how many nodes of the path the walk went through, too: their scores are known


def make_scratch(length: int) -> Scratch:
    return Scratch(
        np.empty(length, np.float32),
        np.empty(DEEPEST, np.int64),
        np.empty(DEEPEST, np.float32),
        np.empty(DEEPEST, np.int64),
    )


@kernel
def has_room(tree, leaves, y):
    return 2 * y + 1 <= len(tree.nodes) and y < len(leaves)


@kernel
def grow(tree, leaves, seed, y):
    """Give every label up to y a leaf."""
    nodes, counts = tree.nodes, tree.counts[0]
    while counts.t < y:
        label = counts.t + 1
        bits = 0
        while label >> (bits + 1):
            bits += 1
        older = shuffle(label - (1 << bits), bits, seed)
        j, left, right = np.int64(leaves[older]), counts.nodes, counts.nodes + 1
        for v in (left, right):
            nodes[v].parent = j
            nodes[v].left = NONE
            nodes[v].right = NONE
            nodes[v].place = NONE
            nodes[v].label = NO_LABEL
        goes_right = draw(seed, label) & np.uint64(1) == np.uint64(1)
        leaves[label] = right if goes_right else left
        leaves[older] = left if goes_right else right
        nodes[leaves[older]].label = nodes[j].label
        nodes[j].left = left
        nodes[j].right = right
        take_place(tree, j)
        counts.t += 1
        counts.nodes += 2
        counts.depth = bits + 1


@kernel
def note_label(tree, leaf, y):
    """y is learned from now on: a node's label is the first one that was learned below it."""
    nodes, v = tree.nodes, np.int64(leaf)
    while v != NONE and nodes[v].label == NO_LABEL:
        nodes[v].label = y
        v = np.int64(nodes[v].parent)


@kernel
def note_path(tree, leaf, path):
    """Write the nodes from the root to a leaf; returns its depth."""
    nodes, depth, v = tree.nodes, 0, np.int64(leaf)
    while nodes[v].parent != NONE:
        depth += 1
        v = np.int64(nodes[v].parent)
    v = np.int64(leaf)
    for level in range(depth, -1, -1):
        path[level] = v
        v = np.int64(nodes[v].parent)
    return depth


@kernel
def fetch_path(tree, weights, batch, begin, end, path, depth):
    """Ask for the weights of all regressors on the path at once."""
    group = -1
    for level in range(depth):
        place = tree.nodes[path[level]].place
        if place >> GROUP_BITS != group:
            group = place >> GROUP_BITS
            fetch(weights, place, batch.features, begin, end)


@kernel
def note_walk(tree, weights, batch, begin, end, scratch):
    """The walk that answers; writes its nodes and scores, returns the leaf and its depth."""
    nodes, j, depth = tree.nodes, np.int64(tree.counts[0].root), 0
    while nodes[j].left != NONE:
        scratch.walked[depth] = j
        scratch.scores[depth], v = step_down(nodes, weights, batch, begin, end, j)
        j = np.int64(v)
        depth += 1
    return j, depth


@kernel
def open_example(tree, leaves, weights, seed, scratch, batch, example, mean_square):
    """All that precedes the training of matches: returns the Entry, what the tree answers before
    it, and the depth of the label's leaf."""
    begin, end = batch.starts[example], batch.starts[example + 1]
    y, counts = batch.labels[example], tree.counts[0]
    leaf, walk_depth = note_walk(tree, weights, batch, begin, end, scratch)
    answer = tree.nodes[leaf].label
    counts.examples += 1
    counts.labels = max(counts.labels, y + 1)
    grow(tree, leaves, seed, y)
    note_label(tree, leaves[y], y)
    depth = note_path(tree, leaves[y], scratch.path)
    fetch_path(tree, weights, batch, begin, end, scratch.path, depth)
    shared = 0
    while shared < min(depth, walk_depth) and scratch.walked[shared] == scratch.path[shared]:
        shared += 1
    importance = np.float64(batch.weights[example])
    return Entry(begin, end, importance, mean_square, shared), answer, depth


@kernel
def train_match(tree, weights, rule, scratch, batch, entry, level):
    """Train the node at this level of the path towards the label's side; tells whether the label
    wins there now. Without a rival it does."""
    nodes, j, v = tree.nodes, scratch.path[level], scratch.path[level + 1]
    rival = nodes[j].left + nodes[j].right - v
    if nodes[rival].label == NO_LABEL:
        return True
    begin, end = entry.begin, entry.end
    h = scratch.scores[level]
    if level >= entry.shared:
        h = score(weights, nodes[j].place, batch.features, begin, end, batch.values)
    c = 1.0 if v == nodes[j].right else -1.0
    after = update(
        weights, rule, nodes[j].place, batch.features, begin, end, batch.values,
        scratch.direction, h, c, entry.importance, nodes[j].n, entry.mean_square,
    )  # fmt: skip
    nodes[j].n += entry.importance
    return child(nodes, j, after) == v
