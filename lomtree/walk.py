"""The way of an example, scaled, down a tree, and the answers: the same for every kind of tree."""

from lomtree.compiled import kernel, subroutine
from lomtree.machine import prefetch
from lomtree.regressor import score
from lomtree.structure import NO_LABEL, NONE
from lomtree.weights import GROUP_BITS, fetch


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
def find_leaves(tree, weights, batch, count, leaves):
    """The leaf where each of the first `count` examples ends."""
    for example in range(count):
        begin, end = batch.starts[example], batch.starts[example + 1]
        leaves[example], _ = descend(tree, weights, batch, begin, end, tree.counts[0].root)


@kernel
def predict(tree, weights, batch, first, last, answers, depths):
    """One walk from the root for each of the examples first:last."""
    for example in range(first, last):
        answers[example], depths[example] = answer_example(tree, weights, batch, example)
