"""Several trees of one stream: the first is the tree alone, the others differ by chance."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.learners.factory import new_learner
from lomtree.learners.tree.structure import NO_LABEL
from lomtree.ranking.combination import MASS, NONE
from tests.generators.lom_trees import offers_of
from tests.generators.models import file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import (
    arrays,
    ask,
    ask_naive,
    batch_of,
    content,
    example,
    naive_learner,
    nodes_of,
    random_options,
    random_stream,
    shape_of,
    statistics_of,
    teach,
    teach_naive,
)
from tests.oracles.beam_search import by_leaves_alone
from tests.oracles.beam_search import rank as rank_slowly

TIE_BREAK_NOISE = 0.1
every_tree = pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter"])


def bytes_of(part):
    return [array.tobytes() for array in arrays(part)]


def naive_forest(options):
    """The naive twin of every tree."""
    trees = [naive_learner(replace(options, seed=options.seed + n)) for n in range(options.trees)]
    for number, tree in enumerate(trees):
        if options.algorithm == "lomtree" and number:
            tree.tie_break_noise, tree.seed = TIE_BREAK_NOISE, options.seed + number
    return trees


def forests(algorithm, count, trees=3):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        options = random_options(rng, algorithm=algorithm, trees=trees, seed=10 * seed)
        yield options, random_stream(rng, 200, int(rng.integers(2, 20)), weighted=seed % 2 == 1)


# What its trees are.


@every_tree
def test_the_first_tree_is_the_tree_alone_to_the_bit(algorithm):
    for options, examples in forests(algorithm, 5):
        forest, alone = new_learner(options), new_learner(replace(options, trees=1))
        teach(forest, examples)
        teach(alone, examples)
        first = forest.trees[0]
        assert bytes_of(first.state) == bytes_of(alone.state)
        assert bytes_of(forest.scaler.scales) == bytes_of(alone.scaler.scales)
        assert ask(first, examples) == ask(alone, examples)


@every_tree
def test_every_tree_is_its_naive_twin(algorithm):
    for options, examples in forests(algorithm, 5):
        forest = new_learner(options)
        teach(forest, examples)
        for learner, tree in zip(forest.trees, naive_forest(options), strict=True):
            teach_naive(tree, examples)
            assert ask(learner, examples) == ask_naive(tree, examples)
            if algorithm == "lomtree":
                assert statistics_of(learner) == {
                    v.number: {y: (v.m.get(y, 0.0), v.n.get(y, 0.0), v.l[y]) for y in v.l}
                    for v in tree.nodes
                }
                leaves = [v for v in tree.nodes if v.is_leaf]
                assert [offers_of(learner, v.number) for v in leaves] == [
                    [tuple(one) for one in v.offers] for v in leaves
                ]
            else:
                assert shape_of(learner) == tree.shape()


@every_tree
def test_the_trees_differ(algorithm):
    examples = random_stream(np.random.default_rng(7), 300, 15)
    forest = new_learner(Options(bits=18, algorithm=algorithm, trees=4))
    teach(forest, examples)
    looks = [
        str([nodes_of(tree)[name].tolist() for name in ("left", "right", "label")])
        for tree in forest.trees
    ]
    assert len(set(looks)) == 4


# What it predicts.


@every_tree
def test_the_distributions_of_the_trees_are_summed(algorithm):
    for options, examples in forests(algorithm, 4):
        options = by_leaves_alone(options)
        forest, trees = new_learner(options), naive_forest(options)
        teach(forest, examples)
        for tree in trees:
            teach_naive(tree, examples)
        questions, weights = examples[-30:], forest.combination.weights[[MASS, NONE]]
        for width in (1, 8):
            given = forest.rank(batch_of(questions), len(questions), width, 64)
            for row, one in enumerate(questions):
                wanted = rank_slowly(trees, one.features, one.values, width, *weights)
                found = dict(
                    zip(given.labels[row].tolist(), given.probabilities[row].tolist(), strict=True)
                )
                found.pop(NO_LABEL, None)
                assert found == pytest.approx(wanted, rel=1e-4, abs=1e-6)


def test_its_prediction_is_the_best_label_of_one_walk_in_each_tree():
    for options, examples in forests("lomtree", 4):
        forest = new_learner(by_leaves_alone(options))
        teach(forest, examples)
        given = forest.rank(batch_of(examples), len(examples), 1, 1)
        depths = [[depth for _, depth in ask(tree, examples)] for tree in forest.trees]
        assert given.asked.tolist() == np.sum(depths, axis=0).tolist()
        mean = (np.sum(depths, axis=0) // 3).tolist()
        assert ask(forest, examples) == list(zip(given.labels[:, 0].tolist(), mean, strict=True))


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter", "oaa"])
def test_however_noisy_the_labels_are_more_mass_is_never_worse(algorithm):
    """Nothing can be learned here, so that signs seem to speak against a label by chance."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        examples = [
            example(int(rng.integers(8)), {int(f): 1.0 for f in rng.integers(0, 4, 2)})
            for _ in range(150)
        ]
        learner = new_learner(Options(bits=18, algorithm=algorithm, ranker=seed % 2 == 0))
        teach(learner, examples)
        assert learner.combination.weights[:NONE].min() >= 0
        if algorithm in ("rtree", "filter", "oaa") and not learner.ranker:
            given = learner.rank(batch_of(examples), len(examples), 1, 1).labels[:, 0]
            assert given.tolist() == [label for label, _ in ask(learner, examples)]


def test_before_learning_an_example_most_trees_decide_and_else_the_first():
    for options, examples in forests("rtree", 4):
        forest = new_learner(options)
        predictions = [prediction for prediction, _ in teach(forest, examples)]
        each = [[a for a, _ in teach_naive(tree, examples)] for tree in naive_forest(options)]
        for given, votes in zip(predictions, zip(*each, strict=True), strict=True):
            assert given == max(votes, key=votes.count)  # the first of those with most


@every_tree
def test_any_number_of_threads_and_cuts_give_the_same_forest(algorithm):
    options, examples = next(forests(algorithm, 1))
    contents = []
    for threads, cuts in ((1, ()), (2, ()), (5, (1, 77))):
        forest = new_learner(options)
        forest.execution = Execution(threads)
        teach(forest, examples, cuts)
        contents.append(content(forest))
    assert contents[0] == contents[1] == contents[2]


# Its file.


@pytest.mark.parametrize("predict_only", [False, True])
@every_tree
def test_a_file_keeps_all_trees(tmp_path, algorithm, predict_only):
    model = trained(by_leaves_alone(Options(bits=18, algorithm=algorithm, trees=3)))
    examples = random_stream(np.random.default_rng(8), 50, 6)
    data = file_bytes(model, tmp_path, predict_only)
    again = read(data, tmp_path, learning=not predict_only)
    asked = batch_of(examples), len(examples), 8, 4
    before, after = model.learner.rank(*asked), again.learner.rank(*asked)
    if predict_only:  # weights are rounded
        assert np.mean(before.labels[:, 0] == after.labels[:, 0]) >= 0.9
        np.testing.assert_allclose(before.probabilities[:, 0], after.probabilities[:, 0], atol=0.1)
    else:
        assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))
    assert file_bytes(again, tmp_path, predict_only) == data


def test_a_file_cut_anywhere_is_no_model(tmp_path):
    data = file_bytes(trained(Options(bits=18, trees=2)), tmp_path)
    for end in np.linspace(0, len(data) - 1, 40).astype(int).tolist():
        with pytest.raises(ModelError):
            read(data[:end], tmp_path)


def one_tree_less(header, arrays):
    header["trees"].pop()


def no_trees(header, arrays):
    del header["trees"]


def a_part_less(header, arrays):
    del arrays["1/nodes.left"]


def another_number(header, arrays):
    header["options"]["trees"] = 3


def more_nodes_than_there_are(header, arrays):
    header["trees"][0]["counts"]["nodes"] += 2
    header["trees"][0]["counts"]["t"] += 1


def a_tree_of_its_own(header, arrays):
    header["options"]["trees"] = 1


def trees_that_are_none(header, arrays):
    header["trees"] = [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        one_tree_less,
        no_trees,
        a_part_less,
        another_number,
        a_tree_of_its_own,
        trees_that_are_none,
        more_nodes_than_there_are,
    ],
)
def test_a_file_whose_trees_do_not_fit_is_refused(tmp_path, change):
    header, arrays = take_apart(file_bytes(trained(Options(bits=18, trees=2)), tmp_path))
    change(header, arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path)
