"""Labels that are known in advance change no prediction, and one that was not seen is never one."""

from dataclasses import replace

import numpy as np

from lomtree.learners.factory import new_learner
from tests.generators.label_trees import both_trees, depths_of, options_of
from tests.generators.streams import (
    ask,
    example,
    leave_gaps,
    naive_learner,
    random_options,
    random_stream,
    shape_of,
    teach,
    weights_of,
)


@both_trees
def test_classes_given_in_advance_change_no_prediction_and_no_weight(algorithm):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm=algorithm, seed=seed)
        stream = random_stream(rng, 200, 11, weighted=seed % 2 == 0)
        stream.append(example(10, {3: 1.0}))  # now all 11 have leaves
        questions = random_stream(rng, 50, 11)
        learners = [new_learner(options)] + [
            new_learner(replace(options, classes=k)) for k in (1, 6, 11, 40)
        ]
        predictions = [[prediction for prediction, _ in teach(one, stream)] for one in learners]
        assert all(others == predictions[0] for others in predictions)
        predictions = [[prediction for prediction, _ in ask(one, questions)] for one in learners]
        assert all(others == predictions[0] for others in predictions)
        for other in learners[1:4]:
            assert shape_of(other) == shape_of(learners[0])
            assert weights_of(other) == weights_of(learners[0])
            assert ask(other, questions) == ask(learners[0], questions)


@both_trees
def test_no_prediction_is_a_label_that_was_not_seen(algorithm):
    turned = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm=algorithm, classes=20, seed=seed)
        learner, tree, seen = new_learner(options), naive_learner(options), set()
        for one in leave_gaps(rng, random_stream(rng, 60, 10, weighted=True)):
            tree.learn(*one)
            assert {prediction for prediction, _ in ask(learner, [one])} <= (seen or {-1})
            teach(learner, [one])
            if one.label >= 0 and one.weight > 0:
                seen.add(one.label)
            assert {prediction for prediction, _ in ask(learner, [one])} <= (seen or {-1})
        turned += tree.events["turned away from an unseen side"]
    assert turned > 100


@both_trees
def test_nothing_is_predicted_before_anything_was_learned(algorithm):
    assert ask(new_learner(options_of(algorithm)), [example(0, {1: 1})]) == [(-1, 0)]
    ((prediction, _),) = ask(new_learner(options_of(algorithm, classes=9)), [example(0, {1: 1})])
    assert prediction == -1


@both_trees
def test_the_only_label_seen_is_always_the_prediction(algorithm):
    for label in (0, 5):
        learner = new_learner(options_of(algorithm, classes=4))
        results = teach(learner, [example(label, {1: 1.0}), example(label, {2: 1.0})])
        assert results[1][0] == label
        depth = depths_of(shape_of(learner))[label]
        questions = [example(0, {1: 1.0}), example(0, {1: -1.0, 2: -1.0}), example(0)]
        assert ask(learner, questions) == [(label, depth)] * 3
        assert all(not weights for weights in weights_of(learner).values())


@both_trees
def test_one_class_needs_no_node_and_two_need_one(algorithm):
    learner = new_learner(options_of(algorithm))
    assert teach(learner, [example(0, {1: 1.0})] * 3)[1:] == [(0, 0)] * 2
    assert shape_of(learner) == 0
    teach(learner, [example(1, {2: 1.0}), example(0, {1: 1.0})] * 20)
    assert shape_of(learner) in [(0, 1), (1, 0)]
    assert ask(learner, [example(0, {1: 1.0}), example(0, {2: 1.0})]) == [(0, 1), (1, 1)]
