"""The Rtree and the Filter tree as learners."""

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.constants import NO_LABEL
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.jit.kernel import kernel
from lomtree.learners.label_tree import filter_tree, random_tree
from lomtree.learners.label_tree.tree import (
    LabelTreeScratch,
    LabelTreeSettings,
    LabelTreeState,
    grow,
    has_room,
    make_scratch,
    open_example,
)
from lomtree.learners.lesson import Lesson
from lomtree.learners.tree.leaf_labels import LeafLabels, no_leaf_labels
from lomtree.learners.tree.learner import TreeLearner
from lomtree.learners.tree.nodes import (
    FIRST_NODES,
    Tree,
    load_tree,
    make_tree,
    store_tree,
    with_room,
)
from lomtree.learners.tree.walk import Router, predict_example
from lomtree.linear.hashed_weights import (
    check_weights,
    load_weights,
    make_room,
    make_weights,
    store_weights,
)
from lomtree.linear.update import rule_of
from lomtree.storage.state_dict import StateDict

_LEARNING_COLUMNS = ("parent", "n")  # of the nodes


@kernel
def learn(state, settings, scratch, lesson, first, last):
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example whose label finds no room in the tree; returns its number.
    """
    batch, router = lesson.batch, Router(state.tree, state.weights)
    for example in range(first, last):
        if batch.labels[example] < 0 or batch.weights[example] == 0.0:
            prediction, depth = predict_example(router, batch, example)
        else:
            if not has_room(state, batch.labels[example]):
                return example
            make_room(state.weights)
            entry, prediction, depth = open_example(state, settings, scratch, lesson, example)
            if settings.filtered:
                filter_tree.train_path(state, settings.rule, scratch, entry, depth)
            else:
                random_tree.train_path(state, settings.rule, scratch, entry, depth)
        lesson.predictions[example] = prediction
        right = prediction == batch.labels[example]
        lesson.rivals[0, example] = np.int32(NO_LABEL) if right else prediction
        lesson.depths[example] = depth
    return last


class LabelTreeLearner(TreeLearner):
    state: LabelTreeState

    def _new_state(self) -> LabelTreeState:
        adaptive = self.options.update == "adaptive"
        state = LabelTreeState(
            make_tree(),
            np.zeros(FIRST_NODES, np.int32),
            make_weights(self.options.bits, adaptive),
        )
        return _laid_out(state, self.options)

    def _make_scratch(self, length: int) -> LabelTreeScratch:
        return make_scratch(length)

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        options = self.options
        filtered = ALGORITHMS[options.algorithm].filtered
        settings = LabelTreeSettings(rule_of(options), options.seed, filtered)
        return learn(self.state, settings, self._scratch, lesson, begin, end)

    def _grow(self, label: int) -> None:
        self.state = _with_room(self.state, label)

    @property
    def leaf_labels(self) -> LeafLabels:
        return no_leaf_labels()

    def store_state(self, state_dict: StateDict, predict_only: bool) -> None:
        tree, leaves, weights = self.state
        store_tree(tree, state_dict, () if predict_only else _LEARNING_COLUMNS)
        store_weights(weights, state_dict, predict_only)
        if not predict_only:
            state_dict.arrays["leaves"] = leaves[: self.internal_nodes + 1]

    @classmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> LabelTreeState:
        tree, leaves = _load_tree(state_dict, options, label_count, learning)
        return LabelTreeState(tree, leaves, load_weights(state_dict, options, learning))

    @classmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        _load_tree(state_dict, options, label_count, learning)
        check_weights(state_dict, options, learning)


def _load_tree(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> tuple[Tree, np.ndarray]:
    """The tree, and where its learning needs them the leaves of the labels."""
    tree = load_tree(state_dict, _LEARNING_COLUMNS if learning else (), label_count)
    leaves = np.zeros(0, np.int32)
    if learning:
        leaves = state_dict.column("leaves", np.int32, (len(tree.nodes) + 1) // 2).copy()
        _check_leaves(tree, leaves, options.seed)
    return tree, leaves


def _with_room(state: LabelTreeState, label: int) -> LabelTreeState:
    """The same state in arrays that have room for this label's leaf."""
    tree, leaves = _roomy(state.tree, state.leaves, label)
    return state._replace(tree=tree, leaves=leaves)


def _roomy(tree: Tree, leaves: np.ndarray, label: int) -> tuple[Tree, np.ndarray]:
    tree = with_room(tree, 2 * label + 1)
    more = max(0, len(tree.nodes) - len(leaves))
    return tree, np.concatenate([leaves, np.zeros(more, np.int32)])


def _laid_out(state: LabelTreeState, options: Options) -> LabelTreeState:
    """With a leaf for each of the classes that were announced."""
    last = options.classes - 1
    if last > 0:
        if not has_room(state, last):
            state = _with_room(state, last)
        grow(state.tree, state.leaves, options.seed, last)
    return state


def _check_leaves(tree: Tree, leaves: np.ndarray, seed: int) -> None:
    """ModelError if it is not the tree that this seed makes for so many labels: another one would
    not stay balanced as it grows."""
    nodes, count = tree.nodes, tree.counts[0]
    if count["t"] != len(leaves) - 1 or count["root"] != 0:
        raise ModelError("its tree's counters contradict each other")
    last = len(leaves) - 1
    wanted, wanted_leaves = _roomy(make_tree(), np.zeros(FIRST_NODES, np.int32), last)
    grow(wanted, wanted_leaves, seed, last)
    if np.any(leaves != wanted_leaves[: len(leaves)]) or any(
        np.any(nodes[name] != wanted.nodes[name][: len(nodes)])
        for name in ("parent", "left", "right", "slot")
    ):
        raise ModelError("its tree is not the one that its seed makes")
    if count["depth"] != wanted.counts["depth"][0]:
        raise ModelError("its tree is not balanced")
    labels = nodes["label"][leaves]
    own = (labels == NO_LABEL) | (labels == np.arange(len(leaves)))
    if not np.all(own):
        raise ModelError("its labels have no leaves of their own")
