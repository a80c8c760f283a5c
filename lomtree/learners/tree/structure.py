"""Whether the nodes of a file are one binary tree, before compiled code walks it."""

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE, NO_SLOT
from lomtree.core.errors import ModelError
from lomtree.jit.kernel import kernel

_ALL_WELL, _ONE_CHILD, _NO_SUCH_CHILD = range(3)
LARGEST_IMPORTANCE_SUM = (
    1e200  # of importances: far beyond what examples can add up to; sums of it are finite
)


@kernel
def _count_parents(nodes, times):
    """Count how often each node is a child. Returns what is wrong before that can be told."""
    for v in range(len(nodes)):
        left, right = nodes[v].left, nodes[v].right
        if (left == NO_NODE) != (right == NO_NODE):
            return _ONE_CHILD
        if left != NO_NODE:
            if min(left, right) < 0 or max(left, right) >= len(nodes):
                return _NO_SUCH_CHILD
            times[left] += 1
            times[right] += 1
    return _ALL_WELL


@kernel
def _count_reached(nodes, root, stack):
    """Walk down from the root. Every node has at most one parent by now, so this ends."""
    reached = 0
    stack[0] = root
    height = 1
    while height > 0:
        height -= 1
        v = stack[height]
        reached += 1
        if nodes[v].left != NO_NODE:
            stack[height] = nodes[v].left
            stack[height + 1] = nodes[v].right
            height += 2
    return reached


@kernel
def _leaf_depths(nodes, root, stack, leaves, depths):
    """Write the leaves from left to right, and their depths; returns how many there are."""
    found = 0
    stack[0, 0], stack[0, 1] = root, 0
    height = 1
    while height > 0:
        height -= 1
        v, depth = stack[height, 0], stack[height, 1]
        if nodes[v].left == NO_NODE:
            leaves[found] = v
            depths[found] = depth
            found += 1
        else:
            stack[height, 0], stack[height, 1] = nodes[v].right, depth + 1
            stack[height + 1, 0], stack[height + 1, 1] = nodes[v].left, depth + 1
            height += 2
    return found


def leaf_depths(nodes: np.ndarray, root: int) -> tuple[np.ndarray, np.ndarray]:
    """The leaves of a tree, and how deep each of them is."""
    leaves, depths = np.empty((2, len(nodes)), np.int64)
    stack = np.empty((len(nodes) + 1, 2), np.int64)
    found = _leaf_depths(nodes, root, stack, leaves, depths)
    return leaves[:found], depths[:found]


def depth_of(nodes: np.ndarray, root: int) -> int:
    """The depth of the deepest leaf of what check_structure has found to be a tree."""
    return int(leaf_depths(nodes, root)[1].max())


def check_structure(nodes: np.ndarray, root: int, label_count: int, learning: bool) -> None:
    """ModelError if children, labels, slots or (where they are there) parents make no tree."""
    count = len(nodes)
    internal, times = nodes["left"] != NO_NODE, np.zeros(count, np.int32)
    wrong = _count_parents(nodes, times)
    if wrong == _ONE_CHILD:
        raise ModelError("its tree has a node with one child")
    if wrong == _NO_SUCH_CHILD:
        raise ModelError("its tree has a child that does not exist")
    if times[root] != 0 or np.count_nonzero(times == 1) != count - 1:
        raise ModelError("its tree has a node with no parent or with two")
    if _count_reached(nodes, root, np.empty(count + 1, np.int64)) != count:
        raise ModelError("its tree is not in one piece")
    if nodes["label"].min() < NO_LABEL or nodes["label"].max() >= label_count:
        raise ModelError("its tree has a label that does not exist")
    if np.any(nodes["slot"] < NO_SLOT) or np.any(nodes["slot"][internal] == NO_SLOT):
        raise ModelError("its tree has a node without a regressor")
    if learning:
        _check_learning(nodes, root, internal)


def _check_learning(nodes: np.ndarray, root: int, internal: np.ndarray) -> None:
    parents = np.full(len(nodes), NO_NODE, np.int32)
    for side in ("left", "right"):
        parents[nodes[side][internal]] = np.flatnonzero(internal)
    if np.any(parents != nodes["parent"]):
        raise ModelError("its tree's parents and children do not agree")
    for name in ("C", "m", "n", "l_max"):
        if not np.all(np.abs(nodes[name]) < LARGEST_IMPORTANCE_SUM):
            raise ModelError("its tree's counters are not finite numbers")
    if min(nodes["C"].min(), nodes["n"].min(), nodes["l_max"].min(), nodes["labels"].min()) < 0:
        raise ModelError("its tree's counters are negative")
    if np.any((nodes["labels"] > 0) & (nodes["label"] == NO_LABEL)):
        raise ModelError("its tree has a node that saw labels, but has none")
    smallest = np.minimum(nodes["C"][nodes["left"][internal]], nodes["C"][nodes["right"][internal]])
    if np.any(nodes["C"][internal] != smallest):
        raise ModelError("its tree's counters contradict each other")
