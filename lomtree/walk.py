"""The way of an example, scaled, down a tree, and the answers: the same for every kind of tree."""

import numpy as np

from lomtree.compiled import kernel, subroutine
from lomtree.machine import prefetch
from lomtree.regressor import score
from lomtree.structure import NO_LABEL, NONE
from lomtree.weights import GROUP_BITS, fetch

# Examples that walk side by side: so many, or as many as have so many features. The weights that
# they ask for have to stay in the cache until it is their turn.
ABREAST, LINES = 8, 192


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
        if nodes[v].left != NONE:
            prefetch(nodes, nodes[v].left)
            prefetch(nodes, nodes[v].right)


@kernel
def fetch_child(nodes, weights, batch, begin, end, j, v):
    """Ask for the weights of v, a child of j, if they are not in the lines that j itself needs."""
    if nodes[v].left != NONE and nodes[v].place >> GROUP_BITS != nodes[j].place >> GROUP_BITS:
        fetch(weights, nodes[v].place, batch.features, begin, end)


@kernel
def step_down(nodes, weights, batch, begin, end, j):
    """The score of the node j, and the child that it leads to; what comes next is asked for."""
    look_ahead(nodes, j)
    fetch_child(nodes, weights, batch, begin, end, j, nodes[j].left)
    fetch_child(nodes, weights, batch, begin, end, j, nodes[j].right)
    h = score(weights, nodes[j].place, batch.features, begin, end, batch.values)
    return h, child(nodes, j, h)


@kernel
def descend(tree, weights, batch, begin, end, j):
    """Walk from j to a leaf; returns it and the number of steps."""
    nodes, steps = tree.nodes, 0
    while nodes[j].left != NONE:
        _h, j = step_down(nodes, weights, batch, begin, end, j)
        steps += 1
    return j, steps


@kernel
def answer_example(tree, weights, batch, example):
    begin, end = batch.starts[example], batch.starts[example + 1]
    leaf, depth = descend(tree, weights, batch, begin, end, tree.counts[0].root)
    return tree.nodes[leaf].label, depth


@subroutine
def answer_from(tree, weights, batch, example, j):
    """The answer to an example that has come to j, and how many steps below that is."""
    begin, end = batch.starts[example], batch.starts[example + 1]
    leaf, steps = descend(tree, weights, batch, begin, end, j)
    return tree.nodes[leaf].label, steps


@kernel
def arrive(nodes, weights, batch, example, group, v):
    """Ask for what the example will want to know at v: its weights, unless they are in the lines of
    the group it comes from, and the nodes below."""
    if nodes[v].left != NONE:
        prefetch(nodes, nodes[v].left)
        prefetch(nodes, nodes[v].right)
        if nodes[v].place >> GROUP_BITS != group:
            begin, end = batch.starts[example], batch.starts[example + 1]
            fetch(weights, nodes[v].place, batch.features, begin, end)


@kernel
def set_out(tree, weights, batch, example, at, depths):
    """Put an example at the root; returns it."""
    root = tree.counts[0].root
    at[example] = root
    depths[example] = 0
    arrive(tree.nodes, weights, batch, example, NONE, root)
    return root


@kernel
def step_on(nodes, weights, batch, example, at, depths):
    """Take an example a level down from where it is at; returns the node, or NONE at a leaf."""
    j = np.int64(at[example])
    if nodes[j].left == NONE:
        return np.int64(NONE)
    begin, end = batch.starts[example], batch.starts[example + 1]
    h = score(weights, nodes[j].place, batch.features, begin, end, batch.values)
    v = np.int64(child(nodes, j, h))
    arrive(nodes, weights, batch, example, nodes[j].place >> GROUP_BITS, v)
    at[example] = v
    depths[example] += 1
    return v


@kernel
def walk_abreast(tree, weights, batch, first, last, leaves, depths):
    """Walk the examples first:last from the root to the leaves, all of them a level at a time: what
    one of them asked for comes while the others are at work."""
    for example in range(first, last):
        set_out(tree, weights, batch, example, leaves, depths)
    walking = True
    while walking:
        walking = False
        for example in range(first, last):
            walking |= step_on(tree.nodes, weights, batch, example, leaves, depths) != NONE


@kernel
def end_of_row(batch, first, last):
    """Where the examples from `first` on end that walk abreast, the last one at `last`."""
    end = first + 1
    most = batch.starts[first] + LINES
    while end < last and end < first + ABREAST and batch.starts[end + 1] <= most:
        end += 1
    return end


@kernel
def find_leaves(tree, weights, batch, first, last, leaves, depths):
    """The leaf where each of the examples first:last ends, and its depth."""
    while first < last:
        end = end_of_row(batch, first, last)
        walk_abreast(tree, weights, batch, first, end, leaves, depths)
        first = end


@kernel
def predict(tree, weights, batch, first, last, answers, depths):
    """The answers to the examples first:last."""
    find_leaves(tree, weights, batch, first, last, answers, depths)
    for example in range(first, last):
        answers[example] = tree.nodes[answers[example]].label
