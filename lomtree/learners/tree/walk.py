"""The way of an example, scaled, down a tree to its prediction: the same for every kind of tree.

A Router is what a walk needs: the tree, and the weights of the regressors in its nodes.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_BLOCK, NO_LABEL, NO_NODE
from lomtree.examples.batch import vector_of
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel, subroutine
from lomtree.learners.tree.nodes import Tree
from lomtree.linear.hashed_weights import BLOCK_BITS, Weights, fetch
from lomtree.linear.update import score

# Examples that walk side by side: so many, or as many as have so many features. The weights that
# they ask for have to stay in the cache until it is their turn.
ABREAST, LINES = 8, 192


class Router(NamedTuple):
    tree: Tree
    weights: Weights


class Arrivals(NamedTuple):
    """Where examples are on their way down, or have ended; one number an example of the batch."""

    nodes: np.ndarray  # int32[]
    depths: np.ndarray  # int32[]


@kernel
def child(nodes, j, h):
    """Where the score h leads from j: 0 goes right, and nothing goes where no label is yet."""
    v = nodes[j].right if h >= 0.0 else nodes[j].left
    if nodes[v].label == NO_LABEL:
        return nodes[j].left if h >= 0.0 else nodes[j].right
    return v


@kernel
def look_ahead(nodes, j):
    """Ask for the nodes two levels below j while j is worked on: those one below are there then."""
    for v in (nodes[j].left, nodes[j].right):
        if nodes[v].left != NO_NODE:
            prefetch(nodes, nodes[v].left)
            prefetch(nodes, nodes[v].right)


@kernel
def fetch_child(router, vector, j, v):
    """Ask for the weights of v, a child of j, if they are not in the lines that j itself needs."""
    nodes = router.tree.nodes
    if nodes[v].left != NO_NODE and nodes[v].slot >> BLOCK_BITS != nodes[j].slot >> BLOCK_BITS:
        fetch(router.weights, nodes[v].slot, vector)


@kernel
def step_down(router, vector, j):
    """The score of the node j, and the child that it leads to; what comes next is asked for."""
    nodes = router.tree.nodes
    look_ahead(nodes, j)
    fetch_child(router, vector, j, nodes[j].left)
    fetch_child(router, vector, j, nodes[j].right)
    h = score(router.weights, nodes[j].slot, vector)
    return h, child(nodes, j, h)


@kernel
def descend(router, vector, j):
    """Walk from j to a leaf; returns it and the number of steps."""
    nodes, steps = router.tree.nodes, 0
    while nodes[j].left != NO_NODE:
        _h, j = step_down(router, vector, j)
        steps += 1
    return j, steps


@kernel
def predict_example(router, batch, example):
    """The label of the leaf where an example ends, and that leaf's depth."""
    leaf, depth = descend(router, vector_of(batch, example), router.tree.counts[0].root)
    return router.tree.nodes[leaf].label, depth


@kernel
def confirm(router, batch, first, last, guesses, is_open, asked):
    """Close those of the examples first:last whose guess, if there is one, is where they end; row 0
    is the first's. Adds the regressors asked to `asked`."""
    for example in range(first, last):
        row = example - first
        if guesses[row] != NO_LABEL:
            label, depth = predict_example(router, batch, example)
            is_open[row] = label != guesses[row]
            asked[example] += depth


@subroutine
def walk_from(router, vector, j):
    """The leaf where an example ends that has come to j, and how many steps below that is."""
    return descend(router, vector, j)


@kernel
def arrive(router, vector, block, v):
    """Ask for what an example will want to know at v: its weights, unless they are in the lines of
    the block it comes from, and the nodes below."""
    nodes = router.tree.nodes
    if nodes[v].left != NO_NODE:
        prefetch(nodes, nodes[v].left)
        prefetch(nodes, nodes[v].right)
        if nodes[v].slot >> BLOCK_BITS != block:
            fetch(router.weights, nodes[v].slot, vector)


@kernel
def set_out(router, batch, example, arrivals):
    """Put an example at the root."""
    root = router.tree.counts[0].root
    arrivals.nodes[example] = root
    arrivals.depths[example] = 0
    arrive(router, vector_of(batch, example), NO_BLOCK, root)


@kernel
def step_on(router, batch, example, arrivals):
    """Take an example a level down from where it is; tells whether there was one."""
    nodes, j = router.tree.nodes, np.int64(arrivals.nodes[example])
    if nodes[j].left == NO_NODE:
        return False
    vector = vector_of(batch, example)
    h = score(router.weights, nodes[j].slot, vector)
    v = np.int64(child(nodes, j, h))
    arrive(router, vector, nodes[j].slot >> BLOCK_BITS, v)
    arrivals.nodes[example] = v
    arrivals.depths[example] += 1
    return True


@kernel
def walk_abreast(router, batch, first, last, arrivals):
    """Walk the examples first:last from the root to the leaves, all of them a level at a time: what
    one of them asked for comes while the others are at work."""
    for example in range(first, last):
        set_out(router, batch, example, arrivals)
    walking = True
    while walking:
        walking = False
        for example in range(first, last):
            walking |= step_on(router, batch, example, arrivals)


@kernel
def end_of_row(batch, first, last):
    """Where the examples from `first` on end that walk abreast, the last one at `last`."""
    end = first + 1
    most = batch.starts[first] + LINES
    while end < last and end < first + ABREAST and batch.starts[end + 1] <= most:
        end += 1
    return end


@kernel
def find_leaves(router, batch, first, last, arrivals):
    """The leaf where each of the examples first:last ends, and its depth."""
    while first < last:
        end = end_of_row(batch, first, last)
        walk_abreast(router, batch, first, end, arrivals)
        first = end


@kernel
def predict(router, batch, first, last, predictions, depths):
    """The labels of the leaves where the examples first:last end, and their depths."""
    find_leaves(router, batch, first, last, Arrivals(predictions, depths))
    for example in range(first, last):
        predictions[example] = router.tree.nodes[predictions[example]].label
