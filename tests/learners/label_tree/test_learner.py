"""The random tree and the filter tree are learners like any other."""

import numpy as np
import pytest

from lomtree.core.execution import Execution
from lomtree.learners.base import WORTH_A_THREAD
from lomtree.learners.factory import new_learner
from tests.generators.label_trees import both_trees, depths_of, options_of
from tests.generators.streams import (
    ask,
    batch_of,
    content,
    example,
    random_stream,
    shape_of,
    teach,
)


def taught(algorithm, **others):
    stream = random_stream(np.random.default_rng(0), 300, 8)
    learner = new_learner(options_of(algorithm, **others))
    teach(learner, stream)
    return learner, stream


@both_trees
def test_predicting_changes_nothing(algorithm):
    learner, stream = taught(algorithm)
    before = content(learner)
    assert ask(learner, stream) == ask(learner, stream)
    assert content(learner) == before


@pytest.mark.parametrize("unlearned", [{"label": -1}, {"label": 99, "weight": np.float32(0)}])
@both_trees
def test_an_example_without_label_or_importance_is_predicted_not_learned(algorithm, unlearned):
    learner, stream = taught(algorithm)
    before = content(learner)
    questions = [one._replace(**unlearned) for one in stream]
    assert teach(learner, questions) == ask(learner, stream)
    assert content(learner) == before


@both_trees
def test_learning_returns_what_predicting_would_have_just_before(algorithm):
    learner = new_learner(options_of(algorithm, scale="none"))
    for one in random_stream(np.random.default_rng(0), 300, 8):
        expected = ask(learner, [one])[0][0]
        assert teach(learner, [one])[0][0] == expected


@both_trees
def test_learning_says_how_deep_the_label_s_leaf_is(algorithm):
    learner, stream = taught(algorithm)
    depths = depths_of(shape_of(learner))
    for one in stream:
        if one.label >= 0:
            assert teach(learner, [one])[0][1] == depths[one.label]


@both_trees
def test_where_a_stream_is_cut_into_batches_changes_nothing(algorithm):
    rng = np.random.default_rng(3)
    stream = random_stream(rng, 400, 12, weighted=True)
    learners = [new_learner(options_of(algorithm)) for _ in range(3)]
    results = [
        teach(learner, stream, cuts)
        for learner, cuts in zip(learners, ([], range(400), rng.integers(0, 400, 20)), strict=True)
    ]
    assert results[0] == results[1] == results[2]
    assert content(learners[0]) == content(learners[1]) == content(learners[2])


@both_trees
def test_only_the_first_examples_of_a_batch_are_used(algorithm):
    stream = random_stream(np.random.default_rng(0), 300, 8)
    learner, twin = new_learner(options_of(algorithm)), new_learner(options_of(algorithm))
    predictions, depths = np.full((2, len(stream)), -9, np.int32)
    learner.learn(batch_of(stream), 100, predictions, depths)
    teach(twin, stream[:100])
    assert content(learner) == content(twin)
    assert np.all(predictions[100:] == -9)


@both_trees
def test_predictions_are_the_same_with_any_number_of_threads(algorithm):
    stream = random_stream(np.random.default_rng(0), WORTH_A_THREAD // 2, 30)
    assert sum(len(one.features) for one in stream) > WORTH_A_THREAD
    learner = new_learner(options_of(algorithm))
    teach(learner, stream)
    alone = ask(learner, stream)
    for threads in (2, 3, 7):
        learner.execution = Execution(threads)
        assert ask(learner, stream) == alone


@both_trees
def test_an_easy_problem_is_learned(algorithm):
    rng = np.random.default_rng(1)
    easy = [example(int(y), {int(y): 1.0, 50: 1.0}) for y in rng.integers(0, 16, 2000)]
    learner = new_learner(options_of(algorithm))
    teach(learner, easy)
    right = [
        prediction == one.label
        for (prediction, _), one in zip(ask(learner, easy), easy, strict=True)
    ]
    assert np.mean(right) > 0.95
