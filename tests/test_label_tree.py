"""The tree over labels that the random tree and the filter tree share: leaves, walks, laws."""

from collections import Counter
from math import ceil, floor, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_label_trees import draw, shuffle
from streams import (
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
    shape_of,
    teach,
    teach_naive,
    weights_of,
)

from lomtree import chance
from lomtree.algorithms import new_learner
from lomtree.batch import CONSTANT
from lomtree.learner import WORTH_A_THREAD
from lomtree.options import Options

both_trees = pytest.mark.parametrize("algorithm", ["rtree", "filter"])


def options_of(algorithm, **others):
    return Options(algorithm=algorithm, bits=BITS, **others)


def told(results):
    """Without the depths of walks that found nothing to answer: the spec leaves them open."""
    return [(answer, depth if answer >= 0 else None) for answer, depth in results]


def assert_agree(options, examples, questions=(), cuts=()):
    learner, tree = new_learner(options), naive_learner(options)
    assert told(teach(learner, examples, cuts)) == told(teach_naive(tree, examples))
    assert shape_of(learner) == tree.shape()
    assert weights_of(learner) == tree.weights()
    assert told(ask(learner, questions)) == told(ask_naive(tree, questions))
    return tree


# Where leaves are.


def depths_of(shape, depth=0) -> dict:
    """{label: the depth of its leaf}"""
    if isinstance(shape, int):
        return {shape: depth}
    return depths_of(shape[0], depth + 1) | depths_of(shape[1], depth + 1)


@pytest.mark.parametrize("seed", [0, 1, 2, 77, 2**63 - 1])
def test_a_shuffle_is_a_permutation(seed):
    for bits in range(11):
        moved = [chance.shuffle(x, bits, seed) for x in range(2**bits)]
        assert sorted(moved) == list(range(2**bits))
        assert moved == [shuffle(x, bits, seed) for x in range(2**bits)]


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63 - 1])
def test_numbers_are_drawn_as_the_naive_ones_are(seed):
    numbers = [0, 1, 2, 1000, 2**31 - 1, 2**32 + 64 * 30 + 3]
    assert [int(chance.draw(seed, n)) for n in numbers] == [draw(seed, n) for n in numbers]
    assert len({draw(seed, n) for n in numbers}) == len(numbers)


@pytest.mark.parametrize("seed", [0, 5, 2**63 - 1])
@both_trees
def test_the_tree_is_the_naive_one_for_any_number_of_classes(algorithm, seed):
    for classes in [*range(1, 34), 100, 1000]:
        options = options_of(algorithm, seed=seed, classes=classes)
        assert shape_of(new_learner(options)) == naive_learner(options).shape()


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, 31, 32, 33, 500, 512, 1025])
@both_trees
def test_every_leaf_is_as_deep_as_the_logarithm_of_the_classes(algorithm, classes):
    for seed in range(5):
        learner = new_learner(options_of(algorithm, seed=seed, classes=classes))
        depths = depths_of(shape_of(learner))
        assert sorted(depths) == list(range(classes))
        assert max(depths.values()) == ceil(log2(classes))
        assert min(depths.values()) == floor(log2(classes))


@both_trees
def test_a_tree_that_grows_stays_balanced(algorithm):
    learner = new_learner(options_of(algorithm))
    for label in (0, 3, 4, 11, 10, 64, 65, 200):
        teach(learner, [example(label, {label: 1.0})])
        classes = learner.state.tree.counts[0]["t"] + 1
        depths = depths_of(shape_of(learner)).values()
        assert (min(depths), max(depths)) == (floor(log2(classes)), ceil(log2(classes)))
    assert classes == 201


def test_seeds_give_different_trees():
    trees = [shape_of(new_learner(options_of("rtree", seed=s, classes=16))) for s in range(20)]
    assert len({str(tree) for tree in trees}) == 20


def test_labels_are_parted_at_the_root_by_chance():
    """Only 0 and 1, and 2 and 3, are always parted: they must be, or the tree were no balanced
    one. No other two labels are together in most trees, or apart in most."""
    trees, classes = 300, 16
    apart, right = Counter(), Counter()
    for seed in range(trees):
        shape = shape_of(new_learner(options_of("rtree", seed=seed, classes=classes)))
        side = set(depths_of(shape[1]))
        right.update(side)
        apart.update((i, j) for i in range(classes) for j in range(i) if (i in side) != (j in side))
    assert apart.pop((1, 0)) == apart.pop((3, 2)) == trees
    assert len(apart) == classes * (classes - 1) // 2 - 2
    assert 0.3 * trees < min(apart.values()) <= max(apart.values()) < 0.8 * trees
    assert 0.4 * trees < min(right.values()) <= max(right.values()) < 0.6 * trees


# Agreement with the naive trees.


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


@settings(max_examples=100, deadline=None)
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


# What is known in advance, and what was not seen.


@both_trees
def test_classes_given_in_advance_change_no_answer_and_no_weight(algorithm):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm=algorithm, seed=seed)
        stream = random_stream(rng, 200, 11, weighted=seed % 2 == 0)
        stream.append(example(10, {3: 1.0}))  # now all 11 have leaves
        questions = random_stream(rng, 50, 11)
        learners = [new_learner(options)] + [
            new_learner(Options(**{**vars(options), "classes": k})) for k in (1, 6, 11, 40)
        ]
        answers = [[answer for answer, _ in teach(one, stream)] for one in learners]
        assert all(others == answers[0] for others in answers)
        answers = [[answer for answer, _ in ask(one, questions)] for one in learners]
        assert all(others == answers[0] for others in answers)
        for other in learners[1:4]:
            assert shape_of(other) == shape_of(learners[0])
            assert weights_of(other) == weights_of(learners[0])
            assert ask(other, questions) == ask(learners[0], questions)


@both_trees
def test_no_answer_is_a_label_that_was_not_seen(algorithm):
    turned = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm=algorithm, classes=20, seed=seed)
        learner, tree, seen = new_learner(options), naive_learner(options), set()
        for one in leave_gaps(rng, random_stream(rng, 60, 10, weighted=True)):
            tree.learn(*one)
            assert {answer for answer, _ in ask(learner, [one])} <= (seen or {-1})
            teach(learner, [one])
            if one.label >= 0 and one.weight > 0:
                seen.add(one.label)
            assert {answer for answer, _ in ask(learner, [one])} <= (seen or {-1})
        turned += tree.events["turned away from an unseen side"]
    assert turned > 100


@both_trees
def test_nothing_is_answered_before_anything_was_learned(algorithm):
    assert ask(new_learner(options_of(algorithm)), [example(0, {1: 1})]) == [(-1, 0)]
    ((answer, _),) = ask(new_learner(options_of(algorithm, classes=9)), [example(0, {1: 1})])
    assert answer == -1


@both_trees
def test_the_only_label_seen_is_always_the_answer(algorithm):
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


# A learner like any other.


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
def test_an_example_without_label_or_importance_is_answered_not_learned(algorithm, unlearned):
    learner, stream = taught(algorithm)
    before = content(learner)
    questions = [one._replace(**unlearned) for one in stream]
    assert teach(learner, questions) == ask(learner, stream)
    assert content(learner) == before


@both_trees
def test_learning_answers_what_predicting_would_have_just_before(algorithm):
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
    answers, depths = np.full((2, len(stream)), -9, np.int32)
    learner.learn(batch_of(stream), 100, answers, depths)
    teach(twin, stream[:100])
    assert content(learner) == content(twin)
    assert np.all(answers[100:] == -9)


@both_trees
def test_predictions_are_the_same_with_any_number_of_threads(algorithm):
    stream = random_stream(np.random.default_rng(0), 2 * WORTH_A_THREAD, 30)
    learner = new_learner(options_of(algorithm))
    teach(learner, stream)
    alone = ask(learner, stream)
    for threads in (2, 3, 7):
        learner.threads = threads
        assert ask(learner, stream) == alone


@both_trees
def test_an_easy_problem_is_learned(algorithm):
    rng = np.random.default_rng(1)
    easy = [example(int(y), {int(y): 1.0, 50: 1.0}) for y in rng.integers(0, 16, 2000)]
    learner = new_learner(options_of(algorithm))
    teach(learner, easy)
    right = [answer == one.label for (answer, _), one in zip(ask(learner, easy), easy, strict=True)]
    assert np.mean(right) > 0.95
