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


class _Room(NamedTuple):
    """Sums by label, of what has been counted in so far and of the side that is counted in now, and
    what is known of nodes below."""

    all_of: np.ndarray  # float64[labels]
    side_of: np.ndarray  # float64[labels]: zero but while a side is counted in
    touched: np.ndarray  # int64[labels]
    stack: np.ndarray  # int64[nodes + 1]
    stage: np.ndarray  # int8[nodes]: sides that have been measured
    sums: np.ndarray  # float64[nodes]: of c log c over the labels, where c is the weight of one


@kernel
def _log_times(x):
    return x * log(x) if x > 0.0 else 0.0


@kernel
def _rows_below(leaf_counts, shape, v):
    return leaf_counts.starts[shape.begin[v]], leaf_counts.starts[shape.end[v]]


@kernel
def _measure_leaf(leaf_counts, first, last, room, quality, v):
    """Count a leaf in, and measure it; its labels are all different."""
    total, entropy = 0.0, 0.0
    for row in range(first, last):
        room.all_of[leaf_counts.label[row]] = leaf_counts.count[row]
        total += leaf_counts.count[row]
    for row in range(first, last):
        share = leaf_counts.count[row] / total
        if share > 0.0:  # and not so small that it is 0
            entropy -= share * log(share)
    quality.weight[v] = total
    quality.entropy[v] = max(entropy, 0.0)
    room.sums[v] = total * (log(total) - entropy) if total > 0.0 else 0.0


@kernel
def _add_side(leaf_counts, shape, room, quality, v, large, small):
    """The large side of v is counted in; count the small one in, too, and measure the split. Labels
    that the small side does not have need not be looked at one by one."""
    first, last = _rows_below(leaf_counts, shape, small)
    labels, side = 0, quality.weight[small]
    for row in range(first, last):
        label = leaf_counts.label[row]
        if room.side_of[label] == 0.0:
            room.touched[labels] = label
            labels += 1
        room.side_of[label] += leaf_counts.count[row]
    total = quality.weight[large] + side
    sums, shared, impure, away = room.sums[large], 0.0, 0.0, 0.0
    goes = side / total if total > 0.0 else 0.0  # to the small side
    for place in range(labels):
        label = room.touched[place]
        here, there = room.side_of[label], room.all_of[label]
        impure += min(here, there)
        away += abs(goes * (here + there) - here)
        sums += _log_times(here + there) - _log_times(there)
        shared += there
        room.all_of[label] = here + there
        room.side_of[label] = 0.0
    quality.weight[v] = total
    room.sums[v] = sums
    if total > 0.0:
        away += goes * max(quality.weight[large] - shared, 0.0)
        quality.entropy[v] = max(log(total) - sums / total, 0.0)
        quality.alpha[v] = impure / total
        quality.J[v] = 2.0 * away / total


@kernel
def _forget(leaf_counts, first, last, room):
    for row in range(first, last):
        room.all_of[leaf_counts.label[row]] = 0.0


@kernel
def _measure(leaf_counts, shape, left, right, root, room, quality):
    """Both sides of a node are measured before it: the small one first, which is forgotten, then
    the large one, to which the small one is added. So a row is counted in at most log2(rows)
    times, however deep the tree is."""
    room.stack[0] = root
    height = 1
    while height > 0:
        v = room.stack[height - 1]
        first, last = _rows_below(leaf_counts, shape, v)
        if left[v] < 0:
            _measure_leaf(leaf_counts, first, last, room, quality, v)
            height -= 1
            continue
        small, large = left[v], right[v]
        small_first, small_last = _rows_below(leaf_counts, shape, small)
        if 2 * (small_last - small_first) > last - first:
            small, large = large, small
        small_first, small_last = _rows_below(leaf_counts, shape, small)
        if room.stage[v] == 0:
            room.stack[height] = small
            height += 1
        elif room.stage[v] == 1:
            _forget(leaf_counts, small_first, small_last, room)
            room.stack[height] = large
            height += 1
        else:
            _add_side(leaf_counts, shape, room, quality, v, large, small)
            if quality.weight[v] > 0.0:
                quality.beta[v] = quality.weight[right[v]] / quality.weight[v]
            height -= 1
        room.stage[v] += 1


def measure(nodes: np.ndarray, shape: Shape, leaf_counts: LeafCounts) -> SplitQuality:
    count, root = len(shape.depth), int(shape.depth.argmin())
    left, right = (nodes[side][:count].astype(np.int64) for side in ("left", "right"))
    labels = int(leaf_counts.label.max(initial=-1)) + 1
    quality = SplitQuality(np.zeros(count), np.zeros(count), *np.full((3, count), np.nan))
    room = _Room(
        np.zeros(labels), np.zeros(labels), np.empty(labels, np.int64),
        np.empty(count + 1, np.int64), np.zeros(count, np.int8), np.zeros(count),
    )  # fmt: skip
    _measure(leaf_counts, shape, left, right, root, room, quality)
    return quality


def tree_entropy(shape: Shape, quality: SplitQuality) -> float:
    """G; 0 if nothing came."""
    weight = quality.weight[shape.leaves]
    total = weight.sum()
    return float((weight * quality.entropy[shape.leaves]).sum() / total) if total else 0.0
