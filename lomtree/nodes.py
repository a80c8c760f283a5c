"""What a tree consists of, in arrays; the names are the paper's, explained in tree.py."""

from typing import NamedTuple

import numpy as np

NONE = -1
NO_LABEL = -1

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
        ("n", np.float64),
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
        ("groups", np.int64),  # of regressors
        ("labels", np.int64),  # seen so far
        ("depth", np.int64),  # of the deepest leaf there ever was
        ("swaps", np.int64),
        ("examples", np.int64),
    ]
)


class Tree(NamedTuple):
    nodes: np.ndarray  # NODE[]
    tallies: np.ndarray  # TALLY[]
    counts: np.ndarray  # COUNTS[1]
    members: np.ndarray  # int8[]: how many regressors each group has


class Growth(NamedTuple):
    """When the tree may grow."""

    max_nodes: int  # T; 0: it follows the labels seen so far
    nodes_per_class: float
    swap_resistance: float  # R_S


class Scratch(NamedTuple):
    """Room for one example: its scaled values, and the direction of its update."""

    x: np.ndarray  # float32[]
    direction: np.ndarray  # float32[]
