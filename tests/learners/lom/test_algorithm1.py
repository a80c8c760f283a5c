"""The compiled tree is Algorithm 1: it agrees with the naive one to the bit, and keeps its laws."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT
from lomtree.learners.lom import statistics
from lomtree.learners.lom.learner import LomLearner
from lomtree.learners.tree import nodes as nodes_module
from tests.generators.lom_trees import assert_same_tree, assert_same_weights
from tests.generators.streams import (
    BITS,
    SMALL_EXAMPLES,
    ask,
    ask_naive,
    content,
    example,
    naive_learner,
    nodes_of,
    note_rivals,
    random_options,
    random_stream,
    statistics_of,
    teach,
    teach_naive,
)


def assert_agree(options, examples, questions=(), cuts=()):
    learner, tree = LomLearner(options), naive_learner(options)
    rivals = note_rivals(learner)
    assert teach(learner, examples, cuts) == teach_naive(tree, examples)
    assert rivals == [[rival] for rival in tree.rivals]
    assert_same_tree(learner, tree)
    assert_same_weights(learner, tree)
    assert ask(learner, questions) == ask_naive(tree, questions)
    return tree


def test_agrees_with_the_naive_tree_on_random_streams():
    events = Counter()
    for seed in range(120):
        rng = np.random.default_rng(seed)
        classes, count = int(rng.choice([1, 2, 3, 8, 40])), int(rng.integers(1, 200))
        stream = random_stream(rng, count, classes, weighted=seed % 2 == 0)
        cuts = rng.integers(0, count + 1, 3)
        questions = random_stream(rng, 20, classes, length=12)
        events += assert_agree(random_options(rng), stream, questions, cuts).events
    assert events["swap"] > 300
    for kind in (
        "the honest leaf is another one",
        "took from another label",
        "took the place of another label",
    ):
        assert events[kind] > 100, (kind, events)


def test_agrees_where_swaps_are_rare_kinds_of_swaps():
    events = Counter()
    for seed in range(60):
        rng = np.random.default_rng(1000 + seed)
        options = random_options(
            rng,
            max_nodes=int(rng.choice([1, 2, 3, 5])),
            swap_resistance=float(rng.choice([0, 0.5, 1])),
        )
        events += assert_agree(options, random_stream(rng, 150, 8, weighted=seed % 3 == 0)).events
    for kind in (
        "swap",
        "victim's parent is the root",
        "sibling is the splitting leaf",
        "victim is the splitting leaf",
    ):
        assert events[kind] > 100, (kind, events)
    assert events["the honest leaf is gone"] > 10, events


@settings(max_examples=150)
@given(
    st.lists(SMALL_EXAMPLES, max_size=40),
    st.lists(SMALL_EXAMPLES, max_size=5),
    st.integers(0, 2**32),
)
def test_agrees_with_the_naive_tree_on_small_streams_of_any_kind(stream, questions, seed):
    assert_agree(random_options(np.random.default_rng(seed)), stream, questions)


def test_agrees_with_the_naive_tree_with_many_classes():
    rng = np.random.default_rng(5)
    options = Options(bits=22, nodes_per_class=2, swap_resistance=1)
    tree = assert_agree(options, random_stream(rng, 3000, 300), random_stream(rng, 100, 300))
    assert len(tree.nodes) > 300
    assert tree.events["swap"] > 10


def test_growth_in_the_middle_of_a_stream_changes_nothing(monkeypatch):
    monkeypatch.setattr(nodes_module, "FIRST_NODES", 4)
    monkeypatch.setattr(statistics, "FIRST_ROWS", 32)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        options = random_options(rng, max_nodes=60, swap_resistance=0.5)
        learner, tree = LomLearner(options), naive_learner(options)
        learner.state = learner.state._replace(statistics=statistics.make_statistics(32))
        stream = random_stream(rng, 500, 30)
        assert teach(learner, stream, [7, 200]) == teach_naive(tree, stream)
        assert_same_tree(learner, tree)
        (nodes, counts, members), rows, *_ = learner.state
        assert len(nodes) == len(members) >= 128
        assert len(rows) >= 256
        assert counts[0]["rows"] == np.count_nonzero(rows["generation"])


def test_where_a_stream_is_cut_into_batches_changes_nothing():
    rng = np.random.default_rng(3)
    stream = random_stream(rng, 400, 12, weighted=True)
    options = Options(bits=BITS, max_nodes=9, swap_resistance=1)
    learners = [LomLearner(options) for _ in range(3)]
    results = [
        teach(learner, stream, cuts)
        for learner, cuts in zip(learners, ([], range(400), rng.integers(0, 400, 20)), strict=True)
    ]
    assert results[0] == results[1] == results[2]
    for other in learners[1:]:
        assert content(other) == content(learners[0])


def assert_laws(learner, learned, T):
    nodes, counts, known = nodes_of(learner), learner.state.tree.counts[0], statistics_of(learner)
    reached, sizes = [], {}

    def visit(v):  # the size of the smallest leaf below v
        reached.append(v)
        node = nodes[v]
        if node["left"] == NO_NODE:
            assert node["right"] == NO_NODE
            sizes[v] = float(node["C"])
            return sizes[v]
        assert nodes[node["left"]]["parent"] == nodes[node["right"]]["parent"] == v
        smallest = min(visit(int(node["left"])), visit(int(node["right"])))
        assert node["C"] == smallest
        below = sum(t[2] for side in ("left", "right") for t in known[int(node[side])].values())
        assert below <= node["n"]
        return smallest

    visit(int(counts["root"]))
    assert nodes[counts["root"]]["parent"] == NO_NODE
    assert sorted(reached) == list(range(len(nodes)))
    assert len(nodes) - len(sizes) == counts["t"] <= T
    assert sum(sizes.values()) == learned or (counts["swaps"] and sum(sizes.values()) < learned)
    assert len(set(nodes["generation"])) == len(nodes)
    for v, node in enumerate(nodes):
        m, n, l = np.array(list(known[v].values())).reshape(-1, 3).T  # noqa: E741
        assert node["labels"] == len(l)
        assert node["m"] == pytest.approx(sum(m), abs=1e-9)
        assert node["n"] == sum(l if node["left"] == NO_NODE else n)
        assert node["l_max"] == max(l, default=0)
        assert len(l) == 0 or known[v][node["label"]][2] == node["l_max"]
        assert np.all(np.abs(m) <= n)
        assert np.all(n <= l)
    assert sum(t[2] for t in known[int(counts["root"])].values()) <= learned


@pytest.mark.parametrize("T", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("swap_resistance", [0, 1, 4])
def test_laws_hold_after_every_example(T, swap_resistance):
    rng = np.random.default_rng(T)
    options = Options(bits=BITS, max_nodes=T, swap_resistance=swap_resistance, learning_rate=0.3)
    learner = LomLearner(options)
    for learned, one in enumerate(random_stream(rng, 150, 9)):
        teach(learner, [one._replace(label=max(one.label, 0))])
        assert_laws(learner, learned + 1, T)
    assert learner.state.tree.counts[0]["swaps"] > 0 or swap_resistance > 0


def drifting_stream(rng, count):
    """Examples come in waves, each longer than the one before: what a wave built is orphaned."""
    examples, wave, length, left = [], 0, 4.0, 4.0
    kind, growth, few = rng.integers(3), rng.choice([1.1, 1.5, 2, 2.5]), int(rng.choice([1, 2, 5]))
    for _ in range(count):
        if left <= 0:
            wave, length = wave + 1, length * growth
            left = length
        left -= 1
        label = int(rng.integers(30)) if kind else 3 * wave + int(rng.integers(3))
        features = {wave % few: (-1.0) ** wave, CONSTANT: 1.0} if kind == 1 else {wave: 1.0}
        examples.append(example(label, features))
    return examples


@pytest.mark.parametrize("T", [1, 2, 3, 5, 16])
def test_no_node_is_recycled_more_than_log2_n_times(T):
    most = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(
            rng,
            max_nodes=T,
            swap_resistance=float(rng.choice([4, 4, 5])),
            learning_rate=float(rng.choice([1e-6, 0.01, 1])),
        )
        learner = LomLearner(options)
        stream, taught = drifting_stream(rng, 2**12), 0
        for power in range(1, 13):
            teach(learner, stream[taught : 2**power])
            taught = 2**power
            assert nodes_of(learner)["recycled"].max() <= power
            most = max(most, nodes_of(learner)["recycled"].max())
    assert most >= 2


def test_a_recycled_node_at_least_doubles_its_size():
    """The step of the lemma's proof: C_s becomes 2 (C_s + 1) or more, and C_r never falls."""
    swaps = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        learner = LomLearner(Options(bits=BITS, max_nodes=4, learning_rate=0.01, clip=0.1))
        for one in drifting_stream(rng, 400):
            before, counts = nodes_of(learner).copy(), learner.state.tree.counts[0].copy()
            teach(learner, [one])
            after = nodes_of(learner)
            if counts["t"] == 4:
                smallest = before[counts["root"]]["C"]
                assert after[learner.state.tree.counts[0]["root"]]["C"] >= smallest
                recycled = after["recycled"] > before["recycled"]
                assert np.all(after[recycled]["C"] >= 2 * (smallest + 1))
                swaps += recycled.any()
    assert swaps >= 10


# Settings where every example's score is the side it is sent to, as the toy example assumes.
TOY = {"bits": BITS, "loss": "absolute", "clip": 1e6, "learning_rate": 1e6, "max_nodes": 1}


class CompiledRoot:
    def __init__(self, update):
        self.learner = LomLearner(Options(update=update, **TOY))

    def learn(self, one):
        teach(self.learner, [one])

    def l(self, side):  # noqa: E743
        number = 0 if side == "root" else int(nodes_of(self.learner)[0][side])
        return {y: t[2] for y, t in statistics_of(self.learner)[number].items()}

    def e(self, y=None):
        if y is None:
            m, n = nodes_of(self.learner)[0][["m", "n"]]
        else:
            m, n, _ = statistics_of(self.learner)[0][y]
        return m / n if n else 0.0


class NaiveRoot:
    def __init__(self, update):
        self.tree = naive_learner(Options(update=update, **TOY))

    def learn(self, one):
        self.tree.learn(*one)

    def l(self, side):  # noqa: E743
        return (self.tree.root if side == "root" else getattr(self.tree.root, side)).l

    def e(self, y=None):
        return self.tree.root.E if y is None else self.tree.root.e(y)


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
@pytest.mark.parametrize("kind", [CompiledRoot, NaiveRoot])
def test_the_toy_example_of_the_supplement(kind, update):
    root = kind(update)
    assert root.e() == 0  # a)
    root.learn(example(0, {0: 1}))  # Algorithm 1 splits where a second label comes
    assert (root.e(), root.l("root")) == (0, {0: 1})
    root.learn(example(1, {1: 1}))  # b) e - e1 = 0: right
    assert (root.l("left"), root.l("right")) == ({}, {1: 1})
    assert (root.e(), root.e(1)) == (1, 1)  # c)
    root.learn(example(2, {2: 1}))  # d) e - e2 = 1: left
    assert (root.l("left"), root.l("right")) == ({2: 1}, {1: 1})
    assert (root.e(), root.e(1), root.e(2)) == (0, 1, -1)  # e)
    assert root.l("root") == {0: 1, 1: 1, 2: 1}


def test_a_leaf_that_saw_no_example_predicts_its_parents_label():
    learner = LomLearner(Options(update="sgd", **TOY))
    teach(learner, [example(0, {0: 1}), example(1, {1: 1})])
    assert ask(learner, [example(0, {1: -1}), example(0, {1: 1})]) == [(0, 1), (1, 1)]


def test_one_label_makes_no_split():
    learner = LomLearner(Options(bits=BITS))
    assert teach(learner, [example(0, {1: 1}), example(0, {2: 1})]) == [(NO_LABEL, 0), (0, 0)]
    assert learner.state.tree.counts[0]["t"] == 0
    assert ask(learner, [example(0)]) == [(0, 0)]


@pytest.mark.parametrize("features", [{}, {CONSTANT: 1}])
def test_examples_without_features_of_their_own(features):
    rng = np.random.default_rng(0)
    stream = [example(int(y), features) for y in rng.integers(0, 5, 200)]
    for seed in range(20):
        assert_agree(random_options(np.random.default_rng(seed)), stream, [example(0, features)])
