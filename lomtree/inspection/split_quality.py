"""The paper's measures of a tree, from the label counts of its leaves.

For the split of a node, where pi_i is the share of label i among the examples that come to it and
P(right | i) the part of them that goes right:
    beta  = P(right)                                            balance: best is 1/2
    alpha = sum_i pi_i min(P(right | i), P(left | i))           purity: best is 0
    J     = 2 sum_i pi_i |P(right) - P(right | i)|              the objective: at most 1
and for the tree G = sum over the leaves of weight times entropy of the labels (natural logarithm).
"""

from math import log
from typing import NamedTuple

import numpy as np

from lomtree.inspection.leaf_counts import LeafCounts, Shape
from lomtree.jit.kernel import kernel


class SplitQuality(NamedTuple):
    """One number a node; beta, alpha and J are NaN in leaves and where nothing came."""

    weight: np.ndarray  # float64[nodes]: of the examples that came
    entropy: np.ndarray  # of their labels
    beta: np.ndarray
    alpha: np.ndarray
    J: np.ndarray


@kernel
def _measure(leaf_counts, shape, left, right_begin, all_of, right_of, touched, quality):
    """`right_begin[v]` is the first leaf below the right child of v, or the end in a leaf.

    all_of and right_of count by label; they are zero before and after each node.
    """
    for v in range(len(shape.depth)):
        first, last = leaf_counts.starts[shape.begin[v]], leaf_counts.starts[shape.end[v]]
        middle = leaf_counts.starts[right_begin[v]]
        labels, total, right = 0, 0.0, 0.0
        for row in range(first, last):
            label, count = leaf_counts.label[row], leaf_counts.count[row]
            if all_of[label] == 0.0:
                touched[labels] = label
                labels += 1
            all_of[label] += count
            total += count
            if row >= middle:
                right_of[label] += count
                right += count
        entropy, impure, away = 0.0, 0.0, 0.0
        for place in range(labels):
            label = touched[place]
            share = all_of[label] / total
            if share > 0.0:  # and not so small that it is 0
                entropy -= share * log(share)
            impure += min(right_of[label], all_of[label] - right_of[label]) / total
            away += abs(right / total * all_of[label] - right_of[label]) / total
            all_of[label] = 0.0
            right_of[label] = 0.0
        quality.weight[v] = total
        quality.entropy[v] = max(entropy, 0.0)
        if left[v] >= 0 and total > 0.0:
            quality.beta[v] = right / total
            quality.alpha[v] = impure
            quality.J[v] = 2.0 * away


def measure(nodes: np.ndarray, shape: Shape, leaf_counts: LeafCounts) -> SplitQuality:
    count = len(shape.depth)
    left, right = (nodes[side][:count].astype(np.int64) for side in ("left", "right"))
    right_begin = np.where(left >= 0, shape.begin[right], shape.end)
    labels = int(leaf_counts.label.max(initial=-1)) + 1
    quality = SplitQuality(np.zeros(count), np.zeros(count), *np.full((3, count), np.nan))
    _measure(
        leaf_counts, shape, left, right_begin, np.zeros(labels), np.zeros(labels),
        np.empty(labels, np.int64), quality,
    )  # fmt: skip
    return quality


def tree_entropy(shape: Shape, quality: SplitQuality) -> float:
    """G; 0 if nothing came."""
    weight = quality.weight[shape.leaves]
    total = weight.sum()
    return float((weight * quality.entropy[shape.leaves]).sum() / total) if total else 0.0
