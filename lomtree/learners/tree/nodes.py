"""What a tree consists of, in arrays; the names are the paper's, explained in lom/algorithm1.py."""

from typing import NamedTuple

import numpy as np

from lomtree.core.constants import MOST_INTERNAL_NODES, NO_LABEL, NO_NODE, NO_SLOT
from lomtree.core.errors import ModelError
from lomtree.hashing.secrets import OFFSET
from lomtree.jit.kernel import kernel
from lomtree.learners.tree.structure import check_structure, depth_of
from lomtree.linear.hashed_weights import BLOCK, BLOCK_BITS
from lomtree.storage.purposes import PREDICTION_COLUMNS
from lomtree.storage.state_dict import MOST_COUNTED, StateDict, counted, whole_number
from lomtree.system import memory

FIRST_NODES = 1 << 10

_COUNTS_KEPT = ("t", "nodes", "root", "blocks", "labels", "depth", "swaps", "examples")

NODE = np.dtype(
    [
        ("parent", np.int32),
        ("left", np.int32),  # NO_NODE in a leaf
        ("right", np.int32),
        ("label", np.int32),  # the most frequent one, or NO_LABEL
        ("generation", np.int32),  # key of its statistics
        ("labels", np.int32),  # how many labels reached it
        ("C", np.float64),
        ("m", np.float64),
        ("n", np.float64),  # in a leaf: the weight of the examples that came, see split()
        ("l_max", np.float64),  # l of the most frequent label
        ("recycled", np.int32),
        ("slot", np.int32),  # of its regressor; NO_SLOT until it first splits
    ],
    align=True,
)  # 64 bytes: one cache line

COUNTS = np.dtype(
    [
        ("t", np.int64),  # internal nodes
        ("nodes", np.int64),
        ("root", np.int64),
        ("generations", np.int64),
        ("rows", np.int64),  # rows in use, the dead ones included
        ("living", np.int64),  # rows in use of nodes as they are now: the sum of their labels
        ("blocks", np.int64),  # of regressors
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
    members: np.ndarray  # int8[]: how many regressors each block has


def make_tree() -> Tree:
    """One leaf, which saw nothing."""
    nodes = memory.zeros(FIRST_NODES, NODE)
    first = OFFSET + 1
    nodes[0] = (NO_NODE, NO_NODE, NO_NODE, NO_LABEL, first, 0, 0.0, 0.0, 0.0, 0.0, 0, NO_SLOT)
    counts = np.zeros(1, COUNTS)
    counts["nodes"], counts["generations"] = 1, first
    return Tree(nodes, counts, np.zeros(FIRST_NODES, np.int8))


def generations_of(nodes: int) -> np.ndarray:
    """The first ones. They begin anywhere, so that nobody can foresee where statistics are put."""
    return np.arange(OFFSET + 1, OFFSET + 1 + nodes, dtype=np.int32)


def with_room(tree: Tree, wanted: int) -> Tree:
    """The same tree in arrays for this many nodes or more."""
    count = len(tree.nodes)
    while count < wanted:
        count *= 2
    nodes, members = memory.zeros(count, NODE), np.zeros(count, np.int8)
    nodes[: len(tree.nodes)] = tree.nodes
    members[: len(tree.members)] = tree.members
    return tree._replace(nodes=nodes, members=members)


@kernel
def take_slot(tree, j):
    """Give the regressor of j a slot, in its parent's block if one is free there: the two will be
    used one after the other."""
    node, members = tree.nodes[j], tree.members
    block = tree.counts[0].blocks
    if node.parent != NO_NODE and members[tree.nodes[node.parent].slot >> BLOCK_BITS] < BLOCK:
        block = np.int64(tree.nodes[node.parent].slot >> BLOCK_BITS)
    else:
        tree.counts[0].blocks += 1
    node.slot = block * BLOCK + members[block]
    members[block] += 1


def store_tree(tree: Tree, state_dict: StateDict, columns: tuple[str, ...]) -> None:
    """`columns` are those of the nodes that training needs, if they are to be stored."""
    nodes = tree.nodes[: tree.counts["nodes"][0]]
    state_dict.header["counts"] = {name: counted(tree.counts[name][0]) for name in _COUNTS_KEPT}
    for name in PREDICTION_COLUMNS + columns:
        state_dict.arrays[f"nodes.{name}"] = nodes[name]


def load_tree(state_dict: StateDict, columns: tuple[str, ...], label_count: int) -> Tree:
    """The tree of a file, whose every index has been checked; with `columns` it can be trained."""
    nodes, counts = _read_nodes(state_dict, columns, label_count)
    root, labels = int(counts["root"][0]), int(counts["labels"][0])
    check_structure(nodes, root, labels, learning=bool(columns))
    if columns and depth_of(nodes, root) > counts["depth"][0]:
        raise ModelError("its tree is deeper than it says")
    return Tree(nodes, counts, _count_members(nodes, int(counts["blocks"][0])))


def _count_members(nodes: np.ndarray, blocks: int) -> np.ndarray:
    """How many regressors each block has; ModelError if these are not its first slots."""
    placed = nodes["slot"][nodes["slot"] >= 0]
    if np.any(placed >= BLOCK * blocks) or np.bincount(placed).max(initial=0) > 1:
        raise ModelError("two of its regressors share a slot, or one has none")
    members = np.bincount(placed // BLOCK, minlength=blocks).astype(np.int8)
    if np.any(members == 0) or np.any(placed % BLOCK >= members[placed // BLOCK]):
        raise ModelError("its blocks of regressors have gaps")
    return np.concatenate([members, np.zeros(len(nodes) - blocks, np.int8)])


def _read_nodes(
    state_dict: StateDict, columns: tuple[str, ...], label_count: int
) -> tuple[np.ndarray, np.ndarray]:
    values = state_dict.header["counts"]
    counts = np.zeros(1, COUNTS)
    for name in _COUNTS_KEPT:
        counts[name] = whole_number(values[name], 0, MOST_COUNTED)
    count = whole_number(values["nodes"], 1, 2**31 - 2)
    whole_number(values["root"], 0, count - 1)
    whole_number(values["blocks"], 0, min(count, MOST_INTERNAL_NODES))
    whole_number(values["t"], count // 2, count // 2)
    whole_number(values["depth"], 0, count)
    whole_number(values["labels"], 0, label_count)
    read = {
        name: state_dict.column(f"nodes.{name}", NODE[name], count)
        for name in PREDICTION_COLUMNS + columns
    }
    nodes = memory.zeros(count, NODE)
    for name, column in read.items():
        nodes[name] = column
    nodes["generation"] = generations_of(count)
    counts["generations"] = nodes["generation"][-1]
    return nodes, counts
