"""The LOMtree as a learner: the arrays of Algorithm 1, grown when they are full."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from lomtree import tallies
from lomtree.errors import ModelError
from lomtree.forgetting import KEPT, forget
from lomtree.leaf_labels import (
    LeafLabels,
    count_leaf_labels,
    load_leaf_labels,
    store_leaf_labels,
)
from lomtree.learner import Lesson
from lomtree.lom_tree import Growth, Scratch, learn, most_statistics
from lomtree.nodes import Tree, load_tree, make_tree, store_tree, with_room
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.regressor import rule_of
from lomtree.trails import make_trails, with_label
from lomtree.tree_learner import TreeLearner
from lomtree.weights import Weights, load_weights, make_weights, store_weights

_LEARNING_COLUMNS = ("parent", "labels", "C", "m", "n", "l_max", "recycled")  # of the nodes


WHIM = 0.1  # of all trees but the first, which is Algorithm 1 to the letter


class State(NamedTuple):
    tree: Tree
    tallies: np.ndarray
    weights: Weights
    leaf_labels: LeafLabels | None = None  # None: to be counted


class LomLearner(TreeLearner):
    state: State

    def _new_state(self) -> State:
        adaptive = self.options.update == "adaptive"
        return State(
            make_tree(),
            tallies.make_tallies(),
            make_weights(self.options.bits, adaptive),
        )

    def _make_scratch(self, length: int) -> Scratch:
        trails = make_trails(0) if self._scratch is None else self._scratch.trails
        return Scratch(np.empty(length, np.float32), trails)

    @property
    def _growth(self) -> Growth:
        options = self.options
        return Growth(
            int(options.max_nodes),
            float(options.nodes_per_class),
            int(options.classes),
            float(options.swap_resistance),
            float(options.minority),
            int(options.max_statistics),
            WHIM if self.number else 0.0,
            options.seed,
        )

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        tree, table, weights, _ = self.state
        self.state = State(tree, table, weights)
        return learn(
            tree, table, weights, self._growth, rule_of(self.options), self._scratch, lesson.batch,
            lesson.mean_squares, begin, end, lesson.asked, lesson.answers, lesson.depths,
        )  # fmt: skip

    def _grow(self, label: int) -> None:
        """Make room for more nodes and tallies; what recycled nodes have forgotten is dropped."""
        tree, table = self.state.tree, self.state.tallies
        count = tree.counts[0]
        self._scratch = self._scratch._replace(trails=with_label(self._scratch.trails, label))
        if count["nodes"] + 2 > len(tree.nodes):
            tree = with_room(tree, int(count["nodes"]) + 2)
        more = int(count["depth"]) + 2
        most = most_statistics(self._growth, more)
        full = count["living"] + more > most
        if full or not tallies.has_room(table, count["tallies"], more):
            table = self._rebuilt(tree, table, int(KEPT * most) - more if full else None, more)
        self.state = self.state._replace(tree=tree, tallies=table)

    def _rebuilt(self, tree: Tree, table: np.ndarray, keep: int | None, more: int) -> np.ndarray:
        """The living tallies, the `keep` best of them at most, in a table with room for `more`.

        Generations are numbered anew: each swap takes two, and a long run would use them up.
        """
        count = tree.counts[0]
        nodes = tree.nodes[: count["nodes"]]
        number_of = np.zeros(count["generations"] + 1, np.int32)
        number_of[nodes["generation"]] = np.arange(1, len(nodes) + 1)
        if keep is not None:
            forget(table, number_of, nodes, keep)
        count["living"] = nodes["labels"].sum()
        most = most_statistics(self._growth, more)
        rows = tallies.rows_for(int(count["living"]) + more, most)
        cores = self.pool if self.threads > 1 else None
        target, count["tallies"] = tallies.rebuilt(table, number_of, rows, cores)
        nodes["generation"] = np.arange(1, len(nodes) + 1)
        count["generations"] = len(nodes)
        return target

    @property
    def leaf_labels(self) -> LeafLabels:
        counted = self.state.leaf_labels
        if counted is None:
            counted = self._count_leaf_labels(self._tallies_in_order())
            self.state = self.state._replace(leaf_labels=counted)
        return counted

    def _count_leaf_labels(self, listed: tallies.Listed) -> LeafLabels:
        root = int(self.state.tree.counts["root"][0])
        return count_leaf_labels(self._nodes, root, self.state.tallies, listed)

    def _tallies_in_order(self) -> tallies.Listed:
        counts = self.state.tree.counts
        living, labels = int(counts["living"][0]), int(counts["labels"][0])
        return tallies.in_order(self.state.tallies, self._nodes["generation"], living, labels)

    @property
    def _nodes(self) -> np.ndarray:
        tree = self.state.tree
        return tree.nodes[: tree.counts["nodes"][0]]

    @property
    def swaps(self) -> int:
        return int(self.state.tree.counts["swaps"][0])

    def summary(self) -> list[tuple[str, str]]:
        nodes, *others = super().summary()
        return [(nodes[0], f"{nodes[1]}, {self.swaps:,} swaps"), *others]

    def store_state(self, parts: Parts, predict_only: bool) -> None:
        """Tallies are sorted, and the labels of leaves counted, while weights are written."""
        tree, table, weights, _ = self.state
        beside = ThreadPoolExecutor(1)
        ordered = beside.submit(self._tallies_in_order)
        counted = beside.submit(lambda: self._count_leaf_labels(ordered.result()))
        store_tree(tree, parts, () if predict_only else _LEARNING_COLUMNS)
        store_weights(weights, parts, predict_only)
        store_leaf_labels(self._nodes, counted.result, parts)
        if not predict_only:
            living = int(tree.counts["living"][0])
            parts.arrays |= tallies.to_arrays(table, living, ordered.result)

    @classmethod
    def load_state(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> State:
        counted = learning or "tallies.node" in parts.arrays
        tree = load_tree(parts, _LEARNING_COLUMNS if counted else (), label_count)
        table = tallies.make_tallies()
        if counted:
            generations, seen = tree.nodes["generation"], int(tree.counts["labels"][0])
            table = tallies.load(parts, generations, seen, options.max_statistics)
            rows = np.bincount(table["generation"], minlength=len(tree.nodes) + 1)[1:]
            if np.any(rows != tree.nodes["labels"]):
                raise ModelError("its tallies are not as many as its nodes say")
            tree.counts["tallies"] = tree.counts["living"] = rows.sum()
        weights = load_weights(parts, options, learning)
        return State(tree, table, weights, load_leaf_labels(parts, tree.nodes, label_count))
