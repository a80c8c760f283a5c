"""The random tree and the filter tree agree with their naive twins, to the bit."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT
from lomtree.learners.factory import new_learner
from tests.generators.label_trees import both_trees
from tests.generators.streams import (
    SMALL_EXAMPLES,
    ask,
    ask_naive,
    example,
    leave_gaps,
    naive_learner,
    note_rivals,
    random_options,
    random_stream,
    shape_of,
    teach,
    teach_naive,
    weights_of,
)


def told(results):
    """Without the depths of walks that found nothing to predict: the spec leaves them open."""
    return [(prediction, depth if prediction >= 0 else None) for prediction, depth in results]


def assert_agree(options, examples, questions=(), cuts=()):
    learner, tree = new_learner(options), naive_learner(options)
    rivals = note_rivals(learner)
    assert told(teach(learner, examples, cuts)) == told(teach_naive(tree, examples))
    learned = [one.label >= 0 and one.weight > 0 for one in examples]
    assert [rival for [rival], counts in zip(rivals, learned, strict=True) if counts] == tree.rivals
    assert shape_of(learner) == tree.shape()
    assert weights_of(learner) == tree.weights()
    assert told(ask(learner, questions)) == told(ask_naive(tree, questions))
    return tree


@both_trees
def test_agrees_with_the_naive_tree_on_random_streams(algorithm):
    events = Counter()
    for seed in range(80):
        rng = np.random.default_rng(seed)
        labels, count = int(rng.choice([1, 2, 3, 8, 40])), int(rng.integers(1, 200))
        stream = random_stream(rng, count, labels, weighted=seed % 2 == 0)
        if seed % 3 == 0:
            stream = leave_gaps(rng, stream)
        options = random_options(
            rng,
            algorithm=algorithm,
            seed=int(rng.integers(2**63)),
            classes=int(rng.choice([0, 0, 1, labels, 50])),
        )
        questions = random_stream(rng, 20, labels, length=12)
        events += assert_agree(options, stream, questions, rng.integers(0, count + 1, 3)).events
    for kind in (
        "turned away from an unseen side",
        "split a leaf that was seen",
        "passed a label by",
        "no opponent",
    ):
        assert events[kind] > 100, (kind, events)


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
@pytest.mark.parametrize("update", ["sgd", "adaptive"])
@both_trees
def test_agrees_with_the_naive_tree_with_every_loss_and_update(algorithm, loss, update):
    rng = np.random.default_rng(11)
    options = random_options(rng, algorithm=algorithm, loss=loss, update=update, power_t=0.5)
    stream = random_stream(rng, 300, 12, weighted=True)
    tree = assert_agree(options, stream, random_stream(rng, 100, 12))
    assert len(tree.seen) >= 10


@settings(max_examples=100)
@given(
    st.lists(SMALL_EXAMPLES, max_size=40),
    st.lists(SMALL_EXAMPLES, max_size=5),
    st.integers(0, 2**32),
    st.sampled_from(["rtree", "filter"]),
    st.sampled_from([0, 0, 3, 9]),
)
def test_agrees_with_the_naive_tree_on_small_streams_of_any_kind(
    stream, questions, seed, algorithm, classes
):
    rng = np.random.default_rng(seed)
    options = random_options(rng, algorithm=algorithm, seed=seed, classes=classes)
    assert_agree(options, stream, questions)


@pytest.mark.parametrize("features", [{}, {CONSTANT: 1}])
@both_trees
def test_examples_without_features_of_their_own(algorithm, features):
    rng = np.random.default_rng(0)
    stream = [example(int(y), features) for y in rng.integers(0, 5, 200)]
    for seed in range(10):
        options = random_options(np.random.default_rng(seed), algorithm=algorithm, seed=seed)
        assert_agree(options, stream, [example(0, features)])


def narrow_stream(rng, count, labels):
    """Few features, so that many labels share no weights; most labels come with the first
    examples."""
    return [
        example(int(y), {int(f): float(v) for f, v in enumerate(rng.normal(size=4))})
        for y in [*rng.permutation(labels), *rng.integers(0, labels, count - labels)]
    ]


@both_trees
def test_arrays_that_grow_in_the_middle_of_a_batch_change_nothing(algorithm):
    rng = np.random.default_rng(4)
    options = Options(algorithm=algorithm, bits=22, seed=9)
    learner, tree = new_learner(options), naive_learner(options)
    first = len(learner.state.tree.nodes)
    labels = 3 * first // 2
    stream = narrow_stream(rng, labels + 300, labels)
    assert teach(learner, stream) == teach_naive(tree, stream)
    assert len(learner.state.tree.nodes) >= 2 * labels - 1 > 2 * first
    assert shape_of(learner) == tree.shape()
    assert weights_of(learner) == tree.weights()
    questions = narrow_stream(rng, labels, labels)
    assert ask(learner, questions) == ask_naive(tree, questions)
