"""The Rtree and the Filter tree as learners."""

from typing import NamedTuple

import numpy as np

from lomtree import filter_tree, random_tree
from lomtree.compiled import kernel
from lomtree.errors import ModelError
from lomtree.label_tree import Scratch, grow, has_room, make_scratch, open_example
from lomtree.leaf_labels import LeafLabels, own_labels
from lomtree.learner import Lesson
from lomtree.nodes import FIRST_NODES, Tree, load_tree, make_tree, store_tree, with_room
from lomtree.options import Options
from lomtree.parts import Parts, all_differ
from lomtree.regressor import rule_of
from lomtree.structure import NO_LABEL, NONE
from lomtree.tree_learner import TreeLearner
from lomtree.walk import answer_example
from lomtree.weights import Weights, load_weights, make_room, make_weights, store_weights

_LEARNING_COLUMNS = ("parent", "n")  # of the nodes


class State(NamedTuple):
    tree: Tree
    leaves: np.ndarray  # int32[]: the leaf of each label; the tree's t + 1 are in use
    weights: Weights


@kernel
def learn(
    tree, leaves, weights, seed, filtered, rule, scratch, batch, mean_squares, first, last, answers,
    depths,
):  # fmt: skip
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example whose label finds no room in the tree; returns its number.
    """
    for example in range(first, last):
        if batch.labels[example] < 0 or batch.weights[example] == 0.0:
            answers[example], depths[example] = answer_example(tree, weights, batch, example)
            continue
        if not has_room(tree, leaves, batch.labels[example]):
            return example
        make_room(weights)
        entry, answer, depth = open_example(
            tree, leaves, weights, seed, scratch, batch, example, mean_squares[example]
        )
        if filtered:
            filter_tree.train_path(tree, weights, rule, scratch, batch, entry, depth)
        else:
            random_tree.train_path(tree, weights, rule, scratch, batch, entry, depth)
        answers[example], depths[example] = answer, depth
    return last


class LabelTreeLearner(TreeLearner):
    state: State

    def _new_state(self) -> State:
        adaptive = self.options.update == "adaptive"
        state = State(
            make_tree(),
            np.zeros(FIRST_NODES, np.int32),
            make_weights(self.options.bits, adaptive),
        )
        return _laid_out(state, self.options)

    def _make_scratch(self, length: int) -> Scratch:
        return make_scratch(length)

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        options = self.options
        return learn(
            *self.state, options.seed, options.algorithm == "filter", rule_of(options),
            self._scratch, lesson.batch, lesson.mean_squares, begin, end, lesson.answers,
            lesson.depths,
        )  # fmt: skip

    def _grow(self, label: int) -> None:
        self.state = _with_room(self.state, label)

    @property
    def leaf_labels(self) -> LeafLabels:
        tree = self.state.tree
        return own_labels(tree.nodes[: tree.counts["nodes"][0]])

    def store_state(self, parts: Parts, predict_only: bool) -> None:
        tree, leaves, weights = self.state
        store_tree(tree, parts, () if predict_only else _LEARNING_COLUMNS)
        store_weights(weights, parts, predict_only)
        if not predict_only:
            parts.arrays["leaves"] = leaves[: self.internal_nodes + 1]

    @classmethod
    def load_state(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> State:
        tree = load_tree(parts, _LEARNING_COLUMNS if learning else (), label_count)
        leaves = np.zeros(0, np.int32)
        if learning:
            leaves = parts.column("leaves", np.int32, (len(tree.nodes) + 1) // 2).copy()
            _check_leaves(tree, leaves)
        return State(tree, leaves, load_weights(parts, options, learning))


def _with_room(state: State, label: int) -> State:
    """The same state in arrays that have room for this label's leaf."""
    tree, leaves = with_room(state.tree, 2 * label + 1), state.leaves
    more = max(0, len(tree.nodes) - len(leaves))
    return state._replace(tree=tree, leaves=np.concatenate([leaves, np.zeros(more, np.int32)]))


def _laid_out(state: State, options: Options) -> State:
    """With a leaf for each of the classes that were announced."""
    last = options.classes - 1
    if last > 0:
        if not has_room(state.tree, state.leaves, last):
            state = _with_room(state, last)
        grow(state.tree, state.leaves, options.seed, last)
    return state


def _check_leaves(tree: Tree, leaves: np.ndarray) -> None:
    """ModelError if not every label has a leaf of its own, or the tree is no such tree."""
    nodes, count = tree.nodes, tree.counts[0]
    if count["t"] != len(leaves) - 1 or count["root"] != 0:
        raise ModelError("its tree's counters contradict each other")
    if count["depth"] != (len(leaves) - 1).bit_length():
        raise ModelError("its tree is not balanced")
    if leaves.min() < 0 or leaves.max() >= len(nodes) or not all_differ(leaves):
        raise ModelError("its labels have no leaves of their own")
    labels = nodes["label"][leaves]
    own = (labels == NO_LABEL) | (labels == np.arange(len(leaves)))
    if np.any(nodes["left"][leaves] != NONE) or not np.all(own):
        raise ModelError("its labels have no leaves of their own")
