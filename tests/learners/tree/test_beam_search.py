"""Beam search finds the leaves that a slow and obvious search finds, with their probabilities."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT, Vector
from lomtree.learners.factory import new_learner
from lomtree.learners.tree.beam_search import SearchSettings, make_beam, search, search_example
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.nodes import with_room
from lomtree.linear.update import threshold_score
from lomtree.ranking.combination import MASS, NONE
from lomtree.ranking.ranking import make_found
from tests.generators.streams import (
    ask,
    batch_of,
    example,
    leave_gaps,
    naive_learner,
    nodes_of,
    random_options,
    random_stream,
    teach,
    teach_naive,
)
from tests.oracles.beam_search import by_leaves_alone
from tests.oracles.beam_search import leaf_labels as leaf_labels_slowly
from tests.oracles.beam_search import rank as rank_slowly
from tests.oracles.beam_search import search as search_slowly

WIDTHS = (1, 2, 3, 8, 64)
IMPOSSIBLE = -1e6  # the logit of "none of these"
every_tree = pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter"])


def found(learner, examples, width):
    """[([(leaf, probability)], regressors asked)] of every example."""
    scaled, beam, given = scaled_batch(learner, examples), make_beam(width), []
    for number in range(len(examples)):
        vector = Vector(scaled.features, scaled.values, *scaled.starts[number : number + 2])
        level, held, asked = search_example(learner.router, vector, stretch_of(learner), beam)
        leaves = beam.nodes[level, :held].tolist(), beam.masses[level, :held].tolist()
        given.append((list(zip(*leaves, strict=True)), asked))
    return given


def scaled_batch(learner, examples):
    batch, count = batch_of(examples), len(examples)
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    return scaled


def stretch_of(learner):
    return 1.0 if learner.options.loss == "logistic" else threshold_score(0.05)


def name_of(learner, v):
    """What a leaf is called in both twins: the number of the node, or of its label."""
    return int(nodes_of(learner)["label"][v]) if learner.options.algorithm != "lomtree" else v


def twin_name(leaf):
    return leaf.number if hasattr(leaf, "number") else leaf.label


def taught(options, examples):
    learner, tree = new_learner(options), naive_learner(options)
    assert teach(learner, examples) == teach_naive(tree, examples)
    return learner, tree


def streams(algorithm, count):
    """Options and examples of all kinds; of trees over labels, some labels are never seen."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        examples = random_stream(rng, 200, int(rng.integers(1, 30)), weighted=seed % 2 == 1)
        if algorithm != "lomtree" and seed % 3 == 0:
            examples = leave_gaps(rng, examples)
        yield replace(random_options(rng), algorithm=algorithm), examples


@every_tree
def test_the_same_leaves_as_a_naive_search(algorithm):
    several = 0
    for options, examples in streams(algorithm, 12):
        learner, tree = taught(options, examples)
        for width in WIDTHS:
            given = found(learner, examples[:40], width)
            for (leaves, asked), one in zip(given, examples[:40], strict=True):
                wanted, effort = search_slowly(tree, one.features, one.values, width)
                assert [name_of(learner, v) for v, _ in leaves] == [
                    twin_name(leaf) for leaf, _ in wanted
                ]
                assert [p for _, p in leaves] == pytest.approx([p for _, p in wanted], rel=1e-9)
                assert asked == effort
                several += len(leaves) > 1
    assert several > 500


@every_tree
def test_the_labels_of_the_leaves_found_with_their_masses(algorithm):
    """Beside the columns of another tree, which stay as they are."""
    width, several = 8, 0
    for options, examples in streams(algorithm, 6):
        learner, tree = taught(options, examples)
        scaled, asked = scaled_batch(learner, examples), np.zeros(len(examples), np.int32)
        labels = make_found(len(examples), 3 * width * KEPT)
        labels.labels[:], labels.masses[:] = -7, -7.0
        settings = SearchSettings(stretch_of(learner), width * KEPT)
        search(
            learner.router, learner.leaf_labels, scaled, 0, len(examples),
            np.ones(len(examples), np.bool_), settings, make_beam(width), labels, asked,
        )  # fmt: skip
        own = slice(width * KEPT, 2 * width * KEPT)
        for row, one in enumerate(examples):
            leaves, effort = search_slowly(tree, one.features, one.values, width)
            wanted = [
                (label, mass * share)
                for leaf, mass in leaves
                for label, share in leaf_labels_slowly(tree, leaf).items()
            ]
            pairs = zip(labels.labels[row, own], labels.masses[row, own], strict=True)
            given = [(int(label), float(mass)) for label, mass in pairs if label != NO_LABEL]
            assert [label for label, _ in given] == [label for label, _ in wanted]
            assert [mass for _, mass in given] == pytest.approx([mass for _, mass in wanted])
            assert asked[row] == effort
            several += len(given) > len(leaves)
        assert np.all(np.delete(labels.labels, np.arange(own.start, own.stop), axis=1) == -7)
    assert several > 100 or algorithm != "lomtree"


@every_tree
def test_the_same_probabilities_as_a_naive_sum_over_the_leaves(algorithm):
    for options, examples in streams(algorithm, 12):
        learner, tree = taught(by_leaves_alone(options), examples)
        questions, weights = examples[-40:], learner.combination.weights[[MASS, NONE]]
        for width in WIDTHS:
            given = learner.rank(batch_of(questions), len(questions), width, 64)
            for row, one in enumerate(questions):
                wanted = rank_slowly([tree], one.features, one.values, width, *weights)
                best = sorted(wanted, key=lambda label: -wanted[label])
                chances = given.probabilities[row][: len(best)].tolist()
                assert set(given.labels[row].tolist()) - {NO_LABEL} == set(best)
                assert chances == sorted(chances, reverse=True)
                assert chances == pytest.approx([wanted[label] for label in best], rel=1e-4)
                for place, label in enumerate(given.labels[row][: len(best)].tolist()):
                    assert wanted[label] == pytest.approx(chances[place], rel=1e-4)


@every_tree
def test_a_beam_of_one_is_the_walk(algorithm):
    for options, examples in streams(algorithm, 12):
        learner, _ = taught(options, examples)
        ends = learner.find_leaves(batch_of(examples), len(examples)).tolist()
        depths = [depth for _, depth in ask(learner, examples)]
        given = found(learner, examples, 1)
        assert [leaves[0][0] for leaves, _ in given] == ends
        assert [len(leaves) for leaves, _ in given] == [1] * len(examples)
        assert [asked for _, asked in given] == depths


@every_tree
def test_a_beam_asks_no_more_than_its_width_on_every_level(algorithm):
    for options, examples in streams(algorithm, 6):
        learner, _ = taught(options, examples)
        for width in WIDTHS:
            given = found(learner, examples, width)
            assert max(asked for _, asked in given) <= width * learner.depths().largest
            assert max(len(leaves) for leaves, _ in given) <= width


@every_tree
def test_a_beam_as_wide_as_the_tree_finds_every_leaf_that_is_not_hopeless(algorithm):
    all_found = 0
    for options, examples in streams(algorithm, 6):
        learner, _ = taught(replace(options, learning_rate=0.01), examples)  # timid: few are
        nodes = nodes_of(learner)
        all_leaves = set(
            np.flatnonzero((nodes["left"] == NO_NODE) & (nodes["label"] >= 0)).tolist()
        )
        for leaves, _ in found(learner, examples, 64):
            chances = [p for _, p in leaves]
            assert len({v for v, _ in leaves}) == len(leaves)
            assert {v for v, _ in leaves} <= all_leaves
            assert chances == sorted(chances, reverse=True)
            assert sum(chances) <= 1 + 1e-9
            assert sum(chances) > 1 - len(nodes) * 1e-2
            if {v for v, _ in leaves} == all_leaves:
                assert sum(chances) == pytest.approx(1, abs=0.1)
                all_found += 1
    assert all_found > 100


@every_tree
def test_probabilities_of_all_labels_found_sum_to_one(algorithm):
    for options, examples in streams(algorithm, 6):
        learner, _ = taught(options, examples)
        some = learner.rank(batch_of(examples), len(examples), 16, 1000).probabilities.sum(axis=1)
        assert np.all((0 < some) & (some < 1 + 1e-5))  # the rest is what none of them has
        learner.combination.weights[NONE] = IMPOSSIBLE
        given = learner.rank(batch_of(examples), len(examples), 16, 1000)
        assert given.probabilities.sum(axis=1) == pytest.approx(1, abs=1e-5)
        fewer = learner.rank(batch_of(examples), len(examples), 16, 3)
        assert np.array_equal(fewer.labels, given.labels[:, :3])
        assert np.array_equal(fewer.probabilities, given.probabilities[:, :3])


def test_a_tree_of_one_leaf_predicts_its_label():
    for algorithm in ("lomtree", "rtree", "filter"):
        learner = new_learner(Options(bits=18, algorithm=algorithm))
        teach(learner, [example(0, {1: 1.0}), example(0, {2: 1.0})])
        learner.combination.weights[NONE] = IMPOSSIBLE
        given = learner.rank(batch_of([example(-1, {1: 1.0}), example(-1)]), 2, 16, 3)
        assert given.labels.tolist() == [[0, NO_LABEL, NO_LABEL]] * 2
        assert given.probabilities.tolist() == [[1, 0, 0]] * 2
        assert given.asked.tolist() == [0, 0]


def test_a_learner_that_learned_nothing_names_no_label():
    for algorithm in ("lomtree", "rtree", "filter", "oaa"):
        for trees in (1, 2) if algorithm != "oaa" else (1,):
            learner = new_learner(Options(bits=18, algorithm=algorithm, trees=trees))
            given = learner.rank(batch_of([example(-1, {1: 1.0})]), 1, 16, 2)
            assert given.labels.tolist() == [[NO_LABEL, NO_LABEL]]
            assert given.probabilities.tolist() == [[0, 0]]


def test_a_tree_like_a_chain():
    """Where no example differs from another all go the same way, and leaves split forever."""
    options = Options(bits=18, max_nodes=60)
    examples = [example(number % 7, {CONSTANT: 1.0}) for number in range(200)]
    learner, tree = taught(options, examples)
    assert learner.depths().largest > 10  # a balanced one would have 6 levels
    for width in WIDTHS:
        [(leaves, asked)] = found(learner, examples[:1], width)
        wanted, effort = search_slowly(tree, [CONSTANT], [np.float32(1)], width)
        assert [v for v, _ in leaves] == [leaf.number for leaf, _ in wanted]
        assert [p for _, p in leaves] == pytest.approx([p for _, p in wanted], rel=1e-9)
        assert asked == effort


def chain(length):
    """Every inner node has a leaf on its left; no score is anything but 0."""
    learner = new_learner(Options(bits=18))
    tree = with_room(learner.state.tree, 2 * length + 1)
    inner = np.arange(0, 2 * length, 2)
    nodes = tree.nodes[: 2 * length + 1]
    nodes["left"] = nodes["right"] = nodes["parent"] = NO_NODE
    nodes["left"][inner], nodes["right"][inner] = inner + 1, inner + 2
    nodes["parent"][inner + 1] = nodes["parent"][inner + 2] = inner
    nodes["slot"] = 0
    nodes["label"] = 7
    tree.counts["nodes"], tree.counts["t"], tree.counts["depth"] = len(nodes), length, length
    learner.state = learner.state._replace(tree=tree)
    return learner


def test_no_probability_vanishes_however_deep_the_tree_is():
    """0.5^3000 is 0 in float64."""
    [(leaves, asked)] = found(chain(3000), [example(-1, {1: 1.0})], 1)
    assert [v for v, _ in leaves] == [6000]
    assert leaves[0][1] > 0
    assert asked == 3000


def test_a_search_ends_where_all_that_is_deeper_is_hopeless():
    """A leaf has half of what is left; from 0.5^8 on that is less than HOPELESS times 0.5."""
    [(leaves, asked)] = found(chain(3000), [example(-1, {1: 1.0})], 64)
    assert leaves == [(2 * depth - 1, 0.5**depth) for depth in range(1, 8)]
    assert asked == 8


@pytest.mark.parametrize("trees", [1, 3])
@every_tree
def test_any_number_of_threads_gives_the_same_ranking(algorithm, trees):
    examples = random_stream(np.random.default_rng(3), 700, 20)
    rankings = []
    for threads in (1, 2, 5):
        learner = new_learner(Options(bits=18, algorithm=algorithm, trees=trees))
        learner.execution = Execution(threads)
        teach(learner, examples)
        rankings.append(learner.rank(batch_of(examples), len(examples), 8, 5))
    for one in rankings[1:]:
        assert all(np.array_equal(*pair) for pair in zip(one, rankings[0], strict=True))


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter", "oaa"])
def test_batches_cut_anywhere_give_the_same_ranking(algorithm):
    examples = random_stream(np.random.default_rng(4), 600, 20)
    learner = new_learner(Options(bits=18, algorithm=algorithm))
    teach(learner, examples)
    whole = learner.rank(batch_of(examples), len(examples), 8, 5)
    for cut in (1, 255, 256, 257, 599):
        halves = [
            learner.rank(batch_of(part), len(part), 8, 5)
            for part in (examples[:cut], examples[cut:])
        ]
        for name in ("labels", "probabilities", "asked"):
            parts = [getattr(half, name) for half in halves]
            assert np.array_equal(np.concatenate(parts), getattr(whole, name))


def test_only_the_examples_asked_for_are_ranked():
    examples = random_stream(np.random.default_rng(5), 100, 10)
    learner = new_learner(Options(bits=18))
    teach(learner, examples)
    few, all_ = (learner.rank(batch_of(examples), count, 8, 5) for count in (7, 100))
    assert len(few.labels) == 7
    assert np.array_equal(few.labels, all_.labels[:7])
    assert len(learner.rank(batch_of([]), 0, 8, 5).labels) == 0
