"""The slots of regressors: in the block of the parent while there is room, and always an int32."""

import numpy as np
import pytest

from lomtree.core.constants import MOST_INTERNAL_NODES, NO_NODE
from lomtree.core.errors import OptionError
from lomtree.core.options import Options
from lomtree.learners.lom.algorithm1 import split
from lomtree.learners.lom.learner import LomLearner
from lomtree.learners.tree.nodes import NODE, make_tree, take_slot
from lomtree.linear.hashed_weights import BLOCK
from tests.generators.streams import example, teach


def test_the_last_slot_that_there_may_be_is_an_int32():
    """There are at most as many blocks as internal nodes; with 2^30 of them a slot had wrapped."""
    last = (MOST_INTERNAL_NODES - 1) * BLOCK + BLOCK - 1
    assert last <= np.iinfo(NODE["slot"]).max
    assert last + BLOCK * BLOCK > np.iinfo(NODE["slot"]).max // 2  # not needlessly few


@pytest.mark.parametrize("name", ["max_nodes", "classes", "max_labels"])
def test_more_than_that_is_refused(name):
    Options(**{name: MOST_INTERNAL_NODES})
    with pytest.raises(OptionError, match="2\\^28 - 1"):
        Options(**{name: MOST_INTERNAL_NODES + 1})


def test_a_tree_that_follows_its_labels_stops_there_too():
    learner = LomLearner(Options(bits=18, nodes_per_class=1000.0))
    teach(learner, [example(0, {1: 1.0}), example(1, {2: 1.0})])
    counts, growth = learner.state.tree.counts, learner._growth
    leaf = int(np.flatnonzero(learner.nodes["left"] == NO_NODE)[0])
    counts["labels"], counts["t"] = 2**27, MOST_INTERNAL_NODES
    learner.state.tree.nodes[leaf] = learner.state.tree.nodes[0]
    learner.state.tree.nodes["left"][leaf] = NO_NODE
    before = int(counts["nodes"][0])
    split(learner.state, growth, leaf)
    assert int(counts["nodes"][0]) == before


def test_a_block_is_filled_before_the_next_one_is_taken():
    tree = make_tree()
    nodes = tree.nodes
    for v in range(20):  # a chain
        nodes["parent"][v] = v - 1
        take_slot(tree, v)
    assert nodes["slot"][:20].tolist() == list(range(20))
    assert tree.members[:3].tolist() == [8, 8, 4]
