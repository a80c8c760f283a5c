"""Who is where: how many examples of each label ended in each leaf of a tree."""

from typing import Any, NamedTuple

import numpy as np

from lomtree.ahead import ahead
from lomtree.compiled import kernel
from lomtree.errors import LomtreeError
from lomtree.lom_learner import LomLearner
from lomtree.model import Model
from lomtree.reader import Reader
from lomtree.structure import NONE
from lomtree.tree_learner import TreeLearner


class Shape(NamedTuple):
    """A tree from left to right: what is below a node is one run of leaves."""

    depth: np.ndarray  # int64[nodes]
    begin: np.ndarray  # int64[nodes]: the leaves begin:end, from left to right, are below a node
    end: np.ndarray
    leaves: np.ndarray  # int64[leaves]: the nodes that they are


class Census(NamedTuple):
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
        if nodes[v].left == NONE:
            begin[v], end[v] = found, found + 1
            leaves[found] = v
            found += 1
            height -= 1
        elif begin[v] == NONE:
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
    tree = _tree_of(model).state.tree
    nodes = tree.nodes[: tree.counts["nodes"][0]]
    depth, begin, end = np.full((3, len(nodes)), NONE, np.int64)
    leaves, stack = np.empty(len(nodes), np.int64), np.empty(2 * len(nodes) + 1, np.int64)
    root = int(tree.counts["root"][0])
    found = _lay_out(nodes, root, stack, depth, begin, end, leaves)
    return Shape(depth, begin, end, leaves[:found])


def _tree_of(model: Model) -> TreeLearner:
    if not isinstance(model.learner, TreeLearner):
        raise LomtreeError(f"a model of {model.options.algorithm} has no tree to show")
    return model.learner


def census_of_model(model: Model, shape: Shape) -> Census | None:
    """From the statistics that a LOMtree holds: what came to each leaf since it is one. None where
    nothing is counted: in the other trees, and in models without their statistics."""
    if not isinstance(model.learner, LomLearner):
        return None
    (nodes, counts, _), tallies, *_ = model.learner.state
    if counts["tallies"][0] == 0:
        return None
    place = np.full(counts["generations"][0] + 1, NONE, np.int64)
    place[nodes["generation"][shape.leaves]] = np.arange(len(shape.leaves))
    there = place[tallies["generation"]]
    alive = (tallies["generation"] != 0) & (there != NONE)
    rows = tallies[alive]
    return _in_order(len(shape.leaves), there[alive], rows["label"], rows["l"])


def census_of_data(model: Model, shape: Shape, reader: Reader) -> Census:
    """From examples that walk down; labels new to the model get numbers of their own. One without a
    label, or of importance 0, counts nowhere; LomtreeError if none counts."""
    learner = _tree_of(model)
    place = np.full(len(shape.depth), NONE, np.int64)
    place[shape.leaves] = np.arange(len(shape.leaves))
    parts: list[tuple[Any, Any, Any]] = []
    for block in ahead(reader):
        batch, count = block.batch, block.count
        model.labels.number(block.text, block.spans, count, batch.labels)
        label, weight = batch.labels[:count], batch.weights[:count]
        counted = (label != NONE) & (weight > 0)  # bad lines have no label
        where = place[learner.find_leaves(batch, count)[counted]]
        parts.append((where, label[counted], weight[counted]))
    if not any(len(where) for where, _, _ in parts):
        raise LomtreeError("there were no examples to walk down the tree")
    where, label, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _in_order(len(shape.leaves), where, label, weight)


def _in_order(leaves: int, where: np.ndarray, label: np.ndarray, count: np.ndarray) -> Census:
    """Sum up what is of one leaf and label."""
    kept = count > 0
    keys = (where[kept].astype(np.int64) << 32) | label[kept]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    sums = np.add.reduceat(count[kept][order].astype(np.float64), first) if len(keys) else keys
    keys = keys[first]
    starts = np.searchsorted(keys >> 32, np.arange(leaves + 1))
    return Census(starts, keys & 0xFFFFFFFF, np.asarray(sums, np.float64))
