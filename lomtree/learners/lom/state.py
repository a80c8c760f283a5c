"""What the kernels of Algorithm 1 take: what they change, how, and room to work in."""

from typing import NamedTuple

import numpy as np

from lomtree.learners.tree.leaf_labels import LeafLabels
from lomtree.learners.tree.nodes import Tree
from lomtree.linear.hashed_weights import Weights
from lomtree.linear.update import Rule


class LomState(NamedTuple):
    """All that training changes."""

    tree: Tree
    statistics: np.ndarray  # see statistics.py
    weights: Weights
    leaf_labels: LeafLabels


class Growth(NamedTuple):
    """When the tree may grow."""

    max_nodes: int  # T; 0: it follows the labels
    nodes_per_class: float
    classes: int  # announced; there may come more
    swap_resistance: float  # R_S
    min_impurity: float  # the share that all labels but the most frequent one must have in a leaf
    max_statistics: int  # rows of m, n and l; where they come close, learn() stops
    settling: float  # examples of a label after which a node's own opinion counts half
    largest_score: float  # that is added to m
    tie_break_noise: float  # of m of a label that is new to a node
    seed: int  # of the noise


class LomSettings(NamedTuple):
    growth: Growth
    rule: Rule


class LomScratch(NamedTuple):
    """What is no part of the tree: room for the direction of an update, and paths to prefetch."""

    direction: np.ndarray  # float32[]
    paths: np.ndarray  # see path_prefetch.py
