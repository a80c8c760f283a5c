"""Only one whole binary tree passes: compiled code walks it without looking."""

import numpy as np
import pytest

from lomtree.core.constants import NO_NODE
from lomtree.core.errors import ModelError
from lomtree.learners.tree.nodes import NODE
from lomtree.learners.tree.structure import check_structure

LABELS = 3


def tree() -> np.ndarray:
    """0 has the children 1 and 2, and 2 has 3 and 4."""
    nodes = np.zeros(5, NODE)
    nodes["parent"] = NO_NODE, 0, 0, 2, 2
    nodes["left"] = 1, NO_NODE, 3, NO_NODE, NO_NODE
    nodes["right"] = 2, NO_NODE, 4, NO_NODE, NO_NODE
    nodes["label"] = 0, 1, 2, NO_NODE, 0
    nodes["slot"] = 0, NO_NODE, 1, NO_NODE, 2
    nodes["C"] = 1, 4, 1, 1, 2
    return nodes


def check(nodes: np.ndarray, root: int = 0, learning: bool = True) -> None:
    check_structure(nodes, root, LABELS, learning)


@pytest.mark.parametrize("learning", [False, True])
def test_a_tree_is_a_tree(learning):
    assert check(tree(), learning=learning) is None


def test_a_single_leaf_is_a_tree():
    nodes = tree()[3:4]
    nodes["parent"] = NO_NODE
    assert check(nodes) is None


def test_the_order_of_the_nodes_does_not_matter():
    nodes = tree()[::-1].copy()
    for name in ("parent", "left", "right"):
        nodes[name] = np.where(nodes[name] == NO_NODE, NO_NODE, 4 - nodes[name])
    assert check(nodes, root=4) is None


def test_a_chain_as_deep_as_a_tree_can_be():
    inner = 50_000
    nodes = np.zeros(2 * inner + 1, NODE)
    nodes["left"] = nodes["right"] = nodes["slot"] = NO_NODE
    nodes["left"][:inner] = inner + 1 + np.arange(inner)
    nodes["right"][:inner] = 1 + np.arange(inner)
    nodes["slot"][:inner] = np.arange(inner)
    assert check(nodes, learning=False) is None


WRONG = {
    "a child out of range": {"left": (0, 5)},
    "a child below none": {"right": (0, -2)},
    "one child": {"right": (2, NO_NODE)},
    "the root as a child": {"left": (2, 0)},
    "its own child": {"left": (2, 2)},
    "two parents": {"left": (2, 1)},
    "the same child twice": {"right": (2, 3)},
    "a node without a parent": {"left": (2, NO_NODE), "right": (2, NO_NODE)},
    "a label out of range": {"label": (1, LABELS)},
    "a label below none": {"label": (1, -2)},
    "an inner node without a place": {"slot": (2, NO_NODE)},
    "a place below none": {"slot": (1, -2)},
}


@pytest.mark.parametrize("learning", [False, True])
@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG.keys())
def test_what_no_tree_has_is_refused(changes, learning):
    nodes = tree()
    for name, (node, value) in changes.items():
        nodes[name][node] = value
    with pytest.raises(ModelError, match="its tree"):
        check(nodes, learning=learning)


def test_a_cycle_beside_the_tree_is_refused():
    nodes = np.zeros(5, NODE)  # 0 is a lonely root; 1 and 2 are each other's children
    nodes["left"] = NO_NODE, 2, 1, NO_NODE, NO_NODE
    nodes["right"] = NO_NODE, 3, 4, NO_NODE, NO_NODE
    nodes["slot"] = NO_NODE, 0, 1, NO_NODE, NO_NODE
    with pytest.raises(ModelError, match="not in one piece"):
        check(nodes, learning=False)


LEARNING = {
    "parents that do not agree": ("parent", 4, 0),
    "a root with a parent": ("parent", 0, 2),
    "counters that are no numbers": ("m", 1, np.nan),
    "infinite counters": ("l_max", 1, np.inf),
    "negative counters": ("n", 1, -1),
    "a negative number of labels": ("labels", 1, -1),
    "C that is no minimum": ("C", 2, 2),
}


@pytest.mark.parametrize("wrong", LEARNING.values(), ids=LEARNING.keys())
def test_what_only_training_uses_is_checked_for_training(wrong):
    name, node, value = wrong
    nodes = tree()
    nodes[name][node] = value
    with pytest.raises(ModelError, match="its tree"):
        check(nodes)
    assert check(nodes, learning=False) is None
