"""The labels of a leaf and their shares of it: what a search sums up.

Each kind of tree says what its leaves hold. Of a leaf with very many labels all but the MOST
frequent ones are left out; so shares may sum up to less than 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import ModelError
from lomtree.storage.container import Coming
from lomtree.storage.state_dict import StateDict

MOST = 32


class LeafLabels(NamedTuple):
    """Those of node v are starts[v]:starts[v + 1], largest share first; inner nodes have none."""

    starts: np.ndarray  # int64[nodes + 1]
    labels: np.ndarray  # int32[]
    shares: np.ndarray  # float32[]


def label_counts(nodes: np.ndarray) -> np.ndarray:
    """How many labels each node of a LOMtree has to offer."""
    named = (nodes["left"] == NO_NODE) & (nodes["label"] != NO_LABEL)
    return np.where(named, np.clip(nodes["labels"], 1, MOST), 0).astype(np.uint8)


def own_labels(nodes: np.ndarray) -> LeafLabels:
    """Those of a tree in which every leaf is one label's; it may not have been seen yet."""
    named = (nodes["left"] == NO_NODE) & (nodes["label"] != NO_LABEL)
    labels = nodes["label"][named].copy()
    return LeafLabels(starts_of(named), labels, np.ones(len(labels), np.float32))


def joined(parts: list[LeafLabels]) -> LeafLabels:
    """Those of several trees, whose nodes are numbered one tree after the other."""
    ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return LeafLabels(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.shares for part in parts]),
    )


def store_leaf_labels(
    nodes: np.ndarray, counted: Callable[[], LeafLabels], state_dict: StateDict
) -> None:
    """A byte a node, and eight a label; they will have been `counted` when they are written."""
    counts = label_counts(nodes)
    count = int(counts.sum(dtype=np.int64))
    state_dict.arrays["leaf_labels.count"] = counts
    state_dict.arrays["leaf_labels.label"] = Coming(np.int32, count, lambda: [counted().labels])
    state_dict.arrays["leaf_labels.share"] = Coming(np.float32, count, lambda: [counted().shares])


def load_leaf_labels(state_dict: StateDict, nodes: np.ndarray, label_count: int) -> LeafLabels:
    counts = state_dict.column("leaf_labels.count", np.uint8, len(nodes))
    starts = starts_of(counts)
    labels = state_dict.column("leaf_labels.label", np.int32, starts[-1])
    shares = state_dict.column("leaf_labels.share", np.float32, starts[-1])
    named = (nodes["left"] == NO_NODE) & (nodes["label"] != NO_LABEL)
    if np.any((counts > 0) != named) or counts.max() > MOST:
        raise ModelError("its leaves and their labels do not fit together")
    if labels.min(initial=0) < 0 or labels.max(initial=0) >= label_count:
        raise ModelError("its leaves have labels that do not exist")
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ModelError("its leaves have shares that are not between 0 and 1")
    return LeafLabels(starts, labels, shares)


def starts_of(counts: np.ndarray) -> np.ndarray:
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts
