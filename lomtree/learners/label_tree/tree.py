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

from lomtree.core.constants import NO_BLOCK, NO_LABEL, NO_NODE, NO_SLOT
from lomtree.examples.batch import Vector, vector_of
from lomtree.hashing.counter_rng import draw, shuffle
from lomtree.jit.kernel import kernel
from lomtree.learners.tree.nodes import Tree, take_slot
from lomtree.learners.tree.walk import Router, child, step_down
from lomtree.linear.hashed_weights import BLOCK_BITS, Weights, fetch
from lomtree.linear.update import Rule, Target, score, update

DEEPEST = 128  # four times as deep as a tree of 2^31 labels


class LabelTreeState(NamedTuple):
    """All that training changes."""

    tree: Tree
    leaves: np.ndarray  # int32[]: the leaf of each label; the tree's t + 1 are in use
    weights: Weights


class LabelTreeSettings(NamedTuple):
    rule: Rule
    seed: int  # of the tree's order
    filtered: bool  # the Filter tree: a lost match stops an example


class LabelTreeScratch(NamedTuple):
    """Room for one example: the direction of an update, the walk that predicts it, and the path of
    its label; both from the root on."""

    direction: np.ndarray  # float32[]
    walked: np.ndarray  # int64[DEEPEST]: nodes
    scores: np.ndarray  # float32[DEEPEST]: of these nodes
    path: np.ndarray  # int64[DEEPEST]: nodes


class Entry(NamedTuple):
    """An example at the beginning of its training."""

    vector: Vector
    importance: float
    mean_square: float
    shared: int  # how many nodes of the path the walk went through, too: their scores are known


def make_scratch(length: int) -> LabelTreeScratch:
    return LabelTreeScratch(
        np.empty(length, np.float32),
        np.empty(DEEPEST, np.int64),
        np.empty(DEEPEST, np.float32),
        np.empty(DEEPEST, np.int64),
    )


@kernel
def has_room(state, y):
    return 2 * y + 1 <= len(state.tree.nodes) and y < len(state.leaves)


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
            nodes[v].left = NO_NODE
            nodes[v].right = NO_NODE
            nodes[v].slot = NO_SLOT
            nodes[v].label = NO_LABEL
        goes_right = draw(seed, label) & np.uint64(1) == np.uint64(1)
        leaves[label] = right if goes_right else left
        leaves[older] = left if goes_right else right
        nodes[leaves[older]].label = nodes[j].label
        nodes[j].left = left
        nodes[j].right = right
        take_slot(tree, j)
        counts.t += 1
        counts.nodes += 2
        counts.depth = bits + 1


@kernel
def note_label(tree, leaf, y):
    """y is learned from now on: a node's label is the first one that was learned below it."""
    nodes, v = tree.nodes, np.int64(leaf)
    while v != NO_NODE and nodes[v].label == NO_LABEL:
        nodes[v].label = y
        v = np.int64(nodes[v].parent)


@kernel
def note_path(tree, leaf, path):
    """Write the nodes from the root to a leaf; returns its depth."""
    nodes, depth, v = tree.nodes, 0, np.int64(leaf)
    while nodes[v].parent != NO_NODE:
        depth += 1
        v = np.int64(nodes[v].parent)
    v = np.int64(leaf)
    for level in range(depth, -1, -1):
        path[level] = v
        v = np.int64(nodes[v].parent)
    return depth


@kernel
def fetch_path(state, vector, path, depth):
    """Ask for the weights of all regressors on the path at once."""
    block = NO_BLOCK
    for level in range(depth):
        slot = state.tree.nodes[path[level]].slot
        if slot >> BLOCK_BITS != block:
            block = slot >> BLOCK_BITS
            fetch(state.weights, slot, vector)


@kernel
def note_walk(state, vector, scratch):
    """The walk that predicts; writes its nodes and scores, returns the leaf and its depth."""
    router = Router(state.tree, state.weights)
    nodes, j, depth = state.tree.nodes, np.int64(state.tree.counts[0].root), 0
    while nodes[j].left != NO_NODE:
        scratch.walked[depth] = j
        scratch.scores[depth], v = step_down(router, vector, j)
        j = np.int64(v)
        depth += 1
    return j, depth


@kernel
def open_example(state, settings, scratch, lesson, example):
    """All that precedes the training of matches: returns the Entry, what the tree predicts before
    it, and the depth of the label's leaf."""
    batch, tree, leaves, counts = lesson.batch, state.tree, state.leaves, state.tree.counts[0]
    vector, y = vector_of(batch, example), batch.labels[example]
    leaf, walk_depth = note_walk(state, vector, scratch)
    prediction = tree.nodes[leaf].label
    counts.examples += 1
    counts.labels = max(counts.labels, y + 1)
    grow(tree, leaves, settings.seed, y)
    note_label(tree, leaves[y], y)
    depth = note_path(tree, leaves[y], scratch.path)
    fetch_path(state, vector, scratch.path, depth)
    shared = 0
    while shared < min(depth, walk_depth) and scratch.walked[shared] == scratch.path[shared]:
        shared += 1
    importance = np.float64(batch.weights[example])
    return Entry(vector, importance, lesson.mean_squares[example], shared), prediction, depth


@kernel
def train_match(state, rule, scratch, entry, level):
    """Train the node at this level of the path towards the label's side; tells whether the label
    wins there now. Without a rival it does."""
    nodes, j, v = state.tree.nodes, scratch.path[level], scratch.path[level + 1]
    rival = np.int64(nodes[j].left) + np.int64(nodes[j].right) - v
    if nodes[rival].label == NO_LABEL:
        return True
    h = scratch.scores[level]
    if level >= entry.shared:
        h = score(state.weights, nodes[j].slot, entry.vector)
    c = 1.0 if v == nodes[j].right else -1.0
    target = Target(c, entry.importance, nodes[j].n, entry.mean_square)
    after = update(state.weights, rule, nodes[j].slot, entry.vector, scratch.direction, h, target)
    nodes[j].n += entry.importance
    return child(nodes, j, after) == v
