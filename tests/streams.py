"""Streams of examples for the tests, and how the compiled and the naive learner are taught them."""

from itertools import pairwise
from typing import NamedTuple

import naive
import numpy as np
from naive_regressor import Rule

from lomtree.batch import CONSTANT, Batch
from lomtree.learner import Learner
from lomtree.options import Options

BITS = 18


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


def batch_of(examples) -> Batch:
    return Batch(
        starts=np.cumsum([0] + [len(e.features) for e in examples]).astype(np.int64),
        features=np.array([f for e in examples for f in e.features], np.uint32),
        values=np.array([v for e in examples for v in e.values], np.float32),
        labels=np.array([e.label for e in examples], np.int32),
        weights=np.array([e.weight for e in examples], np.float32),
    )


def random_stream(rng, count, classes, *, weighted=False, length=6):
    """Labels appear one by one; some examples have no label, no feature, or a feature twice."""
    examples = []
    centres = rng.normal(size=(classes, 20)) * 2
    for number in range(count):
        label = int(rng.integers(max(1, classes * (number + 1) // count)))
        features = [int(f) for f in rng.choice(20, int(rng.integers(0, length)))]
        values = centres[label, features] + rng.normal(size=len(features))
        if rng.random() < 0.95:
            features, values = [*features, CONSTANT], [*values, 1]
        if rng.random() < 0.03:
            label = -1
        weight = rng.choice([0, 0.3, 1, 1, 1.5, 20]) if weighted else 1
        values = [np.float32(v) for v in values]
        examples.append(Example(features, values, label, np.float32(weight)))
    return examples


def random_options(rng, **fixed) -> Options:
    drawn = {
        "bits": BITS,
        "loss": str(rng.choice(["squared", "absolute", "logistic"])),
        "update": str(rng.choice(["sgd", "adaptive"])),
        "learning_rate": float(rng.choice([0.1, 1, 4])),
        "power_t": float(rng.choice([0.5, 0.5, 0.3, 0])),
        "clip": float(rng.choice([0.1, 0.5, 2])),
        "max_nodes": int(rng.choice([0, 1, 2, 3, 5, 20])),
        "nodes_per_class": float(rng.choice([0.7, 1, 4])),
        "swap_resistance": float(rng.choice([0, 0.5, 1, 4])),
    }
    return Options(**(drawn | fixed))


def naive_learner(options: Options) -> naive.Lomtree:
    rule = Rule(
        options.loss,
        options.update == "adaptive",
        options.learning_rate,
        options.power_t,
        options.clip,
    )
    return naive.Lomtree(rule, options.swap_resistance, options.max_nodes, options.nodes_per_class)


def teach(learner: Learner, examples, cuts=()) -> list:
    """[(answer, depth)] of every example, learned in batches that end at `cuts`."""
    results = []
    edges = [0, *sorted(cuts), len(examples)]
    for begin, end in pairwise(edges):
        count = end - begin
        answers, depths = np.full(count, -9, np.int32), np.full(count, -9, np.int32)
        learner.learn(batch_of(examples[begin:end]), count, answers, depths)
        results += zip(answers.tolist(), depths.tolist(), strict=True)
    return results


def ask(learner: Learner, examples) -> list:
    """[(answer, depth)] of every example, without learning."""
    answers, depths = np.full((2, len(examples)), -9, np.int32)
    learner.predict(batch_of(examples), len(examples), answers, depths)
    return list(zip(answers.tolist(), depths.tolist(), strict=True))


def teach_naive(tree: naive.Lomtree, examples) -> list:
    return [tree.learn(*e) for e in examples]


def ask_naive(tree: naive.Lomtree, examples) -> list:
    return [tree.predict(e.features, e.values) for e in examples]


def nodes_of(learner):
    tree = learner.state.tree
    return tree.nodes[: tree.counts[0]["nodes"]]


def tallies_of(learner):
    """{node: {label: (m, n, l)}}, of what is not forgotten."""
    owner = {int(node["generation"]): number for number, node in enumerate(nodes_of(learner))}
    found = {number: {} for number in owner.values()}
    for row in learner.state.tree.tallies:
        if int(row["generation"]) in owner:
            label = int(row["label"])
            assert label not in found[owner[row["generation"]]]
            found[owner[row["generation"]]][label] = tuple(float(row[name]) for name in "mnl")
    return found
