"""The compiled LOMtree beside its naive twin: nodes, statistics and weights, bit by bit."""

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.linear.hashed_weights import index_of, offset_of
from tests.generators.streams import (
    nodes_of,
    statistics_of,
)


def number_of(node):
    return NO_NODE if node is None else node.number


def offers_of(learner, leaf):
    """[(label, weight)] of what a leaf offers to a search."""
    labels, weights = (array[leaf] for array in learner.state.leaf_labels)
    return [(int(y), float(w)) for y, w in zip(labels, weights, strict=True) if y != NO_LABEL]


def assert_same_tree(learner, tree):
    counts, nodes = learner.state.tree.counts[0], nodes_of(learner)
    assert len(nodes) == len(tree.nodes)
    assert counts["root"] == tree.root.number
    assert counts["t"] == tree.t
    assert counts["swaps"] == tree.events["swap"]
    assert counts["labels"] == tree.labels_seen
    for node, twin in zip(nodes, tree.nodes, strict=True):
        links = [number_of(other) for other in (twin.parent, twin.left, twin.right)]
        assert [node["parent"], node["left"], node["right"]] == links
        assert (node["label"], node["C"], node["l_max"]) == (twin.label, twin.C, twin.max_l)
        n = twin.arrived if twin.is_leaf else twin.sum_n
        assert (node["m"], node["n"]) == (twin.sum_m, n)
        assert (node["labels"], node["recycled"]) == (len(twin.l), twin.recycled)
        if twin.is_leaf:
            assert offers_of(learner, twin.number) == [tuple(one) for one in twin.offers]
    assert statistics_of(learner) == {
        v.number: {y: (v.m.get(y, 0.0), v.n.get(y, 0.0), v.l[y]) for y in v.l} for v in tree.nodes
    }


def assert_same_weights(learner, tree):
    """Bit by bit; and no two (node, feature) share a slot, so that this is a fair comparison."""
    table, _, size = learner.state.weights
    slots = set()
    for node, twin in zip(nodes_of(learner), tree.nodes, strict=True):
        for feature, weight in twin.h.weight.items():
            index = int(index_of(np.uint32(feature), offset_of(node["slot"])))
            slot = index & (int(size[0]) - 1)
            assert slot not in slots
            slots.add(slot)
            assert table[slot, 0] == weight
            if twin.h.rule.adaptive:
                assert table[slot, 1] == twin.h.squares[feature]
