"""Streams of examples for the tests, and how the compiled and the naive learner are taught them."""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from lomtree.core.constants import NO_NODE
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT, Batch, Vector
from lomtree.learners.base import Learner
from lomtree.linear.hashed_weights import index_of, offset_of
from tests.oracles import algorithm1 as naive
from tests.oracles.label_trees import FilterTree, RandomTree
from tests.oracles.oaa import OneAgainstAll
from tests.oracles.regressor import Rule, Scales

BITS = 18
FEATURES = [*range(20), CONSTANT]  # of random_stream


class Example(NamedTuple):
    features: list
    values: list  # float32
    label: int
    weight: np.float32 = np.float32(1)


def example(label, features=None, weight=1.0):
    """One example from {feature: value}; nothing is added."""
    features = features or {}
    return Example(
        list(features), [np.float32(v) for v in features.values()], label, np.float32(weight)
    )


# Few features, few labels, and importances and values of any size: what hypothesis draws from.
SMALL_EXAMPLES = st.builds(
    example,
    st.integers(-1, 6),
    st.dictionaries(
        st.sampled_from([0, 1, 2, CONSTANT]), st.sampled_from([-2.0, 0.5, 1.0, 1e-3, 1e6])
    ),
    st.sampled_from([1.0, 1.0, 0.0, 0.25, 7.0, 1e6]),
)


def batch_of(examples) -> Batch:
    return Batch(
        starts=np.cumsum([0] + [len(e.features) for e in examples]).astype(np.int64),
        features=np.array([f for e in examples for f in e.features], np.uint32),
        values=np.array([v for e in examples for v in e.values], np.float32),
        labels=np.array([e.label for e in examples], np.int32),
        weights=np.array([e.weight for e in examples], np.float32),
    )


def random_stream(rng, count, classes, *, weighted=False, length=6):
    """Labels appear one by one; some examples have no label or no feature."""
    examples = []
    centres = rng.normal(size=(classes, 20)) * 2
    for number in range(count):
        label = int(rng.integers(max(1, classes * (number + 1) // count)))
        features = [int(f) for f in rng.choice(20, int(rng.integers(0, length)), replace=False)]
        values = centres[label, features] + rng.normal(size=len(features))
        if rng.random() < 0.95:
            features, values = [*features, CONSTANT], [*values, 1]
        if rng.random() < 0.03:
            label = -1
        weight = rng.choice([0, 0.3, 1, 1, 1.5, 20]) if weighted else 1
        values = [np.float32(v) for v in values]
        examples.append(Example(features, values, label, np.float32(weight)))
    return examples


def leave_gaps(rng, examples):
    """The same stream with larger label numbers, some of which no example has."""
    labels = 1 + max((one.label for one in examples), default=-1)
    numbers = rng.permutation(2 * labels)[:labels]
    return [
        one._replace(label=int(numbers[one.label])) if one.label >= 0 else one for one in examples
    ]


def random_options(rng, **fixed) -> Options:
    drawn = {
        "bits": BITS,
        "loss": str(rng.choice(["squared", "absolute", "logistic"])),
        "update": str(rng.choice(["sgd", "adaptive"])),
        "scale": str(rng.choice(["none", "max", "rms", "l2", "auto", "auto"])),
        "learning_rate": float(rng.choice([0.1, 1, 4])),
        "power_t": float(rng.choice([0.5, 0.5, 0.3, 0])),
        "clip": float(rng.choice([0.1, 0.5, 2])),
        "max_nodes": int(rng.choice([0, 1, 2, 3, 5, 20])),
        "nodes_per_class": float(rng.choice([0.7, 1, 4])),
        "swap_resistance": float(rng.choice([0, 0.5, 1, 4])),
        "min_impurity": float(rng.choice([0, 0, 0.1, 0.4])),
    }
    drawn["ranker"] = drawn["power_t"] != 0.3
    return Options(**(drawn | fixed))


def naive_learner(options: Options):
    """The naive twin of the learner with these options."""
    rule = Rule(
        options.loss,
        options.update == "adaptive",
        options.learning_rate,
        options.power_t,
        options.clip,
    )
    scales = Scales(options.scale)
    if options.algorithm == "rtree":
        return RandomTree(rule, options.seed, options.classes, scales)
    if options.algorithm == "filter":
        return FilterTree(rule, options.seed, options.classes, scales)
    if options.algorithm == "oaa":
        return OneAgainstAll(replace(rule, gradient_threshold=0.001), scales=scales)
    return naive.Lomtree(
        rule,
        options.swap_resistance,
        options.max_nodes,
        options.nodes_per_class,
        options.max_statistics,
        scales,
        min_impurity=options.min_impurity,
        ranked=options.ranker,
    )


def teach(learner: Learner, examples, cuts=()) -> list:
    """[(prediction, depth)] of every example, learned in batches that end at `cuts`."""
    results = []
    edges = [0, *sorted(cuts), len(examples)]
    for begin, end in pairwise(edges):
        count = end - begin
        predictions, depths = np.full(count, -9, np.int32), np.full(count, -9, np.int32)
        learner.learn(batch_of(examples[begin:end]), count, predictions, depths)
        results += zip(predictions.tolist(), depths.tolist(), strict=True)
    return results


def note_rivals(learner: Learner) -> list:
    """A list that will get the rivals that each example is told to have, one for every tree."""
    rivals, learn_scaled = [], learner.learn_scaled

    def learn_and_note(lesson, begin, end):
        learn_scaled(lesson, begin, end)
        rivals.extend(lesson.rivals[:, begin:end].T.tolist())

    learner.learn_scaled = learn_and_note  # type: ignore[method-assign]
    return rivals


def ask(learner: Learner, examples) -> list:
    """[(prediction, depth)] of every example, without learning."""
    predictions, depths = np.full((2, len(examples)), -9, np.int32)
    learner.predict(batch_of(examples), len(examples), predictions, depths)
    return list(zip(predictions.tolist(), depths.tolist(), strict=True))


def teach_naive(tree, examples) -> list:
    return [tree.learn(*e) for e in examples]


def ask_naive(tree, examples) -> list:
    return [tree.predict(e.features, e.values) for e in examples]


def content(learner) -> list:
    """All that learning may change."""
    ranker = learner.ranker.state if learner.ranker else ()
    learned = (learner.state, learner.scaler.scales, ranker, learner.combination)
    return [array.tobytes() for array in arrays(learned)]


def arrays(part) -> list:
    """All arrays in a tuple of arrays and tuples."""
    if isinstance(part, tuple):
        return [array for one in part for array in arrays(one)]
    return [part] if isinstance(part, np.ndarray) else []


def nodes_of(learner):
    tree = learner.state.tree
    return tree.nodes[: tree.counts[0]["nodes"]]


def statistics_of(learner):
    """{node: {label: (m, n, l)}}, of what was not evicted."""
    owner = {int(node["generation"]): number for number, node in enumerate(nodes_of(learner))}
    found = {number: {} for number in owner.values()}
    for row in learner.state.statistics:
        if int(row["generation"]) in owner:
            label = int(row["label"])
            assert label not in found[owner[row["generation"]]]
            found[owner[row["generation"]]][label] = tuple(float(row[name]) for name in "mnl")
    return found


def shape_of(learner):
    """A tree over labels as pairs: (left, right), or the label of a leaf."""
    counts, nodes = learner.state.tree.counts[0], nodes_of(learner)
    labels = {int(v): label for label, v in enumerate(learner.state.leaves[: counts["t"] + 1])}

    def visit(v, parent):
        node = nodes[v]
        assert node["parent"] == parent
        if node["left"] == NO_NODE:
            return labels.pop(v)
        return visit(int(node["left"]), v), visit(int(node["right"]), v)

    shape = visit(int(counts["root"]), NO_NODE)
    assert not labels
    return shape


def weights_of(learner) -> dict:
    """{"lr...", the way to a node: {feature: (weight, sum of squares)}}, without zeros; no two of
    them share a slot."""
    table, _, size = learner.state.weights
    nodes, found, slots = nodes_of(learner), {}, []

    def visit(v, way):
        node = nodes[v]
        if node["left"] == NO_NODE:
            return
        found[way] = {}
        if node["slot"] != NO_NODE:
            for feature in FEATURES:
                index = int(index_of(np.uint32(feature), offset_of(node["slot"])))
                slots.append(index & (int(size[0]) - 1))
                if table[slots[-1]].any():
                    found[way][feature] = tuple(table[slots[-1]].tolist())
        visit(int(node["left"]), way + "l")
        visit(int(node["right"]), way + "r")

    visit(int(learner.state.tree.counts[0]["root"]), "")
    assert len(set(slots)) == len(slots)
    return found


def way_to(shape, label, way="") -> str | None:
    """The way from the root of a tree over labels to a leaf."""
    if isinstance(shape, int):
        return way if shape == label else None
    left = way_to(shape[0], label, way + "l")
    return way_to(shape[1], label, way + "r") if left is None else left


def vector_at(batch: Batch, number: int) -> Vector:
    """The features of one example. (What kernels call for it returns arrays, which no kernel that
    is called from outside may.)"""
    begin, end = batch.starts[number : number + 2].tolist()
    return Vector(batch.features, batch.values, begin, end)
