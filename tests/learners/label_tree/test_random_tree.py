"""The random tree: every node on the way to a label's leaf learns to go there."""

import numpy as np

from lomtree.core.options import Options
from lomtree.learners.factory import new_learner
from tests.generators.streams import (
    BITS,
    ask,
    example,
    random_options,
    random_stream,
    shape_of,
    teach,
    way_to,
    weights_of,
)

# Settings where one example makes every node on its way decide as it should.
BOLD = {"bits": BITS, "update": "sgd", "loss": "absolute", "learning_rate": 1e6, "clip": 1e6}


def test_exactly_the_nodes_on_the_way_to_the_label_learn():
    learner = new_learner(Options(algorithm="rtree", classes=8, seed=3, **BOLD))
    teach(learner, [example(label) for label in range(8)])  # now every side was seen
    before = weights_of(learner)
    assert len(before) == 7
    assert not any(before.values())
    for label in range(8):
        teach(learner, [example(label, {label: 1.0})])
        way = way_to(shape_of(learner), label)
        assert len(way) == 3
        target = {"l": (-1.0,), "r": (1.0,)}
        expected = {way[:depth]: target[way[depth]] for depth in range(3)}
        learned = weights_of(learner)
        assert {w: row[label] for w, row in learned.items() if label in row} == expected


def test_a_node_with_one_seen_side_does_not_learn():
    learner = new_learner(Options(algorithm="rtree", classes=8, **BOLD))
    teach(learner, [example(2, {2: 1.0})] * 5)
    assert not any(weights_of(learner).values())
    teach(learner, [example(5, {5: 1.0})])
    shape = shape_of(learner)
    ways = way_to(shape, 2), way_to(shape, 5)
    (fork,) = [w for w, row in weights_of(learner).items() if row]
    assert all(way.startswith(fork) for way in ways)
    assert ways[0][len(fork)] != ways[1][len(fork)]
    assert weights_of(learner)[fork] == {5: (1.0 if ways[1][len(fork)] == "r" else -1.0,)}


def test_one_bold_pass_is_enough_where_every_label_has_a_feature():
    for classes in (2, 7, 20):
        learner = new_learner(Options(algorithm="rtree", seed=classes, **BOLD))
        stream = [example(label, {label: 1.0}) for label in range(classes)]
        teach(learner, stream + stream)
        assert [prediction for prediction, _ in ask(learner, stream)] == list(range(classes))


def test_a_node_learns_from_the_labels_below_it_alone():
    """With values that are not scaled: scales know all examples."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        options = random_options(
            rng, algorithm="rtree", scale="none", update="sgd", classes=8, seed=seed
        )
        learner, twin = new_learner(options), new_learner(options)
        begin = [example(label) for label in range(8)]
        stream = [one for one in random_stream(rng, 200, 8) if one.label >= 0]
        left = {y for y in range(8) if way_to(shape_of(learner), y).startswith("l")}
        assert len(left) == 4
        teach(learner, begin + stream)
        teach(twin, begin + [one for one in stream if one.label in left])
        mine, theirs = weights_of(learner), weights_of(twin)
        below_left = [way for way in mine if way.startswith("l")]
        assert len(below_left) == 3
        assert all(mine[way] == theirs[way] for way in below_left)
        assert mine[""] != theirs[""]
