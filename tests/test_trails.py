"""Trails remember where a label's examples went, and change nothing but the time it takes."""

import numpy as np
import pytest
from streams import content, example, random_options, random_stream, teach

from lomtree.lom_learner import LomLearner
from lomtree.options import Options
from lomtree.structure import NONE
from lomtree.tallies import find
from lomtree.trails import LEVELS, guessed_node, guessed_row, make_trails, note_step, with_label


def path_to(nodes, leaf):
    path = [leaf]
    while nodes[path[-1]]["parent"] != NONE:
        path.append(int(nodes[path[-1]]["parent"]))
    return path[::-1]


def trail_of(learner, label):
    nodes = [guessed_node(learner._scratch.trails, label, level) for level in range(LEVELS)]
    return nodes[: nodes.index(NONE)] if NONE in nodes else nodes


def test_a_trail_is_the_way_of_the_labels_last_example():
    learner = LomLearner(Options(bits=18))
    stream = random_stream(np.random.default_rng(3), 400, 12)
    teach(learner, stream)
    tree, tallies = learner.state.tree, learner.state.tallies
    last = stream[-1]._replace(label=5)
    [(_, depth)] = teach(learner, [last])
    trail = trail_of(learner, 5)
    assert len(trail) == min(depth + 1, LEVELS)
    assert trail == path_to(tree.nodes, trail[-1])
    for level, v in enumerate(trail):
        row = guessed_row(learner._scratch.trails, 5, level)
        assert row == find(tallies, tree.nodes[v]["generation"], 5)
        assert tallies[row]["label"] == 5


@pytest.mark.parametrize("seed", range(12))
def test_trails_that_lead_anywhere_change_nothing(seed):
    rng = np.random.default_rng(seed)
    options = random_options(rng)
    stream = random_stream(rng, 300, 15, weighted=True)
    plain, misled = LomLearner(options), LomLearner(options)
    for begin in range(0, 300, 30):
        part = stream[begin : begin + 30]
        assert teach(plain, part) == teach(misled, part)
        assert content(plain) == content(misled)
        trails = misled._scratch.trails
        trails["node"] = rng.choice([0, 1, 2, 9, -5, 2**31 - 1, -(2**31)], trails.shape)
        trails["row"] = rng.choice([0, 1, 500, -1, 2**31 - 1, -(2**31)], trails.shape)


def test_a_trail_ends_where_there_is_no_room_for_more():
    trails = make_trails(1)
    for level in range(LEVELS + 5):
        note_step(trails, 0, level, 7, 8)
    assert guessed_node(trails, 0, LEVELS - 1) == 7
    assert guessed_row(trails, 0, LEVELS - 1) == 8
    assert guessed_node(trails, 0, LEVELS) == NONE


def test_labels_get_trails_as_they_come():
    trails = make_trails(0)
    for label in (0, 1, 40):
        trails = with_label(trails, label)
        note_step(trails, label, 0, 100 + label, 0)
        assert with_label(trails, label) is trails
    assert [guessed_node(trails, label, 0) for label in (0, 1, 2, 40)] == [100, 101, NONE, 140]


def test_a_label_far_beyond_the_others_comes_in_the_middle_of_a_batch():
    learner = LomLearner(Options(bits=18))
    teach(learner, [example(0, {1: 1.0}), example(5000, {2: 1.0}), example(1, {3: 1.0})])
    assert trail_of(learner, 5000) != []
    assert learner.examples == 3
