"""A learner learns what it is given, when it is given it, and predicting changes nothing."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.learners.base import WORTH_A_THREAD
from lomtree.learners.factory import new_learner
from tests.generators.streams import BITS, ask, batch_of, content, example, random_stream, teach


@pytest.fixture(params=ALGORITHMS)
def options(request):
    return Options(request.param, bits=BITS, max_nodes=7, swap_resistance=1)


@pytest.fixture
def stream():
    return random_stream(np.random.default_rng(0), 300, 8)


def test_nothing_is_predicted_before_anything_was_learned(options):
    assert ask(new_learner(options), [example(0, {1: 1})]) == [(-1, 0)]


def test_predicting_changes_nothing(stream, options):
    learner = new_learner(options)
    teach(learner, stream)
    before = content(learner)
    assert ask(learner, stream) == ask(learner, stream)
    assert content(learner) == before


@pytest.mark.parametrize("unlearned", [{"label": -1}, {"weight": np.float32(0)}])
def test_an_example_without_label_or_weight_is_predicted_not_learned(stream, options, unlearned):
    learner = new_learner(options)
    teach(learner, stream)
    before = content(learner)
    questions = [one._replace(**unlearned) for one in stream]
    assert teach(learner, questions) == ask(learner, stream)
    assert content(learner) == before


def test_learning_returns_what_predicting_would_have_just_before(stream, options):
    learner = new_learner(replace(options, scale="none"))
    for one in stream:
        expected = ask(learner, [one])[0][0]
        assert teach(learner, [one])[0][0] == expected


def test_only_the_first_examples_of_a_batch_are_used(stream, options):
    learner, twin = new_learner(options), new_learner(options)
    predictions, depths = np.full((2, len(stream)), -9, np.int32)
    learner.learn(batch_of(stream), 100, predictions, depths)
    teach(twin, stream[:100])
    assert content(learner) == content(twin)
    assert np.all(predictions[100:] == -9)
    learner.predict(batch_of(stream), 0, predictions, depths)
    assert np.all(depths[100:] == -9)


def test_a_state_goes_on_in_another_learner(stream, options):
    whole, first = new_learner(options), new_learner(options)
    results = teach(whole, stream)
    teach(first, stream[:150])
    second_half = teach(
        type(first)(options, ONE_CORE, first.state, first.scaler.scales), stream[150:]
    )
    assert second_half == results[150:]


def test_examples_may_become_longer_and_longer(options):
    learner = new_learner(options)
    lengths = [0, 1, 5, 11, 200, 3, 5000]
    results = teach(
        learner, [example(n % 2, dict.fromkeys(range(n), 1.0)) for n in lengths], range(7)
    )
    assert len(results) == len(lengths)
    assert learner.examples == len(lengths)


def test_an_easy_problem_is_learned(options):
    rng = np.random.default_rng(1)
    easy = [example(int(y), {int(y): 1.0, 50: 1.0}) for y in rng.integers(0, 16, 2000)]
    learner = new_learner(replace(options, max_nodes=0, swap_resistance=4))
    teach(learner, easy)
    right = [
        prediction == one.label
        for (prediction, _), one in zip(ask(learner, easy), easy, strict=True)
    ]
    assert np.mean(right) > 0.95


def test_predictions_are_the_same_with_any_number_of_threads(options):
    rng = np.random.default_rng(0)
    stream = random_stream(rng, WORTH_A_THREAD // 2, 30)
    assert sum(len(one.features) for one in stream) > WORTH_A_THREAD
    learner = new_learner(replace(options, bits=20, max_nodes=0))
    teach(learner, stream)
    alone = ask(learner, stream)
    for threads in (2, 3, 7):
        learner.execution = Execution(threads)
        assert ask(learner, stream) == alone
