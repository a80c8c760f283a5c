"""Where the examples of each label went last, to have what the next one needs before it comes.

Learning waits for memory most of the time: nodes, statistics and weights of a path lie anywhere.
The next example of a label mostly goes where the last one went, so its path is known in advance and
can be asked for as a whole. It is a guess: it changes how fast an example is learned, never what.
"""

import numpy as np

from lomtree.core.constants import NO_BLOCK, NO_LABEL, NO_NODE
from lomtree.examples.batch import vector_of
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.learners.lom.statistics import home
from lomtree.linear.hashed_weights import BLOCK_BITS, fetch
from lomtree.system import memory

STEP = np.dtype(
    [
        ("node", np.int32),  # its number plus 1; 0 where the path ends
        ("row", np.int32),  # of the label's entry in the node
    ],
    align=True,
)
LEVELS = 24
_STEPS_IN_LINE = memory.LINE // STEP.itemsize


def make_paths(labels: int) -> np.ndarray:
    """Paths that lead nowhere; memory of labels that never come costs nothing."""
    return memory.zeros((labels, LEVELS), STEP)


def with_label(paths: np.ndarray, label: int) -> np.ndarray:
    """The same, where this label may have one."""
    if label < len(paths):
        return paths
    more = make_paths(2 * label + 2)
    more[: len(paths)] = paths
    return more


@kernel
def guessed_node(paths, y, level):
    """Where the last example of the label y went; NO_NODE if nobody knows."""
    return paths[y, level].node - np.int32(1) if level < LEVELS else np.int32(NO_NODE)


@kernel
def guessed_row(paths, y, level):
    """The entry that it found there; any number if nobody knows."""
    return np.int64(paths[y, level].row) if level < LEVELS else np.int64(0)


@kernel
def note_step(paths, y, level, node, row):
    if level < LEVELS:
        paths[y, level].node = node + 1
        paths[y, level].row = row


@kernel
def fetch_known_path(paths, y):
    for line in range(LEVELS // _STEPS_IN_LINE):
        prefetch(paths[y], line * _STEPS_IN_LINE)


@kernel
def fetch_nodes(tree, paths, y):
    for level in range(LEVELS):
        v = guessed_node(paths, y, level)
        if v == NO_NODE:
            return
        prefetch(tree.nodes, v)


@kernel
def fetch_rest(state, paths, batch, example):
    """The statistics on the path of an example's label, where they were and where they belong (they
    move when their table grows), and the weights for its features."""
    nodes, statistics, vector = state.tree.nodes, state.statistics, vector_of(batch, example)
    y, block = batch.labels[example], NO_BLOCK
    for level in range(LEVELS):
        v = guessed_node(paths, y, level)
        if v < 0 or v >= len(nodes):
            return
        prefetch(statistics, guessed_row(paths, y, level))
        prefetch(statistics, home(statistics, nodes[v].generation, y))
        if nodes[v].left != NO_NODE and nodes[v].slot >> BLOCK_BITS != block:
            block = nodes[v].slot >> BLOCK_BITS
            fetch(state.weights, nodes[v].slot, vector)


@kernel
def label_of(paths, batch, example, last):
    """The label of a coming example, if it may have a path; else NO_LABEL."""
    if example < last and 0 <= batch.labels[example] < len(paths):
        return np.int64(batch.labels[example])
    return np.int64(NO_LABEL)


@kernel
def prefetch_coming(state, paths, batch, example, last):
    """Before an example is learned, ask for what the next three will need: each time for what has
    become known by what was asked for before."""
    y = label_of(paths, batch, example + 3, last)
    if y != NO_LABEL:
        fetch_known_path(paths, y)
    y = label_of(paths, batch, example + 2, last)
    if y != NO_LABEL:
        fetch_nodes(state.tree, paths, y)
    if label_of(paths, batch, example + 1, last) != NO_LABEL:
        fetch_rest(state, paths, batch, example + 1)
