"""What a tree consists of, in arrays; the names are the paper's, explained in lom_tree.py."""

from typing import NamedTuple

import numpy as np

from lomtree import aligned
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.model_file import ANSWERING_COLUMNS
from lomtree.parts import MOST_COUNTED, Parts, all_differ, whole_number
from lomtree.structure import NO_LABEL, NONE, check_structure, depth_of
from lomtree.weights import GROUP, GROUP_BITS

FIRST_NODES = 1 << 10

_COUNTS_KEPT = ("t", "nodes", "root", "groups", "labels", "depth", "swaps", "examples")

NODE = np.dtype(
    [
        ("parent", np.int32),
        ("left", np.int32),  # NONE in a leaf
        ("right", np.int32),
        ("label", np.int32),  # the most frequent one, or NO_LABEL
        ("generation", np.int32),  # key of its tallies
        ("labels", np.int32),  # how many labels reached it
        ("C", np.float64),
        ("m", np.float64),
        ("n", np.float64),  # in a leaf: the weight of the examples that came, see split()
        ("l_max", np.float64),  # l of the most frequent label
        ("recycled", np.int32),
        ("place", np.int32),  # of its regressor; NONE until it first splits
    ],
    align=True,
)  # 64 bytes: one cache line

COUNTS = np.dtype(
    [
        ("t", np.int64),  # internal nodes
        ("nodes", np.int64),
        ("root", np.int64),
        ("generations", np.int64),
        ("tallies", np.int64),  # rows in use, the forgotten ones included
        ("living", np.int64),  # rows in use of nodes as they are now: the sum of their labels
        ("groups", np.int64),  # of regressors
        ("labels", np.int64),  # seen so far
        ("depth", np.int64),  # of the deepest leaf there ever was
        ("swaps", np.int64),
        ("examples", np.int64),
    ]
)


class Tree(NamedTuple):
    """A tree of any algorithm. Those that count no C, m or labels leave them 0."""

    nodes: np.ndarray  # NODE[]
    counts: np.ndarray  # COUNTS[1]
    members: np.ndarray  # int8[]: how many regressors each group has


def make_tree() -> Tree:
    """One leaf, which saw nothing."""
    nodes = aligned.zeros(FIRST_NODES, NODE)
    nodes[0] = (NONE, NONE, NONE, NO_LABEL, 1, 0, 0.0, 0.0, 0.0, 0.0, 0, NONE)
    counts = np.zeros(1, COUNTS)
    counts["nodes"] = counts["generations"] = 1
    return Tree(nodes, counts, np.zeros(FIRST_NODES, np.int8))


def with_room(tree: Tree, wanted: int) -> Tree:
    """The same tree in arrays for this many nodes or more."""
    count = len(tree.nodes)
    while count < wanted:
        count *= 2
    nodes, members = aligned.zeros(count, NODE), np.zeros(count, np.int8)
    nodes[: len(tree.nodes)] = tree.nodes
    members[: len(tree.members)] = tree.members
    return tree._replace(nodes=nodes, members=members)


@kernel
def take_place(tree, j):
    """Give j's regressor a place: in its parent's group while there is one free, as the two will be
    used one after the other."""
    node, members = tree.nodes[j], tree.members
    group = tree.counts[0].groups
    if node.parent != NONE and members[tree.nodes[node.parent].place >> GROUP_BITS] < GROUP:
        group = np.int64(tree.nodes[node.parent].place >> GROUP_BITS)
    else:
        tree.counts[0].groups += 1
    node.place = group * GROUP + members[group]
    members[group] += 1


def store_tree(tree: Tree, parts: Parts, columns: tuple[str, ...]) -> None:
    """`columns` are those of the nodes that training needs, if they are to be stored."""
    nodes = tree.nodes[: tree.counts["nodes"][0]]
    parts.header["counts"] = {name: int(tree.counts[name][0]) for name in _COUNTS_KEPT}
    for name in ANSWERING_COLUMNS + columns:
        parts.arrays[f"nodes.{name}"] = nodes[name]


def load_tree(parts: Parts, columns: tuple[str, ...], label_count: int) -> Tree:
    """The tree of a file, whose every index has been checked; with `columns` it can be trained."""
    nodes, counts = _read_nodes(parts, columns, label_count)
    root, labels = int(counts["root"][0]), int(counts["labels"][0])
    check_structure(nodes, root, labels, learning=bool(columns))
    if columns and depth_of(nodes, root) > counts["depth"][0]:
        raise ModelError("its tree is deeper than it says")
    return Tree(nodes, counts, _count_members(nodes, int(counts["groups"][0])))


def _count_members(nodes: np.ndarray, groups: int) -> np.ndarray:
    """How many regressors each group has; ModelError if these are not its first places."""
    placed = nodes["place"][nodes["place"] >= 0]
    if np.any(placed >= GROUP * groups) or not all_differ(placed):
        raise ModelError("its regressors have no places of their own")
    members = np.bincount(placed // GROUP, minlength=groups).astype(np.int8)
    if np.any(members == 0) or np.any(placed % GROUP >= members[placed // GROUP]):
        raise ModelError("its groups of regressors have gaps")
    return np.concatenate([members, np.zeros(len(nodes) - groups, np.int8)])


def _read_nodes(
    parts: Parts, columns: tuple[str, ...], label_count: int
) -> tuple[np.ndarray, np.ndarray]:
    values = parts.header["counts"]
    counts = np.zeros(1, COUNTS)
    for name in _COUNTS_KEPT:
        counts[name] = whole_number(values[name], 0, MOST_COUNTED)
    count = whole_number(values["nodes"], 1, 2**31 - 2)
    whole_number(values["root"], 0, count - 1)
    whole_number(values["groups"], 0, count)
    whole_number(values["t"], count // 2, count // 2)
    whole_number(values["depth"], 0, count)
    whole_number(values["labels"], 0, label_count)
    read = {
        name: parts.column(f"nodes.{name}", NODE[name], count)
        for name in ANSWERING_COLUMNS + columns
    }
    nodes = aligned.zeros(count, NODE)
    for name, column in read.items():
        nodes[name] = column
    nodes["generation"] = np.arange(1, count + 1)
    counts["generations"] = count
    return nodes, counts
