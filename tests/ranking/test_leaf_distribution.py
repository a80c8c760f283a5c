"""The labels of a leaf and their shares: counted as the naive ones, and kept in the model file."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.constants import NO_NODE
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT
from lomtree.learners.factory import new_learner
from lomtree.ranking.leaf_distribution import MOST, joined
from tests.generators.models import CLASSES, OPTIONS, STREAM, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import (
    batch_of,
    example,
    naive_learner,
    nodes_of,
    random_options,
    random_stream,
    statistics_of,
    teach,
    teach_naive,
)
from tests.oracles.beam_search import by_leaves_alone
from tests.oracles.beam_search import leaf_labels as count_slowly

NEGLIGIBLE = 1e-3  # what comes from far above a leaf is left out


def labels_of(leaf_labels, v) -> dict:
    """{label: share} of one node, in their order."""
    part = slice(*leaf_labels.starts[v : v + 2])
    labels = leaf_labels.labels[part].tolist()
    assert len(set(labels)) == len(labels)
    return dict(zip(labels, leaf_labels.shares[part].tolist(), strict=True))


def test_shares_are_those_of_the_naive_tree():
    unseen = several = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        options = random_options(rng, max_statistics=int(rng.choice([100, 2**26])))
        examples = random_stream(rng, 300, int(rng.integers(1, 30)), weighted=seed % 2 == 1)
        learner, tree = new_learner(options), naive_learner(options)
        teach(learner, examples)
        teach_naive(tree, examples)
        counted = learner.leaf_labels
        assert len(counted.starts) == len(tree.nodes) + 1
        for node in tree.nodes:
            given = labels_of(counted, node.number)
            wanted = count_slowly(tree, node) if node.is_leaf else {}
            assert set(given) == set(wanted)
            assert list(given.values()) == sorted(given.values(), reverse=True)
            assert list(given.values()) == pytest.approx(
                [wanted[label] for label in given], abs=NEGLIGIBLE
            )
            unseen += node.is_leaf and not node.l
            several += len(given) > 1
    assert unseen > 20
    assert several > 30


def test_the_shares_of_a_single_leaf_by_hand():
    """A root that may not split: frequencies among n + 1."""
    learner = new_learner(Options(bits=18, max_nodes=1))
    teach(learner, [example(0, {CONSTANT: 1.0}, 3)])
    assert labels_of(learner.leaf_labels, 0) == {0: 0.75}


def test_a_leaf_leans_on_its_parent_by_the_weight_of_one_example():
    """The root saw 0, 0, 1 and split at the third; the leaf that got it saw nothing else."""
    learner = new_learner(Options(bits=18, max_nodes=1))
    teach(learner, [example(label, {CONSTANT: 1.0}) for label in (0, 0, 1)])
    [left, right] = (int(nodes_of(learner)[side][0]) for side in ("left", "right"))
    shares = [labels_of(learner.leaf_labels, v) for v in (left, right)]
    root = {0: 2 / 4, 1: 1 / 4}
    assert {0: pytest.approx(root[0])} in shares  # no example yet: the label's share of the root
    assert {1: pytest.approx((1 + root[1]) / 2)} in shares


def test_a_leaf_has_at_most_the_most_frequent_labels():
    """No example can be told from another, and the tree may not grow: two leaves hold all. Of
    labels that are equally frequent the smaller ones stay, in whatever order they came."""
    learner = new_learner(Options(bits=18, max_nodes=1))
    often = {label: 1 + label % 5 for label in range(3 * MOST)}
    order = np.random.default_rng(2).permutation(len(often)).tolist()
    teach(learner, [example(y, {CONSTANT: 1.0}, often[y]) for y in order])
    found = [labels_of(learner.leaf_labels, v) for v in (1, 2)]
    assert max(map(len, found)) == MOST
    for v, kept in zip((1, 2), found, strict=True):
        came = statistics_of(learner)[v].keys()
        assert list(kept) == sorted(came, key=lambda y: (-often[y], y))[:MOST]
        assert sum(kept.values()) < 1


@pytest.mark.parametrize("algorithm", ["rtree", "filter"])
def test_a_leaf_of_a_tree_over_labels_has_its_own_label_once_it_was_seen(algorithm):
    learner = new_learner(Options(bits=18, algorithm=algorithm, classes=6))
    teach(learner, [example(label, {label: 1.0}) for label in (0, 3, 5)])
    nodes, found = nodes_of(learner), {}
    for v in range(len(nodes)):
        here = labels_of(learner.leaf_labels, v)
        assert not here or nodes["left"][v] == NO_NODE
        found |= here
    assert found == {0: 1.0, 3: 1.0, 5: 1.0}


def test_learning_counts_them_anew():
    learner = new_learner(Options(bits=18))
    teach(learner, [example(0, {CONSTANT: 1.0})])
    assert labels_of(learner.leaf_labels, 0) == {0: 0.5}
    teach(learner, [example(0, {CONSTANT: 1.0}, 2)])
    assert labels_of(learner.leaf_labels, 0) == {0: 0.75}


def test_those_of_several_trees_follow_each_other():
    parts = [trained(replace(OPTIONS, max_nodes=t)).learner.leaf_labels for t in (1, 5, 9)]
    together, v = joined(parts), 0
    for part in parts:
        for node in range(len(part.starts) - 1):
            assert labels_of(together, v) == labels_of(part, node)
            v += 1
    assert v == len(together.starts) - 1


@pytest.mark.parametrize(("learning", "predict_only"), [(True, False), (False, True)])
def test_a_file_keeps_them(tmp_path, learning, predict_only):
    model = trained(by_leaves_alone(OPTIONS))
    again = read(file_bytes(model, tmp_path, predict_only), tmp_path, learning)
    for one, two in zip(model.learner.leaf_labels, again.learner.leaf_labels, strict=True):
        assert one.dtype == two.dtype
        assert np.array_equal(one, two)
    asked = batch_of(STREAM), len(STREAM), 8, 4
    before, after = model.learner.rank(*asked), again.learner.rank(*asked)
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def cut(name, end):
    def change(arrays):
        arrays[name] = arrays[name][:end]

    return change


def put(name, value):
    def change(arrays):
        arrays[name][-1] = value

    return change


def moved(arrays):
    """A leaf's only label becomes one of the root, which is no leaf."""
    counts = arrays["leaf_labels.count"]
    leaf = np.flatnonzero(counts == 1)[0]
    counts[leaf], counts[0] = 0, 1


def crowded(arrays):
    """A leaf with more labels than one may have; everything else fits."""
    counts, leaf = arrays["leaf_labels.count"], np.flatnonzero(arrays["leaf_labels.count"])[0]
    more = MOST + 1 - int(counts[leaf])
    counts[leaf] = MOST + 1
    for name in ("leaf_labels.label", "leaf_labels.share"):
        arrays[name] = np.concatenate([arrays[name], np.zeros(more, arrays[name].dtype)])


def emptied(arrays):
    counts = arrays["leaf_labels.count"]
    counts[np.flatnonzero(counts)[-1]] = 0


def in_another_type(arrays):
    arrays["leaf_labels.label"] = arrays["leaf_labels.label"].astype(np.int64)


CRAFTED = {
    "fewer counts than nodes": cut("leaf_labels.count", -1),
    "fewer labels than the counts say": cut("leaf_labels.label", -1),
    "fewer shares than the counts say": cut("leaf_labels.share", -1),
    "an inner node with a label": moved,
    "a leaf without any": emptied,
    "a count of more than follow": put("leaf_labels.count", 255),
    "a leaf with more than there may be": crowded,
    "a label out of range": put("leaf_labels.label", CLASSES),
    "a negative label": put("leaf_labels.label", -1),
    "labels of another type": in_another_type,
    "a share that is no number": put("leaf_labels.share", np.nan),
    "an infinite share": put("leaf_labels.share", np.inf),
    "a negative share": put("leaf_labels.share", -0.1),
    "a share above one": put("leaf_labels.share", 1.1),
}


@pytest.mark.parametrize("learning", [True, False])
@pytest.mark.parametrize("change", CRAFTED.values(), ids=CRAFTED.keys())
def test_a_file_with_labels_of_leaves_that_cannot_be_is_refused(tmp_path, change, learning):
    header, arrays = take_apart(file_bytes(trained(), tmp_path))
    change(arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path, learning)


@pytest.mark.parametrize("name", ["count", "label", "share"])
def test_a_file_without_them_is_refused(tmp_path, name):
    header, arrays = take_apart(file_bytes(trained(), tmp_path))
    del arrays[f"leaf_labels.{name}"]
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path)
