"""Trees of any shape and what is counted in their leaves, for the tests of inspection."""

from lomtree.core.constants import NO_NODE
from lomtree.core.options import Options
from lomtree.inspection.leaf_counts import LeafCounts, Shape
from lomtree.learners.tree.nodes import make_tree, with_room
from lomtree.model.model import Model
from tests.generators.streams import (
    BITS,
    nodes_of,
    teach,
)

CLASSES = 8
TREES = ("lomtree", "rtree", "filter")


def trained(options: Options, stream) -> Model:
    """A model whose labels are written as their numbers."""
    model = Model.new(options)
    model.labels.add(*(b"%d" % number for number in range(CLASSES)))
    teach(model.learner, stream)
    return model


def children_of(model) -> dict:
    """{internal node: (left, right)}, as the naive measures take it."""
    return {
        v: (int(node["left"]), int(node["right"]))
        for v, node in enumerate(nodes_of(model.learner))
        if node["left"] != NO_NODE
    }


def root_of(model) -> int:
    return int(model.learner.state.tree.counts[0]["root"])


def as_dictionary(shape: Shape, leaf_counts: LeafCounts) -> dict:
    """{leaf: {label: importance}}, of the leaves where something came."""
    found = {}
    for place, leaf in enumerate(shape.leaves.tolist()):
        rows = slice(leaf_counts.starts[place], leaf_counts.starts[place + 1])
        labels = leaf_counts.label[rows].tolist()
        assert labels == sorted(set(labels))
        if labels:
            found[leaf] = dict(zip(labels, leaf_counts.count[rows].tolist(), strict=True))
    assert len(leaf_counts.starts) == len(shape.leaves) + 1
    assert leaf_counts.starts[0] == 0
    assert leaf_counts.starts[-1] == len(leaf_counts.label) == len(leaf_counts.count)
    return found


def model_of_tree(children: dict, root: int = 0) -> Model:
    """A LOMtree of this shape that knows nothing."""
    model, count = Model.new(Options(bits=BITS)), 2 * len(children) + 1
    tree = with_room(make_tree(), count)
    tree.nodes["left"] = tree.nodes["right"] = NO_NODE
    for v, (left, right) in children.items():
        tree.nodes["left"][v], tree.nodes["right"][v] = left, right
    tree.counts["nodes"], tree.counts["root"] = count, root
    model.learner.state = model.learner.state._replace(tree=tree)
    return model


def random_tree(rng, internal: int) -> tuple[dict, int]:
    """Random leaves split, and the nodes have random numbers; the children and the root."""
    names, children, leaves = rng.permutation(2 * internal + 1).tolist(), {}, [0]
    for number in range(internal):
        v = leaves.pop(int(rng.integers(len(leaves))))
        children[names[v]] = (names[2 * number + 1], names[2 * number + 2])
        leaves += [2 * number + 1, 2 * number + 2]
    return children, names[0]
