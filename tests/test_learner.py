"""A learner learns what it is given, when it is given it, and predicting changes nothing."""

import numpy as np
import pytest
from streams import BITS, ask, batch_of, example, random_stream, teach

from lomtree.learner import WORTH_A_THREAD, Learner
from lomtree.options import Options

OPTIONS = Options(bits=BITS, max_nodes=7, swap_resistance=1)


def content(learner):
    return [array.tobytes() for part in learner.state for array in part]


@pytest.fixture
def stream():
    return random_stream(np.random.default_rng(0), 300, 8)


def test_nothing_is_answered_before_anything_was_learned():
    assert ask(Learner(OPTIONS), [example(0, {1: 1})]) == [(-1, 0)]


def test_predicting_changes_nothing(stream):
    learner = Learner(OPTIONS)
    teach(learner, stream)
    before = content(learner)
    assert ask(learner, stream) == ask(learner, stream)
    assert content(learner) == before


@pytest.mark.parametrize("unlearned", [{"label": -1}, {"weight": np.float32(0)}])
def test_an_example_without_label_or_importance_is_answered_not_learned(stream, unlearned):
    learner = Learner(OPTIONS)
    teach(learner, stream)
    before = content(learner)
    questions = [one._replace(**unlearned) for one in stream]
    assert teach(learner, questions) == ask(learner, stream)
    assert content(learner) == before


def test_learning_answers_what_predicting_would_have_just_before(stream):
    learner = Learner(Options(bits=BITS, update="sgd", max_nodes=7, swap_resistance=1))
    for one in stream:
        expected = ask(learner, [one])[0][0]
        assert teach(learner, [one])[0][0] == expected


def test_only_the_first_examples_of_a_batch_are_used(stream):
    learner, twin = Learner(OPTIONS), Learner(OPTIONS)
    answers, depths = np.full((2, len(stream)), -9, np.int32)
    learner.learn(batch_of(stream), 100, answers, depths)
    teach(twin, stream[:100])
    assert content(learner) == content(twin)
    assert np.all(answers[100:] == -9)
    learner.predict(batch_of(stream), 0, answers, depths)
    assert np.all(depths[100:] == -9)


def test_a_state_goes_on_in_another_learner(stream):
    whole, first = Learner(OPTIONS), Learner(OPTIONS)
    results = teach(whole, stream)
    second_half = teach(first, stream[:150]) and teach(Learner(OPTIONS, first.state), stream[150:])
    assert second_half == results[150:]


def test_examples_may_become_longer_and_longer():
    learner = Learner(OPTIONS)
    lengths = [0, 1, 5, 11, 200, 3, 5000]
    results = teach(
        learner, [example(n % 2, dict.fromkeys(range(n), 1.0)) for n in lengths], range(7)
    )
    assert len(results) == len(lengths)
    assert learner.state.tree.counts[0]["examples"] == len(lengths)


def test_an_easy_problem_is_learned(stream):
    rng = np.random.default_rng(1)
    easy = [example(int(y), {int(y): 1.0, 50: 1.0}) for y in rng.integers(0, 16, 2000)]
    learner = Learner(Options(bits=BITS))
    teach(learner, easy)
    right = [answer == one.label for (answer, _), one in zip(ask(learner, easy), easy, strict=True)]
    assert np.mean(right) > 0.95


def test_predictions_are_the_same_with_any_number_of_threads():
    rng = np.random.default_rng(0)
    stream = random_stream(rng, 2 * WORTH_A_THREAD, 30)
    learner = Learner(Options(bits=20))
    teach(learner, stream)
    alone = ask(learner, stream)
    for threads in (2, 3, 7):
        learner.threads = threads
        assert ask(learner, stream) == alone
