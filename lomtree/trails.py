"""Where the examples of each label went last, to have what the next one needs before it comes.

Learning waits for memory most of the time: nodes, tallies and weights of a path lie anywhere. The
next example of a label mostly goes where the last one went, so its path is known in advance, and
can be asked for as a whole. It is a guess: it changes how fast an example is learned, never what.
"""

import numpy as np

from lomtree import aligned
from lomtree.compiled import kernel
from lomtree.machine import prefetch
from lomtree.structure import NONE
from lomtree.tallies import home
from lomtree.weights import GROUP_BITS, fetch

STEP = np.dtype(
    [
        ("node", np.int32),  # its number plus 1; 0 where the trail ends
        ("row", np.int32),  # of the label's tally in the node
    ],
    align=True,
)
LEVELS = 24
_STEPS_IN_LINE = aligned.LINE // STEP.itemsize


def make_trails(labels: int) -> np.ndarray:
    """Trails that lead nowhere; memory of labels that never come costs nothing."""
    return aligned.zeros((labels, LEVELS), STEP)


def with_label(trails: np.ndarray, label: int) -> np.ndarray:
    """The same, where this label may have one."""
    if label < len(trails):
        return trails
    more = make_trails(2 * label + 2)
    more[: len(trails)] = trails
    return more


@kernel
def guessed_node(trails, y, level):
    """Where the last example of the label y went; NONE if nobody knows."""
    return trails[y, level].node - np.int32(1) if level < LEVELS else np.int32(NONE)


@kernel
def guessed_row(trails, y, level):
    """The tally that it found there; any number if nobody knows."""
    return np.int64(trails[y, level].row) if level < LEVELS else np.int64(0)


@kernel
def note_step(trails, y, level, node, row):
    if level < LEVELS:
        trails[y, level].node = node + 1
        trails[y, level].row = row


@kernel
def fetch_trail(trails, y):
    for line in range(LEVELS // _STEPS_IN_LINE):
        prefetch(trails[y], line * _STEPS_IN_LINE)


@kernel
def fetch_nodes(tree, trails, y):
    for level in range(LEVELS):
        v = guessed_node(trails, y, level)
        if v == NONE:
            return
        prefetch(tree.nodes, v)


@kernel
def fetch_rest(tree, tallies, weights, trails, batch, example):
    """The tallies on the trail of an example's label, where they were and where they belong (they
    move when their table grows), and the weights for its features."""
    y, begin, end = batch.labels[example], batch.starts[example], batch.starts[example + 1]
    group = NONE
    for level in range(LEVELS):
        v = guessed_node(trails, y, level)
        if v < 0 or v >= len(tree.nodes):
            return
        node = tree.nodes[v]
        prefetch(tallies, guessed_row(trails, y, level))
        prefetch(tallies, home(tallies, node.generation, y))
        if node.left != NONE and node.place >> GROUP_BITS != group:
            group = node.place >> GROUP_BITS
            fetch(weights, node.place, batch.features, begin, end)


@kernel
def label_of(trails, batch, example, last):
    """The label of a coming example, if it may have a trail; else NONE."""
    if example < last and 0 <= batch.labels[example] < len(trails):
        return np.int64(batch.labels[example])
    return np.int64(NONE)


@kernel
def prepare(tree, tallies, weights, trails, batch, example, last):
    """Before an example is learned, ask for what the next three will need: each time for what has
    become known by what was asked for before."""
    y = label_of(trails, batch, example + 3, last)
    if y != NONE:
        fetch_trail(trails, y)
    y = label_of(trails, batch, example + 2, last)
    if y != NONE:
        fetch_nodes(tree, trails, y)
    if label_of(trails, batch, example + 1, last) != NONE:
        fetch_rest(tree, tallies, weights, trails, batch, example + 1)
