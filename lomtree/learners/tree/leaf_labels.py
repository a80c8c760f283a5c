"""What the leaves of a tree offer to a search: of each, the labels that most of its examples have.

They are kept while a tree learns, so that it can be searched at any moment. An example counts in
the leaf that it was put in and, if that is another one, in the leaf where it would have ended
before the tree learned from it: that is where its like will come when they are predicted. A label's
share of a leaf is its weight by the weight of all that are kept, one more example counted: a leaf
that saw little says little.
"""

from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import ModelError
from lomtree.jit.kernel import kernel
from lomtree.storage.state_dict import StateDict
from lomtree.system import memory

KEPT = 4  # labels of a leaf
LARGEST_WEIGHT = np.float32(1e30)
INHERITED = 0.5  # weight of the label that a new leaf has from its parent


class LeafLabels(NamedTuple):
    """A row a node; those of inner nodes mean nothing."""

    labels: np.ndarray  # int32[nodes, KEPT]; NO_LABEL where there are not so many
    weights: np.ndarray  # float32[nodes, KEPT]: of the examples that have the label


def make_leaf_labels(nodes: int) -> LeafLabels:
    labels = memory.zeros((nodes, KEPT), np.int32)
    labels[:] = NO_LABEL
    return LeafLabels(labels, memory.zeros((nodes, KEPT), np.float32))


def with_room(kept: LeafLabels, nodes: int) -> LeafLabels:
    """The same for so many nodes."""
    more = make_leaf_labels(nodes)
    for before, after in zip(kept, more, strict=True):
        after[: len(before)] = before
    return more


def no_leaf_labels() -> LeafLabels:
    """For trees in which every leaf is one label's: their nodes know it."""
    return make_leaf_labels(0)


@kernel
def begin_leaf(kept, v, label):
    """The leaf v is new; `label` is what its parent predicted."""
    for place in range(KEPT):
        kept.labels[v, place] = NO_LABEL
        kept.weights[v, place] = 0.0
    kept.labels[v, 0] = label
    kept.weights[v, 0] = INHERITED


@kernel
def add_label(kept, v, label, importance):
    """An example of this label belongs to the leaf v. Where there is no room for another label, it
    takes from the one that has least, and its place when nothing is left of that."""
    labels, weights = kept.labels, kept.weights
    least = 0
    for place in range(KEPT):
        if labels[v, place] == label or labels[v, place] == NO_LABEL:
            labels[v, place] = label
            weights[v, place] = min(weights[v, place] + importance, LARGEST_WEIGHT)
            return
        if weights[v, place] < weights[v, least]:
            least = place
    weights[v, least] -= importance
    if weights[v, least] <= 0.0:
        labels[v, least] = label
        weights[v, least] = min(importance, LARGEST_WEIGHT)


@kernel
def total_of(kept, v):
    total = 1.0
    for place in range(KEPT):
        if kept.labels[v, place] != NO_LABEL:
            total += np.float64(kept.weights[v, place])
    return total


def store_leaf_labels(kept: LeafLabels, nodes: np.ndarray, state_dict: StateDict) -> None:
    """A byte a node, and eight a label of a leaf."""
    labels, weights = (array[: len(nodes)] for array in kept)
    named = (labels != NO_LABEL) & (nodes["left"] == NO_NODE)[:, None]
    state_dict.arrays["leaf_labels.count"] = named.sum(axis=1, dtype=np.uint8)
    state_dict.arrays["leaf_labels.label"] = labels[named]
    state_dict.arrays["leaf_labels.weight"] = weights[named]


def load_leaf_labels(state_dict: StateDict, nodes: np.ndarray, label_count: int) -> LeafLabels:
    counts = state_dict.column("leaf_labels.count", np.uint8, len(nodes))
    total = int(counts.sum(dtype=np.int64))
    labels = state_dict.column("leaf_labels.label", np.int32, total)
    weights = state_dict.column("leaf_labels.weight", np.float32, total)
    if counts.max() > KEPT or np.any(counts[nodes["left"] != NO_NODE]):
        raise ModelError("its leaves and their labels do not fit together")
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= label_count:
        raise ModelError("its leaves have labels that do not exist")
    if not np.all(np.isfinite(weights)) or weights.min(initial=0) < 0:
        raise ModelError("its leaves have labels of impossible weight")
    kept = make_leaf_labels(len(nodes))
    named = np.arange(KEPT) < counts[:, None]
    kept.labels[named] = labels
    kept.weights[named] = weights
    return kept
