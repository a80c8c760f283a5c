"""Where the leaves of a tree over labels are: balanced, drawn by the seed, as in the naive tree."""

from collections import Counter
from math import ceil, floor, log2

import pytest

from lomtree.hashing import counter_rng
from lomtree.learners.factory import new_learner
from tests.generators.label_trees import both_trees, depths_of, options_of
from tests.generators.streams import (
    example,
    naive_learner,
    shape_of,
    teach,
)
from tests.oracles.label_trees import draw, shuffle


@pytest.mark.parametrize("seed", [0, 1, 2, 77, 2**63 - 1])
def test_a_shuffle_is_a_permutation(seed):
    for bits in range(11):
        moved = [counter_rng.shuffle(x, bits, seed) for x in range(2**bits)]
        assert sorted(moved) == list(range(2**bits))
        assert moved == [shuffle(x, bits, seed) for x in range(2**bits)]


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63 - 1])
def test_numbers_are_drawn_as_the_naive_ones_are(seed):
    numbers = [0, 1, 2, 1000, 2**31 - 1, 2**32 + 64 * 30 + 3]
    assert [int(counter_rng.draw(seed, n)) for n in numbers] == [draw(seed, n) for n in numbers]
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
