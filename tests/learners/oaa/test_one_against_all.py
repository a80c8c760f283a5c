"""One regressor for each label: agreement with the naive ones, and labels that come late."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT
from lomtree.jit.intrinsics import LANES
from lomtree.learners.base import WORTH_A_THREAD
from lomtree.learners.factory import new_learner
from tests.generators.streams import (
    BITS,
    SMALL_EXAMPLES,
    ask,
    ask_naive,
    batch_of,
    content,
    example,
    leave_gaps,
    naive_learner,
    random_options,
    random_stream,
    teach,
    teach_naive,
)
from tests.oracles.oaa import OneAgainstAll
from tests.oracles.regressor import Scales

OPTIONS = Options(algorithm="oaa", bits=BITS)


def assert_agree(options, examples, questions=(), cuts=()):
    learner, twin = new_learner(options), naive_learner(options)
    assert teach(learner, examples, cuts) == teach_naive(twin, examples)
    assert_same_weights(learner, twin)
    assert ask(learner, questions) == ask_naive(twin, questions)
    return twin


def assert_same_weights(learner, twin):
    """Bit by bit, and of the labels that nobody knows yet, too; behind them there is nothing."""
    weights, squares, features, _, (rows, _, labels), _ = learner.state.table
    regressors = [*twin.regressors, twin.unknown]
    assert labels == len(twin.regressors)
    assert np.flatnonzero(learner.state.seen).tolist() == sorted(twin.seen)
    assert {f for h in regressors for f in h.weight} <= set(features[:rows].tolist())
    assert not weights[:rows, labels + 1 :].any()
    assert not squares[:rows, labels + 1 :].any()
    for row, feature in enumerate(features[:rows].tolist()):
        expected = [h.weight.get(feature, 0.0) for h in regressors]
        assert weights[row, : labels + 1].tolist() == expected
        if len(squares):
            expected = [h.squares.get(feature, 0.0) for h in regressors]
            assert squares[row, : labels + 1].tolist() == expected


def opposites(examples):
    """Examples that the regressors of seen labels say no to, and those of unseen labels yes."""
    return [one._replace(values=[-value for value in one.values]) for one in examples]


def test_agrees_with_the_naive_one_on_random_streams():
    events = Counter()
    for seed in range(80):
        rng = np.random.default_rng(seed)
        labels, count = int(rng.choice([1, 2, 3, 8, 20])), int(rng.integers(1, 120))
        stream = random_stream(rng, count, labels, weighted=seed % 2 == 0)
        if seed % 3 == 0:
            stream = leave_gaps(rng, stream)
        options = random_options(
            rng, algorithm="oaa", classes=int(rng.choice([0, 0, 1, labels, 50]))
        )
        questions = [*stream, *opposites(stream), *random_stream(rng, 30, labels, length=12)]
        events += assert_agree(options, stream, questions, rng.integers(0, count + 1, 3)).events
    for kind in ("copied", "tie", "an unseen label had the largest score"):
        assert events[kind] > 100, (kind, events)


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_agrees_with_the_naive_one_with_every_loss_and_update(loss, update):
    rng = np.random.default_rng(11)
    options = random_options(rng, algorithm="oaa", loss=loss, update=update, power_t=0.5)
    stream = random_stream(rng, 300, 12, weighted=True)
    twin = assert_agree(options, stream, random_stream(rng, 100, 12))
    assert len(twin.seen) >= 10


@settings(max_examples=100)
@given(
    st.lists(SMALL_EXAMPLES, max_size=40),
    st.lists(SMALL_EXAMPLES, max_size=5),
    st.integers(0, 2**32),
    st.sampled_from([0, 0, 3, 9]),
)
def test_agrees_with_the_naive_one_on_small_streams_of_any_kind(stream, questions, seed, classes):
    options = random_options(np.random.default_rng(seed), algorithm="oaa", classes=classes)
    assert_agree(options, stream, questions)


@pytest.mark.parametrize("features", [{}, {CONSTANT: 1}])
def test_examples_without_features_of_their_own(features):
    rng = np.random.default_rng(0)
    stream = [example(int(y), features) for y in rng.integers(0, 5, 100)]
    for seed in range(10):
        options = random_options(np.random.default_rng(seed), algorithm="oaa")
        assert_agree(options, stream, [example(0, features), example(0)])


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_more_labels_than_there_was_room_for_come_in_the_middle_of_a_batch(update):
    rng = np.random.default_rng(2)
    options = Options(algorithm="oaa", bits=20, update=update)
    stream = random_stream(rng, 60, 3) + random_stream(rng, 150, 200)
    stream.append(example(199, {3: 1.0}))
    learner, twin = new_learner(options), naive_learner(options)
    first = learner.state.table.weights.shape[1]
    assert teach(learner, stream) == teach_naive(twin, stream)
    assert len(twin.regressors) == 200
    assert twin.events["copied"] > 150
    assert learner.state.table.weights.shape[1] > 200 > first
    assert_same_weights(learner, twin)
    questions = random_stream(rng, 60, 200)
    assert ask(learner, questions) == ask_naive(twin, questions)


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
def test_agrees_where_whole_tiles_are_below_the_gradient_threshold_and_where_none_is(loss, update):
    rng = np.random.default_rng(7)
    options = Options(
        algorithm="oaa", bits=20, update=update, loss=loss, learning_rate=1e6, clip=4.0
    )
    stream = [example(y, {y % 20: 1.0 + y // 20, CONSTANT: 1.0, 30 + y: 1.0}) for y in range(40)]
    # Where all examples look the same, only their label and the one before have large gradients.
    stream += [example(int(y), {25: 1.0}) for y in rng.integers(0, 40, 100)]
    moved = assert_agree(options, stream, stream).moved
    tiles = [len({label // LANES for label in labels}) for labels in moved[40:]]
    all_tiles = 40 // LANES + 1
    assert sum(0 < count < all_tiles for count in tiles) > 20
    assert max(len(labels) for labels in moved) == 41


def test_more_features_than_there_was_room_for_come_in_the_middle_of_a_batch():
    learner, twin = new_learner(OPTIONS), naive_learner(OPTIONS)
    rng = np.random.default_rng(8)
    first = len(learner.state.table.buckets)
    stream = [  # with features that share no row of the scales
        example(number % 3, dict.fromkeys(rng.integers(0, 2**20, 50).tolist(), 1.0))
        for number in range(first // 60)
    ]
    assert teach(learner, stream) == teach_naive(twin, stream)
    assert len(learner.state.table.buckets) > first
    assert_same_weights(learner, twin)
    assert ask(learner, stream) == ask_naive(twin, stream)


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_late_labels_are_as_if_they_had_been_known_from_the_start(update):
    copied = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm="oaa", update=update)
        stream = leave_gaps(rng, random_stream(rng, 120, 8, weighted=seed % 2 == 0))
        questions = random_stream(rng, 40, 8)
        learner, late = new_learner(options), naive_learner(options)
        early = OneAgainstAll(late.unknown.rule, known=16, scales=Scales(options.scale))
        results = teach_naive(early, stream)
        assert teach_naive(late, stream) == results
        assert teach(learner, stream) == results
        assert ask(learner, questions) == ask_naive(early, questions)
        for h, twin in zip(late.regressors, early.regressors, strict=False):
            assert (h.weight, h.squares) == (twin.weight, twin.squares)
        copied += late.events["copied"]
    assert copied > 50


def test_classes_given_in_advance_change_nothing():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm="oaa")
        stream, questions = random_stream(rng, 200, 11), random_stream(rng, 50, 11)
        predictions = []
        for classes in (0, 1, 6, 11, 40):
            learner = new_learner(replace(options, classes=classes))
            predictions.append(teach(learner, stream, [50]) + ask(learner, questions))
        assert all(others == predictions[0] for others in predictions)


def test_no_prediction_is_a_label_that_was_not_seen():
    forced = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm="oaa", classes=20)
        learner, twin, seen = new_learner(options), naive_learner(options), set()
        for one in leave_gaps(rng, random_stream(rng, 60, 10, weighted=True)):
            questions = [one, *opposites([one])]
            twin.learn(*one)
            teach(learner, [one])
            if one.label >= 0 and one.weight > 0:
                seen.add(one.label)
            assert {prediction for prediction, _ in ask(learner, questions)} <= (seen or {-1})
            ask_naive(twin, questions)
        forced += twin.events["an unseen label had the largest score"]
    assert forced > 100


def test_nothing_is_predicted_before_anything_was_learned():
    for classes in (0, 9):
        learner = new_learner(Options(algorithm="oaa", bits=BITS, classes=classes))
        assert ask(learner, [example(0, {1: 1}), example(0)]) == [(-1, 0)] * 2
        assert teach(learner, [example(-1, {1: 1}), example(0, {1: 1}, 0)]) == [(-1, 0)] * 2


def test_the_smallest_of_equal_labels_is_the_prediction():
    learner = new_learner(OPTIONS)
    teach(learner, [example(label, {label: 1.0}) for label in (7, 3, 5)])
    assert ask(learner, [example(0), example(0, {50: 1.0})]) == [(3, 0)] * 2


def test_the_only_label_seen_is_always_the_prediction():
    learner = new_learner(OPTIONS)
    assert teach(learner, [example(5, {1: 1.0})] * 2) == [(-1, 0), (5, 0)]
    assert ask(learner, [example(0), example(0, {1: -1.0})]) == [(5, 0)] * 2


def taught(**others):
    stream = random_stream(np.random.default_rng(0), 300, 8)
    learner = new_learner(Options(algorithm="oaa", bits=BITS, **others))
    teach(learner, stream)
    return learner, stream


def test_predicting_changes_nothing():
    learner, stream = taught()
    before = content(learner)
    assert ask(learner, stream) == ask(learner, stream)
    assert content(learner) == before


@pytest.mark.parametrize("unlearned", [{"label": -1}, {"label": 99, "weight": np.float32(0)}])
def test_an_example_without_label_or_importance_is_predicted_not_learned(unlearned):
    learner, stream = taught()
    before = content(learner)
    questions = [one._replace(**unlearned) for one in stream]
    assert teach(learner, questions) == ask(learner, stream)
    assert content(learner) == before


def test_learning_returns_what_predicting_would_have_just_before():
    learner = new_learner(Options(algorithm="oaa", bits=BITS, scale="none"))
    for one in random_stream(np.random.default_rng(0), 300, 8):
        expected = ask(learner, [one])
        assert teach(learner, [one]) == expected


def test_where_a_stream_is_cut_into_batches_changes_nothing():
    rng = np.random.default_rng(3)
    stream = random_stream(rng, 400, 12, weighted=True)
    learners = [new_learner(OPTIONS) for _ in range(3)]
    results = [
        teach(learner, stream, cuts)
        for learner, cuts in zip(learners, ([], range(400), rng.integers(0, 400, 20)), strict=True)
    ]
    assert results[0] == results[1] == results[2]
    assert content(learners[0]) == content(learners[1]) == content(learners[2])


def test_only_the_first_examples_of_a_batch_are_used():
    stream = random_stream(np.random.default_rng(0), 300, 8)
    learner, twin = new_learner(OPTIONS), new_learner(OPTIONS)
    predictions, depths = np.full((2, len(stream)), -9, np.int32)
    learner.learn(batch_of(stream), 100, predictions, depths)
    teach(twin, stream[:100])
    assert content(learner) == content(twin)
    assert np.all(predictions[100:] == -9)


def test_predictions_are_the_same_with_any_number_of_threads():
    stream = random_stream(np.random.default_rng(0), WORTH_A_THREAD // 2, 30)
    assert sum(len(one.features) for one in stream) > WORTH_A_THREAD
    learner = new_learner(OPTIONS)
    teach(learner, stream)
    alone = ask(learner, stream)
    for threads in (2, 3, 7):
        learner.execution = Execution(threads)
        assert ask(learner, stream) == alone


def test_an_easy_problem_is_learned():
    rng = np.random.default_rng(1)
    easy = [example(int(y), {int(y): 1.0, 50: 1.0}) for y in rng.integers(0, 16, 2000)]
    learner = new_learner(OPTIONS)
    teach(learner, easy)
    right = [
        prediction == one.label
        for (prediction, _), one in zip(ask(learner, easy), easy, strict=True)
    ]
    assert np.mean(right) > 0.95


@pytest.mark.parametrize("distance", [1, 1 << 12, 1 << 16])
def test_features_that_are_multiples_of_a_power_of_two_are_found_at_once(distance):
    """A look-up goes on to the end of a run of taken buckets; by chance none is long."""
    features = {number * distance: 1.0 for number in range(1, 50_000)}
    learner = new_learner(Options(algorithm="oaa", bits=22))
    teach(learner, [example(label, features) for label in (0, 1)])
    free = np.flatnonzero(learner.state.table.buckets == 0)
    assert len(free) > 50_000
    assert np.diff(free).max() < 200  # with all of them in a row it would be thousands
