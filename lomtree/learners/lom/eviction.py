"""Eviction and decay: what goes when a tree has as many statistics as it may have.

A row of statistics is worth the weight of the examples that its node's regressor was trained with
(n); in a leaf, where nothing is trained, of those that came there (l). A tenth of the rows goes:
those worth least, of equals those of the older label. All that was counted before then weighs a
tenth less, in the rows and in the nodes. The quotients m/n are as they were, but what no longer
comes is soon worth less than what does, and a leaf where nothing arrives is soon the one to be
recycled: the paper's C only grows, so that a tree of a bounded size would follow a drift ever more
slowly.

The weights of the regressors, and the sums of squares that their steps depend on, become a tenth
smaller as well (the learner sees to it): what they know of labels that are gone would send new ones
to the wrong side for long, the longer the run has been.

Below the bound nothing of this happens.
"""

import numpy as np

from lomtree.core.constants import NO_NODE

KEEP_SHARE = 0.9  # of the rows that there may be
DECAY = 0.9


def evict(statistics: np.ndarray, number_of: np.ndarray, nodes: np.ndarray, keep: int) -> None:
    """Free rows until `keep` of the living ones are left, and age what was counted.

    number_of[generation] is the number of its node plus 1, or 0 if it is dead. The table has
    to be rebuilt after this: a search would stop at the freed rows.
    """
    living = np.flatnonzero(number_of[statistics["generation"]])
    where = number_of[statistics["generation"][living]] - 1
    if len(living) > keep:
        leaf = nodes["left"][where] == NO_NODE
        worth = np.where(leaf, statistics["l"][living], statistics["n"][living])
        age = (statistics["label"][living].astype(np.int64) << 32) | where
        dropped = _smallest(worth, age, len(living) - keep)
        statistics["generation"][living[dropped]] = 0
        nodes["labels"] -= np.bincount(where[dropped], minlength=len(nodes)).astype(np.int32)
        living = np.delete(living, dropped)
    for name in ("m", "n", "l"):
        statistics[name][living] *= DECAY
    for name in ("C", "m", "n", "l_max"):
        nodes[name] *= DECAY


def _smallest(worth: np.ndarray, age: np.ndarray, count: int) -> np.ndarray:
    """Where the `count` smallest are; of equals, those of smaller age."""
    limit = np.partition(worth, count - 1)[count - 1]
    below, equal = np.flatnonzero(worth < limit), np.flatnonzero(worth == limit)
    more = count - len(below)
    return np.concatenate([below, equal[np.argpartition(age[equal], more - 1)[:more]]])
