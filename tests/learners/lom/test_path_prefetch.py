"""Paths remember where a label's examples went, and change nothing but the time it takes."""

import numpy as np
import pytest

from lomtree.core.constants import NO_NODE
from lomtree.core.options import Options
from lomtree.learners.lom.learner import LomLearner
from lomtree.learners.lom.path_prefetch import (
    LEVELS,
    guessed_node,
    guessed_row,
    make_paths,
    note_step,
    with_label,
)
from lomtree.learners.lom.statistics import find
from tests.generators.streams import content, example, random_options, random_stream, teach


def path_to(nodes, leaf):
    path = [leaf]
    while nodes[path[-1]]["parent"] != NO_NODE:
        path.append(int(nodes[path[-1]]["parent"]))
    return path[::-1]


def path_of(learner, label):
    nodes = [guessed_node(learner._scratch.paths, label, level) for level in range(LEVELS)]
    return nodes[: nodes.index(NO_NODE)] if NO_NODE in nodes else nodes


def test_a_path_is_the_way_of_the_labels_last_example():
    learner = LomLearner(Options(bits=18))
    stream = random_stream(np.random.default_rng(3), 400, 12)
    teach(learner, stream)
    tree, statistics = learner.state.tree, learner.state.statistics
    last = stream[-1]._replace(label=5)
    [(_, depth)] = teach(learner, [last])
    path = path_of(learner, 5)
    assert len(path) == min(depth + 1, LEVELS)
    assert path == path_to(tree.nodes, path[-1])
    for level, v in enumerate(path):
        row = guessed_row(learner._scratch.paths, 5, level)
        assert row == find(statistics, tree.nodes[v]["generation"], 5)
        assert statistics[row]["label"] == 5


@pytest.mark.parametrize("seed", range(12))
def test_paths_that_lead_anywhere_change_nothing(seed):
    rng = np.random.default_rng(seed)
    options = random_options(rng)
    stream = random_stream(rng, 300, 15, weighted=True)
    plain, misled = LomLearner(options), LomLearner(options)
    for begin in range(0, 300, 30):
        part = stream[begin : begin + 30]
        assert teach(plain, part) == teach(misled, part)
        assert content(plain) == content(misled)
        paths = misled._scratch.paths
        paths["node"] = rng.choice([0, 1, 2, 9, -5, 2**31 - 1, -(2**31)], paths.shape)
        paths["row"] = rng.choice([0, 1, 500, -1, 2**31 - 1, -(2**31)], paths.shape)


def test_a_path_ends_where_there_is_no_room_for_more():
    paths = make_paths(1)
    for level in range(LEVELS + 5):
        note_step(paths, 0, level, 7, 8)
    assert guessed_node(paths, 0, LEVELS - 1) == 7
    assert guessed_row(paths, 0, LEVELS - 1) == 8
    assert guessed_node(paths, 0, LEVELS) == NO_NODE


def test_labels_get_paths_as_they_come():
    paths = make_paths(0)
    for label in (0, 1, 40):
        paths = with_label(paths, label)
        note_step(paths, label, 0, 100 + label, 0)
        assert with_label(paths, label) is paths
    assert [guessed_node(paths, label, 0) for label in (0, 1, 2, 40)] == [100, 101, NO_NODE, 140]


def test_a_label_far_beyond_the_others_comes_in_the_middle_of_a_batch():
    learner = LomLearner(Options(bits=18))
    teach(learner, [example(0, {1: 1.0}), example(5000, {2: 1.0}), example(1, {3: 1.0})])
    assert path_of(learner, 5000) != []
    assert learner.examples == 3
