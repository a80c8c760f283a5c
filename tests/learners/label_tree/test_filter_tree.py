"""The filter tree: a label plays its way up from its leaf, until it loses."""

from collections import Counter

import numpy as np

from lomtree.core.options import Options
from lomtree.learners.factory import new_learner
from tests.generators.streams import (
    BITS,
    ask,
    ask_naive,
    example,
    naive_learner,
    random_options,
    random_stream,
    shape_of,
    teach,
    teach_naive,
    way_to,
    weights_of,
)

BOLD = {"bits": BITS, "update": "sgd", "loss": "absolute", "learning_rate": 1e6, "clip": 1e6}


def test_agrees_with_the_naive_tree_where_labels_often_lose():
    events = Counter()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        options = random_options(
            rng,
            algorithm="filter",
            learning_rate=float(rng.choice([0.01, 0.1])),
            clip=0.1,
            seed=seed,
        )
        learner, tree = new_learner(options), naive_learner(options)
        stream = random_stream(rng, 200, 16, weighted=seed % 2 == 0)
        assert teach(learner, stream, rng.integers(0, 200, 3)) == teach_naive(tree, stream)
        assert weights_of(learner) == tree.weights()
        questions = random_stream(rng, 30, 16)
        assert ask(learner, questions) == ask_naive(tree, questions)
        events += tree.events
    for kind in ("lost below the root", "lost at the root", "won"):
        assert events[kind] > 1000, (kind, events)


def score_at(weights, way, one):
    """With values that are not scaled."""
    row = weights[way]
    return sum(row.get(f, (0.0,))[0] * v for f, v in zip(one.features, one.values, strict=True))


def test_nothing_above_a_lost_match_learns_and_every_won_match_leads_on():
    lost = led_on = 0
    for seed in range(5):
        learner = new_learner(
            Options(
                algorithm="filter",
                bits=BITS,
                update="sgd",
                scale="none",
                clip=0.1,
                classes=16,
                seed=seed,
            )
        )
        teach(learner, [example(label) for label in range(16)])  # everyone has an opponent
        shape = shape_of(learner)
        for one in random_stream(np.random.default_rng(seed), 150, 16):
            if one.label < 0 or len(one.features) != len(set(one.features)):
                continue  # a feature twice: the match is decided by a score that is an estimate
            before = weights_of(learner)
            teach(learner, [one])
            after = weights_of(learner)
            way, playing = way_to(shape, one.label), True
            for depth in reversed(range(len(way))):
                node = way[:depth]
                if not playing:
                    assert after[node] == before[node]
                    lost += 1
                    continue
                led_on += after[node] != before[node]
                if one.features and abs(score_at(before, node, one)) < 1:  # above the threshold
                    assert after[node] != before[node]
                score = score_at(after, node, one)
                if abs(score) < 1e-5:
                    break  # too close to tell who won
                playing = (score > 0) == (way[depth] == "r")
            on_the_way = {way[:depth] for depth in range(len(way))}
            assert all(after[node] == before[node] for node in after if node not in on_the_way)
    assert lost > 100
    assert led_on > 100


def test_a_label_wins_without_a_match_where_no_other_was_seen():
    learner = new_learner(Options(algorithm="filter", classes=16, **BOLD))
    teach(learner, [example(2, {2: 1.0})] * 5)
    assert not any(weights_of(learner).values())
    teach(learner, [example(5, {5: 1.0})])
    shape = shape_of(learner)
    ways = way_to(shape, 2), way_to(shape, 5)
    (fork,) = [w for w, row in weights_of(learner).items() if row]
    assert all(way.startswith(fork) for way in ways)
    assert weights_of(learner)[fork] == {5: (1.0 if ways[1][len(fork)] == "r" else -1.0,)}


def test_a_label_that_always_wins_teaches_the_whole_way_as_in_the_random_tree():
    learners = [
        new_learner(Options(algorithm=name, seed=1, **BOLD)) for name in ("filter", "rtree")
    ]
    stream = [example(label, {label: 1.0}) for label in range(12)] * 2
    results = [teach(learner, stream) for learner in learners]
    assert results[0] == results[1]
    assert weights_of(learners[0]) == weights_of(learners[1])


def test_a_label_that_loses_teaches_less_than_in_the_random_tree():
    stream = random_stream(np.random.default_rng(0), 300, 16)
    roots = []
    for name in ("filter", "rtree"):
        learner = new_learner(Options(algorithm=name, bits=BITS, clip=0.1))
        teach(learner, stream)
        roots.append(weights_of(learner)[""])
    squares = [sum(row[1] for row in root.values()) for root in roots]
    assert 0 < squares[0] < squares[1]
