"""Who is where: how many examples of each label ended in each leaf of a tree."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import LomtreeError
from lomtree.examples.examples import Examples
from lomtree.jit.kernel import kernel
from lomtree.learners.tree.learner import TreeLearner
from lomtree.model.model import Model
from lomtree.system.pipeline import ahead


class Shape(NamedTuple):
    """A tree from left to right: what is below a node is one run of leaves."""

    depth: np.ndarray  # int64[nodes]
    begin: np.ndarray  # int64[nodes]: the leaves begin:end, from left to right, are below a node
    end: np.ndarray
    leaves: np.ndarray  # int64[leaves]: the nodes that they are


class LeafCounts(NamedTuple):
    """The examples in the leaf at place i from the left are the rows starts[i]:starts[i + 1]."""

    starts: np.ndarray  # int64[leaves + 1]
    label: np.ndarray  # int64[]: in order, within a leaf
    count: np.ndarray  # type: ignore[assignment]  # float64[]: importance of the examples, above 0


@kernel
def _lay_out(nodes, root, stack, depth, begin, end, leaves):
    """A walk from left to right; a node is on the stack until what is below it has been seen."""
    height, found = 1, 0
    stack[0] = root
    depth[root] = 0
    while height > 0:
        v = stack[height - 1]
        if nodes[v].left == NO_NODE:
            begin[v], end[v] = found, found + 1
            leaves[found] = v
            found += 1
            height -= 1
        elif begin[v] == NO_NODE:
            begin[v] = found
            for w in (nodes[v].right, nodes[v].left):
                depth[w] = depth[v] + 1
                stack[height] = w
                height += 1
        else:
            end[v] = found
            height -= 1
    return found


def shape_of(model: Model) -> Shape:
    """LomtreeError if the model has no tree."""
    learner = tree_of(model)
    nodes = learner.nodes
    depth, begin, end = np.full((3, len(nodes)), NO_NODE, np.int64)
    leaves, stack = np.empty(len(nodes), np.int64), np.empty(2 * len(nodes) + 1, np.int64)
    found = _lay_out(nodes, learner.root, stack, depth, begin, end, leaves)
    return Shape(depth, begin, end, leaves[:found])


def tree_of(model: Model) -> TreeLearner:
    """LomtreeError if the model has no tree."""
    if not isinstance(model.learner, TreeLearner):
        raise LomtreeError(f"a model of {model.options.algorithm} has no tree to show")
    return model.learner


def _places(shape: Shape) -> np.ndarray:
    """The place of each leaf from the left, by its node."""
    place = np.full(len(shape.depth), NO_NODE, np.int64)
    place[shape.leaves] = np.arange(len(shape.leaves))
    return place


def leaf_counts_of_model(model: Model, shape: Shape) -> LeafCounts | None:
    """From the statistics that a tree holds: what came to each leaf since it is one. None where
    nothing is counted."""
    counted = tree_of(model).leaf_statistics()
    if counted is None:
        return None
    leaf, label, weight = counted
    return _in_order(len(shape.leaves), _places(shape)[leaf], label, weight)


def leaf_counts_of_data(model: Model, shape: Shape, source: Iterable[Examples]) -> LeafCounts:
    """From examples that walk down; labels new to the model get numbers of their own. One without a
    label, or of importance 0, counts nowhere; LomtreeError if none counts."""
    learner, place = tree_of(model), _places(shape)
    parts: list[tuple[Any, Any, Any]] = []
    for examples in ahead(source):
        batch, count = examples.batch, examples.count
        label, weight = batch.labels[:count], batch.weights[:count]
        model.labels.number_shown(examples.labels, examples.problems, label)
        counted = (label != NO_LABEL) & (weight > 0)  # bad lines have no label
        where = place[learner.find_leaves(batch, count)[counted]]
        parts.append((where, label[counted], weight[counted]))
    if not any(len(where) for where, _, _ in parts):
        raise LomtreeError("there were no labelled examples to count in the tree")
    where, label, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _in_order(len(shape.leaves), where, label, weight)


def _in_order(leaves: int, where: np.ndarray, label: np.ndarray, count: np.ndarray) -> LeafCounts:
    """Sum up what is of one leaf and label."""
    kept = count > 0
    keys = (where[kept].astype(np.int64) << 32) | label[kept]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    sums = np.add.reduceat(count[kept][order].astype(np.float64), first) if len(keys) else keys
    keys = keys[first]
    starts = np.searchsorted(keys >> 32, np.arange(leaves + 1))
    return LeafCounts(starts, keys & 0xFFFFFFFF, np.asarray(sums, np.float64))
