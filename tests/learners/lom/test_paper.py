"""With --paper the tree is the paper's Algorithm 1, as its pseudo-code says, and numbers stay
finite although there is no clip."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.constants import NO_NODE
from lomtree.core.options import choose_options
from lomtree.examples.batch import CONSTANT
from lomtree.learners.factory import new_learner
from tests.generators.streams import (
    arrays,
    ask,
    example,
    nodes_of,
    random_stream,
    statistics_of,
    teach,
)
from tests.oracles.paper import PaperTree


def options_of(**given):
    return choose_options({"paper": True, "bits": 18, **given})


def number_of(node):
    return NO_NODE if node is None else node.number


def assert_same(learner, tree):
    nodes, counts = nodes_of(learner), learner.state.tree.counts[0]
    assert (len(nodes), counts["root"]) == (len(tree.nodes), tree.r.number)
    assert (counts["t"], counts["swaps"]) == (tree.t, tree.swaps)
    for node, twin in zip(nodes, tree.nodes, strict=True):
        links = [number_of(other) for other in (twin.parent, twin.left, twin.right)]
        assert [node["parent"], node["left"], node["right"]] == links
        assert (node["label"], node["C"], node["m"]) == (twin.label, twin.C, twin.sum_m)
    found = {v.number: {y: (v.m[y], v.n[y], v.l[y]) for y in v.l} for v in tree.nodes}
    assert statistics_of(learner) == found


@pytest.mark.parametrize("loss", ["absolute", "squared", "logistic"])
def test_the_tree_is_that_of_the_pseudo_code(loss):
    swaps = largest = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        T, R_S = int(rng.choice([1, 2, 5, 20, 200])), float(rng.choice([0, 1, 4]))
        rate, classes = float(rng.choice([0.25, 0.5, 1, 4, 8])), int(rng.choice([2, 8, 40]))
        given = {"loss": loss} if loss != "absolute" else {}  # what --paper chooses
        learner = new_learner(
            options_of(max_nodes=T, swap_resistance=R_S, learning_rate=rate, **given)
        )
        tree = PaperTree(T, R_S, loss, rate)
        stream = [one for one in random_stream(rng, 250, classes) if one.label >= 0]
        teach(learner, stream, cuts=[100])
        for one in stream:
            tree.learn(one.features, one.values, one.label)
        assert_same(learner, tree)
        questions = random_stream(rng, 30, classes)
        predicted = [label for label, _depth in ask(learner, questions)]
        assert predicted == [tree.predict(one.features, one.values) for one in questions]
        swaps += tree.swaps
        largest = max(largest, *(abs(v.sum_m) / max(v.sum_n, 1) for v in tree.nodes))
    assert swaps > 20
    assert loss != "logistic" or largest > 1  # scores beyond the targets count in m


HUGE = st.builds(
    example,
    st.integers(0, 4),
    st.dictionaries(
        st.sampled_from([0, 1, 2, CONSTANT]),
        st.sampled_from([1.0, -2.0, 1e-20, -1e-7, 3e38, -3e38, 1e15]),
    ),
    st.sampled_from([1.0, 1e-30, 1e6, 3e38]),
)


@settings(max_examples=60)
@given(
    st.lists(HUGE, max_size=40),
    st.sampled_from(["lomtree", "rtree", "filter", "oaa"]),
    st.sampled_from(["absolute", "squared", "logistic"]),
    st.sampled_from([0.25, 1e6]),
)
def test_every_number_stays_finite(stream, algorithm, loss, rate):
    learner = new_learner(options_of(algorithm=algorithm, loss=loss, learning_rate=rate))
    teach(learner, stream)
    for array in arrays((learner.state, learner.scaler.scales, learner.combination)):
        for name in array.dtype.names or ():
            assert np.all(np.isfinite(array[name])), name
        if not array.dtype.names:
            assert np.all(np.isfinite(array))
